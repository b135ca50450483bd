# SPDX-License-Identifier: MIT
"""The types of the compiled module: as generated, as compiled, and as a type checker reads them."""

import ast
import os
import sys
from pathlib import Path

import pytest
from support.processes import run

import ortcffi
from ortcffi._native import lib

PACKAGE = Path(ortcffi.__file__).parent


pytestmark = pytest.mark.xdist_group("stub")


@pytest.fixture(scope="module")
def stub() -> dict[str, ast.ClassDef]:
    """The classes of the stub, by name."""
    module = ast.parse((PACKAGE / "_ort.pyi").read_text())
    return {node.name: node for node in module.body if isinstance(node, ast.ClassDef)}


RIGHT = """
api = lib.ortcffi_core_api_base().GetApi(1)
allocator = ffi.new("OrtAllocator**")
assert lib.GetAllocatorWithDefaultOptions(api, allocator) == ffi.NULL
block = ffi.new("void**")
status = lib.AllocatorAlloc(api, allocator[0], 64, block)
lib.ReleaseStatus(api, status)
"""
# Such as users write, with every argument and result of a type of its own.
PROGRAM = """
import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import assert_type

import numpy as np
import numpy.typing as npt

import ortcffi as ort
import ortcffi.compat as onnxruntime
from ortcffi._ort import Cdata

Floats = npt.NDArray[np.float32]


class Mine(ort.PythonAllocator):
    def alloc(self, size: int) -> int | None:
        return None

    def free(self, pointer: Cdata) -> None: ...


@ort.custom_op("my.domain", inputs=[np.float32], outputs=[np.float32], attributes={"by": 2.0})
def scale(x: Floats, *, by: float) -> Floats:
    return x * np.float32(by)


async def run(path: Path, x: Floats) -> Floats:
    options = ort.SessionOptions(intra_op_threads=2, config={"key": "value"})
    with ort.Session(path, options=options, api=ort.load()) as session, session.bind(x=x) as bound:
        bound.run()
        y: Floats = (await session.run_async({"x": x}))[0]
        (y,) = await asyncio.create_task(session.run_async({"x": x}))
        shape: tuple[int | str, ...] | None = session.inputs[0].shape
    return y


tracking = ort.Tracking(ort.Limiting(Mine(), 1 << 20))
with tracking.scope("sum") as scope, ort.numpy_allocator(tracking):
    peak: int = scope.peak
x: Floats = tracking.zeros((2, 3), np.float32)
value = ort.Value.from_numpy(x)
same = np.from_dlpack(value), np.from_dlpack(onnxruntime.OrtValue.ortvalue_from_numpy(x))
op: ort.LibraryOp = ort.CustomOpLibrary("library.so")["my.domain", "Scale"]
names: list[str] = sorted(ort.CustomOpLibrary("library.so")["my.domain"])
try:
    op.kernel({"by": 3.0})(x)
except ort.errors.InvalidArgument as error:
    code: ort.ErrorCode = error.code
    name: str = error.code.name
except ort.OrtError as error:
    name = error.code.name


def work(count: int) -> Floats:
    zeros: Floats = tracking.zeros((count, 2), np.float32, order="F")
    return zeros


def shapes(x: Floats) -> None:
    assert_type(tracking.empty(3), npt.NDArray[np.float64])
    assert_type(tracking.zeros((2, 3), np.dtype(np.float32)), Floats)
    assert_type(tracking.full(3, 7, np.float32), Floats)
    assert_type(tracking.copy_of(x, order="F"), Floats)
    assert_type(work(3), Floats)
    plain: npt.NDArray[np.int16] = tracking.empty(3, "i2")


session = onnxruntime.InferenceSession("model.onnx", providers=["CPUExecutionProvider"])
session.run(None, {"x": x})
"""
WRONG = {  # a wrong call, and what the type checker says of it
    'lib.AllocatorFree(api, ffi.new("OrtValue**")[0], ffi.NULL)': 'expected "OrtAllocator"',
    'lib.ReleaseStatus(api, ffi.new("OrtEnv**")[0])': 'expected "OrtStatus"',
    'lib.GetAllocatorWithDefaultOptions(api, ffi.new("OrtEnv**"))': "Out[OrtAllocator]",
    "lib.GetErrorCode(lib.GetEpApi(api), ffi.NULL)": 'expected "OrtApi"',
    'lib.CreateStatus(api, 1, "not bytes")': "bytes",
    "lib.NoSuchFunction(api)": 'has no attribute "NoSuchFunction"',
}


@pytest.fixture(scope="module")
def complaints(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What mypy, in strict mode, says of each module; it reads all of them in one run."""
    folder = tmp_path_factory.mktemp("types")
    names = "\n".join(f"ort.{name}" for name in ortcffi.__all__)
    modules = {"right": RIGHT, "program": PROGRAM, "names": f"import ortcffi as ort\n{names}"}
    for number, wrong in enumerate(WRONG):
        modules[f"wrong{number}"] = f"api = lib.ortcffi_core_api_base().GetApi(1)\n{wrong}"
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(f"from ortcffi._ort import ffi, lib\n{text}\n")
    pytest.importorskip("mypy")
    installed = PACKAGE.parent.name == "site-packages"  # where mypy looks by itself
    where = {} if installed else {"MYPYPATH": str(PACKAGE.parent)}
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--cache-dir=cache"]
    files = [f"{name}.py" for name in modules]
    done = run(*command, *files, cwd=folder, env={**os.environ, **where}, code=1)
    said: dict[str, list[str]] = {name: [] for name in modules}
    for line in done.stdout.splitlines()[:-1]:  # the last one counts
        said[line.partition(".py:")[0]].append(line)
    return said


def test_the_stub_names_what_the_compiled_module_has(stub):
    named = set()
    for node in stub["Lib"].body:
        if isinstance(node, ast.FunctionDef):
            named.add(node.name)
        elif isinstance(node, ast.AnnAssign):
            named.add(node.target.id)
    assert named == set(dir(lib))


@pytest.mark.parametrize("name", ["right", "program", "names"])
def test_right_handles_a_program_and_all_names_pass_the_type_checker(complaints, name):
    assert complaints[name] == []


@pytest.mark.parametrize("number", range(len(WRONG)), ids=WRONG)
def test_a_wrong_handle_does_not_pass_the_type_checker(complaints, number):
    (error,) = [line for line in complaints[f"wrong{number}"] if ": error: " in line]
    assert list(WRONG.values())[number] in error
