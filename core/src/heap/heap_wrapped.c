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

int heap_begin(void) { return 1; }

void heap_begin_thread(struct heap_thread* self) { memset(self, 0, sizeof *self); }

void heap_end_thread(struct heap_thread* self) {}

int64_t heap_thread_live(const struct heap_thread* thread) { return HEAP_READ(thread->live); }

void heap_add_calls(struct heap_stats* out, const struct heap_thread* thread) {
  out->allocations += HEAP_READ(thread->allocations);
  out->frees += HEAP_READ(thread->frees);
}

/* The other allocator's count of memory from the system is unreliable or missing. */
void heap_system_stats(struct heap_stats* out) { out->segment_bytes = out->live_bytes; }

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

void heap_at_fork(int is_before, struct heap_thread* threads) {
  if (!is_before) {
    __atomic_store_n(&heap_forks, 0, __ATOMIC_SEQ_CST);
    return;
  }
  if (other_survives_forks()) {
    return;
  }
  __atomic_store_n(&heap_forks, 1, __ATOMIC_SEQ_CST);
  for (struct heap_thread* thread = threads; thread != NULL; thread = thread->next) {
    while (thread != heap_self && __atomic_load_n(&thread->is_inside, __ATOMIC_SEQ_CST)) {
      core_yield();
    }
  }
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
    heap_note_peak();
    self->mark = self->live;
  }
  return block;
}

enum heap_verdict heap_free_slow(void* pointer) {
  if (pointer == NULL) {
    return HEAP_FREED;
  }
  int foreign = heap_mark(pointer) == HEAP_NOTHING;
  if (foreign || (uintptr_t)pointer % HEAP_LINE != 0) {
    heap_count_bad_free();
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
