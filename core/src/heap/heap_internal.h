/* SPDX-License-Identifier: MIT */
/** @file heap_internal.h Constants and functions that the heap's files share. */
#pragma once

#include "heap/heap.h"
#include "platform/platform.h"

/** How much free memory a thread may keep, in large blocks and in full batches of small ones. */
#define HEAP_THREAD_CAP ((int64_t)128 << 20)
#define HEAP_SPARE_CAP ((int64_t)8 << 20)
/** Limits for free small blocks: the bytes that a thread's bins may hold above one batch each, and
 * the blocks that one bin may hold. */
#define HEAP_CAPACITY_CAP ((int64_t)8 << 20)
#define HEAP_WIDEST 64
/** How much free memory the central lists may keep: per small class, and for all large ones. */
#define HEAP_CENTRAL_CAP ((size_t)256 << 10)
#define HEAP_LARGE_CAP ((size_t)64 << 20)

/** Describes a segment; a run of segments is described by its first. */
struct heap_segment {
  struct heap_block* free;
  uint32_t free_count;
  uint32_t carved;
  uint32_t capacity;
  uint32_t run;
  /** Neighbours in the class's list of segments with room, as index + 1; 0 ends the list. */
  uint32_t previous;
  uint32_t next;
};

extern struct heap_segment* heap_segments;

/** The distance between blocks in a segment. From 4 KiB on it is a line more than the size, because
 * blocks at multiples of a page would all start in the same cache set. */
static inline size_t heap_class_stride(size_t size_class) {
  size_t size = heap_class_size(size_class);
  return size < 4096 ? size : size + HEAP_LINE;
}

/** The number of blocks in a full batch: as many as make 64 KiB, at most 64. */
static inline size_t heap_batch(size_t size_class) {
  size_t count = ((size_t)64 << 10) / heap_class_size(size_class);
  return count > 64 ? 64 : count < 1 ? 1 : count;
}

static inline uintptr_t heap_key(const void* block) {
  return (uintptr_t)block ^ heap_region.secret;
}

static inline size_t heap_segment_of(const void* pointer) {
  return ((uintptr_t)pointer - heap_region.base) >> HEAP_SEGMENT_SHIFT;
}

static inline char* heap_segment_start(size_t segment) {
  return (char*)(heap_region.base + (segment << HEAP_SEGMENT_SHIFT));
}

/* heap.c */

/** Reports on stderr a free block whose key is gone. */
void heap_report_broken(const struct heap_block* block);

/* heap_region.c */

/** Takes a run of segments and marks it with a class or HEAP_HUGE; returns its first index, or -1
 * when out of memory. */
int64_t heap_region_take(size_t segments, size_t mark);
/** Returns a run and its pages to the system. */
void heap_region_give(size_t segment);

/* heap_central.c */

/** Returns a batch of free blocks, linked by `next`, and sets `*count` to its length. NULL if there
 * are none. Without `fresh` it takes only blocks that were in use before. */
struct heap_block* heap_central_take(size_t size_class, int fresh, size_t* count);
void heap_central_give(size_t size_class, struct heap_block* batch, size_t count);
/** Returns the pages of all unused blocks in the central lists to the system. */
void heap_central_shrink(void);
