/* SPDX-License-Identifier: MIT */
/**
 * @file heap.h
 * The memory under the default allocator: 64-byte aligned blocks from size classes.
 *
 * All memory lies in one reserved range of addresses, cut into segments of 1 MiB. A byte per
 * segment says which size class its blocks have, so a pointer's class, and whether it is ours at
 * all, costs one subtraction, one comparison and one load.
 *
 * Three floors, each with its own file:
 *
 *   heap.h, heap.c     a thread's own bins: a list of free blocks per class, no lock, no atomics
 *   heap_central.c     full batches of blocks, exchanged between threads; one lock per class
 *   heap_region.c      segments and the pages behind them; one lock
 *
 * A free block carries a key, its own address mixed with a secret of the process. A block that is
 * freed while its key is there was free already; a block whose key is gone when it is taken was
 * written to after it was freed, or overrun by its neighbour.
 */
#ifndef ORTCFFI_HEAP_H_
#define ORTCFFI_HEAP_H_

#include <stddef.h>
#include <stdint.h>

#include "core.h"

/** Blocks start at multiples of a cache line, and sizes are counted in lines. */
#define HEAP_LINE ((size_t)64)
#define HEAP_LINE_SHIFT 6

#define HEAP_SEGMENT_SHIFT 20
#define HEAP_SEGMENT ((size_t)1 << HEAP_SEGMENT_SHIFT)

/* Classes 1 to 16 are 1 to 16 lines; then eight classes to each doubling, up to 1 GiB. */
#define HEAP_LAST_CLASS 176
#define HEAP_LARGEST ((size_t)1 << 30)
/* From here on a block has segments of its own: just above 128 KiB. */
#define HEAP_FIRST_LARGE 73
/* Marks in the segment map that are no class. Their bins are always full, so that freeing such a
 * pointer leaves the fast path. */
#define HEAP_NOTHING 0
#define HEAP_HUGE (HEAP_LAST_CLASS + 1)
#define HEAP_INSIDE (HEAP_LAST_CLASS + 2)
#define HEAP_MARKS (HEAP_LAST_CLASS + 3)

/** A free block. The list link stands behind the key, so that an overrun hits the key first. */
struct heap_block {
  uintptr_t key;
  struct heap_block* next;
  /** In the first block of a batch: the next batch, and the number of blocks in this one. */
  struct heap_block* next_batch;
  size_t batch_count;
};

/** A thread's free blocks of one class: a cache line, written by its thread alone. */
struct heap_bin {
  struct heap_block* head;
  /** Blocks ever taken from and put into this bin. Their difference moves with the number of
   * blocks in `head`; the bin is full when it reaches `limit`. */
  uint64_t pops;
  uint64_t pushes;
  int64_t limit;
  /** Full batches beyond `head`. */
  struct heap_block* spares;
  uint64_t size;
  /** Distance of blocks in a segment, and 2^42 over it, rounded up. */
  uint64_t stride;
  uint64_t inverse;
};

struct heap_thread {
  struct heap_bin bins[HEAP_MARKS];
  /** Bytes this thread took less bytes it gave back; negative if it frees for others. */
  int64_t live;
  /** Live bytes at which the process's peak is worked out anew. */
  int64_t mark;
  /** Live bytes below which too much lies in this thread's bins. */
  int64_t floor;
  int64_t spare_bytes;
  int64_t objects[CORE_KINDS];
  struct heap_thread* next;
};

struct heap_globals {
  uintptr_t base;
  size_t span;
  uint8_t* map;
  uintptr_t secret;
};

extern struct heap_globals heap_region;
extern struct heap_thread heap_nobody;
/* Initial-exec: one instruction instead of a call. One pointer fits the room that every process
 * keeps for libraries loaded later. */
extern __thread struct heap_thread* heap_self __attribute__((tls_model("initial-exec")));

/** What came of freeing a pointer. */
enum heap_verdict {
  HEAP_FREED,
  /** Not a block of this heap. */
  HEAP_FOREIGN,
  /** Points into a block, not to its start. */
  HEAP_INTERIOR,
  /** Free already. */
  HEAP_TWICE
};

/** Figures over all threads. */
struct heap_stats {
  uint64_t live_bytes;
  uint64_t peak_bytes;
  uint64_t allocations;
  uint64_t frees;
  uint64_t segment_bytes;
  uint64_t extensions;
  uint64_t shrinkages;
  uint64_t bad_frees;
};

void* heap_alloc_slow(size_t size);
void* heap_refill(struct heap_thread* self, size_t size_class);
void* heap_broken(struct heap_thread* self, size_t size_class);
enum heap_verdict heap_free_slow(struct heap_thread* self, size_t mark, void* pointer);
enum heap_verdict heap_bad_free(enum heap_verdict verdict);
void heap_peak(struct heap_thread* self);
void heap_trim_thread(struct heap_thread* self);

/** Gives back what the calling thread and the central lists hold without using it. */
void heap_shrink(void);
void heap_read_stats(struct heap_stats* out);
int64_t heap_live_objects(enum core_kind kind);

/* Counters have one writer; relaxed atomics let others read them. */
#define HEAP_ADD(counter, amount) \
  __atomic_store_n(&(counter), (counter) + (amount), __ATOMIC_RELAXED)
#define HEAP_READ(counter) __atomic_load_n(&(counter), __ATOMIC_RELAXED)

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

static inline uintptr_t heap_key(const void* block) {
  return (uintptr_t)block ^ heap_region.secret;
}

/** A block of at least `size` bytes, aligned to 64; NULL for size 0 and where there is none. */
static inline void* heap_alloc(size_t size) {
  if (CORE_UNLIKELY(size - 1 >= HEAP_LARGEST)) {
    return heap_alloc_slow(size);
  }
  size_t size_class = heap_class_of(size);
  struct heap_thread* self = heap_self;
  struct heap_bin* bin = &self->bins[size_class];
  struct heap_block* block = bin->head;
  if (CORE_UNLIKELY(block == NULL)) {
    return heap_refill(self, size_class);
  }
  if (CORE_UNLIKELY(block->key != heap_key(block))) {
    return heap_broken(self, size_class);
  }
  bin->head = block->next;
  block->key = 0;
  HEAP_ADD(bin->pops, 1);
  int64_t live = self->live + (int64_t)bin->size;
  __atomic_store_n(&self->live, live, __ATOMIC_RELAXED);
  if (CORE_UNLIKELY(live > self->mark)) {
    heap_peak(self);
  }
  return block;
}

/** Frees a block of this heap; tells what is none. */
static inline enum heap_verdict heap_free(void* pointer) {
  size_t offset = (uintptr_t)pointer - heap_region.base;
  if (CORE_UNLIKELY(offset >= heap_region.span)) {
    return heap_free_slow(heap_self, HEAP_NOTHING, pointer);
  }
  size_t segment = offset >> HEAP_SEGMENT_SHIFT;
  size_t mark = __atomic_load_n(&heap_region.map[segment], __ATOMIC_RELAXED);
  struct heap_thread* self = heap_self;
  struct heap_bin* bin = &self->bins[mark];
  if (CORE_UNLIKELY((int64_t)(bin->pushes - bin->pops) >= bin->limit)) {
    return heap_free_slow(self, mark, pointer);
  }
  size_t inside = offset & (HEAP_SEGMENT - 1);
  if (CORE_LIKELY(mark < HEAP_FIRST_LARGE)) {
    if (CORE_UNLIKELY(((inside * bin->inverse) >> 42) * bin->stride != inside)) {
      return heap_bad_free(HEAP_INTERIOR);
    }
  } else if (CORE_UNLIKELY(inside != heap_color(segment))) {
    return heap_bad_free(HEAP_INTERIOR);
  }
  struct heap_block* block = pointer;
  uintptr_t key = heap_key(block);
  if (CORE_UNLIKELY(block->key == key)) {
    return heap_bad_free(HEAP_TWICE);
  }
  block->key = key;
  block->next = bin->head;
  bin->head = block;
  HEAP_ADD(bin->pushes, 1);
  int64_t live = self->live - (int64_t)bin->size;
  __atomic_store_n(&self->live, live, __ATOMIC_RELAXED);
  if (CORE_UNLIKELY(live < self->floor)) {
    heap_trim_thread(self);
  }
  return HEAP_FREED;
}

/** Counts an object of the core in or out. */
static inline void heap_count(enum core_kind kind, int64_t change) {
  struct heap_thread* self = heap_self;
  if (CORE_UNLIKELY(self == &heap_nobody)) {
    extern void heap_count_slow(enum core_kind kind, int64_t change);
    heap_count_slow(kind, change);
    return;
  }
  HEAP_ADD(self->objects[kind], change);
}

#endif /* ORTCFFI_HEAP_H_ */
