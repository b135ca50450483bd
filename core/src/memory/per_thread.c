/* SPDX-License-Identifier: MIT */
#include "memory/per_thread.h"

#include "heap/heap.h"

__thread uint32_t core_thread_number CORE_TLS;

static core_once once = CORE_ONCE_INIT;
static core_thread_key key;
static uint64_t taken[CORE_THREAD_SLOTS / 64];

static void thread_end(void* number) {
  size_t slot = (size_t)(uintptr_t)number - 1;
  core_thread_number = 0;
  core_lock(CORE_LOCK_THREAD_NUMBERS);
  taken[slot / 64] &= ~((uint64_t)1 << (slot % 64));
  core_unlock(CORE_LOCK_THREAD_NUMBERS);
}

static void make_key(void) { core_thread_key_create(&key, thread_end); }

uint32_t core_new_thread_number(void) {
  core_run_once(&once, make_key);
  size_t slot = CORE_THREAD_SLOTS - 1;
  core_lock(CORE_LOCK_THREAD_NUMBERS);
  for (size_t word = 0; word < CORE_COUNT_OF(taken); word++) {
    if (taken[word] != UINT64_MAX) {
      unsigned bit = (unsigned)__builtin_ctzll(~taken[word]);
      taken[word] |= (uint64_t)1 << bit;
      slot = word * 64 + bit;
      break;
    }
  }
  core_unlock(CORE_LOCK_THREAD_NUMBERS);
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

/* The chunk of the numbers that have no counters of their own yet; NULL when out of memory. */
static struct core_shard* new_chunk(struct core_shards* shards, size_t index) {
  /* This is rare, so one lock for the process will do, which the fork handlers cover. */
  core_lock(CORE_LOCK_THREAD_NUMBERS);
  struct core_shard* chunk = shards->chunks[index];
  if (chunk == NULL) {
    size_t size = CORE_SHARD_CHUNK * sizeof *chunk;
    chunk = heap_alloc(size);
    if (chunk != NULL) {
      memset(chunk, 0, size);
      __atomic_store_n(&shards->chunks[index], chunk, __ATOMIC_RELEASE);
      if (index >= shards->used) {
        __atomic_store_n(&shards->used, index + 1, __ATOMIC_RELEASE);
      }
    }
  }
  core_unlock(CORE_LOCK_THREAD_NUMBERS);
  return chunk;
}

struct core_shard* core_shard_of_any(struct core_shards* shards) {
  size_t slot = core_thread_slot();
  if (slot < CORE_SHARD_CHUNK) {
    return &shards->first[slot];
  }
  size_t index = slot / CORE_SHARD_CHUNK - 1;
  struct core_shard* chunk = __atomic_load_n(&shards->chunks[index], __ATOMIC_ACQUIRE);
  if (CORE_UNLIKELY(chunk == NULL)) {
    chunk = new_chunk(shards, index);
  }
  return chunk == NULL ? NULL : &chunk[slot % CORE_SHARD_CHUNK];
}

static void visit_chunk(struct core_shard* chunk, void (*visit)(int64_t* counters, int64_t* result),
                        int64_t* result) {
  for (size_t i = 0; i < CORE_SHARD_CHUNK; i++) {
    visit(chunk[i].counters, result);
  }
}

void core_shards_visit(struct core_shards* shards,
                       void (*visit)(int64_t* counters, int64_t* result), int64_t* result) {
  visit_chunk(shards->first, visit, result);
  size_t used = __atomic_load_n(&shards->used, __ATOMIC_ACQUIRE);
  for (size_t i = 0; i < used; i++) {
    struct core_shard* chunk = __atomic_load_n(&shards->chunks[i], __ATOMIC_ACQUIRE);
    if (chunk != NULL) {
      visit_chunk(chunk, visit, result);
    }
  }
}

static int64_t chunk_sum(const struct core_shard* chunk, size_t counter) {
  int64_t sum = 0;
  for (size_t i = 0; i < CORE_SHARD_CHUNK; i++) {
    sum += CORE_SHARD_GET(chunk[i].counters[counter]);
  }
  return sum;
}

int64_t core_shards_sum(const struct core_shards* shards, size_t counter) {
  int64_t sum = chunk_sum(shards->first, counter);
  size_t used = __atomic_load_n(&shards->used, __ATOMIC_ACQUIRE);
  for (size_t i = 0; i < used; i++) {
    const struct core_shard* chunk = __atomic_load_n(&shards->chunks[i], __ATOMIC_ACQUIRE);
    sum += chunk != NULL ? chunk_sum(chunk, counter) : 0;
  }
  return sum;
}
