# SPDX-License-Identifier: MIT
"""Statuses as objects, and their messages wherever they lie in memory."""

import ctypes
import mmap
import sys

import pytest

from ortcffi import ErrorCode, Status, errors, ffi, lib


def test_a_status_has_its_code_and_message(api):
    with api.status(ErrorCode.NOT_FOUND, "naïve 模型") as status:
        assert (status.code, status.message) == (ErrorCode.NOT_FOUND, "naïve 模型")
        assert status.api is api
        assert isinstance(status.code, ErrorCode)
        assert not status.ok


def test_without_a_table_the_default_one_makes_it(core_api):
    with Status(ErrorCode.FAIL) as status:
        assert (status.api, status.message) == (core_api, "")


def test_raising_gives_the_exception_of_a_failed_call(api):
    with Status(ErrorCode.NO_MODEL, "no model", api) as status:
        with pytest.raises(errors.NoModel) as caught:
            status.raise_("LoadIt")
        assert caught.value == errors.NoModel("no model", "LoadIt")
        with pytest.raises(errors.NoModel):
            status.raise_()  # the status is still there


def test_the_repr_tells_code_and_message(api):
    with Status(ErrorCode.FAIL, "why", api) as status:
        assert repr(status) == "<Status FAIL: 'why'>"
    assert repr(status) == "<Status closed>"
    with Status(ErrorCode.OK, "fine", api) as status:
        assert status.ok
        assert status.raise_() is None
    for code in (77, 9999, 2**32 - 1):
        with Status(code, "", api) as status:
            assert repr(status) == f"<Status UNKNOWN_{code}: ''>"
            assert (type(status.code), status.code) == (ErrorCode, code)


# --- messages -------------------------------------------------------------------------------------


LENGTHS = [0, 1, 15, 16, 17, 31, 32, 55, 62, 63, 64, 65, 127, 128, 1000, 4095, 4096]


def message_of(api, text):
    status = lib.CreateStatus(api.pointer, lib.ORT_FAIL, text)
    try:
        return ffi.string(lib.GetErrorMessage(api.pointer, status))
    finally:
        lib.ReleaseStatus(api.pointer, status)


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
