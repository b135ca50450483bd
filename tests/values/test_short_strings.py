# SPDX-License-Identifier: MIT
"""Tensors of short strings, which their elements hold themselves, and of longer ones."""

import ctypes
import itertools
import mmap

import numpy as np
import pytest

import ortcffi as ort
from ortcffi._native import ffi, lib

LENGTHS = [0, 1, 7, 14, 15, 16, 17, 31, 32, 33, 100]


def fill(api, value, texts):
    """Have the library fill a tensor with C strings, and return the status."""
    kept = [each if each == ffi.NULL else ffi.new("char[]", each) for each in texts]
    array = ffi.new("char*[]", kept)
    return lib.FillStringTensor(api.pointer, value.handle, array, len(kept))


def accepted(api, value, texts):
    ort.errors.check(api.pointer, fill(api, value, texts), "FillStringTensor")


def test_texts_of_each_length_come_back(api):
    for length in LENGTHS:
        texts = ["x" * length, "", "é" * (length // 2), "y" * (length + 1)]
        value = ort.Value.from_strings(texts, api=api)
        assert value.strings() == texts
        assert value.numpy().tolist() == texts


def test_a_tensor_is_filled_again_with_texts_of_another_length(api):
    for first, second in itertools.product(LENGTHS, LENGTHS):
        value = ort.Value.from_strings(["a" * first] * 3, api=api)
        accepted(api, value, [b"b" * second, b"", b"c" * (second + 1)])
        assert value.strings() == ["b" * second, "", "c" * (second + 1)]


@pytest.mark.parametrize("long", [0, 1, 2])
def test_one_long_text_among_short_ones_stays_whole(api, long):
    texts = [b"one", b"two", b"three"]
    texts[long] = b"long" * 20
    value = ort.Value.empty(3, str, api=api)
    accepted(api, value, texts)
    assert value.raw_strings() == texts


def test_a_fill_that_is_refused_half_way_changes_nothing(core_api):
    for before in (["", "", ""], ["a", "b", "c"], ["a" * 40, "", "b"]):
        value = ort.Value.from_strings(before, api=core_api)
        with pytest.raises(ort.errors.InvalidArgument, match="NULL"):
            accepted(core_api, value, [b"one", ffi.NULL, b"two"])
        assert value.strings() == before
    value = ort.Value.empty(3, str, api=core_api)
    with pytest.raises(ort.errors.InvalidArgument, match="NULL"):
        accepted(core_api, value, [b"one", b"two" * 10, ffi.NULL])
    assert value.strings() == ["", "", ""]


def test_elements_are_set_and_resized_after_a_fill_and_before_one(api):
    value = ort.Value.from_strings(["one", "two", "x" * 20], api=api)
    out = ffi.new("char**")
    for text in (b"short", b"long" * 20, b""):
        for i in range(3):
            status = lib.FillStringTensorElement(api.pointer, value.handle, text, i)
            ort.errors.check(api.pointer, status, "FillStringTensorElement")
        assert value.raw_strings() == [text] * 3
        slot = "GetResizedStringTensorElementBuffer"
        status = lib.GetResizedStringTensorElementBuffer(api.pointer, value.handle, 1, 40, out)
        ort.errors.check(api.pointer, status, slot)
        ffi.memmove(out[0], b"r" * 40, 40)
        assert value.raw_strings() == [text, b"r" * 40, text]
        accepted(api, value, [b"a", b"b" * 30, b"c"])
        assert value.raw_strings() == [b"a", b"b" * 30, b"c"]
        accepted(api, value, [b"a", b"b", b"c"])
        assert value.raw_strings() == [b"a", b"b", b"c"]


@pytest.mark.parametrize("length", [0, 1, 8, 15, 16, 20])
def test_a_text_at_the_end_of_readable_memory_is_read_to_its_zero_only(api, length):
    page = mmap.PAGESIZE
    memory = mmap.mmap(-1, 2 * page)
    libc = ctypes.CDLL(None)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    protect = libc.mprotect
    protect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    assert protect(start + page, page, 0) == 0
    try:
        memory[page - length - 1 : page] = b"x" * length + b"\0"
        text = ffi.cast("char*", start + page - length - 1)
        value = ort.Value.empty(2, str, api=api)
        status = lib.FillStringTensor(api.pointer, value.handle, ffi.new("char*[]", [text] * 2), 2)
        ort.errors.check(api.pointer, status, "FillStringTensor")
        assert value.raw_strings() == [b"x" * length] * 2
    finally:
        assert protect(start + page, page, 3) == 0


def test_a_copied_array_of_short_strings_has_strings_of_its_own(api):
    value = ort.Value.from_numpy(np.array(["a", "bb", "c" * 30], object), api=api)
    copy = ort.Value.from_strings(value.strings(), api=api)
    accepted(api, value, [b"", b"", b""])
    assert copy.strings() == ["a", "bb", "c" * 30]
