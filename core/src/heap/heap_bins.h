/* SPDX-License-Identifier: MIT */
/**
 * @file heap_bins.h
 * This project's own heap: size classes with thread-local caches. heap.h includes it.
 *
 * All memory lies in one reserved range of addresses, cut into segments of 1 MiB. One byte per
 * segment names the size class of its blocks. So finding a pointer's class, or that the heap does
 * not own it, costs one subtraction, one comparison and one load.
 *
 * Three layers:
 *
 *   heap_bins.h, heap.c  per thread and class a bin, a list of free blocks; no lock, no atomics
 *   heap_central.c       full batches, exchanged between threads; one lock per class
 *   heap_region.c        segments and the pages behind them; one lock
 *
 * A free block stores a key: its own address mixed with a secret of the process. If the key is
 * there when the block is freed, the block was already free. If the key is gone when the block is
 * taken, some code wrote to it after it was freed, or past the end of its neighbour.
 */
#pragma once

#include "heap/heap_base.h"

#define HEAP_NAME "segment heap"

/** Sizes are counted in cache lines. */
#define HEAP_LINE_SHIFT 6

#define HEAP_SEGMENT_SHIFT 20
#define HEAP_SEGMENT ((size_t)1 << HEAP_SEGMENT_SHIFT)

/* Classes 1 to 16 are 1 to 16 lines; above, each doubling has eight classes, up to 1 GiB. */
#define HEAP_LAST_CLASS 176
#define HEAP_LARGEST ((size_t)1 << 30)
/* Blocks up to this size share a segment; a larger one has segments of its own. */
#define HEAP_SMALL ((size_t)128 << 10)
#define HEAP_FIRST_LARGE 73
/* Marks in the segment map, beside HEAP_NOTHING, that are not size classes. Their bins are always
 * full, so that freeing such a pointer takes the slow path. */
#define HEAP_HUGE (HEAP_LAST_CLASS + 1)
#define HEAP_INSIDE (HEAP_LAST_CLASS + 2)
#define HEAP_MARKS (HEAP_LAST_CLASS + 3)

/** A free block. The fields are at the end of the first cache line: programs often write to the
 * start of a block just before they free it, and reading partly written words stalls a processor.
 * `next` follows the key, so that an overrun overwrites the key first. */
struct heap_block {
  char untouched[32];
  /** Only in the first block of a batch: the next batch, and the number of blocks in this one. */
  struct heap_block* next_batch;
  size_t batch_count;
  uintptr_t key;
  struct heap_block* next;
};

/** A thread's free blocks of one class: a cache line, written by its thread alone. */
struct heap_bin {
  struct heap_block* head;
  /** How many blocks were ever taken from and put into this bin. The difference follows the number
   * of blocks in `head`; the bin is full when it reaches `limit`. */
  uint64_t pops;
  uint64_t pushes;
  int64_t limit;
  /** If more blocks than this are in use when the bin runs empty, the process's peak is recomputed.
   * Small classes only. */
  int64_t mark;
  /** Full batches beside `head`. */
  struct heap_block* spares;
  /** 2^64 divided by the distance between blocks, rounded up. An offset is a multiple of that
   * distance if and only if its product with `inverse`, modulo 2^64, is below `inverse`. Small
   * classes only. */
  uint64_t inverse;
  /** The number of blocks that `head` may hold: first one batch, later more if it is often full. */
  int64_t capacity;
};

struct heap_thread {
  struct heap_bin bins[HEAP_MARKS];
  /** A copy of the process's secret, in a cache line that is read anyway. */
  uintptr_t secret;
  /** Bytes of large blocks that the bins may hold: the sum of their capacities. */
  int64_t granted;
  /** Huge blocks are in no bin: how many were taken and given back, and their bytes. */
  uint64_t huge_pops;
  uint64_t huge_pushes;
  int64_t huge_bytes;
  /** Bytes of free small blocks that the bins may hold above one batch each, and hold as spares. */
  int64_t capacity_bytes;
  int64_t spare_bytes;
  uint64_t created[CORE_KINDS];
  uint64_t released[CORE_KINDS];
  struct heap_thread* next;
};

struct heap_globals {
  uintptr_t base;
  size_t span;
  uint8_t* map;
  uintptr_t secret;
  /** The class of a small size, by its number of lines minus one. Other threads may read it while
   * it is written; they still use heap_nobody, for which any class is right. */
  uint8_t classes[HEAP_SMALL >> HEAP_LINE_SHIFT];
};

extern struct heap_globals heap_region;

/** The bytes of a block of a class. */
static inline size_t heap_class_size(size_t size_class) {
  if (size_class <= 16) {
    return size_class << HEAP_LINE_SHIFT;
  }
  size_t shift = ((size_class - 1) >> 3) - 1;
  return (size_class - (shift << 3)) << shift << HEAP_LINE_SHIFT;
}

/** The class of a size from 1 to HEAP_LARGEST, without a branch: it follows from the leading bit of
 * the number of lines and the three bits after it. */
static inline size_t heap_class_of(size_t size) {
  uint64_t lines = (size - 1) >> HEAP_LINE_SHIFT;
  unsigned shift = 60U - (unsigned)__builtin_clzll(lines | 15);
  return ((size_t)shift << 3) + (size_t)(lines >> shift) + 1;
}

/** Large blocks start at different offsets in their segments, so that they do not all compete for
 * the same cache set. */
static inline size_t heap_color(size_t segment) { return ((segment * 7) & 63) << HEAP_LINE_SHIFT; }

/* Fast paths. Each uses only the thread's own bin, or does nothing. Small and large sizes have
 * separate functions, so that callers can inline just the common one. */

/** Takes the first block of a bin; NULL if there is none, or if its key is gone. */
static inline CORE_INLINE void* heap_pop(struct heap_bin* bin, uintptr_t secret) {
  struct heap_block* block = bin->head;
  if (CORE_UNLIKELY(block == NULL || block->key != ((uintptr_t)block ^ secret))) {
    return NULL;
  }
  bin->head = block->next;
  block->key = 0;
  HEAP_ADD(bin->pops, 1);
  return block;
}

/** Returns a block for a size up to HEAP_SMALL; NULL if the slow path is needed, also for size 0.
 */
static inline CORE_INLINE void* heap_try_alloc_small(size_t size) {
  struct heap_thread* self = heap_self;
  size_t size_class = HEAP_READ(heap_region.classes[(size - 1) >> HEAP_LINE_SHIFT]);
  return heap_pop(&self->bins[size_class], self->secret);
}

/** Returns a block for a larger size; NULL if the slow path is needed. */
static inline CORE_INLINE void* heap_try_alloc_large(size_t size) {
  if (CORE_UNLIKELY(size - 1 >= HEAP_LARGEST)) {
    return NULL;
  }
  struct heap_thread* self = heap_self;
  return heap_pop(&self->bins[heap_class_of(size)], self->secret);
}

/** The mark of a pointer's segment: a size class, or one of HEAP_NOTHING, HEAP_HUGE and so on. */
static inline CORE_INLINE size_t heap_mark(const void* pointer) {
  size_t offset = (uintptr_t)pointer - HEAP_GET(heap_region.base);
  return CORE_LIKELY(offset < HEAP_GET(heap_region.span))
             ? HEAP_READ(heap_region.map[offset >> HEAP_SEGMENT_SHIFT])
             : HEAP_NOTHING;
}

/** Puts a block into a bin that is not full; false if it was free before. */
static inline CORE_INLINE int heap_push(struct heap_bin* bin, uintptr_t secret, void* pointer) {
  struct heap_block* block = pointer;
  uintptr_t key = (uintptr_t)block ^ secret;
  if (CORE_UNLIKELY(block->key == key)) {
    return 0;
  }
  block->key = key;
  block->next = bin->head;
  bin->head = block;
  HEAP_ADD(bin->pushes, 1);
  return 1;
}

/** Frees a block of a small class; false if the slow path is needed, also for a pointer that is no
 * block. */
static inline CORE_INLINE int heap_try_free_small(void* pointer, size_t mark) {
  struct heap_thread* self = heap_self;
  struct heap_bin* bin = &self->bins[mark];
  if (CORE_UNLIKELY((int64_t)(bin->pushes - bin->pops) >= bin->limit)) {
    return 0;
  }
  uint64_t inside = ((uintptr_t)pointer - heap_region.base) & (HEAP_SEGMENT - 1);
  return CORE_LIKELY(inside * bin->inverse < bin->inverse) && heap_push(bin, self->secret, pointer);
}

/** Frees a block of a large class; false if the slow path is needed. */
static inline CORE_INLINE int heap_try_free_large(void* pointer, size_t mark) {
  struct heap_thread* self = heap_self;
  struct heap_bin* bin = &self->bins[mark];
  if (CORE_UNLIKELY((int64_t)(bin->pushes - bin->pops) >= bin->limit)) {
    return 0;
  }
  size_t offset = (uintptr_t)pointer - heap_region.base;
  return CORE_LIKELY((offset & (HEAP_SEGMENT - 1)) == heap_color(offset >> HEAP_SEGMENT_SHIFT)) &&
         heap_push(bin, self->secret, pointer);
}
