# SPDX-License-Identifier: MIT
"""The functions for the data of compiled models, called as an execution provider calls them."""

import gc
import weakref

import pytest
from support.releases import needs_release

import ortcffi as ort
from ortcffi import ffi, lib
from ortcffi.errors import NotImplemented

pytestmark = needs_release(31, "functions for the data of compiled models")


def reader_of(options):
    """The function and the state that a provider is given for options."""
    api = options.api.pointer
    table, config = lib.GetEpApi(api), ffi.new("OrtEpContextConfig**")
    function, state = ffi.new("OrtReadNamedBufferFunc*"), ffi.new("void**")
    assert not lib.SessionOptionsGetEpContextConfig(table, options.handle, config)
    assert not lib.EpContextConfigGetEpContextDataReadFunc(table, config[0], function, state)
    lib.ReleaseEpContextConfig(table, config[0])
    return function[0], state[0]


def read(options, name):
    """The data of that name; an error of the function is raised."""
    api = options.api
    function, state = reader_of(options)
    data, size = ffi.new("void**"), ffi.new("size_t*", 99)
    allocator = api.default_allocator.handle
    status = function(state, name.encode(), allocator, data, size)
    if status:
        code = lib.GetErrorCode(api.pointer, status)
        text = ffi.string(lib.GetErrorMessage(api.pointer, status)).decode()
        lib.ReleaseStatus(api.pointer, status)
        return code, text
    content = bytes(ffi.buffer(ffi.cast("char*", data[0]), size[0])) if size[0] else b""
    assert not lib.AllocatorFree(api.pointer, allocator, data[0])
    return content


def test_a_provider_reads_what_the_function_returns(api):
    asked = []

    def give(name):
        asked.append(name)
        return {"ä": b"12\0345", "view": memoryview(b"abc"), "empty": b""}[name]

    with ort.SessionOptions(api, ep_context_reader=give) as options:
        assert options.ep_context_reader is give
        assert [read(options, name) for name in ("ä", "view", "empty")] == [b"12\0345", b"abc", b""]
        with options.clone() as copy:
            options.close()
            assert read(copy, "ä") == b"12\0345"
    assert asked == ["ä", "view", "empty", "ä"]


@pytest.mark.parametrize("answer", [None, 3, "text", KeyError("x")])
def test_an_answer_that_is_not_bytes_is_a_failure(api, answer):
    def give(_name):
        if isinstance(answer, KeyError):
            raise answer
        return answer

    with ort.SessionOptions(api, ep_context_reader=give) as options:
        _code, text = read(options, "x")
        wanted = f"must return bytes-like, not {type(answer).__name__}"
        assert (wanted if not isinstance(answer, KeyError) else "KeyError: 'x'") in text
    with pytest.raises(TypeError, match="ep_context_reader must be a callable, not 3"):
        ort.SessionOptions(api, ep_context_reader=3)


def test_the_function_is_taken_back_and_let_go_of(api):
    class Reader:
        def __call__(self, _name):
            return b""

    reader = Reader()
    gone = weakref.ref(reader)
    with ort.SessionOptions(api, ep_context_reader=reader) as options:
        del reader
        options.ep_context_reader = None
        assert reader_of(options) == (ffi.NULL, ffi.NULL)
        gc.collect()
        assert gone() is None
        assert options.ep_context_reader is None


def test_an_older_library_lacks_it():
    with pytest.raises(NotImplemented, match="SessionOptionsSetEpContextDataReadFunc came with"):
        ort.SessionOptions(ort.emulate(30), ep_context_reader=len)
