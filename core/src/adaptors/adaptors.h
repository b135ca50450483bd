/* SPDX-License-Identifier: MIT */
/**
 * @file adaptors.h
 * Adaptors: allocators that wrap another allocator. Each is an OrtAllocator that any library
 * accepts, and can wrap any allocator of any library.
 *
 * All of them hold a reference to the inner allocator (references.h). Alloc returns NULL for size 0
 * and when out of memory; Reserve is Alloc; Info and Shrink are the inner allocator's;
 * AllocOnStream is NULL. core_release_adaptor drops the creator's reference. The last reference
 * frees the adaptor, after which its blocks must not be freed. Creation returns
 * ORT_INVALID_ARGUMENT naming the argument. At most CORE_DEEPEST_ADAPTOR adaptors may be nested,
 * because each of them calls the next on the same stack.
 */
#pragma once

#include "exported.h"
#include "onnxruntime_c_api.h"

/** What new blocks of a guarded allocator are filled with. */
enum { CORE_GUARDED_FILL = 0xA5 };

/** What was written beyond a block. */
typedef struct core_damage {
  /** The block, and its size in bytes. */
  void* block;
  size_t size;
  /** The first byte that was changed, counted from the block's first one, and how many bytes there
   * are to the last one that was. */
  int64_t offset;
  int64_t length;
  /** Whether the block was freed since. */
  int is_freed;
} core_damage;

/** Blocks start at multiples of `alignment`, a power of two up to 2 MiB. */
CORE_FOR_EXTENSION OrtStatus* core_create_aligned(OrtAllocator* inner, size_t alignment,
                                                  OrtAllocator** out);

/** Never lets more than `limit` bytes be in use. Each thread reserves a little in advance: at most
 * 1/1024 of the limit and 64 KiB. So with several threads an allocation may fail that many bytes
 * per other thread before the limit. */
CORE_FOR_EXTENSION OrtStatus* core_create_limiting(OrtAllocator* inner, size_t limit,
                                                   OrtAllocator** out);

/** What went over a soft limit: how many blocks, and the most bytes. */
struct core_excesses {
  int64_t count;
  int64_t largest;
};
CORE_FOR_EXTENSION struct core_excesses core_limiting_excesses(const OrtAllocator* allocator);

/** Bytes in use. */
CORE_FOR_EXTENSION int64_t core_limiting_in_use(const OrtAllocator* allocator);

/** Fails every allocation after the first `after`. */
CORE_FOR_EXTENSION OrtStatus* core_create_failing(OrtAllocator* inner, size_t after,
                                                  OrtAllocator** out);
/** Resets the counts: the next `after` allocations succeed. */
CORE_FOR_EXTENSION void core_failing_reset(OrtAllocator* allocator, size_t after);
/** Allocations refused since the last reset. */
CORE_FOR_EXTENSION size_t core_failing_refused(const OrtAllocator* allocator);

/**
 * Finds writes beyond blocks: the 256 bytes before and after each have a pattern. New blocks are
 * filled with CORE_GUARDED_FILL, freed ones with 0xDD. Frees of what is no block are refused.
 * @param[in] inner Where the memory comes from, some 576 bytes more for each block.
 * @param[in] closes_pages Whether the memory after each block, from the next multiple of 64 on, is
 * closed for as long as the block is in use: what reads or writes there ends the process. A block
 * then takes three pages more. Where the system closes no more pages, blocks have none.
 * @param[out] out The allocator, for core_release_adaptor.
 */
CORE_FOR_EXTENSION OrtStatus* core_create_guarded(OrtAllocator* inner, int closes_pages,
                                                  OrtAllocator** out);
/** Writes one damage to `out` that no call has reported yet; false where there is none. Of blocks
 * that were freed only the first damage since the last call is known. */
CORE_FOR_EXTENSION int core_guarded_damage(OrtAllocator* allocator, core_damage* out);
/** Reads the bytes of blocks in use, without what is around them, and their peak. */
CORE_FOR_EXTENSION void core_guarded_read(const OrtAllocator* allocator, size_t* live,
                                          size_t* peak);
/** Sets the most bytes that may be in use. */
CORE_FOR_EXTENSION void core_guarded_limit(OrtAllocator* allocator, size_t limit);
/** Sets the byte that new blocks are filled with. */
CORE_FOR_EXTENSION void core_guarded_fill(OrtAllocator* allocator, uint8_t byte);

/** The statistics of a tracking adaptor. */
typedef struct core_tracking_figures {
  /** Bytes in use, their peak, and the sum of all allocations. */
  int64_t current;
  int64_t peak;
  int64_t total;
  int64_t allocations;
  int64_t frees;
  /** The largest block in bytes. */
  int64_t largest;
} core_tracking_figures;

/** Counts allocations; scopes.h has the statistics of parts of a program. */
CORE_FOR_EXTENSION OrtStatus* core_create_tracking(OrtAllocator* inner, OrtAllocator** out);
CORE_FOR_EXTENSION void core_tracking_read(OrtAllocator* allocator, core_tracking_figures* out);
