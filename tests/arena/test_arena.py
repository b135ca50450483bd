# SPDX-License-Identifier: MIT
"""The core's arena: its statistics compared with ONNX Runtime's, and its invariants."""

import random
from itertools import pairwise

import pytest
from support.threads import run_threads

from ortcffi import Failing, PythonAllocator, Tracking, ffi, lib
from ortcffi._table import core_api as get_core_api
from ortcffi.errors import InvalidArgument, OutOfMemory, check
from ortcffi.memory.adaptors import Adaptor

MIB = 1 << 20


class RawArena(Adaptor):
    """An arena with settings under the names of the C API."""

    __slots__ = ()

    def __init__(self, inner, **measures):
        api = get_core_api().pointer
        keys = [ffi.new("char[]", key.encode()) for key in measures]
        cfg = ffi.new("OrtArenaCfg**")
        values = list(measures.values())
        status = lib.CreateArenaCfgV2(api, ffi.new("char*[]", keys), values, len(keys), cfg)
        check(api, status, "CreateArenaCfgV2")
        try:
            super().__init__(inner, lib.ortcffi_arena, cfg[0])
        finally:
            lib.ReleaseArenaCfg(api, cfg[0])

    def figures(self):
        api = get_core_api().pointer
        out = ffi.new("OrtKeyValuePairs**")
        check(api, self.handle.GetStats(self.handle, out), "GetStats")
        keys, values, count = (ffi.new(t) for t in ("char***", "char***", "size_t*"))
        lib.GetKeyValuePairs(api, out[0], keys, values, count)
        names = [ffi.string(keys[0][i]).decode() for i in range(count[0])]
        numbers = [int(ffi.string(values[0][i])) for i in range(count[0])]
        lib.ReleaseKeyValuePairs(api, out[0])
        return dict(zip(names, numbers, strict=True))

    def shrink(self):
        check(get_core_api().pointer, self.handle.Shrink(self.handle), "Shrink")


@pytest.fixture
def memory(core_api):
    return core_api.default_allocator


SIZES = [1, 256, 257, 1000, MIB, MIB + 1, 3 * MIB, 5 * MIB, 100 * MIB, MIB]
# Bytes in use and taken after each size, as the library of onnxruntime 1.31.1 tells them.
GROWTH = {
    "by default": (
        {},
        [256, 512, 1024, 2048, 1050624, 2099456, 5245184, 10488064, 144705792, 145754368],
        [1, 1, 1, 1, 3, 7, 15, 15, 143, 143],
    ),
    "with a small limit of doubling": (
        {"max_power_of_two_extend_bytes": 2 * MIB},
        [256, 512, 1024, 2048, 1050624, 3147776, 7342080, 15730688, 149948416, 150996992],
        [1, 1, 1, 1, 3, 5, 9, 17, 145, 145],
    ),
    "from a large region": (
        {"initial_chunk_size_bytes": 10 * MIB, "initial_growth_chunk_size_bytes": 4 * MIB},
        [256, 512, 1024, 2048, 1050624, 2099456, 5245184, 10488064, 178260224, 179308800],
        [10, 10, 10, 10, 10, 10, 10, 30, 190, 190],
    ),
}


@pytest.mark.parametrize("name", GROWTH)
def test_it_grows_rounds_and_splits_like_the_reference(memory, name):
    measures, in_use, total = GROWTH[name]
    arena = RawArena(memory, **measures)
    blocks = []
    reported = []
    for size in SIZES:
        blocks.append(arena.alloc(size))
        figures = arena.figures()
        reported.append((figures["InUse"], figures["TotalAllocated"] // MIB))
    assert reported == list(zip(in_use, total, strict=True))
    assert arena.figures()["RequestedInUse"] == sum(SIZES)
    for block in blocks:
        arena.free(block)
    arena.shrink()
    figures = arena.figures()
    assert figures["InUse"] == figures["RequestedInUse"] == 0
    assert figures["MaxInUse"] == in_use[-1]
    assert figures["TotalAllocated"] == total[0] * MIB
    assert figures["NumArenaExtensions"] == 1


def test_as_requested_takes_the_requested_size_and_returns_all_of_it(memory):
    arena = RawArena(memory, arena_extend_strategy=1)
    blocks = [arena.alloc(size) for size in SIZES]
    figures = arena.figures()
    assert figures["TotalAllocated"] == figures["InUse"] == 116394240
    assert figures["NumArenaExtensions"] == len(SIZES)
    for block in blocks:
        arena.free(block)
    arena.shrink()
    figures = arena.figures()
    assert figures["TotalAllocated"] == figures["NumArenaExtensions"] == 0
    assert figures["NumArenaShrinkages"] == len(SIZES)


def test_after_a_shrink_it_grows_by_the_growth_size(memory):
    arena = RawArena(memory, initial_growth_chunk_size_bytes=6 * MIB)
    kept = arena.alloc(MIB)
    arena.shrink()
    other = arena.alloc(8 * MIB)
    assert arena.figures()["TotalAllocated"] == 13 * MIB
    arena.free(kept)
    arena.free(other)


def test_free_blocks_are_merged_before_an_allocation_fails(memory):
    arena = RawArena(memory, max_mem=MIB)
    run_threads(lambda: arena.free(arena.alloc(MIB // 2)))  # a thread that ends
    for block in [arena.alloc(4096) for _ in range(256)]:
        arena.free(block)
    arena.free(arena.alloc(MIB))
    assert arena.figures()["NumArenaExtensions"] == 1


def test_a_maximum_is_never_exceeded(memory):
    inner = Tracking(memory)
    arena = RawArena(inner, max_mem=4 * MIB + 100)
    blocks = [arena.alloc(MIB) for _ in range(4)]
    for size in (1, MIB, 1 << 40, (1 << 63) - 1):
        with pytest.raises(OutOfMemory):
            arena.alloc(size)
    assert arena.handle.Reserve(arena.handle, 101) == ffi.NULL
    arena.free(blocks.pop())
    blocks.append(arena.alloc(MIB))
    assert inner.stats.max_memory <= 4 * MIB + 100
    for block in blocks:
        arena.free(block)


def test_reserved_blocks_are_outside_of_the_regions_and_count(memory):
    inner = Tracking(memory)
    arena = RawArena(inner)
    block = arena.handle.Reserve(arena.handle, 1000)
    figures = arena.figures()
    assert inner.stats.bytes_allocated == figures["InUse"] == figures["TotalAllocated"] == 1000
    assert (figures["NumReserves"], figures["NumAllocs"]) == (1, 1)
    arena.free(arena.alloc(1024))
    arena.free(block)
    assert arena.figures()["MaxInUse"] == 1000 + 1024
    arena.shrink()
    none = {"initial_growth_chunk_size_bytes": 0, "max_power_of_two_extend_bytes": 0}
    none |= {"initial_chunk_size_bytes": 0, "max_dead_bytes_per_chunk": 0}
    arena = RawArena(memory, **none)  # which grows nevertheless, in no endless loop
    arena.shrink()
    arena.free(arena.alloc(MIB))


def test_bad_pointers_are_errors_and_counted(memory):
    arena = RawArena(memory)
    block = arena.alloc(1000)
    foreign = memory.alloc(8)
    with pytest.raises(InvalidArgument, match="is not a block of this arena"):
        arena.free(foreign)
    with pytest.raises(InvalidArgument, match="points into a block"):
        arena.free(ffi.cast("char*", block) + 256)
    arena.free(block)
    with pytest.raises(InvalidArgument, match="was freed before"):
        arena.free(block)
    memory.free(foreign)
    assert arena.figures()["NumBadFrees"] == 3
    assert arena.figures()["InUse"] == 0


def test_a_region_that_the_inner_allocator_refuses_is_retried_with_a_smaller_size(memory):
    class Small(PythonAllocator):
        def alloc(self, size):
            return memory.alloc(size) if size <= MIB else None

        def free(self, pointer):
            memory.free(pointer)

    arena = RawArena(Small(), initial_chunk_size_bytes=64 * MIB)
    arena.free(arena.alloc(1000))
    assert arena.figures()["TotalAllocated"] == MIB
    for refusing in (arena, RawArena(Failing(memory, after=0))):
        before = refusing.figures()
        with pytest.raises(OutOfMemory):
            refusing.alloc(2 * MIB)
        assert refusing.figures() == before


class FreesWhereItRefuses(PythonAllocator):
    """Gives one block, and from then on has the arena free its own."""

    def __init__(self, memory):
        super().__init__()
        self.memory, self.left = memory, 1

    def alloc(self, size):
        if self.left:
            self.left -= 1
            return self.memory.alloc(size)
        self.arena.free(self.kept.pop())
        return None

    def free(self, pointer):
        self.memory.free(pointer)


def test_what_is_freed_while_memory_is_refused_is_used(memory):
    refusing = FreesWhereItRefuses(memory)
    arena = refusing.arena = RawArena(refusing, arena_extend_strategy=1)
    refusing.kept = [arena.alloc(1000)]
    arena.free(arena.alloc(1000))
    assert not refusing.kept


def test_the_memory_itself_is_never_touched():
    class Device(PythonAllocator):
        """An allocator of addresses without pages."""

        at = 1 << 46

        def alloc(self, size):
            self.at += size
            return self.at - size

        def free(self, pointer):
            pass

    arena = RawArena(Device())
    blocks = [arena.alloc(size) for size in SIZES]
    for block in blocks:
        arena.free(block)
    arena.shrink()
    assert arena.figures()["InUse"] == 0


def test_the_inner_allocator_may_use_the_arena_it_grows(memory):
    class Uses(PythonAllocator):
        arena = None
        depth = 0

        def alloc(self, size):
            self.depth += 1
            if self.depth == 2:
                self.arena.free(self.arena.alloc(64))
            return memory.alloc(size)

        def free(self, pointer):
            memory.free(pointer)

    inner = Uses()
    inner.arena = RawArena(inner)
    inner.arena.alloc(1)
    inner.arena.free(inner.arena.alloc(2 * MIB))
    assert inner.depth == 2
    inner.arena = None


@pytest.mark.parametrize("seed", range(5))
def test_a_large_block_is_the_free_one_that_fits_best(memory, seed):
    arena = RawArena(memory, initial_chunk_size_bytes=64 * MIB)
    chance = random.Random(seed)  # not for secrets
    sizes = [256 * count for count in (257, 287, 288, 300, 300, 300, 301, 511, 512, 5000, 5000)]
    free = []
    for size in chance.sample(sizes, len(sizes)):
        free.append((size, arena.alloc(size)))
        arena.alloc(1)  # so that no two are merged
    for _, block in chance.sample(free, len(free)):
        arena.free(block)
    for size in chance.sample(sizes, len(sizes)):
        block = arena.alloc(size)
        assert (size, block) in free
        free.remove((size, block))


@pytest.mark.parametrize("strategy", [0, 1])
@pytest.mark.parametrize("seed", range(5))
def test_blocks_never_overlap_and_are_merged_into_one_at_the_end(memory, strategy, seed):
    arena = RawArena(memory, arena_extend_strategy=strategy, max_mem=8 * MIB)
    chance = random.Random(seed)  # not for secrets
    live = {}
    for _ in range(1500):
        if live and chance.random() < 0.5:
            address = chance.choice(list(live))
            arena.free(ffi.cast("void*", address))
            del live[address]
            continue
        size = int(2 ** chance.uniform(0, 20))
        block = arena.handle.Alloc(arena.handle, size)
        if block != ffi.NULL:
            live[int(ffi.cast("uintptr_t", block))] = size
        if chance.random() < 0.01:
            arena.shrink()
    ends = sorted(live.items())
    assert all(a + size <= b for (a, size), (b, _) in pairwise(ends))
    figures = arena.figures()
    assert figures["RequestedInUse"] == sum(live.values())
    assert sum(-(-size // 256) * 256 for size in live.values()) <= figures["InUse"]
    assert figures["InUse"] <= figures["TotalAllocated"] <= 8 * MIB
    for address in live:
        arena.free(ffi.cast("void*", address))
    arena.shrink()
    left = arena.figures()["TotalAllocated"]
    if left:
        arena.free(arena.alloc(left))
    assert arena.figures()["TotalAllocated"] == left
    assert (left == 0) == (strategy == 1)
