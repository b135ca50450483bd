# SPDX-License-Identifier: MIT
"""Bindings: bound once, run often."""

import gc
import weakref

import numpy as np
import pytest
from support import models
from support.graphs import graph_of
from support.threads import join, start, wait_until

import ortcffi as ort
from ortcffi.errors import InvalidArgument


@pytest.fixture
def session(opened):
    return opened(models.add())


def test_only_outputs_that_are_named_are_computed(opened):
    a = np.arange(3)
    with opened(models.two_inputs()).bind({"a": a, "b": a}, ["d"]) as bound:
        bound.run()
        assert list(bound.outputs) == ["d"]


def test_outputs_are_allocated_where_a_memory_info_says(session, x, real_api):
    with session.bind(x=x, y=real_api.cpu_memory_info()) as bound:
        bound.run()
        (value,) = bound.output_values()
        assert value.memory_info.name == "Cpu"
        assert value.numpy().tolist() == [[2, 4, 6, 8]]


def test_outputs_are_read_after_a_bound_value_was_closed(session):
    x = ort.Value.from_numpy(np.ones((1, 4), np.float32), api=session.api)
    binding = session.bind(x=x)
    x.close()
    binding.run()
    assert binding.outputs["y"].tolist() == [[2] * 4]


def test_values_of_outputs_are_read_before_their_list_is_freed(opened):
    session = opened(graph_of("x f4[4]", "y = Neg x; z = Abs x", "y f4[4], z f4[4]"))
    binding = session.bind(x=np.ones(4, np.float32))
    binding.run()
    taken, allocator = [], ort.core_api().default_allocator

    def take(_phase, _facts):  # the memory that was freed last
        taken.extend(allocator.full(size, 0x41, np.uint8) for size in (16, 80))

    gc.callbacks.append(take)
    threshold = gc.get_threshold()
    gc.set_threshold(1)
    try:
        values = [binding.output_values() for _ in range(20)]
    finally:
        gc.set_threshold(*threshold)
        gc.callbacks.remove(take)
    assert all([y.numpy()[0], z.numpy()[0]] == [-1, 1] for y, z in values)


def test_an_input_can_be_bound_again(session, x):
    out = np.zeros((1, 4), np.float32)
    with session.bind(x=x, y=out) as bound:
        bound.bind(x=x * 10)
        gc.collect()
        bound.run()
        assert out.tolist() == [[20, 40, 60, 80]]
        bound.bind_output("y")
        bound.run()
        assert bound.outputs["y"] is not out


def test_strings_and_values_are_bound(opened, real_api):
    texts = np.array([["a", "b", "c", "d"]], object)
    with opened(models.identity("str")).bind(x=texts) as bound:
        bound.run()
        assert bound.outputs["y"].tolist() == texts.tolist()
    value = ort.Value.empty((1, 4), np.float32, api=real_api)
    ones = np.ones((1, 4), np.float32)
    with opened(models.add()).bind(x=ones, y=value) as bound:
        bound.run()
        assert bound.outputs["y"] is value
        assert value.numpy().tolist() == [[2] * 4]
    value.close()


def test_wrong_bindings_are_refused_by_name(session, x):
    with pytest.raises(InvalidArgument, match="there is no input or output 'z'"):
        session.bind(x=x, z=x)
    with pytest.raises(InvalidArgument, match="input 'x' is double"):
        session.bind(x=x.astype(float))
    with pytest.raises(InvalidArgument, match=r"out\['y'\] is double"):
        session.bind(x=x, y=x.astype(float))
    with pytest.raises(TypeError, match="outputs must be a mapping or a list of names, not 5"):
        session.bind(outputs=5)
    with pytest.raises(TypeError, match="the name of an output must be a str, not list"):
        session.bind(outputs=[[]])
    with pytest.raises(TypeError, match="outputs must be a mapping or a list of names"):
        session.bind({"x": x}, "y")
    with (
        ort.core_api().cpu_memory_info() as info,
        pytest.raises(ValueError, match="memory info of 'y' belongs to"),
    ):
        session.bind(x=x, y=info)


LAYOUTS = {
    "not C-contiguous": lambda x: x[:, ::-1],
    "not in this machine's byte order": lambda x: x.astype(x.dtype.newbyteorder()),
    "not aligned": lambda x: np.frombuffer(
        bytearray(b"-" + x.tobytes()), x.dtype, offset=1
    ).reshape(x.shape),
}


@pytest.mark.parametrize("problem", LAYOUTS)
def test_an_array_that_cannot_be_borrowed_is_bound_by_a_copy_only_where_one_is_asked_for(
    session, x, problem
):
    array = LAYOUTS[problem](x)
    with pytest.raises(ValueError, match=f"input 'x' is {problem}.*: later runs would read a copy"):
        session.bind(x=array)
    with pytest.raises(ValueError, match=rf"out\['y'\] is {problem}.*cannot write to it$"):
        session.bind(x=x, y=array)
    with session.bind(x=array, copy=True) as bound, session.bind(x=array.tolist()) as listed:
        for each in (bound, listed):
            each.run()
            np.testing.assert_array_equal(each.outputs["y"], 2 * array)
        with pytest.raises(ValueError, match="pass copy=True"):
            bound.bind(x=array)


def test_runs_do_not_see_what_is_written_to_an_array_that_was_bound_by_a_copy(session, x):
    expected = 2 * x
    with session.bind(x=x, copy=True) as bound:
        x += 1
        bound.run()
        np.testing.assert_array_equal(bound.outputs["y"], expected)


def test_a_run_takes_options_and_nothing_else(session, x, real_api):
    with session.bind(x=x) as bound, ort.RunOptions(real_api, tag="t") as options:
        bound.run(options=options, timeout=300)
        with pytest.raises(TypeError, match="takes options and timeout only"):
            bound.run(x=x)
        with pytest.raises(TypeError, match="takes options and timeout only"):
            bound.run({"x": x})


def test_clearing_lets_go_of_arrays(session):
    array = np.ones((1, 4), np.float32)
    reference = weakref.ref(array)
    with session.bind(x=array) as bound:
        del array
        assert reference() is not None
        bound.clear_inputs()
        bound.clear_outputs()
        assert reference() is None
        with pytest.raises(InvalidArgument, match="input 'x' is missing"):
            bound.run()
        assert bound.output_names == []
        assert bound.outputs == {}


def test_a_binding_of_a_closed_session_does_not_run(x):
    session = ort.Session(models.add())
    with session.bind(x=x) as bound:
        session.close()
        with pytest.raises(ValueError, match="this Session is closed"):
            bound.run()
        assert session.cancel() == 0


def test_two_threads_cannot_run_one_binding(opened):
    session, x, cancelled = opened(models.loop(10**12, 32)), np.eye(32, dtype=np.float32), []
    gone, bound = weakref.ref(x), session.bind(x=x)
    del x

    def run():
        try:
            bound.run()
        except ort.errors.Cancelled as error:
            cancelled.append(error)

    threads = start(run)
    wait_until(lambda: session.running)
    with pytest.raises(RuntimeError, match="in use on another thread"):
        bound.run(timeout=60)
    bound.close()
    assert gone() is not None, "the run has its arrays until its end"
    session.cancel()
    join(*threads)
    assert bound.closed
    assert len(cancelled) == 1
    assert gone() is None


@pytest.mark.parametrize("how", ["deleted", "collected"])
def test_a_binding_goes_before_the_allocators_of_what_it_borrows(opened, real_api, how):
    outer = ort.Tracking(real_api.default_allocator)
    value = ort.Value.empty((1, 4), "f4", ort.Tracking(outer), api=real_api)
    bound = opened(models.add(), api=real_api).bind(x=value)
    if how == "collected":
        cycle = [bound]
        cycle.append(cycle)
        del cycle
    del value, bound
    gc.collect()
    assert outer.bytes_allocated == 0
