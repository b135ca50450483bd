/* SPDX-License-Identifier: MIT */
/**
 * @file arena_internal.h
 * Types and functions that the arena's files share. All of it is under the arena's lock.
 *
 *   arena.c         the OrtAllocator's functions
 *   arena_chunks.c  chunks by address; free ones, best fit, splitting and joining
 *   arena_grow.c    regions and reserved blocks: taken from the inner allocator, given back
 *
 * The arena keeps its data about a block outside of the block, in a struct arena_chunk.
 */
#pragma once

#include "arena/arena.h"
#include "adaptors/adaptor.h"
#include "platform/platform.h"

#define ARENA_GRANULE ((size_t)256)
/** Larger sizes are refused, so that sums do not overflow. */
#define ARENA_LARGEST ((size_t)1 << 60)
/** Free chunks of up to so many granules are in one list per size; the larger ones between two
 * powers of two are in eight. Such a list has a row for each of its sizes, the smaller ones first.
 */
#define ARENA_EXACT 256
#define ARENA_BINS (ARENA_EXACT + 8 * 48)

/** A part of a region: a block in use, or free. */
struct arena_chunk {
  char* start;
  size_t size;
  /** The size that was asked for. */
  size_t requested;
  bool is_free;
  /** The neighbours in the region; NULL at its ends. */
  struct arena_chunk* before;
  struct arena_chunk* after;
  /** Of a free chunk: the next of its size; of the first of its size, the first of the next larger
   * size in its list; and the pointer that leads to the chunk. */
  struct arena_chunk* same;
  struct arena_chunk* larger;
  struct arena_chunk** link;
  /** The next in its chain of the table. */
  struct arena_chunk* chained;
};

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

struct arena {
  struct core_adaptor adaptor;
  struct OrtArenaCfg cfg;
  size_t limit;
  core_mutex lock;
  /** A hash table of the chunks by address, a power of two of chains. */
  struct arena_chunk** chains;
  size_t chain_count;
  size_t chunk_count;
  /** The lists of free chunks, and which of them have any. */
  uint64_t has_free[ARENA_BINS / 64];
  struct arena_chunk* bins[ARENA_BINS];
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
  /** Statistics. */
  int64_t allocs;
  int64_t in_use;
  int64_t requested;
  int64_t max_alloc;
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

/** Counts a new block of a size for which another one was asked. */
static inline void arena_count(struct arena* self, size_t size, size_t requested) {
  self->allocs++;
  self->in_use += (int64_t)size;
  self->requested += (int64_t)requested;
  self->max_alloc = (int64_t)size > self->max_alloc ? (int64_t)size : self->max_alloc;
  self->peak = self->in_use > self->peak ? self->in_use : self->peak;
}

static inline void arena_uncount(struct arena* self, size_t size, size_t requested) {
  self->in_use -= (int64_t)size;
  self->requested -= (int64_t)requested;
}

/* arena_chunks.c. */
/** The chunk that starts at an address; NULL where there is none. */
struct arena_chunk* arena_find(const struct arena* self, const void* pointer);
/** Makes a chunk of these bytes; NULL when out of memory. */
struct arena_chunk* arena_new_chunk(struct arena* self, char* start, size_t size);
/** Frees what is known of a chunk. */
void arena_forget_chunk(struct arena* self, struct arena_chunk* chunk);
void arena_forget_chunks(struct arena* self);
/** Takes the best-fitting free chunk for a rounded size, and splits it if the rest is large enough;
 * NULL if none fits. */
struct arena_chunk* arena_best_fit(struct arena* self, size_t rounded);
/** Frees a chunk and merges it with free neighbours. */
void arena_give(struct arena* self, struct arena_chunk* chunk);
/** Removes a free chunk from its list. */
void arena_take_out(struct arena* self, struct arena_chunk* chunk);

/* arena_grow.c. They release the lock while they call the inner allocator. */
/** Returns a block for a rounded size from a new region; NULL when out of memory or above the
 * maximum. */
struct arena_chunk* arena_grow(struct arena* self, size_t rounded);
void* arena_reserve_block(struct arena* self, size_t size);
/** Gives a reserved block back; false if the pointer is not one. */
bool arena_free_reserved(struct arena* self, void* pointer);

/** Sets the size of the next region if regions double. */
static inline void arena_plan_region(struct arena* self, int64_t size) {
  self->next_region = arena_round(size > 0 ? (size_t)size : 1);
}

/** Gives back all unused regions, except the one that has to stay. */
void arena_release_regions(struct arena* self);
/** Gives all memory back, in use or not. */
void arena_regions_end(struct arena* self);
/** Adds the arena to those that forks lock. */
void arena_add_to_forks(struct arena* self);
void arena_remove_from_forks(struct arena* self);
