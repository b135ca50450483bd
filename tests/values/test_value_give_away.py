# SPDX-License-Identifier: MIT
"""Values that are given away, and deleters that raise."""

import gc
import weakref

import numpy as np
import pytest
from support.threads import run_threads

from ortcffi import PythonAllocator, Value, ffi, lib


class Tracked(np.ndarray):
    """An array that can be referred to weakly."""


def tracked():
    return np.arange(6, dtype=np.float32).view(Tracked)


def test_a_handle_that_was_given_away_keeps_the_memory(api):
    x = tracked()
    token, value = weakref.ref(x), Value.from_numpy(x, api=api)
    handle = value.give_away()
    value.close()
    del x, value
    gc.collect()
    assert token() is not None
    again = Value.from_handle(api, handle)
    assert again.to_python() == [0, 1, 2, 3, 4, 5]
    del again
    assert token() is None


def test_a_handle_that_was_given_away_may_be_released_by_any_thread(api):
    x = tracked()
    token, handle = weakref.ref(x), Value.from_numpy(x, api=api).give_away()
    del x
    run_threads(lambda: lib.ReleaseValue(api.pointer, handle))
    gc.collect()
    assert token() is None


def test_a_released_handle_keeps_nothing_alive(api):
    x = tracked()
    token = weakref.ref(x)
    handle = Value.from_numpy(x, api=api).give_away()
    lib.ReleaseValue(api.pointer, handle)
    del x
    assert token() is None


def test_memory_that_the_library_owns_is_kept_as_well(api):
    with Value.empty(1000, "u1", api=api) as value:
        value.numpy()[:] = 7
        handle = value.give_away()
    del value
    others = [Value.empty(1000, "u1", api=api) for _ in range(20)]
    for other in others:
        other.numpy()[:] = 0
    assert set(Value.from_handle(api, handle).to_python()) == {7}


@pytest.mark.parametrize("shape", [(0,), (0, 3)])
def test_an_empty_tensor_can_be_given_away(api, shape):
    handle = Value.empty(shape, api=api).give_away()
    assert Value.from_handle(api, handle).shape == shape


def test_only_dense_tensors_of_numbers_can_be_given_away(api):
    for value in (Value.from_strings(["a"], api=api), Value.map({1: 2}, api=api)):
        with pytest.raises(TypeError):
            value.give_away()


class Raising(PythonAllocator):
    """A deleter that raises."""

    def free(self, _):
        raise ZeroDivisionError("no luck")


def test_a_deleter_that_raises_is_reported_and_has_no_other_effect(api, monkeypatch):
    reported = []
    monkeypatch.setattr("sys.unraisablehook", lambda what: reported.append(what.exc_type))
    deleter, out = Raising(api), ffi.new("OrtValue**")
    data, shape = ffi.new("float[]", 3), ffi.new("int64_t[]", [3])
    assert not lib.CreateTensorWithDataAndDeleterAsOrtValue(
        api.pointer, deleter.handle, data, 12, shape, 1, 1, out
    )
    value = Value.from_handle(api, out[0], parent=(deleter, data), owned=True)
    assert value.numpy().shape == (3,)
    value.close()
    del value
    assert reported == [ZeroDivisionError]


def test_two_threads_make_and_drop_values(api):
    def work():
        for i in range(200):
            x = np.full(i, i, np.int32)
            value = Value.from_numpy(x, api=api)
            assert value.numpy().sum() == i * i
            assert value.copy().to_python() == x.tolist()
            failures.append(Value.from_strings([str(i)], api=api).to_python() != [str(i)])

    failures = []
    run_threads(work, work)
    assert failures == [False] * 400
