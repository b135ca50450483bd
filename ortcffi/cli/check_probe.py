# SPDX-License-Identifier: MIT
"""The process in which ``ortcffi check`` reads the ops of a library and makes kernels of them.

Each line of JSON on standard output says what begins or what was found, so that the other side
knows what a crash belongs to.
"""

import gc
import pickle
import signal
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import islice, pairwise, product, zip_longest
from textwrap import shorten
from typing import Any

import numpy as np

from ortcffi._convert import decode
from ortcffi._native import lib
from ortcffi._table import core_api, of_core
from ortcffi.cli.check_against import Formula, read_formula
from ortcffi.custom_ops.describe import Characteristic
from ortcffi.errors import OrtError
from ortcffi.kernels.checked import CheckedKernel
from ortcffi.kernels.child import limit_this_process, tell
from ortcffi.kernels.host import host_function
from ortcffi.kernels.kernel import Kernel
from ortcffi.kernels.library import CustomOpLibrary, LibraryOp
from ortcffi.memory.adaptors import Guarded
from ortcffi.memory.tracking import Tracking
from ortcffi.table.trace import Trace
from ortcffi.testing.compare import compute_on_threads, flip
from ortcffi.testing.ep_factories import missing_functions
from ortcffi.testing.live_objects import left_alive, live_objects, made_since, malloced
from ortcffi.testing.one_node import Model
from ortcffi.testing.random_inputs import described, random_elements
from ortcffi.values.element_types import ElementType, dtype_of

__all__ = ["answer", "attempt"]

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
_SINCE = {
    decode(lib.ortcffi_slot_row(i).name): lib.ortcffi_slot_row(i).since
    for i in range(lib.ORTCFFI_SLOTS)
}
_PLAIN: dict[str, Any] = {
    "INT": 1,
    "FLOAT": 1.0,
    "STRING": "1",
    "INTS": [1, 1],
    "FLOATS": [1.0, 1.0],
    "STRINGS": ["1"],
    "TENSOR": np.ones(1, np.float32),
}
_MEMORY = 1 << 30  # bytes for kernels that get arbitrary inputs
_OF_CPU = "", "CPUExecutionProvider"
_LEFT = "an exception left the op"
_UNLIKELY = {
    "axis": -(2**40),
    "alpha": "text",
    "mode": [1, 2, 3],
    "vocab": "",
    "map": ["a", "b"],
    "size": 1e9,
    "value": np.zeros(3, np.float32),
}
_ANY = "FLOAT", "DOUBLE", "INT64", "INT32", "UINT8", "BOOL", "FLOAT16", "STRING"
# The usual ones first. (64,) and (4, 16) end at a multiple of 64 bytes, whatever the type.
_SHAPES = (2, 3), (3,), (4, 16), (64,), (1, 3, 4, 4), (5, 1, 7), (1,), (), (0,), (0, 3)
_MIXED = (2, 3), (3,), (1,), ()
_MOST_MIXED = 64
_LARGE = (2_000,), (200, 10), (20_000,), (2_000, 10), (200_000,), (20_000, 10)
_SLOW = 0.02  # seconds of a call, after which no larger one is tried
_TIMES = 100  # calls, in each of which memory may be left
_LEAST = 16  # bytes of malloc that each call must leave
_MOST_MODELS = 4
_MOST_TEXT = 200  # characters of what differs


def answer(path: str) -> None:
    """Check what the ops of a library declare."""
    limit_this_process()
    library = CustomOpLibrary(path)
    tell(ops=[f"{op.domain}:{op.name}" for op in library.ops])
    _check_duplicates(library)
    for op in library.ops:
        name = f"{op.domain}:{op.name}"
        for problem in _problems(op):
            tell(finding=f"{name}: {problem}", on=name)
    tell(done=True)


# --- the trial of one op --------------------------------------------------------------------------


def attempt(  # noqa: PLR0913, PLR0917  # what a trial is made of
    path: str, place: int, version: int, seconds: int, models: str, reference: str, made_up: bool
) -> None:
    """Make kernels of an op on a host, have them compute, and report what is wrong.

    A step that takes more than `seconds` ends the process. `models` is a file for the models of one
    node whose sessions are to compute the same; without it only what differs by host is tried.
    `reference` is a file of formulas, or "". Without `made_up` no attribute gets a made-up value.
    """
    limit_this_process(_MEMORY)
    warnings.simplefilter("ignore")  # of attributes that an op does not read
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    base = host_function("OrtcoreWatchedBase")(version)
    trace = Trace(of_core(base.GetApi(version), base, version))
    _begin("while the library is registered", seconds)
    trial = _Trial(CustomOpLibrary(path, api=trace.api, watch=True), place, seconds, made_up)
    with suppress(ValueError):  # which the comparison reports
        trial.formula = read_formula(reference, trial.op) if reference else None
    before = trace.called
    made = trial.make()
    if made:
        trial.compute()
    if models:
        trial.look_closer(models)
    since = {slot: _SINCE[slot] for slot, n in trace.called.items() if n > before.get(slot, 0)}
    needs = max(since.values(), default=1)
    slots = [slot for slot, version in since.items() if version == needs]
    facts = {"made": made, "computes": trial.calls, "needs": needs, "slots": slots}
    tell(done=True, **facts, refusal=trial.refusal, throws=bool(trial.thrown))


class _Trial:
    """What is known of an op while it is tried."""

    def __init__(self, library: CustomOpLibrary, place: int, seconds: int, made_up: bool) -> None:
        self._library, self.op, self._seconds = library, library.ops[place], seconds
        self._made_up = made_up
        self.formula: Formula | None = None  # whose attributes and inputs are used
        self._random = np.random.default_rng(0)
        self._is_wrong = False
        self._refusals = 0
        self.calls = 0  # with how many inputs it computed, right or wrong
        self.thrown: list[str] = []  # by functions of the op which can answer a status
        self.attributes: dict[str, Any] = {}  # with which it makes a kernel
        # The inputs with which one computes, and its outputs.
        self.computed: list[tuple[list[Any], tuple[Any, ...]]] = []
        self.refusal = ""  # why it made no kernel, or did not compute

    def make(self) -> bool:
        """Whether it makes a kernel with a value for each attribute that it asks for, or with none.

        One that has what it asks for is more likely to compute.
        """
        if self.op.description.provider not in _OF_CPU:
            self.refusal = f"it is for {self.op.description.provider}"
            return False
        asked: dict[str, list[str]] = {}
        attributes = dict(self.formula.attributes) if self.formula else {}
        made = False
        for _ in range(8):
            self.refusal = ""  # the last one counts
            self._begin(f"while a kernel is made with attributes {attributes}", attributes)
            try:
                self.op.kernel(attributes, _asked=asked).close()
                made, self.attributes = True, dict(attributes)
            except (OrtError, ValueError) as error:
                self._refused(error)
            more = {name: _PLAIN[kinds[0]] for name, kinds in asked.items()}
            if attributes.keys() >= more.keys() or (made and self.formula) or not self._made_up:
                break
            attributes = more | attributes
        if made:
            self.refusal, self._refusals, self.thrown = "", 0, []
        return made

    def compute(self) -> None:
        """Compute with inputs of many shapes, where `CheckedKernel` finds what is wrong."""
        with self.op.kernel(self.attributes, check=True) as kernel:
            for given in self._draws():
                if self._is_wrong:
                    return
                self._compute(kernel, given, "with inputs")
            if len(self.op.inputs) > 1 and not self.computed:
                for given in islice(self._mixed(), _MOST_MIXED):
                    self._compute(kernel, given, "with inputs")
        always = len(self.thrown) == self._refusals and len(set(self.thrown)) == 1
        if always and not self.calls:
            tell(finding=f"{self._name}: with whatever inputs, {self.thrown[0]}")

    def look_closer(self, models: str) -> None:
        """Look for reads beyond blocks, for what is left, and for kernels that disturb each other.

        Then write the models for sessions.
        """
        if self.computed and not self._is_wrong:
            self._compute_at_pages()
            self._compute_at_once()
            self._write_models(models)
        if self.op.description.provider in _OF_CPU:
            self._leave_nothing()

    def _compute_at_pages(self) -> None:
        when = "where the memory after each block is closed to reads and writes, with inputs"
        with (
            Guarded(core_api().default_allocator, close_pages=True) as guarded,
            self.op.kernel(self.attributes, allocator=guarded) as kernel,
        ):
            for given, _ in list(self.computed):
                self._compute(kernel, given, when)

    def _compute(self, kernel: Kernel, given: list[Any], when: str) -> None:
        """Compute once, and note what came of it."""
        inputs, others = described(given), False
        if isinstance(kernel, CheckedKernel):
            others = bool(kernel._make_others) and self._made_up
            kernel._make_others = kernel._make_others if others else []
        self._begin(f"{when} {inputs}", others=others)
        try:
            found = kernel(*given)
        except AssertionError as error:
            if self._may_not_fit(given):
                self.refusal = self.refusal or f"{error}, with inputs {inputs}, which may not fit"
                return
            self._is_wrong = True
            self.calls += 1
            tell(finding=f"{error}, with inputs {inputs}")
        except (OrtError, TypeError, ValueError) as error:
            self._refused(error)
        else:
            outputs = found if isinstance(found, tuple) else (found,)
            self.calls += 1
            self.computed.append((given, tuple(map(_copied, outputs))))

    def _may_not_fit(self, given: list[Any]) -> bool:
        """Whether inputs have different shapes, and nothing is wrong when one call is checked.

        Whether such inputs fit each other cannot be known. If they do not, another result in a
        second call, or an element that is not written, is no mistake of the op.
        """
        if len({x.shape for x in given if x is not None}) < 2:
            return False
        try:
            with (
                suppress(OrtError, TypeError, ValueError),
                self.op.kernel(self.attributes, check=True, repeats=1) as kernel,
            ):
                kernel(*given)
        except AssertionError:
            return False
        return True

    def _refused(self, error: Exception) -> None:
        text = str(error)
        self.refusal = self.refusal or text
        self._refusals += 1
        if _LEFT in text:
            self.thrown.append(text[text.index(_LEFT) :])

    def _draws(self) -> Iterator[list[Any]]:
        """Inputs of one shape, of each type that the op may take."""
        is_free = any(not operand.element_type for operand in self.op.inputs)
        has_others = any(o.characteristic != Characteristic.REQUIRED for o in self.op.inputs)
        if not self.op.inputs:
            yield []
            return
        for name in _ANY if is_free else _ANY[:1]:
            for others in (False, True) if has_others else (False,):
                for shape in _SHAPES:
                    yield self._inputs([shape] * len(self.op.inputs), name, others)

    def _mixed(self) -> Iterator[list[Any]]:
        """Inputs of different shapes."""
        for shapes in product(_MIXED, repeat=len(self.op.inputs)):
            yield self._inputs(list(shapes))

    def _inputs(
        self, shapes: list[tuple[int, ...]], free: str = "FLOAT", others: bool = False
    ) -> list[Any]:
        """Random inputs; with `others` without optional ones, and with more of variadic ones."""
        given: list[Any] = []
        for operand, shape in zip(self.op.inputs, shapes, strict=True):
            dtype = dtype_of(operand.element_type or ElementType[free])
            count = 1
            if operand.characteristic == Characteristic.VARIADIC:
                count = max(operand.min_arity, 1) + 2 * others
            elif operand.characteristic == Characteristic.OPTIONAL and others:
                given.append(None)
                continue
            given += [random_elements(dtype, shape, self._random) for _ in range(count)]
        fixed = self.formula.inputs if self.formula else []
        return [x if y is None else y for x, y in zip_longest(given, fixed[: len(given)])]

    # --- many calls -------------------------------------------------------------------------------

    def _compute_at_once(self) -> None:
        """Compute on two threads, with inputs as large as is quick."""
        largest = max(self.computed, key=lambda each: sum(map(_size, each[0])))[0]
        with self.op.kernel(self.attributes) as kernel:
            for shape in _LARGE:
                given = self._inputs([shape] * len(self.op.inputs))
                self._begin(f"with inputs {described(given)}")
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
        self._begin("with two threads that compute at the same time")
        try:
            compute_on_threads(self._name, lambda: self.op.kernel(self.attributes), pairs, 2)
        except AssertionError as error:
            text = shorten(str(error).rpartition("Mismatched")[2], _MOST_TEXT)
            at_once = f"two threads at the same time, with inputs {described(largest)},"
            tell(finding=f"{self._name}: on {at_once} it computes something else: {text}")

    def _leave_nothing(self) -> None:
        """Find what calls and kernels leave, of the API, of their allocator and of malloc."""
        with Tracking(core_api().default_allocator) as memory:
            if self.computed:
                given = self.computed[0][0]
                with self.op.kernel(self.attributes, allocator=memory) as kernel:
                    self._repeat("calls of its kernel", lambda: kernel.compute(*given), memory)

            def make(attributes: dict[str, Any]) -> None:
                with suppress(OrtError, ValueError):
                    self.op.kernel(attributes, allocator=memory).close()

            made = "kernels that were made and destroyed"
            unlikely = [_UNLIKELY] if self._made_up else []
            for attributes in {}, self.attributes, *unlikely:  # a refusal is right
                if self._repeat(made, partial(make, attributes), memory, attributes):
                    return

    def _repeat(
        self,
        what: str,
        act: Callable[[], object],
        memory: Tracking,
        attributes: dict[str, Any] | None = None,
    ) -> bool:
        """Do something often, and report what it leaves."""
        used = f" with attributes {attributes}" if attributes else ""
        self._begin(f"during {what}{used}", attributes)
        begin = time.monotonic()
        for _ in range(3):  # the first ones may make what the others use
            act()
        is_quick = time.monotonic() - begin < _SLOW * 3
        times = _TIMES if is_quick else 3
        gc.collect()
        objects, made = live_objects(), self._library.left_alive()
        blocks, figures = memory.bytes_allocated, [malloced()]

        def repeat() -> None:
            for _ in range(times):
                act()
            gc.collect()
            figures.append(malloced())

        repeat()
        repeat()
        left = [f"{count} of kind {kind!r}" for kind, count in left_alive(objects).items()]
        text = ", ".join(left) + made_since(made, self._library.left_alive())
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
            tell(finding=f"{self._name}: {2 * times} {what} leave {text}")
        return bool(text)

    def _write_models(self, path: str) -> None:
        """Write models of one node, with what kernels compute."""
        if any(isinstance(each, np.ndarray) for each in self.attributes.values()):
            return  # a session's cannot be tensors
        one_of_each = {
            tuple(None if x is None else x.dtype for x in given): (given, outputs)
            for given, outputs in reversed(self.computed)
            if all(each is not None for each in outputs)
        }
        op, version = self.op, self.op.description.since_version
        pairs = []
        for given, outputs in islice(one_of_each.values(), _MOST_MODELS):
            kinds = [(each.dtype, each.ndim) for each in outputs]
            model = Model(op.domain, op.name, version, given, self.attributes, kinds)
            pairs.append((model, outputs))
        with open(path, "wb") as file:
            pickle.dump(pairs, file)

    @property
    def _name(self) -> str:
        return f"{self.op.domain}:{self.op.name}"

    def _begin(
        self, what: str, attributes: dict[str, Any] | None = None, *, others: bool = False
    ) -> None:
        """Say what comes next, and which made-up values of attributes it has.

        They are those of `attributes`, by default those of the kernel, which are not the cause of a
        crash if it has computed with them. With `others` kernels of other values are made, too.
        """
        given = self.formula.attributes if self.formula else {}
        used = self.attributes if attributes is None else attributes
        made_up = {name: value for name, value in used.items() if name not in given}
        has_computed = attributes is None and bool(self.computed)
        text = str(made_up) if made_up and not has_computed else ""
        _begin(what, self._seconds, text or ("of other kernels" if others else ""))


def _begin(what: str, seconds: int, made_up: str = "") -> None:
    """Say what comes next, which must not take longer."""
    tell(begins=what, made_up=made_up)
    signal.alarm(seconds)


def _copied(x: Any) -> Any:
    return x.copy() if isinstance(x, np.ndarray) else x


def _size(x: Any) -> int:
    return 0 if x is None else int(x.size)


def _check_duplicates(library: CustomOpLibrary) -> None:
    seen: dict[tuple[Any, ...], list[tuple[int, float]]] = {}
    for op in library.ops:
        about, name = op.description, f"{op.domain}:{op.name}"
        first, last = about.since_version, about.end_version or float("inf")
        spans = seen.setdefault((name, *(operand.element_type for operand in op.inputs)), [])
        if any(first <= end and start <= last for start, end in spans):
            text = "is registered twice for one version and the same types of inputs"
            tell(finding=f"{name} {text}", on=name)
        if first > last:
            tell(finding=f"{name}: its versions begin at {first} and end at {last}", on=name)
        spans.append((first, last))


def _problems(op: LibraryOp) -> list[str]:
    """What a real host crashes on, or refuses."""
    struct, found = op._pointer, []
    if struct.version == 0:
        found.append("the version of its struct is 0")
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
        found += _problems_of_operands(what, operands)
    return found


def _problems_of_operands(what: str, operands: Any) -> list[str]:
    found = []
    for i, operand in enumerate(operands):
        if not isinstance(operand.element_type, ElementType):
            found.append(f"{what} {i} has the unknown type {operand.element_type}")
        if not isinstance(operand.characteristic, Characteristic):
            found.append(f"{what} {i} has the unknown characteristic {operand.characteristic}")
        if operand.characteristic == Characteristic.VARIADIC and i < len(operands) - 1:
            found.append(f"{what} {i} is variadic, and not the last one")
    return found
