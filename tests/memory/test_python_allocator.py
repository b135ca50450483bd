# SPDX-License-Identifier: MIT
"""Allocators written in Python, and how their exceptions pass through C."""

import ctypes
import sys
import threading
import time

import numpy as np
import pytest
from support.allocators import InPython
from support.threads import run_threads

import ortcffi
from ortcffi import Allocator, PythonAllocator, Tracking, errors, ffi, lib
from ortcffi.errors import ErrorCode

# An allocator whose Alloc asks another one in a thread that Python did not start.
THREADED = """
#include <pthread.h>
#include "onnxruntime_c_api.h"
static OrtAllocator* inner;
static size_t size;
static void* work(void* unused) { (void)unused; return inner->Alloc(inner, size); }
static void* give(void* p) { inner->Free(inner, p); return NULL; }
static void* in_thread(void* (*start)(void*), void* argument) {
  pthread_t thread;
  void* answer = NULL;
  pthread_create(&thread, NULL, start, argument);
  pthread_join(thread, &answer);
  return answer;
}
static void* alloc(OrtAllocator* a, size_t n) { (void)a; size = n; return in_thread(work, NULL); }
static void free_(OrtAllocator* a, void* p) { (void)a; in_thread(give, p); }
static const OrtMemoryInfo* info(const OrtAllocator* a) { (void)a; return inner->Info(inner); }
static OrtAllocator threaded = {.version = 1, .Alloc = alloc, .Free = free_, .Info = info};
OrtAllocator* around(OrtAllocator* allocator) { inner = allocator; return &threaded; }
"""


class Mine(InPython):
    """Blocks of CFFI's, unless there is an error to raise."""

    def __init__(self, error=None):
        super().__init__()
        self.error = error

    def alloc(self, size):
        if self.error is not None:
            raise self.error
        return super().alloc(size)

    def figures(self):
        if self.error is not None:
            raise self.error
        return {"InUse": sum(len(block) for block in self.blocks.values()), "Colour": "grün"}

    def shrink(self):
        if self.error is not None:
            raise self.error


@pytest.fixture
def threaded(compile_c, api):
    """``threaded(allocator)``: one that calls it from threads that Python did not start."""
    library = ctypes.CDLL(str(compile_c(THREADED, "-shared", "-fPIC", "-pthread")))
    library.around.restype = ctypes.c_void_p

    def threaded(allocator):
        address = int(ffi.cast("uintptr_t", allocator.handle))
        handle = library.around(ctypes.c_void_p(address))
        return Allocator(api, ffi.cast("OrtAllocator*", handle), parent=allocator)

    return threaded


class Odd(PythonAllocator):
    """Its blocks begin at odd addresses."""

    def __init__(self):
        super().__init__()
        self.blocks = {}

    def alloc(self, size):
        block = ffi.new("char[]", size + 64)
        address = int(ffi.cast("uintptr_t", block)) | 1
        self.blocks[address] = block
        return address

    def free(self, pointer):
        del self.blocks[int(ffi.cast("uintptr_t", pointer))]


def test_an_array_at_an_odd_address_is_not_aligned():
    array = Odd().zeros((2, 3), np.float32)
    assert not array.flags.aligned
    assert (array + 1).sum() == 6


def test_any_library_accepts_it(api):
    mine = Mine()
    out = ffi.new("void**")
    errors.check(api.pointer, lib.AllocatorAlloc(api.pointer, mine.handle, 10, out), "Alloc")
    assert int(ffi.cast("uintptr_t", out[0])) in mine.blocks
    errors.check(api.pointer, lib.AllocatorFree(api.pointer, mine.handle, out[0]), "Free")
    assert mine.blocks == {}


@pytest.mark.parametrize(
    ("answer", "has_cause"),
    [(None, False), (0, False), (ffi.NULL, False), ("text", True), (1.5, True)],
)
def test_a_result_that_is_no_block_is_out_of_memory_and_of_a_wrong_type_the_cause(
    answer, has_cause
):
    class Odd(Mine):
        def alloc(self, _size):
            return answer

    with pytest.raises(errors.OutOfMemory) as caught:
        Odd().empty(3)
    assert (caught.value.__cause__ is not None) == has_cause


@pytest.mark.parametrize("kind", [ValueError, KeyError, MemoryError])
def test_an_exception_in_alloc_is_the_cause_of_what_the_outer_call_raises(kind):
    original = kind("my reason")
    with pytest.raises(errors.OutOfMemory) as caught:
        Mine(original).empty(3)
    assert caught.value.__cause__ is original


def fill_with_numpy(pool):
    with ortcffi.numpy_allocator(pool):
        np.ones(1000)


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize(
    "call",
    [
        lambda pool: pool.empty(3),
        lambda pool: pool.reserve(3),
        lambda pool: pool.release_unused(),
        fill_with_numpy,
    ],
)
def test_what_is_no_exception_but_an_interrupt_stays_itself(kind, call):
    original, pool = kind("my reason"), Mine()
    pool.error = original
    with pytest.raises(kind) as caught:
        call(pool)
    assert caught.value is original


def test_an_exception_passes_through_adaptors():
    original = ValueError("my reason")
    with pytest.raises(errors.OutOfMemory) as caught:
        Tracking(Mine(original)).empty(3)
    assert caught.value.__cause__ is original


def test_an_exception_on_a_thread_that_python_did_not_start_is_reported(threaded, monkeypatch):
    original, seen = ValueError("my reason"), []
    monkeypatch.setattr(sys, "unraisablehook", lambda hook: seen.append(hook.exc_value))
    with pytest.raises(MemoryError) as caught:
        threaded(Mine(original)).alloc(3)
    assert (seen, caught.value.__cause__) == ([original], None)


def test_a_thread_that_python_did_not_start_takes_and_frees_blocks(threaded):
    mine = Mine()
    outer = threaded(mine)
    block = outer.alloc(3)
    assert len(mine.blocks) == 1
    outer.free(block)
    assert mine.blocks == {}


def test_a_leak_of_a_thread_that_python_did_not_start_has_no_python_line(threaded, core_api):
    pool = Tracking(core_api.default_allocator)
    outer = threaded(pool)
    with pool.scope() as scope:
        block = outer.alloc(3)
    assert scope.leaks == [(3, "outside of Python", ())]
    outer.free(block)


def test_a_callback_that_succeeds_leaves_no_cause_behind():
    original = ValueError("my reason")
    mine = Mine(original)
    with pytest.raises(errors.OutOfMemory):
        mine.empty(3)
    mine.error = None
    mine.empty(3)
    small = ortcffi.Limiting(mine, 1)
    with pytest.raises(errors.OutOfMemory) as caught:
        small.empty(2)
    assert caught.value.__cause__ is None


# What makes the exception: one that is kept here would keep all that its traceback saw.
CODES = [
    (ValueError, "INVALID_ARGUMENT"),
    (UnicodeError, "INVALID_ARGUMENT"),
    (FileNotFoundError, "NO_SUCHFILE"),
    (NotImplementedError, "NOT_IMPLEMENTED"),
    (MemoryError, "RUNTIME_EXCEPTION"),
    (KeyError, "RUNTIME_EXCEPTION"),
    (errors.NotFound, "NOT_FOUND"),
    (errors.InvalidGraph, "INVALID_GRAPH"),
    (errors.OutOfMemory, "RUNTIME_EXCEPTION"),
]


@pytest.mark.parametrize(("kind", "code"), CODES)
def test_an_exception_becomes_a_status_with_the_matching_code(kind, code):
    original = kind("reason")
    with pytest.raises(ortcffi.OrtError) as caught:
        Mine(original).release_unused()
    assert caught.value.code == ErrorCode[code]
    assert "reason" in caught.value.message
    assert caught.value.__cause__ is original
    assert isinstance(caught.value, MemoryError) == isinstance(original, MemoryError)


def let_others_run(frame, _event, _argument):
    """Traces: what the module of exceptions does, other threads do in between each two steps."""
    if frame.f_code.co_filename != errors.__file__:
        return None
    frame.f_trace_opcodes = True
    time.sleep(1e-6)
    return let_others_run


@pytest.fixture
def interleaved_threads():
    threading.settrace(let_others_run)
    yield
    threading.settrace(None)


class EverySecond(Mine):
    """An allocator that fails every second time."""

    def alloc(self, size):
        self.error = None if self.error else ValueError("no")
        return super().alloc(size)


def fail_often(wrong):
    mine = EverySecond()
    for _ in range(20):
        try:
            mine.empty(10)
        except errors.OutOfMemory as error:
            if error.__cause__ is not mine.error:
                wrong.append(repr(error.__cause__))
        except BaseException as error:  # noqa: BLE001  # whatever it is, it is reported
            wrong.append(repr(error))


@pytest.mark.usefixtures("interleaved_threads")
def test_threads_that_fail_at_the_same_time_each_get_their_own_cause():
    wrong = []
    run_threads(*[lambda: fail_often(wrong)] * 8)
    assert wrong == []


def test_statistics_are_those_that_the_allocator_returns():
    mine = Mine()
    array = mine.full(100, 7, "u1")
    assert bytes(mine.blocks[array.ctypes.data])[:100] == bytes([7] * 100)
    assert mine.stats.bytes_allocated == array.nbytes
    assert mine.stats.raw["Colour"] == "grün"


def test_an_exception_in_the_statistics_is_the_cause():
    original = ValueError("my reason")
    with pytest.raises(errors.InvalidArgument, match="my reason") as caught:
        _ = Mine(original).stats
    assert caught.value.__cause__ is original


class Wicked(Exception):
    """An exception whose text cannot be encoded."""

    def __str__(self):
        raise RuntimeError


WORDS = [(Wicked, ""), (ValueError, "a\0b"), (ValueError, "lone \ud800")]


@pytest.mark.parametrize(("kind", "text"), WORDS, ids=["no text", "null", "surrogate"])
def test_an_exception_whose_text_c_cannot_represent_is_still_the_cause(kind, text):
    original = kind(text)
    with pytest.raises(ortcffi.OrtError) as caught:
        Mine(original).release_unused()
    assert caught.value.__cause__ is original


def test_an_exception_in_free_is_reported_and_has_no_other_effect(monkeypatch):
    reported = []
    hook = lambda what: reported.append((what.exc_type, f"Exception ignored in {what.object}"))  # noqa: E731
    monkeypatch.setattr("sys.unraisablehook", hook)
    mine = Mine()
    array = mine.empty(3)
    mine.blocks.clear()
    del array
    assert reported == [(KeyError, "Exception ignored in the free of an allocator")]


def test_a_block_is_freed_while_an_exception_propagates():
    mine = Mine()
    with pytest.raises(ValueError, match="OBJECT"):
        np.frombuffer(mine.empty(10, np.uint8), np.dtype(object))
    assert mine.blocks == {}


def test_a_class_without_alloc_raises_an_error_that_says_so():
    with pytest.raises(MemoryError) as caught:
        type("Bare", (PythonAllocator,), {})().empty(3)
    assert "Bare does not define alloc" in str(caught.value.__cause__)


@pytest.mark.parametrize("call", ["stats", "release_unused"])
def test_an_interrupt_just_before_a_callback_reaches_the_caller(call):
    """At the first instruction of the callback, before its guard can catch anything."""
    pool = Mine()

    def strike(frame, _event, _argument):
        if frame.f_code.co_name == "guarded":
            sys.settrace(None)
            raise KeyboardInterrupt

    before = sys.gettrace()
    sys.settrace(strike)
    try:
        with pytest.raises(KeyboardInterrupt):
            getattr(pool, call)()
    finally:
        sys.settrace(before)
