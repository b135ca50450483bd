/* SPDX-License-Identifier: MIT */
/* Access to other threads' caches: to collect free blocks, to compute the peak. */

#include "arena/arena_internal.h"
#include "heap/heap.h"

int arena_has_barrier;

static struct arena_cache** table_for(struct arena* self, size_t slot) {
  struct arena_cache** table = self->tables[slot / 64];
  if (table == NULL && (table = heap_alloc(64 * sizeof *table)) != NULL) {
    memset(table, 0, 64 * sizeof *table);
    __atomic_store_n(&self->tables[slot / 64], table, __ATOMIC_RELEASE);
  }
  return table;
}

/* The last number is shared by all threads beyond the others, so it has no cache. */
struct arena_cache* arena_cache_make(struct arena* self) {
  size_t slot = core_thread_slot();
  struct arena_cache** table = slot < CORE_THREAD_SLOTS - 1 ? table_for(self, slot) : NULL;
  if (table == NULL || table[slot % 64] != NULL) {
    return table == NULL ? NULL : table[slot % 64];
  }
  struct arena_cache* cache = heap_alloc(sizeof *cache);
  if (cache != NULL) {
    memset(cache, 0, sizeof *cache);
    cache->next = self->caches;
    __atomic_store_n(&self->caches, cache, __ATOMIC_RELEASE);
    __atomic_store_n(&table[slot % 64], cache, __ATOMIC_RELEASE);
  }
  return cache;
}

void arena_caches_end(struct arena* self) {
  while (self->caches != NULL) {
    struct arena_cache* next = self->caches->next;
    heap_free(self->caches);
    self->caches = next;
  }
  for (size_t i = 0; i < CORE_COUNT_OF(self->tables); i++) {
    heap_free(self->tables[i]);
  }
}

static void empty_bin(struct arena* self, struct arena_cache* cache, size_t bin) {
  struct arena_chunk* chunk = cache->bins[bin];
  cache->bins[bin] = NULL;
  while (chunk != NULL) {
    struct arena_chunk* next = chunk->next;
    CORE_SHARD_ADD(cache->bytes, -(int64_t)chunk->size);
    arena_give(self, chunk);
    chunk = next;
  }
}

/* The bins are emptied in turn, so that none is kept because of its size. */
void arena_cache_room(struct arena* self, struct arena_cache* cache, size_t rounded) {
  size_t bin = arena_bin_of(rounded);
  if (cache->bins[bin] != NULL && arena_round(cache->bins[bin]->requested) != rounded) {
    empty_bin(self, cache, bin);
  }
  while (cache->bytes > ARENA_CACHE_BYTES) {
    empty_bin(self, cache, cache->cursor++ % ARENA_BINS);
  }
}

void arena_cache_empty(struct arena* self, struct arena_cache* cache) {
  for (size_t bin = 0; bin < ARENA_BINS && cache->bytes > 0; bin++) {
    empty_bin(self, cache, bin);
  }
}

/* The owner writes `busy` and then reads `revoked`; here it is the other way round. With a barrier
 * in both, or one of the whole process here, at least one of them sees what the other wrote. An
 * owner is busy for a few instructions only, so it is enough to yield. */
void arena_stop(struct arena* self) {
  for (struct arena_cache* at = self->caches; at != NULL; at = at->next) {
    __atomic_store_n(&at->revoked, 1, __ATOMIC_SEQ_CST);
  }
  if (arena_has_barrier) {
    core_barrier();
  }
  for (struct arena_cache* at = self->caches; at != NULL; at = at->next) {
    while (__atomic_load_n(&at->busy, __ATOMIC_SEQ_CST)) {
      core_yield();
    }
  }
}

void arena_resume(struct arena* self) {
  for (struct arena_cache* at = self->caches; at != NULL; at = at->next) {
    __atomic_store_n(&at->revoked, 0, __ATOMIC_RELEASE);
  }
}

void arena_drain(struct arena* self) {
  arena_stop(self);
  for (struct arena_cache* at = self->caches; at != NULL; at = at->next) {
    arena_cache_empty(self, at);
  }
  arena_resume(self);
}

int64_t arena_sum(const struct arena* self, size_t counter) {
  int64_t sum = CORE_SHARD_GET(self->shared.counters[counter]);
  const struct arena_cache* at = __atomic_load_n(&self->caches, __ATOMIC_ACQUIRE);
  for (; at != NULL; at = at->next) {
    sum += CORE_SHARD_GET(at->counters[counter]);
  }
  return sum;
}

int64_t arena_update_peak(struct arena* self) {
  int64_t in_use = arena_sum(self, ARENA_IN_USE);
  core_raise_to(&self->peak, in_use);
  return in_use;
}
