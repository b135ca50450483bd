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
from typing import Any

import numpy as np

from ortcffi._table import core_api
from ortcffi.cli.child import limit_this_process
from ortcffi.custom_ops.describe import Characteristic
from ortcffi.errors import OrtError
from ortcffi.kernels.library import CustomOpLibrary, LibraryOp
from ortcffi.memory.tracking import Tracking
from ortcffi.testing.live_objects import left_alive, live_objects, made_by
from ortcffi.values.element_types import ElementType

__all__ = ["answer"]

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
_NAMES = ["axis", "alpha", "mode", "vocab", "map", "size", "value"]


def answer(path: str, first: int) -> None:
    """Check the ops of a library from the `first` on."""
    limit_this_process()
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


def _tell(**facts: Any) -> None:
    sys.stdout.write("\n" + json.dumps(facts) + "\n")  # after what the library wrote
    sys.stdout.flush()


def _check_duplicates(library: CustomOpLibrary) -> None:
    seen: dict[tuple[str, str], list[tuple[int, float]]] = {}
    for op in library.ops:
        about = op.description
        first, last = about.since_version, about.end_version or float("inf")
        spans = seen.setdefault((op.domain, op.name), [])
        if any(first <= end and start <= last for start, end in spans):
            _tell(finding=f"{op.domain}:{op.name} is registered twice for one version")
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
        told = ", ".join(f"{count} of kind {kind!r}" for kind, count in left.items())
        told += made_by(made, library.left_alive())
        _tell(finding=f"{op.domain}:{op.name}: making and destroying kernels leaves {told}")
    if memory.bytes_allocated:
        told = f"{memory.bytes_allocated} bytes of the kernel's allocator"
        _tell(finding=f"{op.domain}:{op.name}: making and destroying kernels leaves {told}")


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
