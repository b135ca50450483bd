# SPDX-License-Identifier: MIT
"""Arguments and results of compiled functions: our short ways refuse what CFFI refuses."""

import pytest

from ortcffi._native import ffi, lib


@pytest.fixture
def pointer(core_api):
    return core_api.pointer


@pytest.fixture
def info(core_api):
    with core_api.cpu_memory_info() as info:
        yield info


def test_an_argument_may_be_plain_owned_or_collected(pointer):
    out, number = ffi.new("OrtMemoryInfo**"), ffi.new("int*", 7)
    assert not lib.CreateCpuMemoryInfo(pointer, 0, 0, out)
    collected = ffi.gc(out[0], lambda handle: lib.ReleaseMemoryInfo(pointer, handle))
    assert not lib.MemoryInfoGetId(pointer, collected, number)
    assert number[0] == 0


def test_an_element_of_an_array_and_an_array_are_arguments(pointer, info):
    numbers = ffi.new("int[2]", [7, 7])
    assert not lib.MemoryInfoGetId(pointer, info.handle, numbers + 1)
    assert not lib.MemoryInfoGetId(pointer, info.handle, numbers)
    assert list(numbers) == [0, 0]


def test_bytes_and_lists_are_arguments_where_c_takes_arrays(pointer):
    status = lib.CreateStatus(pointer, 1, b"bytes")
    assert ffi.string(lib.GetErrorMessage(pointer, status)) == b"bytes"
    lib.ReleaseStatus(pointer, status)
    numbers = [5]
    with pytest.raises(TypeError):
        lib.MemoryInfoGetId(pointer, [None], numbers)


def test_null_is_an_argument(pointer):
    assert lib.ReleaseStatus(pointer, ffi.NULL) is None
    assert lib.ReleaseStatus(pointer, ffi.cast("OrtStatus*", 0)) is None


class Disguised:
    """Looks like a pointer to a memory info, to whoever looks at its memory."""

    __slots__ = ("pointer", "type")

    def __init__(self):
        self.pointer = self.type = ffi.typeof("OrtMemoryInfo*")


@pytest.mark.parametrize(
    "wrong",
    [None, 5, 5.5, "text", object(), ffi.typeof("OrtMemoryInfo*"), Disguised(), lib, ffi],
    ids=lambda wrong: type(wrong).__name__,
)
def test_an_object_that_is_no_pointer_is_refused(pointer, wrong):
    number = ffi.new("int*")
    for _ in range(3):
        with pytest.raises(TypeError, match=r"must be a cdata pointer|list or tuple"):
            lib.MemoryInfoGetId(pointer, wrong, number)


def test_a_pointer_of_another_type_is_refused(pointer, info):
    number = ffi.new("int*")
    for wrong in (pointer, number, ffi.new("OrtMemoryInfo**"), ffi.cast("OrtStatus*", 1)):
        with pytest.raises(TypeError, match=r"initializer for ctype 'struct OrtMemoryInfo \*'"):
            lib.MemoryInfoGetId(pointer, wrong, number)
    assert not lib.MemoryInfoGetId(pointer, info.handle, number)


def test_a_cdata_that_is_no_pointer_is_refused(pointer, info):
    for wrong in (
        ffi.cast("int", 1),
        ffi.cast("uintptr_t", info.handle),
        ffi.new("OrtApiBase*")[0],
    ):
        with pytest.raises(TypeError):
            lib.MemoryInfoGetId(pointer, wrong, ffi.new("int*"))


def test_all_successes_are_one_object(pointer, info):
    first, second = (lib.MemoryInfoGetId(pointer, info.handle, ffi.new("int*")) for _ in range(2))
    assert first is second
    assert first == ffi.NULL
    assert not first
    assert ffi.typeof(first) is ffi.typeof("OrtStatus*")


def test_each_failure_is_an_object_of_its_own(pointer):
    first, second = (lib.CreateStatus(pointer, code, b"") for code in (1, 2))
    assert first
    assert [lib.GetErrorCode(pointer, status) for status in (first, second)] == [1, 2]
    for status in (first, second):
        lib.ReleaseStatus(pointer, status)


def test_a_function_on_python_objects_takes_any_and_raises_what_it_left(pointer):
    class Name:
        pass

    name = Name()
    with pytest.raises(RuntimeError) as caught:
        lib.ortcffi_fail(pointer, lib.CreateStatus(pointer, 1, b"m"), name)
    assert caught.value.args == ("m", name)


def test_wrong_numbers_of_arguments_are_refused(pointer):
    with pytest.raises(TypeError):
        lib.ReleaseStatus(pointer)
    with pytest.raises(TypeError):
        lib.ReleaseStatus(pointer, ffi.NULL, ffi.NULL)
