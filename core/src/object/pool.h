/* SPDX-License-Identifier: MIT */
/**
 * @file pool.h
 * Memory for many small things that end together: what a graph is made of.
 *
 * All zeroes is an empty pool. Nothing of it is freed before its end. Not locked.
 */
#pragma once

#include "core.h"

struct core_pool {
  /** The newest block, which leads to the others. */
  struct core_pool_block* last;
  size_t left;
  /** The bytes of all blocks. */
  size_t size;
  /** Whether core_pool_end closes its pages for good instead of freeing them: what still uses a
   * pointer into the pool then ends the process. Set it while the pool is empty. */
  bool closes;
};

/** Zeroed memory at a multiple of 8 bytes; NULL where there is none. */
void* core_pool_take(struct core_pool* pool, size_t size);

/** The same for `count` items of `size` bytes, of which there may be none. */
void* core_pool_array(struct core_pool* pool, size_t count, size_t size);

/** A copy of bytes with a terminator; NULL where there is no memory. */
const char* core_pool_text(struct core_pool* pool, const void* bytes, size_t size);

/** Frees all of it, after which the pool is empty. */
void core_pool_end(struct core_pool* pool);

/** Takes a zeroed array for a pointer; returns from the function where there is no memory. */
#define CORE_TAKE_ARRAY(pool, pointer, count)                    \
  do {                                                           \
    (pointer) = core_pool_array(pool, count, sizeof *(pointer)); \
    CORE_NEED_MEMORY(pointer, (count) * sizeof *(pointer));      \
  } while (0)
