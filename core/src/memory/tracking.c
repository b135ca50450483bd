/* SPDX-License-Identifier: MIT */
/* The adaptor that counts. */
#include <string.h>

#include "memory/adaptor.h"
#include "heap/heap.h"
#include "memory/per_thread.h"

/* Counters of a thread. LIVE: bytes allocated minus bytes freed, negative if it frees the blocks of
 * others. MARK: the LIVE that triggers a recheck of the total peak. */
enum { ALLOCATIONS, FREES, LIVE, TOTAL, LARGEST, MARK };

struct tracking {
  struct core_adaptor adaptor;
  int64_t peak;
  /* The peak since core_tracking_take_window was last called. */
  int64_t window;
  int recording;
  uint64_t serial;
  struct core_header* recorded;
  struct core_shards shards;
};

/* Guards the lists of recorded blocks and their numbers. One for all adaptors, so that one fork
 * handler is enough. */
static core_mutex lock = CORE_MUTEX_INIT;
static core_once once = CORE_ONCE_INIT;

static void before_fork(void) { core_mutex_lock(&lock); }

static void after_fork(void) { core_mutex_unlock(&lock); }

static void prepare_forks(void) { core_at_fork(before_fork, after_fork, after_fork); }

static uint32_t (*site_source)(int depth);

void core_set_site_source(uint32_t (*source)(int depth)) {
  __atomic_store_n(&site_source, source, __ATOMIC_RELAXED);
}

static void raise_to(int64_t* peak, int64_t to) {
  int64_t before = __atomic_load_n(peak, __ATOMIC_RELAXED);
  while (to > before &&
         !__atomic_compare_exchange_n(peak, &before, to, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}

/* Updates the peaks; returns the bytes in use. */
static int64_t update_peaks(struct tracking* self) {
  int64_t live = core_shards_sum(&self->shards, LIVE);
  raise_to(&self->peak, live);
  raise_to(&self->window, live);
  return live;
}

/* On a new per-thread maximum, recomputes the total peak. It is exact with one thread; with several
 * it is the largest total seen at such a moment. */
static CORE_NOINLINE void new_high(struct tracking* self, struct core_shard* shard) {
  CORE_SHARD_SET(shard->counters[MARK], shard->counters[LIVE]);
  update_peaks(self);
}

static CORE_NOINLINE void record(struct tracking* self, struct core_header* header, int depth) {
  uint32_t (*source)(int depth) = __atomic_load_n(&site_source, __ATOMIC_RELAXED);
  header->site = source == NULL ? 0 : source(depth);
  header->previous = NULL;
  core_mutex_lock(&lock);
  header->serial = ++self->serial;
  header->next = self->recorded;
  if (header->next != NULL) {
    header->next->previous = header;
  }
  self->recorded = header;
  core_mutex_unlock(&lock);
}

static CORE_NOINLINE void forget(struct tracking* self, struct core_header* header) {
  core_mutex_lock(&lock);
  if (header->previous != NULL) {
    header->previous->next = header->next;
  } else {
    self->recorded = header->next;
  }
  if (header->next != NULL) {
    header->next->previous = header->previous;
  }
  core_mutex_unlock(&lock);
}

static void* ORT_API_CALL tracking_alloc(OrtAllocator* this_, size_t size) NO_EXCEPTION {
  struct tracking* self = (struct tracking*)this_;
  struct core_shard* shard = core_shard(&self->shards);
  struct core_header* header;
  void* block = shard == NULL ? NULL : core_alloc_with_header(&self->adaptor, size, &header);
  if (CORE_UNLIKELY(block == NULL)) {
    return NULL;
  }
  int64_t bytes = (int64_t)size;
  int64_t* counters = shard->counters;
  CORE_SHARD_ADD(counters[ALLOCATIONS], 1);
  CORE_SHARD_ADD(counters[TOTAL], bytes);
  CORE_SHARD_ADD(counters[LIVE], bytes);
  if (CORE_UNLIKELY(bytes > counters[LARGEST])) {
    CORE_SHARD_SET(counters[LARGEST], bytes);
  }
  if (CORE_UNLIKELY(counters[LIVE] > counters[MARK])) {
    new_high(self, shard);
  }
  int depth = __atomic_load_n(&self->recording, __ATOMIC_RELAXED);
  if (CORE_UNLIKELY(depth != 0)) {
    record(self, header, depth);
  }
  return block;
}

static void ORT_API_CALL tracking_free(OrtAllocator* this_, void* p) NO_EXCEPTION {
  struct tracking* self = (struct tracking*)this_;
  struct core_header* header = p == NULL ? NULL : core_header_of(&self->adaptor, p);
  if (CORE_UNLIKELY(header == NULL)) {
    return;
  }
  struct core_shard* shard = core_shard(&self->shards);
  if (CORE_LIKELY(shard != NULL)) {
    CORE_SHARD_ADD(shard->counters[FREES], 1);
    CORE_SHARD_ADD(shard->counters[LIVE], -(int64_t)header->size);
  }
  if (CORE_UNLIKELY(header->serial != 0)) {
    forget(self, header);
  }
  core_free_with_header(&self->adaptor, header);
}

/* Calls `visit` for each thread's counters, which the threads may change meanwhile. */
static void for_each_shard(struct tracking* self, void (*visit)(int64_t* counters, int64_t* result),
                           int64_t* result) {
  size_t used = __atomic_load_n(&self->shards.used, __ATOMIC_ACQUIRE);
  for (size_t i = 0; i < used; i++) {
    struct core_shard* chunk = __atomic_load_n(&self->shards.chunks[i], __ATOMIC_ACQUIRE);
    for (size_t j = 0; chunk != NULL && j < CORE_SHARD_CHUNK; j++) {
      visit(chunk[j].counters, result);
    }
  }
}

static void find_largest(int64_t* counters, int64_t* result) {
  int64_t largest = CORE_SHARD_GET(counters[LARGEST]);
  *result = largest > *result ? largest : *result;
}

/* The owner may overwrite this store to another thread's counter; then the owner has just rechecked
 * the peak itself. */
static void lower_mark(int64_t* counters, int64_t* result) {
  (void)result;
  CORE_SHARD_SET(counters[MARK], CORE_SHARD_GET(counters[LIVE]));
}

void core_tracking_read(OrtAllocator* allocator, struct core_tracking_figures* out) {
  struct tracking* self = (struct tracking*)allocator;
  out->current = update_peaks(self);
  out->peak = __atomic_load_n(&self->peak, __ATOMIC_RELAXED);
  out->total = core_shards_sum(&self->shards, TOTAL);
  out->allocations = core_shards_sum(&self->shards, ALLOCATIONS);
  out->frees = core_shards_sum(&self->shards, FREES);
  out->largest = 0;
  for_each_shard(self, find_largest, &out->largest);
  core_mutex_lock(&lock);
  out->serial = self->serial;
  core_mutex_unlock(&lock);
}

int64_t core_tracking_take_window(OrtAllocator* allocator) {
  struct tracking* self = (struct tracking*)allocator;
  int64_t current = update_peaks(self);
  int64_t window = __atomic_exchange_n(&self->window, current, __ATOMIC_RELAXED);
  for_each_shard(self, lower_mark, NULL);
  return window;
}

void core_tracking_record(OrtAllocator* allocator, int depth) {
  __atomic_store_n(&((struct tracking*)allocator)->recording, depth, __ATOMIC_RELAXED);
}

size_t core_tracking_blocks(OrtAllocator* allocator, uint64_t since, struct core_tracked_block* out,
                            size_t capacity) {
  struct tracking* self = (struct tracking*)allocator;
  size_t count = 0;
  core_mutex_lock(&lock);
  for (struct core_header* at = self->recorded; at != NULL && at->serial > since; at = at->next) {
    if (count < capacity) {
      out[count] =
          (struct core_tracked_block){(char*)at + CORE_HEADER, at->size, at->serial, at->site};
    }
    count++;
  }
  core_mutex_unlock(&lock);
  return count;
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

static void tracking_end(struct core_adaptor* adaptor) {
  core_shards_end(&((struct tracking*)adaptor)->shards);
}

void core_tracking_begin(void) { core_run_once(&once, prepare_forks); }

OrtStatus* core_create_tracking(OrtAllocator* inner, OrtAllocator** out) {
  CORE_TRY(core_check_inner(inner, out));
  struct tracking* self =
      (struct tracking*)core_new_adaptor(sizeof *self, inner, tracking_alloc, tracking_free);
  if (self == NULL) {
    return CORE_OUT_OF_MEMORY(Tracking, sizeof *self);
  }
  self->adaptor.reads_header = 1;
  self->adaptor.base.GetStats = tracking_stats;
  self->adaptor.end = tracking_end;
  core_tracking_begin();
  *out = &self->adaptor.base;
  return NULL;
}
