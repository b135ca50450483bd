# SPDX-License-Identifier: MIT
"""Messages of statuses, wherever they lie in memory and however long they are."""

import ctypes
import mmap
import sys

import pytest

from ortcffi import ffi, lib

LENGTHS = [0, 1, 15, 16, 17, 31, 32, 55, 62, 63, 64, 65, 127, 128, 1000, 4095, 4096]


def message_of(api, text):
    status = lib.CreateStatus(api.pointer, lib.ORT_FAIL, text)
    try:
        return ffi.string(lib.GetErrorMessage(api.pointer, status))
    finally:
        lib.ReleaseStatus(api.pointer, status)


@pytest.mark.parametrize("length", LENGTHS)
def test_a_message_of_any_length_is_kept_whole(api, length):
    text = bytes(range(1, 256)) * 17
    assert message_of(api, text[:length]) == text[:length]


def test_bytes_behind_a_message_are_no_part_of_it(api):
    text = ffi.new("char[]", b"short\0" + b"x" * 100)
    assert message_of(api, text) == b"short"


@pytest.mark.skipif(sys.platform == "win32", reason="mprotect is POSIX")
@pytest.mark.parametrize("length", LENGTHS)
def test_nothing_is_read_beyond_the_last_page_of_a_message(core_api, length):
    pages = mmap.mmap(-1, 3 * mmap.PAGESIZE)
    start = ffi.cast("char*", ffi.from_buffer(pages))
    forbidden = int(ffi.cast("uintptr_t", start)) + 2 * mmap.PAGESIZE
    protect = ctypes.CDLL(None).mprotect
    assert protect(ctypes.c_void_p(forbidden), mmap.PAGESIZE, 0) == 0
    end = 2 * mmap.PAGESIZE - 1
    ffi.buffer(start, end)[end - length : end] = b"m" * length
    start[end] = b"\0"
    assert message_of(core_api, start + end - length) == b"m" * length
    protect(ctypes.c_void_p(forbidden), mmap.PAGESIZE, mmap.PROT_READ | mmap.PROT_WRITE)
