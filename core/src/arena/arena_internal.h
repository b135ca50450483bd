/* SPDX-License-Identifier: MIT */
/**
 * @file arena_internal.h
 * What the files of the arena share.
 *
 *   arena.c         the functions of the struct; what a thread does with its own cache, lock-free
 *   arena_cache.c   the caches, when others look into them
 *   arena_central.c free chunks, best fit, splitting and joining; under the lock
 *   arena_map.c     from an address to its chunk: written under the lock, read without
 *   arena_grow.c    regions: taken, given back; what is reserved beside them
 *
 * All that the arena knows of a block stands apart from it, in a struct arena_chunk.
 */
#ifndef ORTCFFI_ARENA_INTERNAL_H_
#define ORTCFFI_ARENA_INTERNAL_H_

#include "memory/adaptor.h"
#include "arena/arena.h"
#include "memory/per_thread.h"

#define ARENA_GRANULE ((size_t)256)
/** Sizes beyond are refused, so that sums do not overflow. */
#define ARENA_LARGEST ((size_t)1 << 60)

/** Free chunks of up to so many granules lie in a list for each size, larger ones in a tree. */
#define ARENA_EXACT 256
/** Blocks of up to so many bytes are cached by threads, and as many together. */
#define ARENA_LARGEST_CACHED ((size_t)16 << 20)
#define ARENA_CACHE_BYTES ((int64_t)32 << 20)
/** Sizes above ARENA_EXACT share these bins of a cache, one size in each at a time. */
#define ARENA_SHARED_BINS 64
#define ARENA_BINS (ARENA_EXACT + ARENA_SHARED_BINS)

enum arena_state { ARENA_FREE, ARENA_USED, ARENA_CACHED };

/** A part of a region: a block in use, or free. A cache line, so that threads do not share one. */
struct arena_chunk {
  char* start;
  size_t size;
  /** What its user asked for, the last one where it is cached. */
  size_t requested;
  /** Beside it in the region; NULL at its ends. */
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

/** Memory from the inner allocator that is no part of a region. */
struct arena_reserved {
  char* start;
  size_t size;
  struct arena_reserved* next;
};

/** MARK: the IN_USE at which a thread looks for a new peak of all together. */
enum { ARENA_ALLOCS, ARENA_IN_USE, ARENA_REQUESTED, ARENA_MAX_ALLOC, ARENA_MARK, ARENA_COUNTERS };

/** What a thread has to itself. Its owner changes it while `busy`, which says so, unless it was
 * revoked; under the lock the owner may do so too, and others once it is revoked and not busy. */
struct arena_cache {
  uint32_t busy;
  uint32_t revoked;
  int64_t counters[ARENA_COUNTERS];
  /** Bytes in the bins. */
  int64_t bytes;
  /** The bin that is emptied next where they are too many. */
  size_t cursor;
  struct arena_cache* next;
  struct arena_chunk* bins[ARENA_BINS];
} __attribute__((aligned(64)));

#define ARENA_LEAF_SHIFT 18
#define ARENA_LEAF_CHUNKS (((size_t)1 << ARENA_LEAF_SHIFT) / ARENA_GRANULE)

/** The chunks that start in a stretch of addresses. Chunks are a granule long at least, so no two
 * start in the same one. */
struct arena_leaf {
  struct arena_chunk* chunks[ARENA_LEAF_CHUNKS];
};

/** Finds leaves: a hash table that is only ever added to, and replaced by a larger one. */
struct arena_directory {
  size_t mask;
  size_t count;
  struct arena_directory* previous;
  struct {
    /** The number of the stretch, plus 1; 0 for an empty entry. */
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
  /** The caches by their threads' slots, 64 to a table. */
  struct arena_cache** tables[CORE_THREAD_SLOTS / 64];

  core_mutex lock;
  /** Of threads that have no cache, and of what is reserved. */
  struct arena_cache shared;
  struct arena_cache* caches;
  uint64_t has_exact[ARENA_EXACT / 64];
  struct arena_chunk* exact[ARENA_EXACT];
  struct arena_chunk* tree;
  struct arena_chunk* spare;
  struct arena_slab* slabs;
  struct arena_region* regions;
  struct arena_reserved* reserved;
  /** What the next region is to have where regions double. */
  size_t next_region;
  /** Bytes from the inner allocator, those it is being asked for included. */
  size_t total;
  /** Threads that are in a function of the inner allocator, which may change `total`, and how many
   * bytes of it they are about to take or to give back. */
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

/** The chunk that starts at an address; NULL where none does. Needs no lock. */
static inline struct arena_chunk* arena_find(const struct arena* self, const void* pointer) {
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
  struct arena_leaf* leaf = directory->entries[at & directory->mask].leaf;
  size_t place = ((uintptr_t)pointer / ARENA_GRANULE) % ARENA_LEAF_CHUNKS;
  struct arena_chunk* chunk = __atomic_load_n(&leaf->chunks[place], __ATOMIC_ACQUIRE);
  if (chunk == NULL || __atomic_load_n(&chunk->start, __ATOMIC_RELAXED) != (const char*)pointer) {
    return NULL;
  }
  return chunk;
}

/** An empty map; false without memory. */
int arena_map_begin(struct arena* self);
void arena_map_end(struct arena* self);
/** A chunk of these bytes that the map knows; NULL without memory. */
struct arena_chunk* arena_new_chunk(struct arena* self, char* start, size_t size);
void arena_forget_chunk(struct arena* self, struct arena_chunk* chunk);
/** @} */

/** @name arena_central.c
 * @{ */
/** The chunk that fits a rounded size best, split where that is worth it; NULL if none fits. */
struct arena_chunk* arena_best_fit(struct arena* self, size_t rounded);
/** Makes a chunk free, and one with those beside it. */
void arena_give(struct arena* self, struct arena_chunk* chunk);
/** Takes a free chunk out of where arena_best_fit looks. */
void arena_take_out(struct arena* self, struct arena_chunk* chunk);
/** @} */

/** @name arena_cache.c
 * @{ */
/** The calling thread's cache; NULL where it has none yet. */
static inline struct arena_cache* arena_cache_of(const struct arena* self) {
  size_t slot = core_thread_slot();
  struct arena_cache** table = __atomic_load_n(&self->tables[slot / 64], __ATOMIC_ACQUIRE);
  return CORE_LIKELY(table != NULL) ? __atomic_load_n(&table[slot % 64], __ATOMIC_ACQUIRE) : NULL;
}

/** Whether the system has barriers for all threads at once, so that a cache's owner needs none. */
extern int arena_has_barrier;

/** Begins a change by the cache's owner; false where the cache was revoked. */
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

/** The calling thread's cache, made where it has none; NULL without memory, and for threads that
 * share their slot. Under the lock, as all that follow. */
struct arena_cache* arena_cache_make(struct arena* self);
void arena_caches_end(struct arena* self);
/** Makes room for a block of a size: empties its bin where that has other sizes, and some more
 * where there are too many bytes. */
void arena_cache_room(struct arena* self, struct arena_cache* cache, size_t rounded);
/** Makes what a cache holds free; its owner calls, or it is revoked. */
void arena_cache_empty(struct arena* self, struct arena_cache* cache);
/** Revokes all caches and waits until none is busy. */
void arena_stop(struct arena* self);
void arena_resume(struct arena* self);
/** Empties all caches. */
void arena_drain(struct arena* self);
/** The sum of a counter over all caches. Needs no lock. */
int64_t arena_sum(const struct arena* self, size_t counter);
/** Works out the peak; the bytes in use. Needs no lock. */
int64_t arena_look(struct arena* self);
/** From now on a fork finds the lock free and no cache busy. */
void arena_join(struct arena* self);
void arena_part(struct arena* self);
/** @} */

/** @name arena_grow.c
 * They release the lock while they call the inner allocator.
 * @{ */
/** A block for a rounded size out of a new region; NULL where there is no memory or no room below
 * the maximum. */
struct arena_chunk* arena_grow(struct arena* self, size_t rounded);
void* arena_reserve_block(struct arena* self, size_t size);
/** Gives a reserved block back; false for a pointer that is none. */
int arena_free_reserved(struct arena* self, void* pointer);
/** Says what the next region is to have where regions double. */
static inline void arena_plan_region(struct arena* self, int64_t size) {
  self->next_region = arena_round(size > 0 ? (size_t)size : 1);
}
/** Gives back all regions of which nothing is in use, save one that is to stay. */
void arena_release_regions(struct arena* self);
/** In the child of a fork: what other threads were about to take or to give back is lost, and no
 * part of the arena any more. */
void arena_forget_others(struct arena* self);
/** Gives everything back, in use or not. */
void arena_regions_end(struct arena* self);
/** @} */

#endif /* ORTCFFI_ARENA_INTERNAL_H_ */
