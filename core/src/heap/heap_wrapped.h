/* SPDX-License-Identifier: MIT */
/**
 * @file heap_wrapped.h
 * Counters around another allocator. heap_mimalloc.h and heap_malloc.h include it and define the
 * functions that are declared first.
 */
#pragma once

#include "heap/heap_base.h"

/** A block aligned to HEAP_LINE for a size from 1 to PTRDIFF_MAX, or NULL. */
static inline void* other_alloc(size_t size);
static inline void other_free(void* block);
/** The usable bytes of a block; the same as long as the block exists. */
static inline size_t other_size(const void* block);
/** False for a pointer that is known to be no block. */
static inline int other_owns(const void* pointer);
/** Returns unused memory to the system. */
static inline void other_collect(void);
/** Whether a fork may happen while other threads are in the allocator. */
static inline int other_survives_forks(void);

/* All sizes and marks are small: there is no large path. */
#define HEAP_SMALL SIZE_MAX
#define HEAP_FIRST_LARGE 2

struct heap_thread {
  /** Bytes that this thread allocated minus those that it freed; negative if it frees the blocks of
   * others. */
  int64_t live;
  /** `live` when the process's peak was last recomputed. */
  int64_t mark;
  uint64_t allocations;
  uint64_t frees;
  uint64_t created[CORE_KINDS];
  uint64_t released[CORE_KINDS];
  /** Whether this thread is in the other allocator, so that a fork must wait. */
  int is_inside;
  struct heap_thread* next;
};

/* Forks. An allocator that does not survive a fork while another thread is in it is called
 * between heap_enter and heap_leave: a fork waits until no thread is between the two. The thread
 * writes `is_inside` and then reads `heap_forks`, the fork does it the other way round. With a
 * barrier in both, at least one sees what the other wrote. */
/** Whether a fork is pending or in progress. */
extern int heap_forks;
/** Returns when no fork is under way, with `is_inside` set. */
void heap_wait_for_fork(struct heap_thread* self);

static inline CORE_INLINE void heap_enter(struct heap_thread* self) {
  if (other_survives_forks()) {
    return;
  }
  __atomic_exchange_n(&self->is_inside, 1, __ATOMIC_SEQ_CST);
  if (CORE_UNLIKELY(__atomic_load_n(&heap_forks, __ATOMIC_SEQ_CST))) {
    heap_wait_for_fork(self);
  }
}

static inline CORE_INLINE void heap_leave(struct heap_thread* self) {
  if (!other_survives_forks()) {
    __atomic_store_n(&self->is_inside, 0, __ATOMIC_RELEASE);
  }
}

static inline CORE_INLINE void* heap_try_alloc_small(size_t size) { return NULL; }

static inline CORE_INLINE void* heap_try_alloc_large(size_t size) { return NULL; }

static inline CORE_INLINE size_t heap_mark(const void* pointer) {
  return other_owns(pointer) ? HEAP_FIRST_LARGE - 1 : HEAP_NOTHING;
}

static inline CORE_INLINE int heap_try_free_small(void* pointer, size_t mark) {
  struct heap_thread* self = heap_self;
  if (CORE_UNLIKELY(mark == HEAP_NOTHING || (uintptr_t)pointer % HEAP_LINE != 0 ||
                    self == &heap_nobody)) {
    return 0;
  }
  heap_enter(self);
  HEAP_ADD(self->live, -(int64_t)other_size(pointer));
  HEAP_ADD(self->frees, 1);
  other_free(pointer);
  heap_leave(self);
  return 1;
}

static inline CORE_INLINE int heap_try_free_large(void* pointer, size_t mark) {
  return heap_try_free_small(pointer, mark);
}
