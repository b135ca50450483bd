/* SPDX-License-Identifier: MIT */
#include "memory/per_thread.h"

#include <string.h>

#include "heap/heap.h"

__thread uint32_t core_thread_number CORE_TLS;

static core_mutex lock = CORE_MUTEX_INIT;
static core_once once = CORE_ONCE_INIT;
static core_thread_key key;
static uint64_t taken[CORE_THREAD_SLOTS / 64];

static void thread_end(void* number) {
  size_t slot = (size_t)(uintptr_t)number - 1;
  core_thread_number = 0;
  core_mutex_lock(&lock);
  taken[slot / 64] &= ~((uint64_t)1 << (slot % 64));
  core_mutex_unlock(&lock);
}

static void before_fork(void) { core_mutex_lock(&lock); }

static void after_fork(void) { core_mutex_unlock(&lock); }

static void prepare_threads_and_forks(void) {
  core_thread_key_create(&key, thread_end);
  core_at_fork(CORE_FORK_THREAD_NUMBERS, before_fork, after_fork, after_fork);
}

void core_thread_numbers_begin(void) { core_run_once(&once, prepare_threads_and_forks); }

uint32_t core_new_thread_number(void) {
  core_thread_numbers_begin();
  size_t slot = CORE_THREAD_SLOTS - 1;
  core_mutex_lock(&lock);
  for (size_t word = 0; word < CORE_COUNT_OF(taken); word++) {
    if (taken[word] != UINT64_MAX) {
      unsigned bit = (unsigned)__builtin_ctzll(~taken[word]);
      taken[word] |= (uint64_t)1 << bit;
      slot = word * 64 + bit;
      break;
    }
  }
  core_mutex_unlock(&lock);
  core_thread_number = (uint32_t)slot + 1;
  if (slot < CORE_THREAD_SLOTS - 1) {
    core_thread_key_set(key, (void*)(uintptr_t)core_thread_number);
  }
  return core_thread_number;
}

void core_shards_end(struct core_shards* shards) {
  for (size_t i = 0; i < shards->used; i++) {
    heap_free(shards->chunks[i]);
  }
}

struct core_shard* core_shards_grow(struct core_shards* shards, size_t slot) {
  size_t index = slot / CORE_SHARD_CHUNK;
  struct core_shard** place = &shards->chunks[index];
  /* This is rare, so one lock for the process will do, which the fork handlers cover. */
  core_mutex_lock(&lock);
  struct core_shard* chunk = *place;
  if (chunk == NULL) {
    size_t size = CORE_SHARD_CHUNK * sizeof *chunk;
    chunk = heap_alloc(size);
    if (chunk != NULL) {
      memset(chunk, 0, size);
      __atomic_store_n(place, chunk, __ATOMIC_RELEASE);
      if (index >= shards->used) {
        __atomic_store_n(&shards->used, index + 1, __ATOMIC_RELEASE);
      }
    }
  }
  core_mutex_unlock(&lock);
  return chunk == NULL ? NULL : &chunk[slot % CORE_SHARD_CHUNK];
}

int64_t core_shards_sum(const struct core_shards* shards, size_t counter) {
  int64_t sum = 0;
  size_t used = __atomic_load_n(&shards->used, __ATOMIC_ACQUIRE);
  for (size_t i = 0; i < used; i++) {
    const struct core_shard* chunk = __atomic_load_n(&shards->chunks[i], __ATOMIC_ACQUIRE);
    for (size_t j = 0; chunk != NULL && j < CORE_SHARD_CHUNK; j++) {
      sum += CORE_SHARD_GET(chunk[j].counters[counter]);
    }
  }
  return sum;
}
