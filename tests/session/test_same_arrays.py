# SPDX-License-Identifier: MIT
"""Runs with arrays at the same place in memory, for which the session has made a value before."""

import numpy as np
import pytest
from support import models
from support.threads import run_threads

import ortcffi as ort


def test_each_run_sees_what_the_array_holds_then(opened, x):
    session = opened(models.add())
    for number in range(5):
        x[:] = number
        assert session.run({"x": x})[0].tolist() == [[2 * number] * 4]


def test_arrays_of_other_shapes_at_the_same_place_keep_their_shape(opened):
    session = opened(models.identity(shape=None))
    memory = np.arange(4, dtype=np.float32)
    for shape in [(4,), (2, 2), (4,), (1, 2, 2), (4, 1), (1, 4)] * 2:
        (y,) = session.run({"x": memory.reshape(shape)})
        assert y.shape == shape
        assert y.ravel().tolist() == [0, 1, 2, 3]
    for count in (4, 2, 0, 4):
        assert session.run({"x": memory[:count]})[0].tolist() == memory[:count].tolist()
    assert session.run({"x": memory[0:1].reshape(())})[0] == 0


def test_a_refused_run_leaves_the_next_right_with_one_array_for_two_inputs(
    opened,
):
    session = opened(models.two_inputs())
    a = np.array([1, 2], np.int64)
    for _ in range(3):
        with pytest.raises(ort.errors.InvalidArgument, match="missing"):
            session.run({"a": a})
        assert [y.tolist() for y in session.run(a=a, b=a)] == [[2, 4], [0, 0]]


def test_threads_run_with_one_array_at_once(opened):
    session = opened(models.matmul(4))
    a = np.ones((4, 256), np.float32)
    expected = session.run({"x": a})[0].tolist()

    def run() -> None:
        for _ in range(50):
            assert session.run({"x": a})[0].tolist() == expected

    run_threads(*[run] * 4)


def test_a_session_keeps_no_array(opened):
    session = opened(models.add())
    a = np.ones((1, 4), np.float32)
    session.run({"x": a})
    a.resize((2, 4))  # refused where somebody refers to the array


# --- memory that a run would read and write -------------------------------------------------------

MEMORY = np.arange(12, dtype=np.float32)
OVERLAPS = {
    "an output begins in the input": (MEMORY[:8], MEMORY[4:]),
    "an output begins before the input": (MEMORY[4:], MEMORY[:8]),
}


@pytest.fixture
def doubles(opened):
    return opened(models.add(shape=["n"]))


@pytest.mark.parametrize("way", ["run", "bound", "value"])
@pytest.mark.parametrize("case", OVERLAPS)
def test_an_output_in_the_midst_of_an_input_is_refused(doubles, real_api, case, way):
    x, y = OVERLAPS[case]
    value = ort.Value.from_numpy(y, api=real_api)
    ways = {
        "bound": doubles.bind(x=x, y=y).run,
        "run": lambda: doubles.run(x=x, out={"y": y}),
        "value": lambda: doubles.run(x=x, out={"y": value}),
    }
    with pytest.raises(ort.errors.InvalidArgument, match="output 'y' overlaps that of input 'x'"):
        ways[way]()
    assert MEMORY.tolist() == list(range(12))


def test_an_output_may_be_the_input_itself_or_lie_beside_it(doubles):
    x = np.ones(8, np.float32)
    doubles.run(x=x, out={"y": x})
    assert x.tolist() == [2] * 8
    doubles.bind(x=x[:4], y=x[4:]).run()
    assert x.tolist() == [2] * 4 + [4] * 4


def test_two_outputs_in_one_memory_are_refused(opened):
    nodes = [models.node("Neg", "x", "y"), models.node("Abs", "x", "z")]
    ports = [[models.value(name, shape=[4]) for name in names] for names in ("x", "yz")]
    session = opened(models.model(nodes, *ports))
    x, y = np.ones(4, np.float32), np.empty(4, np.float32)
    with pytest.raises(ort.errors.InvalidArgument, match="output 'y' overlaps that of output 'z'"):
        session.run(x=x, out={"y": y, "z": y})
    bound = session.bind(x=x, y=y, z=y)
    with pytest.raises(ort.errors.InvalidArgument, match="overlaps"):
        bound.run()
    bound.bind_output("z")
    bound.run()
    assert y.tolist() == [-1] * 4
