/* SPDX-License-Identifier: MIT */
/* Regions and reserved blocks: taking them from the inner allocator and giving them back; forks
 * meanwhile. */
#include "arena/arena_internal.h"

/* How often a thread retries while others may be about to add or free memory. */
#define PATIENCE 10000

/* How many calls of inner allocators this thread is in: it must not wait for itself. */
static __thread unsigned inside CORE_TLS;

/* Unlocks for a call of the inner allocator that changes `total` by that many bytes. That allocator
 * may be anybody's, take long, or use this arena. What it is asked for counts in `total` before,
 * and what it gets back until after the call, so that all threads together stay below the limit. */
static void leave_lock(struct arena* self, size_t bytes) {
  self->changing++;
  self->in_flight += bytes;
  inside++;
  core_mutex_unlock(&self->lock);
}

static void retake_lock(struct arena* self, size_t bytes) {
  core_mutex_lock(&self->lock);
  inside--;
  self->in_flight -= bytes;
  self->changing--;
}

/* In the child, calls of other threads never return, and what they were to get is lost. If a
 * thread forks inside an inner allocator, its own call returns in both processes. */
static void forget_others(struct arena* self) {
  if (inside == 0) {
    self->total -= self->in_flight;
    self->in_flight = 0;
    self->changing = 0;
  }
}

static size_t room(const struct arena* self) {
  return self->total < self->limit ? (self->limit - self->total) & ~(ARENA_GRANULE - 1) : 0;
}

/* The size of the next region: at least `rounded` bytes, and more only below the maximum. */
static size_t region_size(const struct arena* self, size_t rounded) {
  if (self->cfg.extend_strategy == 1) {
    return rounded;
  }
  size_t size = self->next_region;
  while (size < rounded) {
    size *= 2;
  }
  return size < room(self) ? size : room(self);
}

/* Doubles the next region's size, unless this region was made larger for a large block. */
static void plan_next(struct arena* self, size_t rounded) {
  size_t size = self->next_region;
  if (size >= rounded) {
    self->next_region = size <= (size_t)self->cfg.max_power_of_two_extend / 2 ? size * 2 : size;
    return;
  }
  while (size < rounded) {
    size *= 2;
  }
  self->next_region = size;
}

static int add_region(struct arena* self, char* start, size_t size) {
  struct arena_region* region = heap_alloc(sizeof *region);
  struct arena_chunk* chunk = region == NULL ? NULL : arena_new_chunk(self, start, size);
  if (chunk == NULL) {
    heap_free(region);
    return 0;
  }
  *region = (struct arena_region){start, size, chunk, NULL};
  struct arena_region** at = &self->regions;
  while (*at != NULL) {
    at = &(*at)->next;
  }
  *at = region;
  self->extensions++;
  arena_give(self, chunk);
  return 1;
}

/* Retries with smaller and smaller sizes when out of memory. */
static char* ask_inner(OrtAllocator* inner, size_t rounded, size_t* size) {
  for (;;) {
    char* start = core_alloc_from(inner, *size, 0);
    if (start != NULL || *size == rounded) {
      return start;
    }
    size_t less = arena_round(*size / 2);
    *size = less > rounded ? less : rounded;
  }
}

/* Adds a region; false when out of memory. The caller has checked that `rounded` bytes stay below
 * the maximum. */
static int extend(struct arena* self, size_t rounded) {
  OrtAllocator* inner = self->adaptor.inner;
  size_t planned = region_size(self, rounded);
  size_t size = planned;
  self->total += planned;
  leave_lock(self, planned);
  char* start = ask_inner(inner, rounded, &size);
  retake_lock(self, planned);
  if (start != NULL && add_region(self, start, size)) {
    self->total -= planned - size;
    plan_next(self, rounded);
    return 1;
  }
  if (start != NULL) {
    leave_lock(self, planned);
    inner->Free(inner, start);
    retake_lock(self, planned);
  }
  self->total -= planned;
  return 0;
}

/* At the limit, waits for calls of other threads: a new region may have room for this block, too,
 * and one that is given back makes room below the limit. */
struct arena_chunk* arena_grow(struct arena* self, size_t rounded) {
  for (int turn = 0; rounded > room(self); turn++) {
    if (self->changing == 0 || inside > 0 || turn == PATIENCE) {
      return NULL;
    }
    core_mutex_unlock(&self->lock);
    core_yield();
    core_mutex_lock(&self->lock);
    struct arena_chunk* chunk = arena_best_fit(self, rounded);
    if (chunk != NULL) {
      return chunk;
    }
  }
  /* Other threads may have allocated from the new region meanwhile. */
  struct arena_chunk* chunk = NULL;
  while (chunk == NULL && rounded <= room(self) && extend(self, rounded)) {
    chunk = arena_best_fit(self, rounded);
  }
  return chunk;
}

/* The struct's version says which fields it has; Reserve exists from this one on. */
#define RESERVE_SINCE 18

static char* inner_reserve(OrtAllocator* inner, size_t size) {
  return inner->version >= RESERVE_SINCE && inner->Reserve != NULL
             ? core_alloc_from(inner, size, 1)
             : core_alloc_from(inner, size, 0);
}

void* arena_reserve_block(struct arena* self, size_t size) {
  struct arena_reserved* reserved = heap_alloc(sizeof *reserved);
  if (reserved == NULL || size > self->limit || self->total > self->limit - size) {
    heap_free(reserved);
    return NULL;
  }
  self->total += size;
  leave_lock(self, size);
  char* start = inner_reserve(self->adaptor.inner, size);
  retake_lock(self, size);
  if (start == NULL) {
    self->total -= size;
    heap_free(reserved);
    return NULL;
  }
  *reserved = (struct arena_reserved){start, size, self->reserved};
  self->reserved = reserved;
  self->reserves++;
  arena_count(self, size, size);
  return start;
}

bool arena_free_reserved(struct arena* self, void* pointer) {
  struct arena_reserved** at = &self->reserved;
  while (*at != NULL && (*at)->start != pointer) {
    at = &(*at)->next;
  }
  struct arena_reserved* reserved = *at;
  if (reserved == NULL) {
    return false;
  }
  *at = reserved->next;
  arena_uncount(self, reserved->size, reserved->size);
  leave_lock(self, reserved->size);
  self->adaptor.inner->Free(self->adaptor.inner, pointer);
  retake_lock(self, reserved->size);
  self->total -= reserved->size;
  heap_free(reserved);
  return true;
}

static int is_free(const struct arena_region* region) {
  return region->first->after == NULL && region->first->is_free;
}

/* Removes the free regions from the arena, and adds up their bytes. As in ONNX Runtime the first
 * one stays, unless regions are made for one request each. */
static struct arena_region* remove_free(struct arena* self, size_t* bytes) {
  struct arena_region* removed = NULL;
  struct arena_region** at = &self->regions;
  if (*at != NULL && self->cfg.extend_strategy != 1) {
    at = &(*at)->next;
  }
  while (*at != NULL) {
    struct arena_region* region = *at;
    if (!is_free(region)) {
      at = &region->next;
      continue;
    }
    *at = region->next;
    region->next = removed;
    removed = region;
    arena_take_out(self, region->first);
    arena_forget_chunk(self, region->first);
    self->extensions--;
    self->shrinkages++;
    *bytes += region->size;
  }
  return removed;
}

void arena_release_regions(struct arena* self) {
  size_t left = 0;
  struct arena_region* region = remove_free(self, &left);
  arena_plan_region(self, self->cfg.initial_growth_chunk_size);
  while (region != NULL) {
    struct arena_region* next = region->next;
    leave_lock(self, left);
    self->adaptor.inner->Free(self->adaptor.inner, region->start);
    retake_lock(self, left);
    self->total -= region->size;
    left -= region->size;
    heap_free(region);
    region = next;
  }
}

void arena_regions_end(struct arena* self) {
  OrtAllocator* inner = self->adaptor.inner;
  while (self->regions != NULL) {
    struct arena_region* next = self->regions->next;
    inner->Free(inner, self->regions->start);
    heap_free(self->regions);
    self->regions = next;
  }
  while (self->reserved != NULL) {
    struct arena_reserved* next = self->reserved->next;
    inner->Free(inner, self->reserved->start);
    heap_free(self->reserved);
    self->reserved = next;
  }
}

/* --- forks ------------------------------------------------------------------------------------*/

/* Arenas whose locks a fork takes, after the lock of this list. */
static struct arena* arenas;
static core_once once = CORE_ONCE_INIT;

static void at_fork(enum core_fork step) {
  for (struct arena* at = arenas; at != NULL; at = at->next_arena) {
    if (step == CORE_BEFORE_FORK) {
      core_mutex_lock(&at->lock);
      continue;
    }
    if (step == CORE_IN_CHILD) {
      forget_others(at);
    }
    core_mutex_unlock(&at->lock);
  }
}

static void begin_forks(void) { core_at_fork(CORE_LOCK_ARENAS, at_fork); }

void arena_add_to_forks(struct arena* self) {
  core_run_once(&once, begin_forks);
  core_lock(CORE_LOCK_ARENAS);
  self->next_arena = arenas;
  arenas = self;
  core_unlock(CORE_LOCK_ARENAS);
}

void arena_remove_from_forks(struct arena* self) {
  core_lock(CORE_LOCK_ARENAS);
  struct arena** at = &arenas;
  while (*at != self) {
    at = &(*at)->next_arena;
  }
  *at = self->next_arena;
  core_unlock(CORE_LOCK_ARENAS);
}
