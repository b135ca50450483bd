# SPDX-License-Identifier: MIT
"""Sequences, maps and lists that runs return and take."""

import numpy as np
import pytest
from support.models import model, node, pairs, sequence_type, tensor_type, value, value_info, zipped

CPU = ["CPUExecutionProvider"]
KINDS = ["float32", "float64", "float16", "int32", "int64", "uint8", "bool"]


@pytest.fixture
def session_of(onnxruntime):
    """``session_of(model)(x)`` is the output of a run."""

    def session_of(made):
        session = onnxruntime.InferenceSession(made, providers=CPU)
        return lambda x: session.run(None, {"x": x})[0]

    return session_of


@pytest.mark.parametrize("dtype", [*KINDS, "str"])
def test_tensors_of_a_sequence_are_arrays(session_of, dtype):
    kind, run = object if dtype == "str" else np.dtype(dtype), session_of(pairs(dtype))
    for shape in [(3, 2), (2, 3000), (2, 0), ()]:
        x = np.arange(np.prod(shape)).reshape(shape).astype(kind)
        x = np.full(shape, "ä" * 40, object) if dtype == "str" else x
        found = run(x)
        assert type(found) is list
        assert [each.dtype for each in found] == [x.dtype] * 2
        assert [each.shape for each in found] == [shape] * 2
        assert all(np.array_equal(each, x) for each in found)
        assert all(each.flags.writeable and each.flags.c_contiguous for each in found)


@pytest.mark.parametrize("count", [3, 3000])
def test_arrays_of_a_sequence_are_apart(session_of, count):
    first, second = session_of(pairs("float32"))(np.ones(count, np.float32))
    first[...] = 2
    assert second.sum() == count
    del first
    assert second.sum() == count


@pytest.mark.parametrize("keys", [[0, 1], [-5, 2**62], [7], ["b", "a"], ["x" * 40, "ü"]])
def test_maps_are_dicts_of_pythons_own_objects(session_of, keys):
    x = np.linspace(0, 1, 3 * len(keys), dtype=np.float32).reshape(3, -1)
    kind = "strings" if isinstance(keys[0], str) else "int64s"
    found = session_of(zipped(**{f"classlabels_{kind}": keys}))(x)
    assert found == [dict(zip(keys, row, strict=True)) for row in x.tolist()]
    assert [list(each) for each in found] == [sorted(keys)] * 3
    assert {type(each) for row in found for each in row.values()} == {float}
    assert {type(each) for row in found for each in row} == {type(keys[0])}


def test_changing_one_map_leaves_the_others_and_no_rows_are_no_maps(session_of):
    run = session_of(zipped(classlabels_int64s=[1, 2]))
    first, second = run(np.ones((2, 2), np.float32))
    first[1] = first[3] = 5.0
    assert second == {1: 1.0, 2: 1.0}
    assert run(np.ones((0, 2), np.float32)) == []


# --- inputs ---------------------------------------------------------------------------------------


def same(dtype, shape=None):
    return model([node("Identity", "x", "y")], [value("x", dtype, shape)], [value("y", dtype)])


def counted(dtype):
    """A model that tells the length of a sequence of tensors."""
    kind = sequence_type(tensor_type(dtype))
    nodes = [node("SequenceLength", "x", "y"), node("ConcatFromSequence", "x", "z", axis=0)]
    return model(nodes, [value_info("x", kind)], [value("y", "int64", []), value("z", dtype)])


@pytest.mark.parametrize(
    ("dtype", "x"),
    [
        ("float32", [1.5, 2, float("nan"), float("inf"), -0.0]),
        ("float32", [[1.5, 2.5], [3, 2**53]]),
        ("float32", [np.float32(0.1), 0.1, np.float64(0.1)]),
        ("float32", [[[]], [[]]]),
        ("float64", [[0.1], [2**53 + 1], [1e300]]),
        ("float64", [True, 1.5]),
        ("int64", [[2**63 - 1, -(2**63)]]),
        ("int64", [np.int64(3), 4]),
        ("int32", [2**31 - 1, -(2**31)]),
        ("bool", [True, False]),
        ("uint8", [1, 255]),
        ("str", ["a", "ä" * 30, ""]),
        ("str", [["a"], ["b"]]),
        ("float32", []),
    ],
)
def test_lists_are_tensors(session_of, dtype, x):
    found = session_of(same(dtype))(x)
    wanted = np.array(x, object if dtype == "str" else dtype)
    assert found.dtype == wanted.dtype
    assert np.array_equal(found, wanted, equal_nan=dtype.startswith("float"))


@pytest.mark.parametrize("dtype", ["float32", "int64", "str"])
def test_lists_of_arrays_are_sequences(onnxruntime, dtype):
    session = onnxruntime.InferenceSession(counted(dtype), providers=CPU)
    (given,) = session.get_inputs()
    assert (given.type.startswith("seq(tensor("), given.shape) == (True, [])
    arrays = [np.arange(n).astype(object if dtype == "str" else dtype) for n in (1, 4, 2)]
    if dtype == "str":
        arrays = [np.array([str(each) for each in x], object) for x in arrays]
    for x in (arrays, [each[::-1] for each in arrays], arrays * 40):
        count, joined = session.run(None, {"x": x})
        assert count == len(x)
        assert np.array_equal(joined, np.concatenate(x))


# --- strings --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "x",
    [np.array([b"A\0A\0", b"B\0B\0"], "V4"), np.array([[b"a\0\0"]], "V3"), np.array(b"a\0", "V2")],
)
def test_bytes_of_a_fixed_size_keep_their_zeros(session_of, x):
    found = session_of(same("str"))(x)
    assert found.shape == x.shape
    assert found.ravel().tolist() == [each.tobytes().decode() for each in x.ravel()]


@pytest.mark.usefixtures("real_library")
def test_bytes_of_a_fixed_size_keep_their_zeros_when_they_are_bound():
    """The official package binds no strings."""
    from ortcffi import compat

    session = compat.InferenceSession(same("str"), providers=CPU)
    binding = session.io_binding()
    binding.bind_cpu_input("x", np.array([b"a\0"], "V2"))
    binding.bind_output("y")
    session.run_with_iobinding(binding)
    assert binding.copy_outputs_to_cpu()[0].tolist() == ["a\0"]


@pytest.mark.parametrize("x", [np.array([b"\xff", b"ok"], "S2"), np.array([b"\xff\0"], "V2")])
@pytest.mark.parametrize("make", [same, pairs])
def test_bytes_that_are_no_text_are_refused(session_of, make, x):
    run = session_of(make("str"))
    with pytest.raises(UnicodeDecodeError, match="invalid start byte"):
        run(x)
