/* SPDX-License-Identifier: MIT */
/**
 * @file heap_base.h
 * What the three heaps share: constants, counters and slow paths. Others include heap.h.
 */
#pragma once

#include "core.h"

/** Blocks start at multiples of a cache line. */
#define HEAP_LINE ((size_t)64)

/** heap_mark returns this for a pointer that is no block. */
#define HEAP_NOTHING 0

/** The outcome of freeing a pointer. */
enum heap_verdict {
  HEAP_FREED,
  /** Not a block of this heap. */
  HEAP_FOREIGN,
  /** Points into a block, not to its start. */
  HEAP_INTERIOR,
  /** Already free. */
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

/** The slow paths: empty and full bins, a thread's first call, unusual sizes, bad pointers. */
void* heap_alloc_slow(size_t size);
enum heap_verdict heap_free_slow(void* pointer);
/** The calling thread's own part, made on its first call; NULL when out of memory. */
struct heap_thread* heap_thread_begin(void);
/** Counts objects created or released by a thread that has no part of the heap yet. */
void heap_count_slow(enum core_kind kind, int64_t change);

/** Fills `size` bytes with zeros, in memory of this heap or any other. The whole pages of a large
 * block of this heap are returned to the system, which maps zeroed ones at their next touch. */
CORE_FOR_EXTENSION void heap_zero(void* start, size_t size);

/** heap_alloc and heap_free of heap.h, for the extension, which has no part in the fast paths. */
CORE_FOR_EXTENSION void* core_heap_alloc(size_t size);
CORE_FOR_EXTENSION void core_heap_free(void* block);

/** Returns unused memory of the calling thread and the process to the system. */
void heap_shrink(void);
void heap_read_stats(struct heap_stats* out);
int64_t heap_live_objects(enum core_kind kind);

/* Each counter has one writing thread and many readers. A plain increment is one instruction, a
 * relaxed load and store are three, and neither can tear; only the thread sanitizer needs the
 * latter. */
#if defined(CORE_TSAN)
#define HEAP_ADD(counter, change) \
  __atomic_store_n(&(counter), (counter) + (change), __ATOMIC_RELAXED)
/** Reads what is written once. */
#define HEAP_GET(field) HEAP_READ(field)
#else
#define HEAP_ADD(counter, change) ((counter) += (change))
#define HEAP_GET(field) (field)
#endif
#define HEAP_READ(counter) __atomic_load_n(&(counter), __ATOMIC_RELAXED)

struct heap_thread;

/* What each heap defines for heap_threads.c. */
/** Prepares the heap on the first use of it; false where that fails. */
int heap_begin(void);
/** Fills in a new thread's part. */
void heap_begin_thread(struct heap_thread* self);
/** Gives away what a thread's part holds. */
void heap_end_thread(struct heap_thread* self);
/** The bytes that a thread allocated minus those that it freed. */
int64_t heap_thread_live(const struct heap_thread* thread);
/** Adds a thread's calls to `out`. */
void heap_add_calls(struct heap_stats* out, const struct heap_thread* thread);
/** Adds what the heap has from the system. */
void heap_system_stats(struct heap_stats* out);
/** A step of a fork, with the list of threads. */
void heap_at_fork(int is_before, struct heap_thread* threads);

/** Recomputes the peak; returns by how many bytes the use may grow without a new peak. */
int64_t heap_note_peak(void);
void heap_count_bad_free(void);

/** Placeholder for threads that have not allocated yet. */
extern struct heap_thread heap_nobody;
extern __thread struct heap_thread* heap_self CORE_TLS;
