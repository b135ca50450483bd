/* SPDX-License-Identifier: MIT */
/* The adaptor that limits the bytes in use, or counts and reports what exceeds the limit. */
#include "adaptors/adaptor.h"
#include "memory/per_thread.h"

/* RESERVE: bytes that a thread has taken from the common count but does not use. */
enum { RESERVE };

/* The bytes that a thread reserves at a time; it keeps at most twice as many. Small against the
 * limit, but enough that the common count is rarely touched. */
#define LARGEST_QUANTUM ((int64_t)32 << 10)
#define QUANTUM_SHARE 2048

struct limiting {
  struct core_adaptor adaptor;
  int64_t limit;
  /* No block is larger. */
  size_t largest;
  int64_t quantum;
  /* The common count: bytes in use and in reserve. */
  int64_t booked;
  /* Up to this reserve give_back need not be called: it would change nothing. */
  int64_t largest_reserve;
  /* Grants what goes over the limit as well, counts it, and calls back where that is not NULL. */
  int soft;
  int64_t excesses;
  int64_t max_excess;
  core_excess_callback callback;
  void* context;
  struct core_shards shards;
};

/* No machine has a block of this size, and sums of some do not overflow. */
#define LARGEST_SOFT_BLOCK ((size_t)1 << 53)

/* Adds the bytes with a reserve to the common count or, if that exceeds the limit, without one.
 * With a soft limit that succeeds above the limit as well. */
static CORE_NOINLINE int book(struct limiting* self, struct core_shard* shard, int64_t bytes) {
  int64_t needed = bytes - shard->counters[RESERVE];
  int64_t booked = __atomic_load_n(&self->booked, __ATOMIC_RELAXED);
  int64_t amount;
  do {
    int64_t free_ = self->limit - booked;
    if (needed > free_ && !self->soft) {
      return 0;
    }
    amount = needed + self->quantum <= free_ ? needed + self->quantum : needed;
  } while (!__atomic_compare_exchange_n(&self->booked, &booked, booked + amount, 1,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  CORE_SHARD_ADD(shard->counters[RESERVE], amount);
  return 1;
}

/* Reduces the common count by what a reserve has above the quantum, if it has more than twice that.
 * Returns the reserve. */
static CORE_NOINLINE int64_t give_back(struct limiting* self, int64_t reserve) {
  int64_t keep = self->quantum;
  if (self->soft && __atomic_load_n(&self->booked, __ATOMIC_RELAXED) > self->limit) {
    /* Above the limit nothing is kept: blocks taken from a reserve would not be noticed. */
    keep = 0;
  }
  if (reserve <= 2 * keep) {
    return reserve;
  }
  __atomic_fetch_sub(&self->booked, reserve - keep, __ATOMIC_RELAXED);
  return keep;
}

static inline CORE_INLINE void unbook(struct limiting* self, struct core_shard* shard,
                                      int64_t bytes) {
  int64_t reserve = shard->counters[RESERVE] + bytes;
  if (CORE_UNLIKELY(reserve > self->largest_reserve)) {
    reserve = give_back(self, reserve);
  }
  CORE_SHARD_SET(shard->counters[RESERVE], reserve);
}

/* Counts a block that was granted above the limit. */
static CORE_NOINLINE void report_excess(struct limiting* self, size_t size) {
  int64_t excess = core_limiting_in_use(&self->adaptor.base) - self->limit;
  if (excess <= 0) {
    return; /* `booked` was above the limit only by what other threads have in reserve */
  }
  __atomic_fetch_add(&self->excesses, 1, __ATOMIC_RELAXED);
  core_raise_to(&self->max_excess, excess);
  if (self->callback != NULL) {
    self->callback(self->context, size);
  }
}

static CORE_NOINLINE void* check_excess(struct limiting* self, struct core_header* header) {
  if (__atomic_load_n(&self->booked, __ATOMIC_RELAXED) > self->limit) {
    report_excess(self, header->size);
  }
  return core_block_after(header);
}

/* unbook for a thread with any number. */
static void unbook_any(struct limiting* self, int64_t bytes) {
  struct core_shard* shard = core_shard(&self->shards);
  if (shard != NULL) {
    unbook(self, shard, bytes);
  } else {
    __atomic_fetch_sub(&self->booked, bytes, __ATOMIC_RELAXED);
  }
}

/* Unbooks a block that the inner allocator refused; returns NULL, so that it can be a tail call. */
static CORE_NOINLINE void* unbook_refused(struct limiting* self, int64_t bytes) {
  unbook_any(self, bytes);
  return NULL;
}

static void* ORT_API_CALL limiting_alloc(OrtAllocator* this_, size_t size) NO_EXCEPTION {
  struct limiting* self = (struct limiting*)this_;
  struct core_shard* shard = core_shard(&self->shards);
  if (CORE_UNLIKELY(shard == NULL || size > self->largest)) {
    return NULL;
  }
  int64_t bytes = (int64_t)size;
  if (CORE_UNLIKELY(bytes > shard->counters[RESERVE]) && !book(self, shard, bytes)) {
    return NULL;
  }
  CORE_SHARD_ADD(shard->counters[RESERVE], -bytes);
  struct core_header* header = core_alloc_with_header(&self->adaptor, size);
  if (CORE_UNLIKELY(header == NULL)) {
    return unbook_refused(self, bytes);
  }
  return CORE_UNLIKELY(self->soft) ? check_excess(self, header) : core_block_after(header);
}

/* limiting_free of any pointer, by a thread with any number. */
static CORE_NOINLINE void free_limited(struct limiting* self, void* p) {
  struct core_header* header = core_header_of(&self->adaptor, p);
  if (header == NULL) {
    return;
  }
  unbook_any(self, (int64_t)header->size);
  core_free_with_header(&self->adaptor, header);
}

static void ORT_API_CALL limiting_free(OrtAllocator* this_, void* p) NO_EXCEPTION {
  struct limiting* self = (struct limiting*)this_;
  struct core_header* header = core_plain_header_of(&self->adaptor, p);
  struct core_shard* shard = core_first_shard(&self->shards);
  if (CORE_UNLIKELY(header == NULL || shard == NULL)) {
    free_limited(self, p);
    return;
  }
  unbook(self, shard, (int64_t)header->size);
  core_free_with_header(&self->adaptor, header);
}

int64_t core_limiting_in_use(const OrtAllocator* allocator) {
  const struct limiting* self = (const struct limiting*)allocator;
  return __atomic_load_n(&self->booked, __ATOMIC_RELAXED) - core_shards_sum(&self->shards, RESERVE);
}

struct core_excesses core_limiting_excesses(const OrtAllocator* allocator) {
  const struct limiting* self = (const struct limiting*)allocator;
  return (struct core_excesses){__atomic_load_n(&self->excesses, __ATOMIC_RELAXED),
                                __atomic_load_n(&self->max_excess, __ATOMIC_RELAXED)};
}

static OrtStatus* ORT_API_CALL limiting_stats(const OrtAllocator* this_,
                                              OrtKeyValuePairs** out) NO_EXCEPTION {
  CORE_REQUIRE(GetStats, out);
  const struct limiting* self = (const struct limiting*)this_;
  struct core_excesses excesses = core_limiting_excesses(this_);
  const struct core_figure pairs[] = {
      {"Limit", self->limit},
      {"InUse", core_limiting_in_use(this_)},
      {"NumExcesses", excesses.count},
      {"MaxExcess", excesses.largest},
  };
  return core_figures(pairs, self->soft ? CORE_COUNT_OF(pairs) : 2, out);
}

static void limiting_end(void* adaptor) {
  core_shards_end(&((struct limiting*)adaptor)->shards);
  core_end_adaptor(adaptor);
}

static const struct core_class limiting_class = CORE_ADAPTOR_CLASS(limiting_end);

OrtStatus* core_create_limiting(OrtAllocator* inner, size_t limit, OrtAllocator** out) {
  CORE_TRY(core_check_inner(inner, out));
  CORE_TRY(core_new_adaptor("Limiting", &limiting_class, sizeof(struct limiting), inner,
                            limiting_alloc, limiting_free, out));
  struct limiting* self = (struct limiting*)*out;
  /* Cap the limit, so that the sum of a limit and a size does not overflow. */
  self->limit = limit > INT64_MAX / 2 ? INT64_MAX / 2 : (int64_t)limit;
  self->largest = (size_t)self->limit;
  self->quantum = self->limit / QUANTUM_SHARE;
  self->quantum = self->quantum < LARGEST_QUANTUM ? self->quantum : LARGEST_QUANTUM;
  self->largest_reserve = 2 * self->quantum;
  self->adaptor.base.GetStats = limiting_stats;
  return NULL;
}

OrtStatus* core_create_soft_limiting(OrtAllocator* inner, size_t limit,
                                     core_excess_callback callback, void* context,
                                     OrtAllocator** out) {
  CORE_TRY(core_create_limiting(inner, limit, out));
  struct limiting* self = (struct limiting*)*out;
  self->soft = 1;
  self->largest_reserve = 0;
  self->largest = LARGEST_SOFT_BLOCK;
  self->callback = callback;
  self->context = context;
  return NULL;
}
