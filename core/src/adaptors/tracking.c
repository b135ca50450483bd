/* SPDX-License-Identifier: MIT */
/* The adaptor that counts. */

#include "adaptors/scopes.h"
#include "adaptors/tracking_internal.h"

/* Counters of a thread. LIVE: bytes allocated minus bytes freed, negative if it frees the blocks of
 * others. MARK: the LIVE that triggers a recheck of the total peak. */
enum { ALLOCATIONS, FREES, LIVE, TOTAL, LARGEST, MARK };

int64_t tracking_update_peaks(struct core_tracking* self) {
  int64_t live = core_shards_sum(&self->shards, LIVE);
  core_raise_to(&self->peak, live);
  core_raise_to(&self->window, live);
  return live;
}

/* On a new per-thread maximum, recomputes the total peak. It is exact with one thread; with several
 * it is the largest total seen at such a moment. */
static CORE_NOINLINE void new_high(struct core_tracking* self, struct core_shard* shard) {
  CORE_SHARD_SET(shard->counters[MARK], shard->counters[LIVE]);
  tracking_update_peaks(self);
}

/* What is rare about a new block that is already counted. Returns the block. */
static CORE_NOINLINE void* finish_alloc(struct core_tracking* self, struct core_shard* shard,
                                        struct core_header* header) {
  int64_t* counters = shard->counters;
  if ((int64_t)header->size > counters[LARGEST]) {
    CORE_SHARD_SET(counters[LARGEST], (int64_t)header->size);
  }
  if (counters[LIVE] > CORE_SHARD_GET(counters[MARK])) {
    new_high(self, shard);
  }
  if (__atomic_load_n(&self->recording, __ATOMIC_RELAXED) != 0) {
    tracking_record(self, header);
  }
  return core_block_after(header);
}

static inline CORE_INLINE void* count_alloc(struct core_tracking* self, struct core_shard* shard,
                                            struct core_header* header, int64_t bytes) {
  int64_t* counters = shard->counters;
  int64_t live = counters[LIVE] + bytes;
  CORE_SHARD_ADD(counters[ALLOCATIONS], 1);
  CORE_SHARD_ADD(counters[TOTAL], bytes);
  CORE_SHARD_SET(counters[LIVE], live);
  if (CORE_UNLIKELY(bytes > counters[LARGEST] || live > CORE_SHARD_GET(counters[MARK]) ||
                    __atomic_load_n(&self->recording, __ATOMIC_RELAXED) != 0)) {
    return finish_alloc(self, shard, header);
  }
  return core_block_after(header);
}

/* count_alloc for a thread with any number. */
static CORE_NOINLINE void* count_alloc_of_any(struct core_tracking* self,
                                              struct core_header* header) {
  struct core_shard* shard = core_shard_of_any(&self->shards);
  if (shard == NULL) {
    core_free_with_header(&self->adaptor, header);
    return NULL;
  }
  return count_alloc(self, shard, header, (int64_t)header->size);
}

/* In both functions what is rare is a tail call, so that the rest keeps few registers. */
static void* ORT_API_CALL tracking_alloc(OrtAllocator* this_, size_t size) NO_EXCEPTION {
  struct core_tracking* self = (struct core_tracking*)this_;
  struct core_header* header = core_alloc_with_header(&self->adaptor, size);
  if (CORE_UNLIKELY(header == NULL)) {
    return NULL;
  }
  struct core_shard* shard = core_first_shard(&self->shards);
  return CORE_LIKELY(shard != NULL) ? count_alloc(self, shard, header, (int64_t)size)
                                    : count_alloc_of_any(self, header);
}

static inline CORE_INLINE void count_free(struct core_shard* shard,
                                          const struct core_header* header) {
  int64_t* counters = shard->counters;
  CORE_SHARD_ADD(counters[FREES], 1);
  /* Not CORE_SHARD_ADD: compilers would make one addition of vectors of both, which has to wait
   * until the last stores to both have left the store buffer. */
  CORE_SHARD_SET(counters[LIVE], counters[LIVE] - (int64_t)header->size);
}

/* tracking_free of any pointer, by a thread with any number. */
static CORE_NOINLINE void free_tracked(struct core_tracking* self, void* p) {
  struct core_header* header = core_header_of(&self->adaptor, p);
  if (header == NULL) {
    return;
  }
  struct core_shard* shard = core_shard(&self->shards);
  if (shard != NULL) {
    count_free(shard, header);
  }
  if (header->serial != 0) {
    tracking_forget(self, header);
  }
  core_free_with_header(&self->adaptor, header);
}

static void ORT_API_CALL tracking_free(OrtAllocator* this_, void* p) NO_EXCEPTION {
  struct core_tracking* self = (struct core_tracking*)this_;
  struct core_header* header = core_plain_header_of(&self->adaptor, p);
  struct core_shard* shard = core_first_shard(&self->shards);
  if (CORE_UNLIKELY(header == NULL || shard == NULL || header->serial != 0)) {
    free_tracked(self, p);
    return;
  }
  count_free(shard, header);
  core_free_with_header(&self->adaptor, header);
}

static void find_largest(int64_t* counters, int64_t* result) {
  int64_t largest = CORE_SHARD_GET(counters[LARGEST]);
  *result = largest > *result ? largest : *result;
}

/* The owner may overwrite this store to another thread's counter; then the owner has just rechecked
 * the peak itself. */
static void lower_mark(int64_t* counters, int64_t* result) {
  CORE_SHARD_SET(counters[MARK], CORE_SHARD_GET(counters[LIVE]));
}

void core_tracking_read(OrtAllocator* allocator, struct core_tracking_figures* out) {
  struct core_tracking* self = (struct core_tracking*)allocator;
  out->current = tracking_update_peaks(self);
  out->peak = __atomic_load_n(&self->peak, __ATOMIC_RELAXED);
  out->total = core_shards_sum(&self->shards, TOTAL);
  out->allocations = core_shards_sum(&self->shards, ALLOCATIONS);
  out->frees = core_shards_sum(&self->shards, FREES);
  out->largest = 0;
  core_shards_visit(&self->shards, find_largest, &out->largest);
}

int64_t tracking_take_window(struct core_tracking* self) {
  int64_t current = tracking_update_peaks(self);
  int64_t window = __atomic_exchange_n(&self->window, current, __ATOMIC_RELAXED);
  core_shards_visit(&self->shards, lower_mark, NULL);
  return window;
}

static OrtStatus* ORT_API_CALL tracking_stats(const OrtAllocator* this_,
                                              OrtKeyValuePairs** out) NO_EXCEPTION {
  CORE_REQUIRE(GetStats, out);
  struct core_tracking_figures figures;
  core_tracking_read((OrtAllocator*)this_, &figures);
  const struct core_figure pairs[] = {
      {"InUse", figures.current},        {"MaxInUse", figures.peak},
      {"TotalRequested", figures.total}, {"NumAllocs", figures.allocations},
      {"NumFrees", figures.frees},       {"MaxAllocSize", figures.largest},
  };
  return core_figures(pairs, CORE_COUNT_OF(pairs), out);
}

static void tracking_end(void* adaptor) {
  struct core_tracking* self = (struct core_tracking*)adaptor;
  tracking_end_recording(self);
  core_shards_end(&self->shards);
  core_end_adaptor(adaptor);
}

static const struct core_class tracking_class = CORE_ADAPTOR_CLASS(tracking_end);

OrtStatus* core_create_tracking(OrtAllocator* inner, OrtAllocator** out) {
  CORE_TRY(core_check_inner(inner, out));
  CORE_TRY(core_new_adaptor("Tracking", &tracking_class, sizeof(struct core_tracking), inner,
                            tracking_alloc, tracking_free, out));
  struct core_tracking* self = (struct core_tracking*)*out;
  self->adaptor.base.GetStats = tracking_stats;
  return NULL;
}
