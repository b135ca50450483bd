/* SPDX-License-Identifier: MIT */
/**
 * @file arena_internal.h
 * Types and functions that the arena's files share.
 *
 *   arena.c         the OrtAllocator's functions; a thread's own cache, lock-free
 *   arena_cache.c   access to other threads' caches
 *   arena_central.c free chunks, best fit, splitting and joining; under the lock
 *   arena_map.c     finds the chunk at an address: written under the lock, read without
 *   arena_grow.c    regions and reserved blocks: taken from the inner allocator, given back
 *
 * The arena keeps its data about a block outside of the block, in a struct arena_chunk.
 */
#pragma once

#include "adaptors/adaptor.h"
#include "arena/arena.h"
#include "memory/per_thread.h"

#define ARENA_GRANULE ((size_t)256)
/** Larger sizes are refused, so that sums do not overflow. */
#define ARENA_LARGEST ((size_t)1 << 60)

/** Free chunks of up to so many granules are in one list per size, larger ones in a tree. */
#define ARENA_EXACT 256
/** The largest block that a thread caches, and the largest sum of its cached blocks, in bytes. */
#define ARENA_LARGEST_CACHED ((size_t)16 << 20)
#define ARENA_CACHE_BYTES ((int64_t)32 << 20)
/** Sizes above ARENA_EXACT share these bins of a cache; a bin holds one size at a time. */
#define ARENA_SHARED_BINS 64
#define ARENA_BINS (ARENA_EXACT + ARENA_SHARED_BINS)

enum arena_state { ARENA_FREE, ARENA_USED, ARENA_CACHED };

/** A part of a region: a block in use, or free. One cache line, to avoid false sharing. */
struct arena_chunk {
  char* start;
  size_t size;
  /** The size that was asked for; of a cached chunk, by its last user. */
  size_t requested;
  /** The neighbours in the region; NULL at its ends. */
  struct arena_chunk* before;
  struct arena_chunk* after;
  /** Neighbours in a list, children in the tree. */
  struct arena_chunk* next;
  struct arena_chunk* previous;
  uint32_t state;
} __attribute__((aligned(64)));

struct arena_region {
  char* start;
  size_t size;
  struct arena_chunk* first;
  struct arena_region* next;
};

/** A block from the inner allocator's Reserve, outside of the regions. */
struct arena_reserved {
  char* start;
  size_t size;
  struct arena_reserved* next;
};

/** Counters of a cache. MARK: the bytes in use that trigger a recheck of the peak. */
enum { ARENA_ALLOCS, ARENA_IN_USE, ARENA_REQUESTED, ARENA_MAX_ALLOC, ARENA_MARK, ARENA_COUNTERS };

/** A thread's cache. Its owner changes it while it has set `busy`, unless the cache was revoked.
 * Under the lock, the owner may change it too, and others may once it is revoked and not busy. */
struct arena_cache {
  uint32_t busy;
  uint32_t revoked;
  int64_t counters[ARENA_COUNTERS];
  /** Bytes in the bins. */
  int64_t bytes;
  /** The bin that is emptied next if there are too many bytes. */
  size_t cursor;
  struct arena_cache* next;
  struct arena_chunk* bins[ARENA_BINS];
} __attribute__((aligned(64)));

#define ARENA_LEAF_SHIFT 18
#define ARENA_LEAF_CHUNKS (((size_t)1 << ARENA_LEAF_SHIFT) / ARENA_GRANULE)

/** The chunks that start in one range of addresses, by granule. A chunk has at least one granule,
 * so no two start in the same one. */
struct arena_leaf {
  struct arena_chunk* chunks[ARENA_LEAF_CHUNKS];
};

/** Finds leaves: a hash table without removal. When it is half full, a larger one replaces it. */
struct arena_directory {
  size_t mask;
  size_t count;
  struct arena_directory* previous;
  struct {
    /** The number of the range, plus 1; 0 for an empty entry. */
    uintptr_t number;
    struct arena_leaf* leaf;
  } entries[];
};

struct arena_slab;

struct arena {
  struct core_adaptor adaptor;
  struct OrtArenaCfg cfg;
  size_t limit;
  struct arena_directory* directory;
  /** The caches by their threads' numbers, 64 to a table. */
  struct arena_cache** tables[CORE_THREAD_SLOTS / 64];

  core_mutex lock;
  /** Counts threads that have no cache. */
  struct arena_cache shared;
  struct arena_cache* caches;
  uint64_t has_exact[ARENA_EXACT / 64];
  struct arena_chunk* exact[ARENA_EXACT];
  struct arena_chunk* tree;
  struct arena_chunk* spare;
  struct arena_slab* slabs;
  struct arena_region* regions;
  struct arena_reserved* reserved;
  /** The size of the next region if regions double. */
  size_t next_region;
  /** Bytes from the inner allocator, including those of calls that have not returned yet. */
  size_t total;
  /** How many threads are in a call of the inner allocator that may change `total`, and the bytes
   * that these calls take or give back. */
  size_t changing;
  size_t in_flight;
  int64_t peak;
  int64_t extensions;
  int64_t shrinkages;
  int64_t reserves;
  int64_t bad_frees;
  struct arena* next_arena;
};

static inline size_t arena_round(size_t size) {
  return (size + ARENA_GRANULE - 1) & ~(ARENA_GRANULE - 1);
}

/** The bin of a rounded size. */
static inline size_t arena_bin_of(size_t rounded) {
  size_t granules = rounded / ARENA_GRANULE;
  return granules <= ARENA_EXACT
             ? granules - 1
             : ARENA_EXACT + ((granules * 0x9e3779b97f4a7c15U) >> 58) % ARENA_SHARED_BINS;
}

static inline uint32_t arena_state_of(const struct arena_chunk* chunk) {
  return __atomic_load_n(&chunk->state, __ATOMIC_RELAXED);
}

static inline void arena_set_state(struct arena_chunk* chunk, enum arena_state state) {
  __atomic_store_n(&chunk->state, (uint32_t)state, __ATOMIC_RELAXED);
}

/** @name arena_map.c
 * @{ */
static inline size_t arena_hash(uintptr_t number) {
  return (size_t)((uint64_t)number * 0x9e3779b97f4a7c15U >> 32);
}

/** The leaf of an address, or NULL. Needs no lock: entries are never removed, an old directory
 * stays as it was, and the number of an entry is stored after its leaf. */
static inline struct arena_leaf* arena_leaf_of(const struct arena* self, const void* pointer) {
  uintptr_t number = ((uintptr_t)pointer >> ARENA_LEAF_SHIFT) + 1;
  const struct arena_directory* directory = __atomic_load_n(&self->directory, __ATOMIC_ACQUIRE);
  size_t at = arena_hash(number);
  uintptr_t found;
  while ((found = __atomic_load_n(&directory->entries[at & directory->mask].number,
                                  __ATOMIC_ACQUIRE)) != number) {
    if (found == 0) {
      return NULL;
    }
    at++;
  }
  return directory->entries[at & directory->mask].leaf;
}

/** Returns the chunk that starts at an address, or NULL. Needs no lock. */
static inline struct arena_chunk* arena_find(const struct arena* self, const void* pointer) {
  struct arena_leaf* leaf = arena_leaf_of(self, pointer);
  size_t place = ((uintptr_t)pointer / ARENA_GRANULE) % ARENA_LEAF_CHUNKS;
  struct arena_chunk* chunk =
      CORE_LIKELY(leaf != NULL) ? __atomic_load_n(&leaf->chunks[place], __ATOMIC_ACQUIRE) : NULL;
  if (chunk == NULL || __atomic_load_n(&chunk->start, __ATOMIC_RELAXED) != (const char*)pointer) {
    return NULL;
  }
  return chunk;
}

/** Initializes an empty map; false when out of memory. */
int arena_map_begin(struct arena* self);
void arena_map_end(struct arena* self);
/** Makes a chunk of these bytes and adds it to the map; NULL when out of memory. */
struct arena_chunk* arena_new_chunk(struct arena* self, char* start, size_t size);
void arena_forget_chunk(struct arena* self, struct arena_chunk* chunk);
/** @} */

/** @name arena_central.c
 * @{ */
/** Takes the best-fitting free chunk for a rounded size, and splits it if the rest is large enough;
 * NULL if none fits. */
struct arena_chunk* arena_best_fit(struct arena* self, size_t rounded);
/** Frees a chunk and merges it with free neighbours. */
void arena_give(struct arena* self, struct arena_chunk* chunk);
/** Removes a free chunk from the lists and the tree. */
void arena_take_out(struct arena* self, struct arena_chunk* chunk);
/** @} */

/** @name arena_cache.c
 * @{ */
/** The calling thread's cache; NULL if it has none yet. */
static inline struct arena_cache* arena_cache_of(const struct arena* self) {
  size_t slot = core_thread_slot();
  struct arena_cache** table = __atomic_load_n(&self->tables[slot / 64], __ATOMIC_ACQUIRE);
  return CORE_LIKELY(table != NULL) ? __atomic_load_n(&table[slot % 64], __ATOMIC_ACQUIRE) : NULL;
}

/** Whether the system offers process-wide memory barriers, so that a cache's owner needs none. */
extern int arena_has_barrier;

/** Starts a change by the cache's owner; false if the cache was revoked. */
static inline int arena_enter(struct arena_cache* cache) {
  if (CORE_LIKELY(arena_has_barrier)) {
    __atomic_store_n(&cache->busy, 1, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
  } else {
    __atomic_exchange_n(&cache->busy, 1, __ATOMIC_SEQ_CST);
  }
  if (CORE_LIKELY(!__atomic_load_n(&cache->revoked, __ATOMIC_SEQ_CST))) {
    return 1;
  }
  __atomic_store_n(&cache->busy, 0, __ATOMIC_RELEASE);
  return 0;
}

static inline void arena_leave(struct arena_cache* cache) {
  __atomic_store_n(&cache->busy, 0, __ATOMIC_RELEASE);
}

/** Puts a block in use into a bin that is empty or has blocks of its size. */
static inline void arena_push(struct arena_cache* cache, size_t bin, struct arena_chunk* chunk) {
  arena_set_state(chunk, ARENA_CACHED);
  chunk->next = cache->bins[bin];
  cache->bins[bin] = chunk;
  CORE_SHARD_ADD(cache->bytes, (int64_t)chunk->size);
}

/** Returns the calling thread's cache, and makes it if needed. NULL when out of memory, and for
 * threads that share their number. Call it and those that follow under the lock. */
struct arena_cache* arena_cache_make(struct arena* self);
/** The counters of the calling thread's cache, or `shared`'s where that is NULL. */
static inline int64_t* arena_counters(struct arena* self, struct arena_cache* cache) {
  return cache != NULL ? cache->counters : self->shared.counters;
}
void arena_caches_end(struct arena* self);
/** Makes room for a block of a size: empties its bin if that holds another size, and further bins
 * if there are too many bytes. */
void arena_cache_room(struct arena* self, struct arena_cache* cache, size_t rounded);
/** Frees all that a cache holds. The caller is its owner, or the cache is revoked. */
void arena_cache_empty(struct arena* self, struct arena_cache* cache);
/** Revokes all caches and waits until none is busy. */
void arena_stop(struct arena* self);
void arena_resume(struct arena* self);
/** Empties all caches. */
void arena_drain(struct arena* self);
/** The sum of a counter over all caches. Needs no lock. */
int64_t arena_sum(const struct arena* self, size_t counter);
/** Updates the peak; returns the bytes in use. Needs no lock. */
int64_t arena_update_peak(struct arena* self);
/** Adds the arena to those that the fork handlers lock, so that in a child the lock is free and no
 * cache is busy. */
void arena_add_to_forks(struct arena* self);
void arena_remove_from_forks(struct arena* self);
/** @} */

/** @name arena_grow.c
 * They release the lock while they call the inner allocator.
 * @{ */
/** Returns a block for a rounded size from a new region; NULL when out of memory or above the
 * maximum. */
struct arena_chunk* arena_grow(struct arena* self, size_t rounded);
void* arena_reserve_block(struct arena* self, size_t size);
/** Gives a reserved block back; false if the pointer is not one. */
int arena_free_reserved(struct arena* self, void* pointer);
/** Sets the size of the next region if regions double. */
static inline void arena_plan_region(struct arena* self, int64_t size) {
  self->next_region = arena_round(size > 0 ? (size_t)size : 1);
}
/** Gives back all unused regions, except the one that has to stay. */
void arena_release_regions(struct arena* self);
/** Gives all memory back, in use or not. */
void arena_regions_end(struct arena* self);
/** @} */
