/* SPDX-License-Identifier: MIT */
/** @file heap_internal.h What the floors of the heap share among themselves. */
#ifndef ORTCFFI_HEAP_INTERNAL_H_
#define ORTCFFI_HEAP_INTERNAL_H_

#include "heap/heap.h"
#include "platform/platform.h"

/** Free memory a thread may keep: in large blocks, and in full batches of small ones. */
#define HEAP_THREAD_CAP ((int64_t)128 << 20)
#define HEAP_SPARE_CAP ((int64_t)8 << 20)
/** Free small blocks that a thread's bins may hold beyond a batch each, in bytes, and that one bin
 * may hold, in blocks. */
#define HEAP_CAPACITY_CAP ((int64_t)8 << 20)
#define HEAP_WIDEST 64
/** Free memory the central lists may keep: of one small class, and of all large ones. */
#define HEAP_CENTRAL_CAP ((size_t)256 << 10)
#define HEAP_LARGE_CAP ((size_t)64 << 20)

/** What is known of a segment; of a run of segments, in its first. */
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

/** Distance of blocks in a segment. From 4 KiB on a line more than the size, because blocks at
 * multiples of a page would all start in one set of the cache. */
static inline size_t heap_class_stride(size_t size_class) {
  size_t size = heap_class_size(size_class);
  return size < 4096 ? size : size + HEAP_LINE;
}

/** Blocks in a full batch: 64 KiB of them, at most 64. */
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

/** Makes a thread's bins empty ones. */
void heap_fill_bins(struct heap_thread* self);
/** Gives all that lies in a thread's bins to the central lists. */
void heap_give_all(struct heap_thread* self);

/** Tells on stderr of a free block whose key is gone. */
void heap_report_broken(const struct heap_block* block);

/* heap_threads.c */

/** Works out the peak anew, as more may be in use now than ever was; returns how many bytes more
 * could be without being a new one. */
int64_t heap_note_peak(void);
void heap_count_bad_free(void);

/* heap_region.c */

/** Reserves the range on first use; false where no addresses are left. */
int heap_region_begin(void);
/** A run of segments marked with a class (or HEAP_HUGE); its first index, or -1. */
int64_t heap_region_take(size_t segments, size_t mark);
/** Gives a run and its pages back. */
void heap_region_give(size_t segment);
void heap_region_stats(struct heap_stats* out);
void heap_region_lock(void);
void heap_region_unlock(void);

/* heap_central.c */

/** A batch of free blocks, linked by `next`; its length in `*count`. NULL where there is none:
 * without `fresh`, none that was in use before. */
struct heap_block* heap_central_take(size_t size_class, int fresh, size_t* count);
void heap_central_give(size_t size_class, struct heap_block* batch, size_t count);
/** Gives the pages of everything that lies unused in the central lists back. */
void heap_central_shrink(void);
void heap_central_lock(void);
void heap_central_unlock(void);

#endif /* ORTCFFI_HEAP_INTERNAL_H_ */
