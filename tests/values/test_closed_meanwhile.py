# SPDX-License-Identifier: MIT
"""Values that are closed in the middle of a call with them.

CPython before 3.12 collects garbage wherever an object is made, in C code, too; and a collection
may call any Python code.
"""

import gc
from contextlib import suppress

import numpy as np
from support.allocators import InPython
from support.prepared import printed_by

import ortcffi as ort
from ortcffi import Value, ffi


def call_collecting(function, argument, action):
    """Call a function of C, which calls `action` where it first makes an object."""
    done = []

    def begin(phase, _facts):
        if phase == "start" and not done:
            done.append(phase)
            action()

    before = gc.get_threshold()
    gc.callbacks.append(begin)
    gc.set_threshold(1)
    try:
        return function(argument)
    finally:
        gc.set_threshold(*before)
        gc.callbacks.remove(begin)


def test_a_shape_is_not_read_of_a_value_that_the_collector_closes(core_api):
    value, others = Value.empty((1,) * 60, "f4", api=core_api), []

    def replace():
        value.close()
        others.extend(Value.empty((0,) * 60, "f4", api=core_api) for _ in range(50))

    read = Value.shape.__get__
    with suppress(ValueError):  # which says that it is closed
        assert call_collecting(read, value, replace) == (1,) * 60


def test_a_value_may_be_closed_in_a_collection_that_its_close_begins(api):
    value = Value.from_numpy(np.full(3, 7, np.float32), api=api)
    handle = value.handle
    call_collecting(Value.close, value, value.close)
    out = ffi.new("void**")
    assert not ort.lib.GetTensorMutableData(api.pointer, handle, out)
    assert ffi.cast("float*", out[0])[2] == 7


def test_the_default_table_may_go_while_it_makes_a_value(core_api):
    array, make, before = np.ones(3, np.float32), Value.from_numpy, ort.default_api()
    enabled = gc.isenabled()
    gc.collect()
    gc.disable()  # so that the table stays in the youngest generation
    try:
        ort.init_api(ort.Api(core_api.pointer, version=30, version_string="1.30.0"))
        make(array).close()
        gc.enable()
        value = call_collecting(make, array, lambda: ort.init_api(before))
    finally:
        ort.init_api(before)
        (gc.enable if enabled else gc.disable)()
    assert value.api == core_api
    assert value.numpy().tolist() == [1, 1, 1]


def test_an_array_is_not_made_of_a_value_that_is_closed_while_its_dtype_is_sought():
    program = """if True:
        from ortcffi import Value
        from ortcffi.values import tensors

        value, find = Value.empty(1000, "f4"), tensors.dtype_of

        def close_first(element):
            value.close()
            return find(element)

        tensors.dtype_of = close_first
        try:
            value.numpy()
        except ValueError as error:
            print(error)
    """
    assert printed_by(program) == "this Value is closed"


class Closing(InPython):
    """Closes a value when its memory is freed."""

    value = None

    def free(self, pointer):
        """Close the value, whose allocator nothing else keeps."""
        self.value.close()
        gc.collect()
        super().free(pointer)


def test_an_allocator_may_close_the_value_whose_memory_it_frees(api):
    closing = Closing(api)
    value = closing.value = Value.empty(1000, "f4", closing, api=api)
    value.close()
    assert closing.blocks == {}
    closing.value = None
