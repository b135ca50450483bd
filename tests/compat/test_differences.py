# SPDX-License-Identifier: MIT
"""What the drop-in takes, reads and refuses otherwise, as the page `from_onnxruntime` says."""

import os

import numpy as np
import pytest
from support import models
from support.graphs import graph_of
from support.prepared import run_program

from ortcffi import compat

CPU = ["CPUExecutionProvider"]

pytestmark = pytest.mark.usefixtures("real_library")


class Arrayed:
    def __array__(self, dtype=None, copy=None):
        return np.array([1, 2], np.float32)


def identity(x, shape):
    port = f"{x}[{','.join(map(str, shape))}]"
    graph = graph_of(f"x {port}", "y = Identity x", f"y {port}")
    return compat.InferenceSession(graph.to_bytes(), providers=CPU)


@pytest.mark.parametrize(
    ("x", "shape", "given"),
    [
        ("f4", [1, 2], ([1, 2],)),
        ("f4", [], 5.0),
        ("i8", [], 5),
        ("f4", [], np.float32(5)),
        ("str", [], "text"),
        ("f4", [2], Arrayed()),
    ],
)
def test_other_inputs_are_taken(x, shape, given):
    (y,) = identity(x, shape).run(None, {"x": given})
    assert y.tolist() == np.asarray(given).tolist()


def test_an_array_of_another_type_is_converted_in_place():
    value = compat.OrtValue.ortvalue_from_numpy(np.zeros(2, np.float32))
    value.update_inplace(np.array([1, 2], np.float64))
    assert value.numpy().tolist() == [1, 2]


def places():
    return np.array([0, 1], ">i8")


WAYS = {
    "a value": lambda x: compat.OrtValue.ortvalue_from_numpy(x).numpy(),
    "a value of a type": lambda x: compat.OrtValue.ortvalue_from_numpy_with_onnx_type(
        x, compat.OrtValue.ortvalue_from_numpy(x).element_type()
    ).numpy(),
    "a sparse tensor": lambda x: compat.SparseTensor.sparse_coo_from_numpy(
        [2], x, places(), compat.OrtDevice.make("cpu", 0)
    ).values(),
    "a run": lambda x: identity(x.dtype.newbyteorder("=").str[1:], [2]).run(None, {"x": x})[0],
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("dtype", [">f2", ">f4", ">f8", ">i2", ">u4", ">i8"])
def test_an_array_of_the_other_byte_order_keeps_its_numbers(way, dtype):
    """The official package takes the bytes as they are."""
    assert way(np.array([1, 2], dtype)).tolist() == [1, 2]


def test_an_initializer_of_the_other_byte_order_keeps_its_numbers():
    options = compat.SessionOptions()
    options.add_initializer("w", compat.OrtValue.ortvalue_from_numpy(np.array([1, 2], ">f4")))
    assert options._options.initializers["w"].numpy().tolist() == [1, 2]


STRICT = """if True:
    import sys, ortcffi.compat
    ortcffi.compat.install(strict="call" in sys.argv)
    import onnxruntime
    model, names = sys.argv[1], ["CUDAExecutionProvider", "CPUExecutionProvider"]
    try:
        onnxruntime.InferenceSession(model, providers=names)
    except ValueError as error:
        print(error)
    print(onnxruntime.InferenceSession(model, providers=names[1:]).get_providers())
"""


@pytest.mark.parametrize("way", ["variable", "call"])
def test_a_provider_that_is_not_there_can_be_an_error(way, tmp_path):
    (tmp_path / "add.onnx").write_bytes(models.add())
    strict = {**os.environ, "ORTCFFI_STRICT_PROVIDERS": "01"[way == "variable"]}
    done = run_program(STRICT, tmp_path / "add.onnx", way, env=strict)
    error, providers = done.stdout.splitlines()
    assert error.startswith("there is no execution provider 'CUDAExecutionProvider'; there are: ")
    assert providers == "['CPUExecutionProvider']"


def test_a_model_that_cannot_be_loaded_is_not_loaded_again(capfd):
    with pytest.raises(Exception, match="INVALID_PROTOBUF"):
        compat.InferenceSession(b"no model", providers=["CPUExecutionProvider"])
    assert "Falling back" not in capfd.readouterr().out


def test_small_types_are_arrays_of_ml_dtypes():
    """The official package takes them as inputs, and has no arrays for them as outputs."""
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = np.array([1, 2], ml_dtypes.bfloat16)
    graph = graph_of("x bfloat16[2]", "y = Identity x", "y bfloat16[2]")
    (y,) = compat.InferenceSession(graph.to_bytes()).run(None, {"x": x})
    assert (y.dtype, y.tolist()) == (x.dtype, [1, 2])
