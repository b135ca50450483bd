/* SPDX-License-Identifier: MIT */
/**
 * @file per_thread.h
 * A small number for each running thread, and per-thread counters.
 *
 * When a thread ends, its number is reused. So a counter may have had several owners one after the
 * other, but never two at once, and only sums over all threads are meaningful.
 */
#pragma once

#include "platform/platform.h"

/** The highest number of threads with numbers of their own; all others share the last number. */
#define CORE_THREAD_SLOTS 65536

extern __thread uint32_t core_thread_number CORE_TLS;

uint32_t core_new_thread_number(void);

/** The calling thread's number, from 0. */
static inline size_t core_thread_slot(void) {
  uint32_t number = core_thread_number;
  return (CORE_LIKELY(number != 0) ? number : core_new_thread_number()) - 1;
}

#define CORE_SHARD_COUNTERS 8
#define CORE_SHARD_CHUNK 64

/** Counters of one thread: one cache line, to avoid false sharing. */
struct core_shard {
  int64_t counters[CORE_SHARD_COUNTERS];
} __attribute__((aligned(64)));

/** Counters of all threads; valid when zeroed. */
struct core_shards {
  /** Those of the first numbers: most programs have no more threads, and these need no search. */
  struct core_shard first[CORE_SHARD_CHUNK];
  /** All entries of `chunks` from this index on are NULL. */
  size_t used;
  /** Those of the other numbers. */
  struct core_shard* chunks[CORE_THREAD_SLOTS / CORE_SHARD_CHUNK - 1];
};

void core_shards_end(struct core_shards* shards);
/** Calls `visit` for each thread's counters, which the threads may change meanwhile. */
void core_shards_visit(struct core_shards* shards,
                       void (*visit)(int64_t* counters, int64_t* result), int64_t* result);
/** The sum of a counter over all threads. */
int64_t core_shards_sum(const struct core_shards* shards, size_t counter);
/** core_shard for a thread with any number, or none yet. */
struct core_shard* core_shard_of_any(struct core_shards* shards);

/** The calling thread's counters if it has one of the first numbers, else NULL. */
static inline CORE_INLINE struct core_shard* core_first_shard(struct core_shards* shards) {
  uint32_t slot = core_thread_number - 1;
  return CORE_LIKELY(slot < CORE_SHARD_CHUNK) ? &shards->first[slot] : NULL;
}

/** The calling thread's counters; NULL when out of memory. */
static inline CORE_INLINE struct core_shard* core_shard(struct core_shards* shards) {
  struct core_shard* shard = core_first_shard(shards);
  return CORE_LIKELY(shard != NULL) ? shard : core_shard_of_any(shards);
}

/* One writer, many readers. gcc and clang make one instruction of an addition in memory where a
 * relaxed load and store are three. C11 calls it a race, so the thread sanitizer is given the
 * latter, and so are processors that would need two instructions for 64 bits. */
#define CORE_SHARD_SET(counter, value) __atomic_store_n(&(counter), (value), __ATOMIC_RELAXED)
#define CORE_SHARD_GET(counter) __atomic_load_n(&(counter), __ATOMIC_RELAXED)
#if defined(CORE_TSAN) || UINTPTR_MAX < UINT64_MAX
#define CORE_SHARD_ADD(counter, change) CORE_SHARD_SET(counter, (counter) + (change))
#else
#define CORE_SHARD_ADD(counter, change) ((counter) += (change))
#endif

/** Raises a maximum that several threads write. */
static inline void core_raise_to(int64_t* maximum, int64_t to) {
  int64_t before = __atomic_load_n(maximum, __ATOMIC_RELAXED);
  while (to > before && !__atomic_compare_exchange_n(maximum, &before, to, 1, __ATOMIC_RELAXED,
                                                     __ATOMIC_RELAXED)) {
  }
}
