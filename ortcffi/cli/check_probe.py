# SPDX-License-Identifier: MIT
"""The process in which ``ortcffi check`` reads the ops of a library and makes kernels of them.

Each line of JSON on standard output says what begins or what was found, so that the other side
knows what a crash belongs to.
"""

import gc
import json
import os
import random
import sys
import warnings
from contextlib import suppress
from typing import Any

import numpy as np

from ortcffi._convert import decode
from ortcffi._native import lib
from ortcffi._table import core_api, of_core
from ortcffi.custom_ops.describe import Characteristic
from ortcffi.errors import OrtError
from ortcffi.kernels.child import limit_this_process
from ortcffi.kernels.host import host_function
from ortcffi.kernels.kernel import Kernel
from ortcffi.kernels.library import CustomOpLibrary, LibraryOp
from ortcffi.memory.tracking import Tracking
from ortcffi.table.trace import Trace
from ortcffi.testing.live_objects import left_alive, live_objects, made_since
from ortcffi.values.element_types import ElementType, dtype_of

__all__ = ["answer", "compute"]

_REQUIRED = [
    (1, "GetName"),
    (1, "GetExecutionProviderType"),
    (1, "GetInputType"),
    (1, "GetInputTypeCount"),
    (1, "GetOutputType"),
    (1, "GetOutputTypeCount"),
    (8, "GetInputCharacteristic"),
    (8, "GetOutputCharacteristic"),
    (13, "GetInputMemoryType"),
    (14, "GetVariadicInputMinArity"),
    (14, "GetVariadicInputHomogeneity"),
    (14, "GetVariadicOutputMinArity"),
    (14, "GetVariadicOutputHomogeneity"),
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
_NAMES = ["axis", "alpha", "mode", "vocab", "map", "size", "value"]


def answer(path: str, first: int) -> None:
    """Check the ops of a library from the `first` on."""
    limit_this_process()
    warnings.simplefilter("ignore")  # of attributes that an op does not read
    library = CustomOpLibrary(path, watch=True)
    _tell(ops=len(library.ops))
    if first == 0:
        _check_duplicates(library)
    for i, op in enumerate(library.ops[first:], first):
        _tell(begins=i, name=f"{op.domain}:{op.name}")
        for problem in _problems(op):
            _tell(finding=f"{op.domain}:{op.name}: {problem}")
        _check_kernels(library, op)
    _tell(done=True)
    os._exit(0)  # without the destructors of the library


# --- what kernels call ----------------------------------------------------------------------------


def compute(path: str, first: int, version: int) -> None:
    """Make and run kernels on a host of an API version; report which slots each op calls."""
    limit_this_process(_MEMORY)
    warnings.simplefilter("ignore")
    base = host_function("OrtcoreKernelBase")(version)
    trace = Trace(of_core(base.GetApi(version), base, version))
    library = CustomOpLibrary(path, api=trace.api)
    for i, op in enumerate(library.ops[first:], first):
        name, before = f"{op.domain}:{op.name}", trace.called
        _tell(begins=i, name=name)
        kernel = _make(op)
        given = None if kernel is None else _compute(op, kernel)
        if kernel is not None and given is not None:
            _check_calls(name, kernel, given)
        if kernel is not None:
            kernel.close()
        since = {slot: _SINCE[slot] for slot, n in trace.called.items() if n > before.get(slot, 0)}
        needs = max(since.values(), default=1)
        slots = [slot for slot, version in since.items() if version == needs]
        facts = {"made": kernel is not None, "computes": given is not None}
        _tell(tried=name, **facts, needs=needs, slots=slots)
    _tell(done=True)
    os._exit(0)


def _make(op: LibraryOp) -> Kernel | None:
    """A kernel, if the op makes one with a value for each attribute that it asks for, or with none.

    One that has what it asks for is more likely to compute.
    """
    attributes: dict[str, Any] = {}
    asked: dict[str, list[str]] = {}
    kernel = None
    for _ in range(8):
        with suppress(OrtError, ValueError):
            kernel = op.kernel(attributes, _asked=asked)
        more = {name: _PLAIN[kinds[0]] for name, kinds in asked.items() if name not in attributes}
        if not more:
            break
        attributes |= more
    return kernel


def _compute(op: LibraryOp, kernel: Kernel) -> list[Any] | None:
    """Small inputs of one of a few shapes with which a kernel computes; None if there are none."""
    for shape in ((2, 3), (3,), (1,), (1, 3, 4, 4)):
        given = []
        for operand in op.inputs:
            dtype = dtype_of(operand.element_type or ElementType.FLOAT)
            variadic = operand.characteristic == Characteristic.VARIADIC
            x = np.full(shape, "1", object) if dtype.hasobject else np.ones(shape, dtype)
            given += [x] * (max(operand.min_arity, 1) if variadic else 1)
        with suppress(OrtError, TypeError, ValueError):
            kernel.compute(*given)
            return given
    return None


def _check_calls(name: str, kernel: Kernel, given: list[Any]) -> None:
    """Find what the third call leaves: the first ones may make what the kernel goes on to use."""
    with suppress(OrtError):
        kernel.compute(*given)
        before = live_objects()
        kernel.compute(*given)
        if left := left_alive(before):
            message = ", ".join(f"{count} of kind {kind!r}" for kind, count in left.items())
            _tell(finding=f"{name}: each call of its kernel leaves {message}")


def _tell(**facts: Any) -> None:
    sys.stdout.write("\n" + json.dumps(facts) + "\n")  # after what the library wrote
    sys.stdout.flush()


def _check_duplicates(library: CustomOpLibrary) -> None:
    seen: dict[tuple[Any, ...], list[tuple[int, float]]] = {}
    for op in library.ops:
        about = op.description
        first, last = about.since_version, about.end_version or float("inf")
        types = tuple(operand.element_type for operand in op.inputs)
        spans = seen.setdefault((op.domain, op.name, types), [])
        if any(first <= end and start <= last for start, end in spans):
            what = f"{op.domain}:{op.name} is registered twice for one version"
            _tell(finding=f"{what} and the same types of inputs")
        if first > last:
            _tell(finding=f"{op.domain}:{op.name}: its versions begin at {first} and end at {last}")
        spans.append((first, last))


def _problems(op: LibraryOp) -> list[str]:
    """What a real host crashes on, or refuses."""
    struct, found = op._pointer, []
    if struct.version == 0:
        found.append("the version of its struct is 0")
    kinds = {operand.characteristic for operand in op.inputs + op.outputs}
    called = [
        name
        for since, name in _REQUIRED
        if struct.version >= since and ("Variadic" not in name or Characteristic.VARIADIC in kinds)
    ]
    missing = [name for name in called if not getattr(struct, name)]
    found += [f"{name} is NULL, which ONNX Runtime calls" for name in missing]
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


def _check_kernels(library: CustomOpLibrary, op: LibraryOp) -> None:
    """Make kernels with no attributes, and with random ones: a refusal is right, a crash is not."""
    generator = random.Random(op.name)  # noqa: S311  # nothing secret
    gc.collect()
    memory = Tracking(core_api().default_allocator)
    before, made = live_objects(), library.left_alive()
    for trial in range(3):
        attributes = {name: _value(generator) for name in _NAMES} if trial else {}
        try:
            op.kernel(attributes, allocator=memory).close()
        except (OrtError, ValueError):
            continue
    gc.collect()
    if left := left_alive(before):
        message = ", ".join(f"{count} of kind {kind!r}" for kind, count in left.items())
        message += made_since(made, library.left_alive())
        _tell(finding=f"{op.domain}:{op.name}: making and destroying kernels leaves {message}")
    if memory.bytes_allocated:
        message = f"{memory.bytes_allocated} bytes of the kernel's allocator"
        _tell(finding=f"{op.domain}:{op.name}: making and destroying kernels leaves {message}")


def _value(generator: random.Random) -> Any:
    return generator.choice(
        [
            generator.randint(-(2**40), 2**40),
            generator.uniform(-1e9, 1e9),
            "text",
            "",
            [1, 2, 3],
            [0.5],
            ["a", "b"],
            np.zeros(3, np.float32),
        ]
    )
