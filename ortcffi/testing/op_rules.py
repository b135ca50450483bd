# SPDX-License-Identifier: MIT
"""Rules for custom ops, which are tried one after the other in a process of each op."""

import gc
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import islice, pairwise
from textwrap import shorten
from typing import Any

import numpy as np

from ortcffi._table import core_api
from ortcffi.custom_ops.describe import Characteristic
from ortcffi.errors import OrtError
from ortcffi.kernels import child
from ortcffi.kernels.library import LibraryOp
from ortcffi.memory.adaptors import Guarded
from ortcffi.memory.tracking import Tracking
from ortcffi.table.load import installed_libraries
from ortcffi.testing.compare import check_same, compute_on_threads, flip
from ortcffi.testing.ep_factories import missing_functions
from ortcffi.testing.live_objects import left_in_words, live_objects, made_since, malloced
from ortcffi.testing.one_node import Model, ProcessEnded, run_in_process
from ortcffi.testing.op_bench import CALL_SECONDS, OF_CPU, Bench
from ortcffi.testing.random_inputs import described
from ortcffi.testing.rules import Broken, NotTried, rule
from ortcffi.values.element_types import ElementType

_TYPES = "GetInputType", "GetInputTypeCount", "GetOutputType", "GetOutputTypeCount"
_REQUIRED: list[tuple[int, tuple[str, ...]]] = [
    (1, ("GetName", "GetExecutionProviderType", *_TYPES, "KernelDestroy")),
    (8, ("GetInputCharacteristic", "GetOutputCharacteristic")),
    (13, ("GetInputMemoryType",)),
]
_OF_VARIADIC: list[tuple[int, tuple[str, ...]]] = [
    (14, (f"GetVariadic{what}{fact}",))
    for what in ("Input", "Output")
    for fact in ("MinArity", "Homogeneity")
]
_UNLIKELY = {
    "axis": -(2**40),
    "alpha": "text",
    "mode": [1, 2, 3],
    "vocab": "",
    "map": ["a", "b"],
    "size": 1e9,
    "value": np.zeros(3, np.float32),
}
_LARGE = (2_000,), (200, 10), (20_000,), (2_000, 10), (200_000,), (20_000, 10)
_SLOW = 0.02  # seconds of a call, after which no larger one is tried
_TIMES = 100  # calls, in each of which memory may be left
_LEAST = 16  # bytes of malloc that each call must leave
_MOST_MODELS = 4
_MOST_TEXT = 200  # characters of what differs
_TOLERANCE = 1e-5  # of sessions


@rule("declaration", "ONNX Runtime calls them without a look; measured")
def has_the_functions_of_an_op(bench: Bench) -> None:
    """An op has a name, known types, and all functions that ONNX Runtime calls.

    Those of the version that its struct declares. Only the last input or output is variadic.
    """
    op, struct = bench.op, bench.op._pointer
    found = ["the version of its struct is 0"] if struct.version == 0 else []
    kinds = {operand.characteristic for operand in op.inputs + op.outputs}
    required = _REQUIRED + _OF_VARIADIC if Characteristic.VARIADIC in kinds else _REQUIRED
    found += missing_functions(struct, struct.version, required)
    for second, kind in (("CreateKernelV2", "CreateKernel"), ("KernelComputeV2", "KernelCompute")):
        if not getattr(struct, kind) and not (struct.version >= 16 and getattr(struct, second)):
            found.append(f"{kind} and {second} are NULL")
    if not op.name:
        found.append("it has no name")
    if "\ufffd" in op.name + op.domain:
        found.append("its name or domain is not UTF-8")
    for what, operands in (("input", op.inputs), ("output", op.outputs)):
        for i, operand in enumerate(operands):
            if not isinstance(operand.element_type, ElementType):
                found.append(f"{what} {i} has the unknown type {operand.element_type}")
            if not isinstance(operand.characteristic, Characteristic):
                found.append(f"{what} {i} has the unknown characteristic {operand.characteristic}")
            if operand.characteristic == Characteristic.VARIADIC and i < len(operands) - 1:
                found.append(f"{what} {i} is variadic, and not the last one")
    if found:
        raise Broken("; ".join(found))


@rule("declaration", "ONNX Runtime refuses two; measured")
def is_registered_once(bench: Bench) -> None:
    """No other op has its name, types of inputs and one of its versions.

    Ops of one name may differ in the types of their inputs, or in the versions that they are of.
    """
    first, last = _versions(bench.op)
    if first > last:
        raise Broken(f"its versions begin at {first} and end at {last}")
    for other in bench.library.ops[: bench.subject.op]:
        begin, end = _versions(other)
        if _key(other) == _key(bench.op) and first <= end and begin <= last:
            raise Broken("it is registered twice for one version and the same types of inputs")


def _key(op: LibraryOp) -> tuple[Any, ...]:
    return op.domain, op.name, *(operand.element_type for operand in op.inputs)


def _versions(op: LibraryOp) -> tuple[int, float]:
    return op.description.since_version, op.description.end_version or float("inf")


@rule("kernel", "the header: CreateKernel, KernelDestroy", hosts="all")
def makes_a_kernel(bench: Bench) -> None:
    """It makes a kernel where its attributes have values of the right types.

    With a value for each attribute that it asks for, or with none.
    """
    bench.make()
    if not bench.made:
        raise NotTried(f"no kernel was made: {bench.refusal}")


@rule("kernel", "the header: KernelContext_GetInput, KernelContext_GetOutput", hosts="all")
def computes(bench: Bench) -> None:
    """It writes all of its outputs, of the shape that it infers, nothing else, and again the same.

    With inputs of each type that it takes and of many shapes: empty ones, scalars, and those that
    end at a multiple of 64 bytes. Also after kernels with other attributes were made.
    """
    if not bench.made:
        raise NotTried("")
    bench.compute()
    if bench.wrong:
        raise Broken(bench.wrong)
    always = len(bench.thrown) == bench.refusals and len(set(bench.thrown)) == 1
    if always and not bench.calls:
        raise Broken(f"with whatever inputs, {bench.thrown[0]}")
    if not bench.calls:
        raise NotTried(f"no kernel computed: {bench.refusal}")


@rule("kernel", "the header: a function that returns a status", must=False)
def lets_no_exception_out(bench: Bench) -> None:
    """An op that can answer a status lets no exception out.

    It ends a host that does not catch it.
    """
    if bench.calls and bench.thrown:
        raise Broken(bench.thrown[0])


@rule("kernel", "the size of a tensor")
def reads_only_its_inputs(bench: Bench) -> None:
    """It reads and writes nothing behind its inputs and outputs.

    The memory after each block is closed.
    """
    bench.require_right()
    when = "where the memory after each block is closed to reads and writes, with inputs"
    with (
        Guarded(core_api().default_allocator, close_pages=True) as guarded,
        bench.op.kernel(bench.attributes, allocator=guarded) as kernel,
    ):
        for given, _ in list(bench.computed):
            bench.call(kernel, given, when)
    if bench.wrong:
        raise Broken(bench.wrong)


@rule("kernel", "sessions whose runs overlap")
def computes_on_two_threads(bench: Bench) -> None:
    """Two threads compute with one kernel at the same time.

    With inputs as large as is quick, of which every other thread has the elements in the opposite
    order.
    """
    bench.require_right()
    tried = (inputs for inputs, _ in bench.computed)
    largest = max(tried, key=lambda inputs: sum(x.size for x in inputs if x is not None))
    with bench.op.kernel(bench.attributes) as kernel:
        for shape in _LARGE:
            given = bench.inputs([shape] * len(bench.op.inputs))
            bench.begin(f"with inputs {described(given)}")
            begin = time.monotonic()
            with suppress(OrtError, TypeError, ValueError):
                kernel(*given)
                largest = given
            if time.monotonic() - begin > _SLOW:
                break
        pairs = [largest]
        flipped = [None if x is None else flip(x) for x in largest]
        with suppress(OrtError, TypeError, ValueError):
            kernel(*flipped)
            pairs.append(flipped)
    bench.begin("with two threads that compute at the same time")
    try:
        compute_on_threads(bench.name, lambda: bench.op.kernel(bench.attributes), pairs, 2)
    except AssertionError as error:
        text = shorten(str(error).rpartition("Mismatched")[2], _MOST_TEXT)
        at_once = f"two threads at the same time, with inputs {described(largest)},"
        raise Broken(f"on {at_once} it computes something else: {text}") from None


@rule("kernel", "ONNX Runtime itself")
def computes_the_same_in_a_session(bench: Bench) -> None:
    """A session of the installed library computes what the kernel does.

    Of a model of one node, for each combination of types of inputs, in a process of its own.
    """
    bench.require_right()
    if not installed_libraries():
        raise NotTried("no library with sessions is installed")
    if any(isinstance(each, np.ndarray) for each in bench.attributes.values()):
        raise NotTried("an attribute of a session cannot be a tensor")
    one_of_each = {
        tuple(None if x is None else x.dtype for x in given): (given, outputs)
        for given, outputs in reversed(bench.computed)
        if all(each is not None for each in outputs)
    }
    pairs, version = list(islice(one_of_each.values(), _MOST_MODELS)), bench.op.description
    models = [
        Model(
            *(bench.op.domain, bench.op.name, version.since_version, given, bench.attributes),
            [(each.dtype, each.ndim) for each in outputs],
        )
        for given, outputs in pairs
    ]
    bench.begin("in a session of the installed library", limit=False)
    child.limit_this_process()  # which the other one has from this one
    try:
        answers = run_in_process(models, bench.subject.path, None, 3 * CALL_SECONDS)
    except ProcessEnded as error:
        raise Broken(f"in a session of the installed library, {error}") from None
    for (_, expected), answer in zip(pairs, answers, strict=True):
        if isinstance(answer, Exception):
            raise Broken(f"a session of the installed library fails: {answer}") from answer
        try:
            for i, (ours, theirs) in enumerate(zip(expected, answer, strict=True)):
                name, tolerance = f"output {i} of {bench.name}", (_TOLERANCE, _TOLERANCE)
                check_same(name, ours, theirs, tolerance, "in a session")
        except AssertionError as error:
            text = f"a session computes something else: {shorten(str(error), _MOST_TEXT)}"
            raise Broken(text) from None


@rule("kernel", "the header: who releases what")
def calls_leave_nothing(bench: Bench) -> None:
    """Calls of a kernel leave no object of the API, no block of the kernel's allocator, no memory.

    Of a hundred calls or more, by the host's counts and by what ``malloc`` says is in use.
    """
    bench.require_computed()
    given = bench.computed[0][0]
    with (
        Tracking(core_api().default_allocator) as memory,
        bench.op.kernel(bench.attributes, allocator=memory) as kernel,
    ):
        _repeat(bench, "calls of its kernel", partial(kernel.compute, *given), memory)


@rule("kernel", "the header: KernelDestroy")
def kernels_leave_nothing(bench: Bench) -> None:
    """Kernels that were made and destroyed, or refused, leave nothing.

    Also with attributes of wrong types, which an op is right to refuse.
    """
    if bench.op.description.provider not in OF_CPU:
        raise NotTried(f"it is for {bench.op.description.provider}")
    with Tracking(core_api().default_allocator) as memory:

        def make(attributes: dict[str, Any]) -> None:
            with suppress(OrtError, ValueError):
                bench.op.kernel(attributes, allocator=memory).close()

        made = "kernels that were made and destroyed"
        unlikely = [_UNLIKELY] if bench.subject.made_up else []
        for attributes in {}, bench.attributes, *unlikely:  # a refusal is right
            _repeat(bench, made, partial(make, attributes), memory, attributes)


def _repeat(
    bench: Bench,
    what: str,
    act: Callable[[], Any],
    memory: Tracking,
    attributes: dict[str, Any] | None = None,
) -> None:
    """Act again and again, and refuse what that leaves."""
    used = f" with attributes {attributes}" if attributes else ""
    bench.begin(f"during {what}{used}", attributes)
    begin = time.monotonic()
    for _ in range(3):  # the first ones may make what the others use
        act()
    is_quick = time.monotonic() - begin < _SLOW * 3
    times = _TIMES if is_quick else 3
    gc.collect()
    objects, made = live_objects(), bench.library.left_alive()
    blocks, figures = memory.bytes_allocated, [malloced()]

    def repeat() -> None:
        for _ in range(times):
            act()
        gc.collect()
        figures.append(malloced())

    repeat()
    repeat()
    text = left_in_words(objects) + made_since(made, bench.library.left_alive())
    if not text and memory.bytes_allocated > blocks:
        text = f"{memory.bytes_allocated - blocks} bytes of the kernel's allocator"
    most = 6 if is_quick and not text else 0
    while (grown := min(b - a for a, b in pairwise(figures))) >= _LEAST * times:
        if len(figures) > most:
            break
        repeat()  # caches grow now and then; what is lost, each time
    if not text and is_quick and grown >= _LEAST * times:
        text = f"{2 * grown} bytes of malloc or new"
    if text:
        raise Broken(f"{2 * times} {what} leave {text}")


@rule("kernel", "the header: the table of a version ends before newer slots", hosts="all")
def calls_what_its_version_has(bench: Bench) -> None:
    """Its functions call no slot that is newer than the version that the library asked for.

    Older hosts, which have that version, crash. Where the library asks an older host for an older
    version, that host is tried, too.
    """
    needs, slots = bench.needed()
    if needs > bench.has:
        raise Broken(
            f"it calls {', '.join(slots)} of API version {needs}, and asks for version {bench.has},"
            " whose table ends before: older hosts crash"
        )
