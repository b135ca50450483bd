# SPDX-License-Identifier: MIT
"""Arrays of a call that an op keeps: they get memory of their own, wherever they are kept."""

import gc
import sys
import types

import numpy as np
import pytest

import ortcffi as ort
from ortcffi.kernels import kept_arrays

X = np.arange(6, dtype=np.float32).reshape(2, 3)


class Sub(np.ndarray):
    """A type of arrays, whose views are based on each other."""


def in_a_list(x, kept):
    kept.append(x[1:])


def in_a_tuple(x, kept):
    kept.append((x[1:],))


def in_a_dict(x, kept):
    kept.append({"view": x[1:]})


def in_an_array(x, kept):
    holder = np.empty(1, object)
    holder[0] = x[1:]
    kept.append(holder)


def as_a_view_of_a_view(x, kept):
    kept.append(x.view(Sub)[1:].view(Sub)[:, :])


def view_in(found):
    """The array inside one of the above."""
    while not isinstance(found, np.ndarray) or found.dtype == object:
        found = found["view"] if isinstance(found, dict) else found[0]
    return found


@pytest.fixture
def frozen():
    """Hides what exists so far from the collector, as servers do before a fork."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()
    gc.collect()
    gc.freeze()  # as tests/conftest.py does


def keeper_of(keep, kept):
    @ort.custom_op("test.kept", inputs=[np.float32], outputs=[np.float32], op_set=None)
    def keeps(x):
        keep(x, kept)
        return x + 1

    return keeps


def call(op, x):
    """Run the op on an array whose memory then has other content."""
    with pytest.raises(ort.errors.RuntimeException, match=r"was kept.*keep a copy"):
        op.kernel()(x)
    x[...] = -1


KEEP = [in_a_list, in_a_tuple, in_a_dict, in_an_array, as_a_view_of_a_view]


@pytest.mark.parametrize("keep", KEEP)
def test_a_kept_view_gets_memory_of_its_own(keep):
    kept = []
    call(keeper_of(keep, kept), X.copy())
    gc.collect()  # which stops to look at tuples without containers
    assert view_in(kept).tolist() == X[1:].tolist()


@pytest.mark.parametrize("keep", KEEP)
def test_so_does_one_in_what_the_collector_was_told_to_leave(keep, request):
    kept = []
    op = keeper_of(keep, kept)
    request.getfixturevalue("frozen")
    call(op, X.copy())
    assert view_in(kept).tolist() == X[1:].tolist()


def test_so_does_one_in_a_module_that_was_frozen(request):
    module = types.ModuleType("keeps_arrays")
    module.kept = []
    sys.modules["keeps_arrays"] = module
    op = keeper_of(in_a_list, module.kept)
    request.getfixturevalue("frozen")
    call(op, X.copy())
    del sys.modules["keeps_arrays"]
    assert module.kept[0].tolist() == X[1:].tolist()


def test_a_memoryview_of_a_kept_array_is_released():
    kept = []
    call(keeper_of(lambda x, kept: kept.append(memoryview(x)), kept), X.copy())
    with pytest.raises(ValueError, match="released"):
        kept[0][0, 0]


def test_a_value_over_a_kept_array_is_closed():
    def keep(x, kept):
        borrow = ort.Value.from_numpy
        kept += [borrow(x), borrow(x[1:]), borrow(np.asarray(memoryview(x)))]
        kept.append(ort.Value.from_buffer(x, x.shape, x.dtype))

    kept = []
    call(keeper_of(keep, kept), X.copy())
    assert [value.closed for value in kept] == [True] * 4


def test_an_array_over_such_a_value_or_a_memoryview_gets_memory_of_its_own():
    def keep(x, kept):
        kept += [ort.Value.from_numpy(x).numpy(), np.asarray(memoryview(x)[1:])]

    kept = []
    call(keeper_of(keep, kept), X.copy())
    gc.collect()
    assert kept[0].tolist() == X.tolist()
    assert kept[1].tolist() == X[1:].tolist()


def test_an_iterator_over_the_elements_of_a_kept_array_reads_memory_of_its_own():
    kept = []
    call(keeper_of(lambda x, kept: kept.extend([x.flat, x[1:].flat]), kept), X.copy())
    assert list(kept[0]) == X.ravel().tolist()
    assert list(kept[1]) == X[1:].ravel().tolist()


# --- exceptions, whose traceback refers to the arrays ---------------------------------------------


def failing(work):
    @ort.custom_op("test.kept", inputs=[np.float32], outputs=[np.float32], op_set=None)
    def fails(x):
        seen = work(x)
        raise LookupError(seen is None)

    return fails


def arrays_of(op, x):
    """What the function's frame refers to, once the memory of the call has other content."""
    with pytest.raises(ort.OrtError) as caught:
        op.kernel()(x)
    x[...] = -1
    traceback = caught.value.__cause__.__traceback__
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    return traceback.tb_frame.f_locals


@pytest.mark.parametrize("work", [lambda _: None, lambda x: x[1:], lambda x: x.T])
def test_no_other_object_is_looked_at_where_only_the_traceback_refers_to_arrays(work, monkeypatch):
    looked = []
    monkeypatch.setattr(kept_arrays, "_all_objects", lambda _: looked.append(1) or ())
    found = arrays_of(failing(work), X.copy())
    assert found["x"].tolist() == X.tolist()
    if found["seen"] is not None:
        assert found["seen"].tolist() == work(X).tolist()
    assert not looked


@pytest.mark.parametrize("keep", KEEP)
def test_a_view_that_a_function_kept_before_it_raised_gets_memory_of_its_own(keep):
    kept = []
    arrays_of(failing(lambda x: keep(x, kept)), X.copy())
    assert view_in(kept).tolist() == X[1:].tolist()


def test_a_memoryview_that_only_the_traceback_refers_to_is_released():
    found = arrays_of(failing(lambda x: memoryview(x[1:])), X.copy())
    with pytest.raises(ValueError, match="released"):
        found["seen"][0, 0]
