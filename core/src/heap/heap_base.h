/* SPDX-License-Identifier: MIT */
/**
 * @file heap_base.h
 * What the three heaps share: constants, counters and slow paths. Others include heap.h.
 */
#ifndef ORTCFFI_HEAP_BASE_H_
#define ORTCFFI_HEAP_BASE_H_

#include <stddef.h>
#include <stdint.h>

#include "core.h"

/** Blocks start at multiples of a cache line. */
#define HEAP_LINE ((size_t)64)

/** What heap_mark says of a pointer that is no block. */
#define HEAP_NOTHING 0

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
  /** Bytes taken from the system. */
  uint64_t segment_bytes;
  uint64_t extensions;
  uint64_t shrinkages;
  uint64_t bad_frees;
};

/** Whatever the fast paths leave: empty and full bins, first calls, odd sizes, bad pointers. */
void* heap_alloc_slow(size_t size);
enum heap_verdict heap_free_slow(void* pointer);
/** The calling thread's own part, made on its first call; NULL where there is no memory for it. */
struct heap_thread* heap_thread_begin(void);
/** Counts an object in or out for a thread that has no part yet, and may get none. */
void heap_count_slow(enum core_kind kind, int64_t change);

/** Fills `size` bytes with zeros: memory of this heap, or any other. Of a large block of this heap
 * the whole pages go back to the system, which maps zeroed ones when they are next touched. */
void heap_zero(void* start, size_t size);

/** Gives back what the calling thread and the process hold without using it. */
void heap_shrink(void);
void heap_read_stats(struct heap_stats* out);
int64_t heap_live_objects(enum core_kind kind);

/* Counters have one writer, and others that read them. A plain increment is one instruction where
 * a relaxed load and store are three, and no less whole; only the thread sanitizer must be shown
 * the latter. */
#if defined(CORE_TSAN)
#define HEAP_ADD(counter, change) \
  __atomic_store_n(&(counter), (counter) + (change), __ATOMIC_RELAXED)
#else
#define HEAP_ADD(counter, change) ((counter) += (change))
#endif
#define HEAP_READ(counter) __atomic_load_n(&(counter), __ATOMIC_RELAXED)

struct heap_thread;
/** The part of the heap that threads have which never called it. */
extern struct heap_thread heap_nobody;
extern __thread struct heap_thread* heap_self CORE_TLS;

#endif /* ORTCFFI_HEAP_BASE_H_ */
