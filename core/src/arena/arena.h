/* SPDX-License-Identifier: MIT */
/**
 * @file arena.h
 * An allocator that takes memory from another one in large regions and hands out parts of them.
 *
 * A freed block stays in the arena until Shrink, and is merged with free neighbours. Sizes are
 * rounded up to 256 bytes. The best-fitting free block is taken, and split unless the rest would be
 * small. Blocks start at multiples of 256 bytes from the start of a region, so they are as aligned
 * as the inner allocator's, up to 256 bytes. The arena never reads or writes the memory itself,
 * which may belong to any device.
 *
 * The inner allocator is never called under a lock: the bytes are first reserved against the
 * maximum, so that several threads may take regions at once without exceeding it.
 */
#pragma once

#include "core.h"

/** The fields of OrtArenaCfg. -1 is the default; for `max_mem` it is 0. */
struct OrtArenaCfg {
  struct core_object object;
  size_t max_mem;
  /** 0: each region is twice the last; 1: a region is as large as the block that needs it. */
  int64_t extend_strategy;
  int64_t initial_chunk_size;
  int64_t max_dead_bytes;
  /** The size of the first region after a Shrink. */
  int64_t initial_growth_chunk_size;
  /** The size up to which regions double. */
  int64_t max_power_of_two_extend;
};

/** All defaults: -1, and 0 for no limit. */
extern const struct OrtArenaCfg core_default_arena_cfg;

/**
 * Makes an arena over any allocator. Releasing its last reference gives all its memory back.
 * @param[in] inner The allocator; the arena holds a reference to it.
 * @param[in] cfg The settings; copied. NULL for defaults.
 * @param[in] info The memory info that Info returns: copied if it is the core's own, otherwise
 *     borrowed. NULL for the inner allocator's.
 * @param[out] out The arena; free it with core_release_adaptor. Shrink gives back unused regions,
 *     except the first one if regions double.
 * @return NULL, or a status: ORT_INVALID_ARGUMENT naming the argument; out of memory.
 */
CORE_FOR_EXTENSION OrtStatus* core_create_arena(OrtAllocator* inner, const OrtArenaCfg* cfg,
                                                const OrtMemoryInfo* info, OrtAllocator** out);
