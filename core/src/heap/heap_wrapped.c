/* SPDX-License-Identifier: MIT */
/* Counters around malloc or mimalloc, per thread, and cheap checks. */

#include "heap/heap.h"
#include "platform/platform.h"

/* For blocks of this size and larger the process's peak is exact; for smaller ones, to 1/64. */
#define EXACT_FROM ((size_t)128 << 10)

#ifdef CORE_USE_MALLOC
struct heap_faults heap_faults;
#else
int64_t heap_unrecognized;
#endif
struct heap_thread heap_nobody;
__thread struct heap_thread* heap_self CORE_TLS = &heap_nobody;

static core_once once = CORE_ONCE_INIT;
static core_thread_key key;
static int ready;

/* All threads' counters; the counters of ended threads, for new threads to reuse; and the sums of
 * ended threads. */
static struct heap_thread* threads;
static struct heap_thread* vacant;
static struct heap_thread ended;
static int64_t peak;
static uint64_t bad_frees;

static void add_figures(struct heap_thread* sum, const struct heap_thread* thread) {
  sum->live += HEAP_READ(thread->live);
  sum->allocations += HEAP_READ(thread->allocations);
  sum->frees += HEAP_READ(thread->frees);
  for (size_t i = 0; i < CORE_KINDS; i++) {
    sum->created[i] += HEAP_READ(thread->created[i]);
    sum->released[i] += HEAP_READ(thread->released[i]);
  }
}

static void sum_threads(struct heap_thread* sum) {
  core_lock(CORE_LOCK_HEAP);
  *sum = ended;
  for (struct heap_thread* thread = threads; thread != NULL; thread = thread->next) {
    add_figures(sum, thread);
  }
  peak = sum->live > peak ? sum->live : peak;
  core_unlock(CORE_LOCK_HEAP);
}

static void thread_end(void* argument) {
  struct heap_thread* self = argument;
  heap_self = &heap_nobody;
  core_lock(CORE_LOCK_HEAP);
  add_figures(&ended, self);
  struct heap_thread** at = &threads;
  while (*at != self) {
    at = &(*at)->next;
  }
  *at = self->next;
  self->next = vacant;
  vacant = self;
  core_unlock(CORE_LOCK_HEAP);
}

int heap_has_barrier;
int heap_forks;

/* A fork holds the lock until it is over. Another one may begin before this thread is inside. */
void heap_wait_for_fork(struct heap_thread* self) {
  do {
    __atomic_store_n(&self->is_inside, 0, __ATOMIC_SEQ_CST);
    core_lock(CORE_LOCK_HEAP);
    core_unlock(CORE_LOCK_HEAP);
    __atomic_exchange_n(&self->is_inside, 1, __ATOMIC_SEQ_CST);
  } while (__atomic_load_n(&heap_forks, __ATOMIC_SEQ_CST));
}

static void at_fork(enum core_fork step) {
  if (step != CORE_BEFORE_FORK) {
    __atomic_store_n(&heap_forks, 0, __ATOMIC_SEQ_CST);
    return;
  }
  if (other_survives_forks()) {
    return;
  }
  __atomic_store_n(&heap_forks, 1, __ATOMIC_SEQ_CST);
  if (heap_has_barrier) {
    core_barrier();
  }
  for (struct heap_thread* thread = threads; thread != NULL; thread = thread->next) {
    while (thread != heap_self && __atomic_load_n(&thread->is_inside, __ATOMIC_SEQ_CST)) {
      core_yield();
    }
  }
}

static void begin_threads(void) {
  heap_has_barrier = core_barrier_begin();
  ready = core_locks_begin() && core_thread_key_create(&key, thread_end);
  core_at_fork(CORE_LOCK_HEAP, at_fork);
}

struct heap_thread* heap_thread_begin(void) {
  core_run_once(&once, begin_threads);
  if (!ready) {
    return NULL;
  }
  core_lock(CORE_LOCK_HEAP);
  struct heap_thread* self = vacant;
  if (self != NULL) {
    vacant = self->next;
  } else {
    self = other_alloc(sizeof *self);
  }
  if (self != NULL) {
    memset(self, 0, sizeof *self);
    self->next = threads;
    threads = self;
  }
  core_unlock(CORE_LOCK_HEAP);
  if (self != NULL) {
    heap_self = self;
    core_thread_key_set(key, self);
  }
  return self;
}

static CORE_NOINLINE void note_peak(struct heap_thread* self) {
  struct heap_thread sum;
  sum_threads(&sum);
  self->mark = self->live;
}

void* heap_alloc_slow(size_t size) {
  struct heap_thread* self = heap_self;
  if (CORE_UNLIKELY(size - 1 >= PTRDIFF_MAX) ||
      (CORE_UNLIKELY(self == &heap_nobody) && (self = heap_thread_begin()) == NULL)) {
    return NULL;
  }
  heap_enter(self);
  void* block = other_alloc(size);
  if (CORE_UNLIKELY(block == NULL)) {
    heap_leave(self);
    return NULL;
  }
  HEAP_ADD(self->live, (int64_t)other_size(block));
  HEAP_ADD(self->allocations, 1);
  heap_leave(self);
  if (CORE_UNLIKELY(self->live > self->mark + (size < EXACT_FROM ? self->mark >> 6 : 0))) {
    note_peak(self);
  }
  return block;
}

enum heap_verdict heap_free_slow(void* pointer) {
  if (pointer == NULL) {
    return HEAP_FREED;
  }
  int foreign = heap_mark(pointer) == HEAP_NOTHING;
  if (foreign || (uintptr_t)pointer % HEAP_LINE != 0) {
    __atomic_fetch_add(&bad_frees, 1, __ATOMIC_RELAXED);
    return foreign ? HEAP_FOREIGN : HEAP_INTERIOR;
  }
  /* If the thread's counter cannot be made, the block leaks: nothing could count its end. */
  if (heap_self != &heap_nobody || heap_thread_begin() != NULL) {
    heap_try_free_small(pointer, HEAP_FIRST_LARGE - 1);
  }
  return HEAP_FREED;
}

/* Only the allocator below knows which of its pages are fresh. */
void heap_zero(void* start, size_t size) { memset(start, 0, size); }

void heap_shrink(void) {
  struct heap_thread* self = heap_self;
  if (self == &heap_nobody && !other_survives_forks() && (self = heap_thread_begin()) == NULL) {
    return;
  }
  heap_enter(self);
  other_collect();
  heap_leave(self);
}

void heap_read_stats(struct heap_stats* out) {
  struct heap_thread sum;
  sum_threads(&sum);
  /* The other allocator's count of memory from the system is unreliable or missing. */
  *out = (struct heap_stats){.live_bytes = (uint64_t)sum.live,
                             .peak_bytes = (uint64_t)peak,
                             .allocations = sum.allocations,
                             .frees = sum.frees,
                             .segment_bytes = (uint64_t)sum.live,
                             .bad_frees = HEAP_READ(bad_frees)};
}

int64_t heap_live_objects(enum core_kind kind) {
  struct heap_thread sum;
  sum_threads(&sum);
  return (int64_t)(sum.created[kind] - sum.released[kind]);
}

void heap_count_slow(enum core_kind kind, int64_t change) {
  struct heap_thread* self = heap_thread_begin();
  if (self != NULL) {
    HEAP_ADD(self->created[kind], (uint64_t)change);
    return;
  }
  core_lock(CORE_LOCK_HEAP);
  ended.created[kind] += (uint64_t)change;
  core_unlock(CORE_LOCK_HEAP);
}
