# SPDX-License-Identifier: MIT
"""The lifetimes of arrays, blocks, allocators and tables, and the statistics of allocators."""

import gc
import pickle
import sys
import weakref

import numpy as np
import pytest
from support.prepared import run_program
from support.versions import API_VERSION

from ortcffi import Allocator, Api, Tracking, errors
from ortcffi._native import ffi, lib
from ortcffi.memory.stats import KEYS, AllocatorStats

MIB = 1 << 20


def in_use(api):
    return api.default_allocator.stats.bytes_allocated


def copied_table(api, **slots):
    """A copy of a table, with some slots replaced."""
    table = ffi.new("OrtApi*", api.pointer[0])
    for name, function in slots.items():
        setattr(table, name, function)
    return Api(table, version=api.version, version_string="of the test")


# --- arrays ---------------------------------------------------------------------------------------


def test_a_view_keeps_the_memory(api, core_api):
    before = in_use(core_api)
    views = [api.default_allocator.full((100, 100), 7)[::2, ::3].T.reshape(-1)[5:]]
    views = [view[3:] for view in views]
    gc.collect()
    assert (views[0] == 7).all()
    views.clear()
    assert in_use(core_api) == before


def test_a_memoryview_keeps_the_memory(core_api):
    before = in_use(core_api)
    memory = memoryview(core_api.default_allocator.full(MIB, 7, np.uint8))
    assert memory[MIB - 1] == 7
    memory.release()
    assert in_use(core_api) == before


def test_a_pickled_array_comes_back_in_memory_of_python(api):
    tracking = Tracking(api.default_allocator)
    array = tracking.full((2, 3), 1.5)
    twin = pickle.loads(pickle.dumps(array))
    np.testing.assert_array_equal(twin, array)
    del array
    assert tracking.stats.bytes_allocated == 0


def test_an_array_cannot_be_resized_in_place(api):
    array = api.default_allocator.empty(3)
    with pytest.raises(ValueError, match="does not own its data"):
        array.resize(5, refcheck=False)


# --- owned allocators -----------------------------------------------------------------------------


@pytest.fixture
def released():
    return []


@pytest.fixture
def release(released):
    """A function of C that records what it is given."""
    return ffi.callback("void(void*, OrtAllocator*)", lambda *arguments: released.append(arguments))


@pytest.mark.parametrize("ends", [Allocator.close, lambda _: None], ids=["closed", "unreferenced"])
def test_an_owned_allocator_is_released_once(api, release, released, ends):
    allocator = Allocator(api, api.default_allocator.handle, release=release)
    for _ in range(2):
        ends(allocator)
    del allocator
    assert released == [(api.pointer, api.default_allocator.handle)]


def test_an_array_keeps_the_allocator_and_the_table_that_made_it_and_no_longer(api):
    twin = Api(api.pointer, version=API_VERSION, version_string="")
    array, token = twin.default_allocator.full(1000, 7), weakref.ref(twin)
    with twin.default_allocator as allocator:  # of the library: closing it does nothing
        pass
    assert not allocator.closed
    del twin, allocator
    gc.collect()
    assert (array == 7).all()
    del array
    gc.collect()
    assert token() is None


# --- allocators that fail -------------------------------------------------------------------------


def failing(code, message):
    @ffi.callback("OrtStatus*(OrtAllocator*, size_t, void**)")
    def fail(_allocator, _size, _out):
        return lib.CreateStatus(core_pointer(), code, message)

    return fail


def core_pointer():
    return lib.ortcffi_core_api_base().GetApi(lib.ORTCFFI_API_VERSION)


def test_the_status_of_a_failing_allocator_is_raised(core_api):
    refuse = failing(errors.ErrorCode.EP_FAIL, b"device lost")
    api = copied_table(core_api, AllocatorAlloc=refuse)
    with pytest.raises(errors.EPFail) as caught:
        api.default_allocator.empty(3)
    assert caught.value == errors.EPFail("device lost", "AllocatorAlloc")


def test_an_allocator_that_returns_null_without_a_status_is_out_of_memory(core_api):
    nothing = ffi.callback("OrtStatus*(OrtAllocator*, size_t, void**)", lambda *_: ffi.NULL)
    api = copied_table(core_api, AllocatorAlloc=nothing)
    with pytest.raises(errors.OutOfMemory, match="no block of this size"):
        api.default_allocator.empty(3)


def test_a_failing_free_is_reported_and_has_no_other_effect(core_api, monkeypatch):
    real_free = core_api.pointer.AllocatorFree

    @ffi.callback("OrtStatus*(OrtAllocator*, void*)")
    def free(allocator, block):
        real_free(allocator, block)
        return lib.CreateStatus(core_pointer(), errors.ErrorCode.FAIL, b"cannot free")

    allocator = copied_table(core_api, AllocatorFree=free).default_allocator
    reports = []
    monkeypatch.setattr(sys, "unraisablehook", lambda report: reports.append(report.exc_value))
    with pytest.raises(ZeroDivisionError):
        allocator.empty(3), 1 / 0  # the array is freed while the error propagates
    assert reports == [errors.Fail("cannot free", "AllocatorFree")]


WAITING = """
import ctypes, threading, ortcffi as ort
from ortcffi._native import ffi, lib
mutex = ctypes.create_string_buffer(64)  # all zeros: a mutex that is free
libc = ctypes.CDLL(None)
table = ffi.new("OrtApi*", ort.core_api().pointer[0])
lock = ctypes.cast(libc.pthread_mutex_lock, ctypes.c_void_p).value
table.AllocatorAlloc = ffi.cast("OrtStatus*(*)(OrtAllocator*, size_t, void**)", lock)
api = ort.Api(table, version=lib.ORTCFFI_API_VERSION, version_string="")
allocator = ort.Allocator(api, ffi.cast("OrtAllocator*", ctypes.addressof(mutex)))
libc.pthread_mutex_lock(mutex)
begun = threading.Event()
def wait():
    begun.set()
    try:
        allocator.empty(3)
    except MemoryError:
        print("came back")
thread = threading.Thread(target=wait)
thread.start()
begun.wait(300)
for _ in range(1000):
    threading.Event().wait(0.0001)  # lets the thread get into its call
libc.pthread_mutex_unlock(mutex)
thread.join(300)
"""


def test_other_threads_run_while_a_foreign_allocator_waits():
    done = run_program(WAITING)
    assert (done.stdout, done.stderr) == ("came back\n", "")


# --- statistics -----------------------------------------------------------------------------------


def test_the_core_counts_its_allocations(core_api):
    allocator = core_api.default_allocator
    array = allocator.empty(3 * MIB, np.uint8)
    with_it = allocator.stats
    del array
    without = allocator.stats
    assert 3 * MIB <= with_it.bytes_allocated - without.bytes_allocated < 4 * MIB
    assert with_it.max_memory >= with_it.bytes_allocated
    assert without.max_memory >= with_it.bytes_allocated
    assert with_it.bytes_reserved >= 3 * MIB
    assert without.num_allocations >= with_it.num_allocations
    assert without.num_frees > with_it.num_frees
    assert without.raw["InUse"] == str(without.bytes_allocated)


def test_a_library_that_reports_nothing_has_no_statistics(real_api):
    stats = real_api.default_allocator.stats
    assert set(stats[:-1]) == {None}
    assert dict(stats.raw) == {}


def test_statistics_show_each_figure_once_and_only_those_that_are_known():
    stats = AllocatorStats._from({"InUse": "2048", "NumAllocs": "3", "Other": "x"})
    assert repr(stats) == "AllocatorStats(bytes_allocated=2048, num_allocations=3)"


def test_every_statistic_is_read_under_the_librarys_name():
    raw = {key: str(number) for number, key in enumerate(KEYS.values())}
    stats = AllocatorStats._from({**raw, "Other": "kept"})
    assert stats[:-1] == tuple(range(len(KEYS)))
    assert stats.raw["Other"] == "kept"
    unread = AllocatorStats._from({"InUse": "much", "Limit": "-1"})
    assert (unread.bytes_allocated, unread.limit) == (None, -1)
    with pytest.raises(AttributeError):
        stats.bytes_allocated = 0


def test_unused_memory_can_be_released(core_api):
    allocator = core_api.default_allocator
    arrays = [allocator.empty(MIB) for _ in range(8)]
    del arrays
    before = allocator.stats
    allocator.release_unused()
    assert allocator.stats.bytes_reserved < before.bytes_reserved


def test_what_is_left_of_segments_is_in_use_again(core_api):
    allocator = core_api.default_allocator

    def arrays(count):
        return [allocator.empty(40_000, np.uint8) for _ in range(count)]

    held = arrays(200)  # several segments, whose other halves are released in turn
    reserved = allocator.stats.bytes_reserved
    for _ in range(4):
        del held[::2]
        allocator.release_unused()
        held += arrays(100)
        assert allocator.stats.bytes_reserved <= reserved


def test_an_allocator_that_cannot_release_memory_raises(real_api):
    expected = r"this allocator, of version \d+, has no Shrink"
    with pytest.raises(errors.NotImplemented, match=expected) as caught:
        real_api.default_allocator.release_unused()
    assert caught.value.function == "Shrink"


@pytest.mark.parametrize(("version", "missing"), [(24, "Shrink"), (17, "Reserve")])
def test_a_field_that_an_older_struct_lacks_is_never_read(api, version, missing):
    old = ffi.new("OrtAllocator*", api.default_allocator.handle[0])
    old.version = version
    allocator = Allocator(api, old)
    use = {"Shrink": allocator.release_unused, "Reserve": lambda: allocator.reserve(8)}[missing]
    with pytest.raises(errors.NotImplemented, match=f"of version {version}, has no {missing}"):
        use()
