/* SPDX-License-Identifier: MIT */
/*
 * The fast paths of Alloc and Free use the calling thread's own cache, between arena_enter and
 * arena_leave; under the arena's lock the thread needs neither, since others revoke caches only
 * under that lock.
 *
 * A cached chunk may be larger than what it is cached for, because the rest was too small to split
 * off. So bins are chosen and compared by the size that was asked for, rounded.
 */
#include "arena/arena.h"

#include "arena/arena_internal.h"
#include "heap/heap.h"

static void count_in(int64_t* counters, const struct arena_chunk* chunk) {
  CORE_SHARD_ADD(counters[ARENA_ALLOCS], 1);
  CORE_SHARD_ADD(counters[ARENA_IN_USE], (int64_t)chunk->size);
  CORE_SHARD_ADD(counters[ARENA_REQUESTED], (int64_t)chunk->requested);
  if (CORE_UNLIKELY((int64_t)chunk->size > counters[ARENA_MAX_ALLOC])) {
    CORE_SHARD_SET(counters[ARENA_MAX_ALLOC], (int64_t)chunk->size);
  }
}

static void count_out(int64_t* counters, const struct arena_chunk* chunk) {
  CORE_SHARD_ADD(counters[ARENA_IN_USE], -(int64_t)chunk->size);
  CORE_SHARD_ADD(counters[ARENA_REQUESTED], -(int64_t)chunk->requested);
}

/* On a new per-thread maximum, recomputes the total peak. */
static CORE_NOINLINE void new_high(struct arena* self, struct arena_cache* cache) {
  CORE_SHARD_SET(cache->counters[ARENA_MARK], cache->counters[ARENA_IN_USE]);
  arena_update_peak(self);
}

static struct arena_chunk* find_in_caches(struct arena* self, size_t rounded) {
  arena_drain(self);
  return arena_best_fit(self, rounded);
}

/* Takes a chunk from the free ones, from threads' caches, or from a new region, in this order: the
 * limit must not be reached while threads cache what would do. The caches are emptied again before
 * the allocation fails, because blocks may have been freed during a call of the inner allocator. */
static struct arena_chunk* find_chunk(struct arena* self, size_t rounded) {
  struct arena_chunk* chunk = arena_best_fit(self, rounded);
  chunk = chunk != NULL ? chunk : find_in_caches(self, rounded);
  chunk = chunk != NULL ? chunk : arena_grow(self, rounded);
  return chunk != NULL ? chunk : find_in_caches(self, rounded);
}

static CORE_NOINLINE void* alloc_slow(struct arena* self, size_t size) {
  core_mutex_lock(&self->lock);
  struct arena_cache* cache = arena_cache_make(self);
  struct arena_chunk* chunk = find_chunk(self, arena_round(size));
  char* start = NULL;
  if (chunk != NULL) {
    arena_set_state(chunk, ARENA_USED);
    chunk->requested = size;
    start = chunk->start;
    count_in(arena_counters(self, cache), chunk);
  }
  core_mutex_unlock(&self->lock);
  if (cache == NULL) {
    arena_update_peak(self);
  } else if (cache->counters[ARENA_IN_USE] > cache->counters[ARENA_MARK]) {
    new_high(self, cache);
  }
  return start;
}

static void* ORT_API_CALL arena_alloc(OrtAllocator* this_, size_t size) NO_EXCEPTION {
  struct arena* self = (struct arena*)this_;
  if (CORE_UNLIKELY(size - 1 >= ARENA_LARGEST)) {
    return NULL;
  }
  size_t rounded = arena_round(size);
  struct arena_cache* cache = arena_cache_of(self);
  if (CORE_UNLIKELY(cache == NULL || !arena_enter(cache))) {
    return alloc_slow(self, size);
  }
  size_t bin = arena_bin_of(rounded);
  struct arena_chunk* chunk = cache->bins[bin];
  if (CORE_UNLIKELY(chunk == NULL || arena_round(chunk->requested) != rounded)) {
    arena_leave(cache);
    return alloc_slow(self, size);
  }
  cache->bins[bin] = chunk->next;
  CORE_SHARD_ADD(cache->bytes, -(int64_t)chunk->size);
  arena_set_state(chunk, ARENA_USED);
  chunk->requested = size;
  count_in(cache->counters, chunk);
  char* start = chunk->start;
  arena_leave(cache);
  if (CORE_UNLIKELY(cache->counters[ARENA_IN_USE] > cache->counters[ARENA_MARK])) {
    new_high(self, cache);
  }
  return start;
}

/* Says why a pointer cannot be freed. */
static const char* complaint(const struct arena* self, const void* pointer) {
  if (arena_find(self, pointer) != NULL) {
    return "was freed before";
  }
  for (const struct arena_region* at = self->regions; at != NULL; at = at->next) {
    if ((uintptr_t)pointer - (uintptr_t)at->start < at->size) {
      return "points into a block, not to its start, or was freed before";
    }
  }
  return "is not a block of this arena";
}

static CORE_NOINLINE void free_slow(struct arena* self, void* p) {
  const char* wrong = NULL;
  core_mutex_lock(&self->lock);
  struct arena_cache* cache = arena_cache_make(self);
  struct arena_chunk* chunk = arena_find(self, p);
  if (chunk == NULL || arena_state_of(chunk) != ARENA_USED) {
    if (!arena_free_reserved(self, p)) {
      wrong = complaint(self, p);
      self->bad_frees++;
    }
  } else {
    count_out(arena_counters(self, cache), chunk);
    size_t rounded = arena_round(chunk->requested);
    if (cache == NULL || chunk->size > ARENA_LARGEST_CACHED) {
      arena_give(self, chunk);
    } else {
      arena_cache_room(self, cache, rounded);
      arena_push(cache, arena_bin_of(rounded), chunk);
    }
  }
  core_mutex_unlock(&self->lock);
  if (wrong != NULL) {
    core_refuse_free(p, wrong); /* without the lock, since stderr may block */
  }
}

/* The state is read without a lock: a block that was freed before is refused, but not one that two
 * threads free at the same moment. */
static void ORT_API_CALL arena_free(OrtAllocator* this_, void* p) NO_EXCEPTION {
  struct arena* self = (struct arena*)this_;
  if (p == NULL) {
    return;
  }
  struct arena_cache* cache = arena_cache_of(self);
  struct arena_chunk* chunk = arena_find(self, p);
  if (CORE_UNLIKELY(chunk == NULL || arena_state_of(chunk) != ARENA_USED || cache == NULL ||
                    chunk->size > ARENA_LARGEST_CACHED || !arena_enter(cache))) {
    free_slow(self, p);
    return;
  }
  size_t rounded = arena_round(chunk->requested);
  size_t bin = arena_bin_of(rounded);
  struct arena_chunk* head = cache->bins[bin];
  if (CORE_UNLIKELY(cache->bytes > ARENA_CACHE_BYTES ||
                    (head != NULL && arena_round(head->requested) != rounded))) {
    arena_leave(cache);
    free_slow(self, p);
    return;
  }
  count_out(cache->counters, chunk);
  arena_push(cache, bin, chunk);
  arena_leave(cache);
}

static void* ORT_API_CALL arena_reserve(OrtAllocator* this_, size_t size) NO_EXCEPTION {
  struct arena* self = (struct arena*)this_;
  if (size - 1 >= ARENA_LARGEST) {
    return NULL;
  }
  core_mutex_lock(&self->lock);
  void* block = arena_reserve_block(self, size);
  core_mutex_unlock(&self->lock);
  arena_update_peak(self);
  return block;
}

static OrtStatus* ORT_API_CALL arena_shrink(OrtAllocator* this_) NO_EXCEPTION {
  struct arena* self = (struct arena*)this_;
  core_mutex_lock(&self->lock);
  arena_drain(self);
  arena_release_regions(self);
  core_mutex_unlock(&self->lock);
  return NULL;
}

/* In ONNX Runtime's order, which is alphabetical. */
static OrtStatus* ORT_API_CALL arena_stats(const OrtAllocator* this_,
                                           OrtKeyValuePairs** out) NO_EXCEPTION {
  CORE_REQUIRE(GetStats, out);
  struct arena* self = (struct arena*)this_;
  int64_t in_use = arena_update_peak(self);
  int64_t max_alloc = CORE_SHARD_GET(self->shared.counters[ARENA_MAX_ALLOC]);
  core_mutex_lock(&self->lock);
  for (const struct arena_cache* at = self->caches; at != NULL; at = at->next) {
    int64_t largest = CORE_SHARD_GET(at->counters[ARENA_MAX_ALLOC]);
    max_alloc = largest > max_alloc ? largest : max_alloc;
  }
  const struct core_figure figures[] = {
      {"InUse", in_use},
      {"Limit", self->cfg.max_mem == 0 ? -1 : (int64_t)self->limit},
      {"MaxAllocSize", max_alloc},
      {"MaxInUse", __atomic_load_n(&self->peak, __ATOMIC_RELAXED)},
      {"NumAllocs", arena_sum(self, ARENA_ALLOCS)},
      {"NumArenaExtensions", self->extensions},
      {"NumArenaShrinkages", self->shrinkages},
      {"NumBadFrees", self->bad_frees},
      {"NumReserves", self->reserves},
      {"RequestedInUse", arena_sum(self, ARENA_REQUESTED)},
      {"TotalAllocated", (int64_t)self->total},
  };
  core_mutex_unlock(&self->lock);
  return core_figures(figures, CORE_COUNT_OF(figures), out);
}

static void arena_end(void* adaptor) {
  struct arena* self = (struct arena*)adaptor;
  arena_remove_from_forks(self);
  arena_regions_end(self);
  arena_caches_end(self);
  arena_map_end(self);
  core_mutex_end(&self->lock);
  core_end_adaptor(adaptor);
}

static const struct core_class arena_class = CORE_ADAPTOR_CLASS(arena_end);

static int64_t or_default(int64_t value, int64_t otherwise) {
  return value < 0 ? otherwise : value;
}

static void set_measures(struct arena* self, const struct OrtArenaCfg* cfg) {
  cfg = cfg != NULL ? cfg : &core_default_arena_cfg;
  self->cfg = (struct OrtArenaCfg){
      .max_mem = cfg->max_mem > INT64_MAX ? 0 : cfg->max_mem,
      .extend_strategy = or_default(cfg->extend_strategy, 0),
      .initial_chunk_size = or_default(cfg->initial_chunk_size, (int64_t)1 << 20),
      .max_dead_bytes = or_default(cfg->max_dead_bytes, (int64_t)128 << 20),
      .initial_growth_chunk_size = or_default(cfg->initial_growth_chunk_size, (int64_t)2 << 20),
      .max_power_of_two_extend = or_default(cfg->max_power_of_two_extend, (int64_t)1 << 30),
  };
  self->limit = self->cfg.max_mem == 0 ? INT64_MAX : self->cfg.max_mem;
  arena_plan_region(self, self->cfg.initial_chunk_size);
}

OrtStatus* core_create_arena(OrtAllocator* inner, const OrtArenaCfg* cfg, const OrtMemoryInfo* info,
                             OrtAllocator** out) {
  CORE_TRY(core_check_inner(inner, out));
  OrtAllocator* made = NULL;
  CORE_TRY(
      core_new_adaptor("Arena", NULL, sizeof(struct arena), inner, arena_alloc, arena_free, &made));
  struct arena* self = (struct arena*)made;
  if (!core_set_adaptor_info(&self->adaptor, info) || !core_mutex_begin(&self->lock) ||
      !arena_map_begin(self)) {
    core_release_adaptor(made);
    return CORE_OUT_OF_MEMORY(Arena, sizeof *self);
  }
  set_measures(self, cfg);
  self->adaptor.base.Reserve = arena_reserve;
  self->adaptor.base.GetStats = arena_stats;
  self->adaptor.base.Shrink = arena_shrink;
  self->adaptor.object.class = &arena_class;
  arena_add_to_forks(self);
  *out = made;
  return NULL;
}
