# SPDX-License-Identifier: MIT
"""Objects that are made from a foreign pointer: what is no such pointer is refused."""

import pytest

from ortcffi import (
    Allocator,
    EpDevice,
    KeyValuePairs,
    MemoryInfo,
    RunOptions,
    Session,
    SessionOptions,
    TensorTypeInfo,
    TypeInfo,
    Value,
    ffi,
)

MADE_FROM = {
    "OrtAllocator*": Allocator,
    "OrtEpDevice*": EpDevice,
    "OrtKeyValuePairs*": KeyValuePairs.from_handle,
    "OrtMemoryInfo*": MemoryInfo,
    "OrtRunOptions*": RunOptions.from_handle,
    "OrtSession*": lambda api, handle: Session.from_handle(api, handle, None),
    "OrtSessionOptions*": SessionOptions.from_handle,
    "OrtTensorTypeAndShapeInfo*": TensorTypeInfo.from_handle,
    "OrtTypeInfo*": TypeInfo,
    "OrtValue*": Value.from_handle,
}


@pytest.mark.parametrize("kind", MADE_FROM)
def test_a_handle_that_is_null_is_refused(api, kind):
    with pytest.raises(ValueError, match=r"^handle must not be NULL$"):
        MADE_FROM[kind](api, ffi.cast(kind, 0))


@pytest.mark.parametrize("given", [5, 0, None, "x", ffi.NULL, ffi.new("OrtApi**")], ids=str)
@pytest.mark.parametrize("kind", MADE_FROM)
def test_a_handle_that_is_no_pointer_of_the_type_is_refused(api, kind, given):
    with pytest.raises(TypeError, match=rf"^handle must be a cdata of {kind[:-1]}\*, not "):
        MADE_FROM[kind](api, given)


@pytest.mark.parametrize("table", [5, None, "x"])
@pytest.mark.parametrize("kind", MADE_FROM)
def test_a_table_that_is_none_is_refused(kind, table):
    with pytest.raises(TypeError, match=r"^api must be an Api, not "):
        MADE_FROM[kind](table, ffi.cast(kind, 64))
