/* SPDX-License-Identifier: MIT */
/* The OrtAllocator's functions of an arena. */

#include "arena/arena.h"
#include "arena/arena_internal.h"

static void* ORT_API_CALL arena_alloc(OrtAllocator* this_, size_t size) NO_EXCEPTION {
  struct arena* self = (struct arena*)this_;
  if (CORE_UNLIKELY(size - 1 >= ARENA_LARGEST)) {
    return NULL;
  }
  size_t rounded = arena_round(size);
  char* start = NULL;
  core_mutex_lock(&self->lock);
  struct arena_chunk* chunk = arena_best_fit(self, rounded);
  chunk = chunk != NULL ? chunk : arena_grow(self, rounded);
  /* Blocks may have been freed during a call of the inner allocator. */
  chunk = chunk != NULL ? chunk : arena_best_fit(self, rounded);
  if (chunk != NULL) {
    chunk->requested = size;
    arena_count(self, chunk->size, size);
    start = chunk->start;
  }
  core_mutex_unlock(&self->lock);
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

/* Frees a block; returns why it cannot be, or NULL. */
static const char* free_block(struct arena* self, void* p) {
  struct arena_chunk* chunk = arena_find(self, p);
  if (chunk != NULL && !chunk->is_free) {
    arena_uncount(self, chunk->size, chunk->requested);
    arena_give(self, chunk);
    return NULL;
  }
  if (arena_free_reserved(self, p)) {
    return NULL;
  }
  self->bad_frees++;
  return complaint(self, p);
}

static void ORT_API_CALL arena_free(OrtAllocator* this_, void* p) NO_EXCEPTION {
  struct arena* self = (struct arena*)this_;
  if (p == NULL) {
    return;
  }
  core_mutex_lock(&self->lock);
  const char* wrong = free_block(self, p);
  core_mutex_unlock(&self->lock);
  if (wrong != NULL) {
    core_refuse_free(p, wrong); /* without the lock, since stderr may block */
  }
}

static void* ORT_API_CALL arena_reserve(OrtAllocator* this_, size_t size) NO_EXCEPTION {
  struct arena* self = (struct arena*)this_;
  if (size - 1 >= ARENA_LARGEST) {
    return NULL;
  }
  core_mutex_lock(&self->lock);
  void* block = arena_reserve_block(self, size);
  core_mutex_unlock(&self->lock);
  return block;
}

static OrtStatus* ORT_API_CALL arena_shrink(OrtAllocator* this_) NO_EXCEPTION {
  struct arena* self = (struct arena*)this_;
  core_mutex_lock(&self->lock);
  arena_release_regions(self);
  core_mutex_unlock(&self->lock);
  return NULL;
}

/* In ONNX Runtime's order, which is alphabetical. */
static OrtStatus* ORT_API_CALL arena_stats(const OrtAllocator* this_,
                                           OrtKeyValuePairs** out) NO_EXCEPTION {
  CORE_REQUIRE(GetStats, out);
  struct arena* self = (struct arena*)this_;
  core_mutex_lock(&self->lock);
  const struct core_figure figures[] = {
      {"InUse", self->in_use},
      {"Limit", self->cfg.max_mem == 0 ? -1 : (int64_t)self->limit},
      {"MaxAllocSize", self->max_alloc},
      {"MaxInUse", self->peak},
      {"NumAllocs", self->allocs},
      {"NumArenaExtensions", self->extensions},
      {"NumArenaShrinkages", self->shrinkages},
      {"NumBadFrees", self->bad_frees},
      {"NumReserves", self->reserves},
      {"RequestedInUse", self->requested},
      {"TotalAllocated", (int64_t)self->total},
  };
  core_mutex_unlock(&self->lock);
  return core_figures(figures, CORE_COUNT_OF(figures), out);
}

static void arena_end(void* adaptor) {
  struct arena* self = (struct arena*)adaptor;
  arena_remove_from_forks(self);
  arena_regions_end(self);
  arena_forget_chunks(self);
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
  if (!core_set_adaptor_info(&self->adaptor, info)) {
    core_release_adaptor(made);
    return CORE_OUT_OF_MEMORY(Arena, sizeof *self);
  }
  core_mutex_begin(&self->lock);
  set_measures(self, cfg);
  self->adaptor.base.Reserve = arena_reserve;
  self->adaptor.base.GetStats = arena_stats;
  self->adaptor.base.Shrink = arena_shrink;
  self->adaptor.object.class = &arena_class;
  arena_add_to_forks(self);
  *out = made;
  return NULL;
}
