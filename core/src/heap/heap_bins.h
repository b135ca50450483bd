/* SPDX-License-Identifier: MIT */
/**
 * @file heap_bins.h
 * The heap that is our own: blocks from size classes, cached by each thread. heap.h includes it.
 *
 * All memory lies in one reserved range of addresses, cut into segments of 1 MiB. A byte per
 * segment says which size class its blocks have, so a pointer's class, and whether it is ours at
 * all, costs one subtraction, one comparison and one load.
 *
 * Three floors, each with its own file:
 *
 *   heap_bins.h, heap.c  a thread's own bins: a list of free blocks per class, no lock, no atomics
 *   heap_central.c       full batches of blocks, exchanged between threads; one lock per class
 *   heap_region.c        segments and the pages behind them; one lock
 *
 * A free block carries a key, its own address mixed with a secret of the process. A block that is
 * freed while its key is there was free already; a block whose key is gone when it is taken was
 * written to after it was freed, or overrun by its neighbour.
 */
#ifndef ORTCFFI_HEAP_BINS_H_
#define ORTCFFI_HEAP_BINS_H_

#include "heap/heap_base.h"

#define HEAP_NAME "segment heap"

/** Sizes are counted in lines. */
#define HEAP_LINE_SHIFT 6

#define HEAP_SEGMENT_SHIFT 20
#define HEAP_SEGMENT ((size_t)1 << HEAP_SEGMENT_SHIFT)

/* Classes 1 to 16 are 1 to 16 lines; then eight classes to each doubling, up to 1 GiB. */
#define HEAP_LAST_CLASS 176
#define HEAP_LARGEST ((size_t)1 << 30)
/* Up to here blocks share a segment; a larger one has segments of its own. */
#define HEAP_SMALL ((size_t)128 << 10)
#define HEAP_FIRST_LARGE 73
/* Marks in the segment map that are no class, beside HEAP_NOTHING. Their bins are always full, so
 * that freeing such a pointer leaves the fast path. */
#define HEAP_HUGE (HEAP_LAST_CLASS + 1)
#define HEAP_INSIDE (HEAP_LAST_CLASS + 2)
#define HEAP_MARKS (HEAP_LAST_CLASS + 3)

/** A free block. What the heap needs stands at the end of the first line: programs touch the start
 * of a block just before they free it, and reading what was just half written stalls a processor.
 * The list link stands behind the key, so that an overrun hits the key first. */
struct heap_block {
  char untouched[32];
  /** In the first block of a batch: the next batch, and the number of blocks in this one. */
  struct heap_block* next_batch;
  size_t batch_count;
  uintptr_t key;
  struct heap_block* next;
};

/** A thread's free blocks of one class: a cache line, written by its thread alone. */
struct heap_bin {
  struct heap_block* head;
  /** Blocks ever taken from and put into this bin. Their difference moves with the number of
   * blocks in `head`; the bin is full when it reaches `limit`. */
  uint64_t pops;
  uint64_t pushes;
  int64_t limit;
  /** Blocks in use, when the bin runs empty, at which the process's peak is worked out anew. Small
   * classes only. */
  int64_t mark;
  /** Full batches beyond `head`. */
  struct heap_block* spares;
  /** 2^64 over the distance of blocks in a segment, rounded up: an offset is a multiple of that
   * distance if and only if its product with this, modulo 2^64, is below it. Small classes only. */
  uint64_t inverse;
  /** Blocks `head` may hold: a batch to begin with, more for a bin that is often full. */
  int64_t capacity;
};

struct heap_thread {
  struct heap_bin bins[HEAP_MARKS];
  /** Copy of the process's secret: closer at hand. */
  uintptr_t secret;
  /** Bytes of large blocks that the bins may hold, by their capacities. */
  int64_t granted;
  /** Huge blocks lie in no bin: how many were taken and given back, and their bytes. */
  uint64_t huge_pops;
  uint64_t huge_pushes;
  int64_t huge_bytes;
  /** Free bytes of small blocks that its bins may hold beyond a batch each, and do in spares. */
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
  /** The class of a small size, by its number of lines less one. Written while others may look,
   * whose bins are nobody's then: any class will do. */
  uint8_t classes[HEAP_SMALL >> HEAP_LINE_SHIFT];
};

extern struct heap_globals heap_region;

/** Bytes in a block of a class. */
static inline size_t heap_class_size(size_t size_class) {
  if (size_class <= 16) {
    return size_class << HEAP_LINE_SHIFT;
  }
  size_t shift = ((size_class - 1) >> 3) - 1;
  return (size_class - (shift << 3)) << shift << HEAP_LINE_SHIFT;
}

/** The class of a size from 1 to HEAP_LARGEST, without a branch: three bits behind the leading one
 * of the number of lines. */
static inline size_t heap_class_of(size_t size) {
  uint64_t lines = (size - 1) >> HEAP_LINE_SHIFT;
  unsigned shift = 60U - (unsigned)__builtin_clzll(lines | 15);
  return ((size_t)shift << 3) + (size_t)(lines >> shift) + 1;
}

/** Large blocks start a few lines into their segment, each at another place, so that they do not
 * all compete for one set of the cache. */
static inline size_t heap_color(size_t segment) { return ((segment * 7) & 63) << HEAP_LINE_SHIFT; }

/** @name Fast paths
 * Each does its work from the thread's own bin, or nothing at all. Small and large sizes are apart
 * so that a caller can keep the common one short.
 * @{ */

/** A block for a size up to HEAP_SMALL; NULL where the slow path is needed, as for size 0. */
static inline CORE_INLINE void* heap_try_alloc_small(size_t size) {
  struct heap_thread* self = heap_self;
  struct heap_bin* bin = &self->bins[HEAP_READ(heap_region.classes[(size - 1) >> HEAP_LINE_SHIFT])];
  struct heap_block* block = bin->head;
  if (CORE_UNLIKELY(block == NULL || block->key != ((uintptr_t)block ^ self->secret))) {
    return NULL;
  }
  bin->head = block->next;
  block->key = 0;
  HEAP_ADD(bin->pops, 1);
  return block;
}

/** A block for any other size. */
static inline CORE_INLINE void* heap_try_alloc_large(size_t size) {
  if (CORE_UNLIKELY(size - 1 >= HEAP_LARGEST)) {
    return NULL;
  }
  struct heap_thread* self = heap_self;
  struct heap_bin* bin = &self->bins[heap_class_of(size)];
  struct heap_block* block = bin->head;
  if (CORE_UNLIKELY(block == NULL || block->key != ((uintptr_t)block ^ self->secret))) {
    return NULL;
  }
  bin->head = block->next;
  block->key = 0;
  HEAP_ADD(bin->pops, 1);
  return block;
}

/** What the segment map says of a pointer's segment. */
static inline CORE_INLINE size_t heap_mark(const void* pointer) {
  size_t offset = (uintptr_t)pointer - heap_region.base;
  return CORE_LIKELY(offset < heap_region.span)
             ? HEAP_READ(heap_region.map[offset >> HEAP_SEGMENT_SHIFT])
             : HEAP_NOTHING;
}

/** Takes a block of a small class back; false where the slow path is needed, as for any pointer
 * that is no block. */
static inline CORE_INLINE int heap_try_free_small(void* pointer, size_t mark) {
  struct heap_thread* self = heap_self;
  struct heap_bin* bin = &self->bins[mark];
  if (CORE_UNLIKELY((int64_t)(bin->pushes - bin->pops) >= bin->limit)) {
    return 0;
  }
  struct heap_block* block = pointer;
  uintptr_t key = (uintptr_t)block ^ self->secret;
  uint64_t inside = ((uintptr_t)pointer - heap_region.base) & (HEAP_SEGMENT - 1);
  if (CORE_UNLIKELY(inside * bin->inverse >= bin->inverse || block->key == key)) {
    return 0;
  }
  block->key = key;
  block->next = bin->head;
  bin->head = block;
  HEAP_ADD(bin->pushes, 1);
  return 1;
}

/** Takes a block of a large class back. */
static inline CORE_INLINE int heap_try_free_large(void* pointer, size_t mark) {
  struct heap_thread* self = heap_self;
  struct heap_bin* bin = &self->bins[mark];
  if (CORE_UNLIKELY((int64_t)(bin->pushes - bin->pops) >= bin->limit)) {
    return 0;
  }
  struct heap_block* block = pointer;
  uintptr_t key = (uintptr_t)block ^ self->secret;
  size_t offset = (uintptr_t)pointer - heap_region.base;
  if (CORE_UNLIKELY((offset & (HEAP_SEGMENT - 1)) != heap_color(offset >> HEAP_SEGMENT_SHIFT) ||
                    block->key == key)) {
    return 0;
  }
  block->key = key;
  block->next = bin->head;
  bin->head = block;
  HEAP_ADD(bin->pushes, 1);
  return 1;
}
/** @} */

#endif /* ORTCFFI_HEAP_BINS_H_ */
