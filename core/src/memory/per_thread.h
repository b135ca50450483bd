/* SPDX-License-Identifier: MIT */
/**
 * @file per_thread.h
 * A small number for each running thread, and per-thread counters.
 *
 * When a thread ends, its number is reused. So a counter may have had several owners one after the
 * other, but never two at once, and only sums over all threads are meaningful.
 */
#ifndef ORTCFFI_PER_THREAD_H_
#define ORTCFFI_PER_THREAD_H_

#include "core.h"
#include "platform/platform.h"

/** The highest number of threads with numbers of their own; all others share the last number. */
#define CORE_THREAD_SLOTS 65536

extern __thread uint32_t core_thread_number CORE_TLS;

uint32_t core_new_thread_number(void);
/** Registers the fork handlers for the lock of the numbers. Call it before registering fork
 * handlers for locks that are held while a number is taken: handlers run in reverse order of
 * registration. */
void core_thread_numbers_begin(void);

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
  /** All entries of `chunks` from this index on are NULL. */
  size_t used;
  struct core_shard* chunks[CORE_THREAD_SLOTS / CORE_SHARD_CHUNK];
};

void core_shards_end(struct core_shards* shards);
/** Makes the chunk that holds a thread number's counters; NULL when out of memory. */
struct core_shard* core_shards_grow(struct core_shards* shards, size_t slot);
/** The sum of a counter over all threads. */
int64_t core_shards_sum(const struct core_shards* shards, size_t counter);

/** The calling thread's counters; NULL when out of memory. */
static inline struct core_shard* core_shard(struct core_shards* shards) {
  size_t slot = core_thread_slot();
  struct core_shard* chunk =
      __atomic_load_n(&shards->chunks[slot / CORE_SHARD_CHUNK], __ATOMIC_ACQUIRE);
  return CORE_LIKELY(chunk != NULL) ? &chunk[slot % CORE_SHARD_CHUNK]
                                    : core_shards_grow(shards, slot);
}

/* One writer, many readers. */
#define CORE_SHARD_SET(counter, value) __atomic_store_n(&(counter), (value), __ATOMIC_RELAXED)
#define CORE_SHARD_GET(counter) __atomic_load_n(&(counter), __ATOMIC_RELAXED)
#define CORE_SHARD_ADD(counter, change) CORE_SHARD_SET(counter, (counter) + (change))

#endif /* ORTCFFI_PER_THREAD_H_ */
