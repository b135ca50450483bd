# SPDX-License-Identifier: MIT
"""What does Python add to a call?

Simulates a program that talks to the table all day: asks for a property, makes objects, catches
failures, takes arrays. From the bare function upwards, each line adds one floor: the compiled
function, the check of its status, the object. NumPy's own array is beside ours and, where the
package is installed, the official package's OrtValue, the only way there to memory of the library.

Needs pyperf. Run ``python benchmarks/bench_what_does_python_add.py``.
"""

import importlib.util
from typing import Any

import numpy as np
import pyperf

import ortcffi
from ortcffi import ffi, lib
from ortcffi.errors import check

SHAPE = (1, 3, 224, 224)

CAUGHT = """
try:
    api.memory_info("NoSuchDevice")
except OrtError as error:
    error.code, error.message
"""
CAUGHT_BELOW = """
try:
    check(pointer, create(pointer, name, 0, 0, 0, created), "CreateMemoryInfo")
except OrtError as error:
    error.code, error.message
"""
STATEMENTS = {
    "call": "read(pointer, handle, out)",
    "call, status checked": 'check(pointer, read(pointer, handle, out), "MemoryInfoGetId")',
    "property: MemoryInfo.id": "info.id",
    "object: Api.memory_info": 'api.memory_info("Cpu")',
    "failing call, caught and read": CAUGHT_BELOW,
    "failing Api.memory_info, caught and read": CAUGHT,
    "failing Api.memory_info of the real library": CAUGHT.replace("api", "real"),
    "numpy.empty, 600 KB": "numpy_empty(SHAPE, float32)",
    "Allocator.empty, 600 KB": "ort_empty(SHAPE, float32)",
    "OrtValue from shape, 600 KB": 'value_from_shape(SHAPE, float32, "cpu", 0)',
}


def names() -> dict[str, Any]:
    api = ortcffi.default_api()
    info = api.cpu_memory_info()
    found = {
        "api": api,
        "pointer": api.pointer,
        "read": lib.MemoryInfoGetId,
        "create": lib.CreateMemoryInfo,
        "check": check,
        "OrtError": ortcffi.OrtError,
        "info": info,
        "handle": info.handle,
        "out": ffi.new("int*"),
        "created": ffi.new("OrtMemoryInfo**"),
        "name": ffi.new("char[]", b"NoSuchDevice"),
        "SHAPE": SHAPE,
        "float32": np.float32,
        "numpy_empty": np.empty,
        "ort_empty": api.default_allocator.empty,
    }
    if importlib.util.find_spec("onnxruntime") is not None:
        from onnxruntime import OrtValue

        found["real"] = ortcffi.load()
        found["value_from_shape"] = OrtValue.ortvalue_from_shape_and_type
    return found


def main() -> None:
    runner = pyperf.Runner()
    known = names()
    needs = {"real": "real library", "value_from_shape": "OrtValue"}
    for title, statement in STATEMENTS.items():
        if all(name in known or word not in title for name, word in needs.items()):
            runner.timeit(title, statement, globals=known)


if __name__ == "__main__":
    main()
