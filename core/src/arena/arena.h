/* SPDX-License-Identifier: MIT */
/**
 * @file arena.h
 * An allocator that takes memory from another one in large regions and hands out parts of them.
 *
 * What is freed stays in the arena until Shrink, and joins with what is free beside it. Sizes are
 * rounded up to 256 bytes; the block that fits best is taken, and split unless little would be
 * left. Blocks start as aligned as the inner allocator's, at multiples of 256 bytes behind the
 * start of a region. The arena never touches the memory itself, which may be any device's.
 *
 * Threads keep what they free for their next allocation of the same size. That counts as free, and
 * is collected where it could save a region from being taken or an allocation from failing.
 *
 * No function of the inner allocator is called under a lock: room below the maximum is set aside
 * first, so that several threads may take regions at once and still not exceed it.
 */
#ifndef ORTCFFI_ARENA_H_
#define ORTCFFI_ARENA_H_

#include "core.h"

/** What OrtArenaCfg names. -1: the default, which for `max_mem` is written 0. */
struct OrtArenaCfg {
  size_t max_mem;
  /** 0: regions double; 1: as large as the block that needs one. */
  int64_t extend_strategy;
  int64_t initial_chunk_size;
  int64_t max_dead_bytes;
  /** The size of the region that follows a Shrink. */
  int64_t initial_growth_chunk_size;
  /** Regions double up to this. */
  int64_t max_power_of_two_extend;
};

/**
 * Makes an arena over any allocator. With its last reference it gives all its memory back.
 * @param[in] inner The allocator, to which a reference is held.
 * @param[in] cfg Its measures; copied. NULL for defaults.
 * @param[in] info What Info answers: copied if it is the core's own, otherwise borrowed. NULL for
 *     what the inner allocator's answers.
 * @param[out] out The arena, for core_release_adaptor. Shrink gives back regions of which nothing
 * is in use, save the first one where regions double. MaxInUse is exact with one thread; with
 * several it is the most that all had in use together when one of them had more than ever.
 * @return NULL, or a status: ORT_INVALID_ARGUMENT naming the argument; out of memory.
 */
OrtStatus* core_create_arena(OrtAllocator* inner, const OrtArenaCfg* cfg, const OrtMemoryInfo* info,
                             OrtAllocator** out);

/** From now on a fork finds the locks of arenas free. Otherwise that begins with the first arena,
 * which another thread may make while this one forks. */
void core_arenas_begin(void);

#endif /* ORTCFFI_ARENA_H_ */
