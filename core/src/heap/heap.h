/* SPDX-License-Identifier: MIT */
/**
 * @file heap.h
 * The memory under the default allocator and the core's own objects: blocks aligned to 64 bytes.
 *
 * Three heaps serve, and one line of the build chooses: heap_bins.h is ours and the default,
 * heap_mimalloc.h hands on to mimalloc, heap_malloc.h to the C library for tests. Each defines
 *
 *   HEAP_NAME                             what it is, for GetBuildInfoString
 *   HEAP_SMALL, HEAP_FIRST_LARGE          sizes and marks are small up to the one, below the other
 *   heap_mark                             HEAP_NOTHING for a pointer that is known to be no block
 *   heap_try_*                            fast paths: all is done from what the thread has, or none
 *   struct heap_thread                    with `created` and `released`, one count per kind
 *
 * and the functions declared here.
 */
#ifndef ORTCFFI_HEAP_H_
#define ORTCFFI_HEAP_H_

#include <stddef.h>
#include <stdint.h>

#include "core.h"

/** Blocks start at multiples of a cache line. */
#define HEAP_LINE ((size_t)64)

/** What heap_mark says of a pointer that is no block. */
#define HEAP_NOTHING 0

/** What came of freeing a pointer. */
enum heap_verdict {
  HEAP_FREED,
  /** Not a block of this heap. */
  HEAP_FOREIGN,
  /** Points into a block, not to its start. */
  HEAP_INTERIOR,
  /** Free already. */
  HEAP_TWICE
};

/** Figures over all threads. */
struct heap_stats {
  uint64_t live_bytes;
  uint64_t peak_bytes;
  uint64_t allocations;
  uint64_t frees;
  /** Bytes taken from the system. */
  uint64_t segment_bytes;
  uint64_t extensions;
  uint64_t shrinkages;
  uint64_t bad_frees;
};

/** Whatever the fast paths leave: empty and full bins, first calls, odd sizes, bad pointers. */
void* heap_alloc_slow(size_t size);
enum heap_verdict heap_free_slow(void* pointer);
/** The calling thread's own part, made on its first call; NULL where there is no memory for it. */
struct heap_thread* heap_thread_begin(void);
/** Counts an object in or out for a thread that has no part yet, and may get none. */
void heap_count_slow(enum core_kind kind, int64_t change);

/** Gives back what the calling thread and the process hold without using it. */
void heap_shrink(void);
void heap_read_stats(struct heap_stats* out);
int64_t heap_live_objects(enum core_kind kind);

/* Counters have one writer, and others that read them. A plain increment is one instruction where
 * a relaxed load and store are three, and no less whole; only the thread sanitizer must be shown
 * the latter. */
#if defined(CORE_TSAN)
#define HEAP_ADD(counter, change) \
  __atomic_store_n(&(counter), (counter) + (change), __ATOMIC_RELAXED)
#else
#define HEAP_ADD(counter, change) ((counter) += (change))
#endif
#define HEAP_READ(counter) __atomic_load_n(&(counter), __ATOMIC_RELAXED)

struct heap_thread;
/** The part of the heap that threads have which never called it. */
extern struct heap_thread heap_nobody;
/* Initial-exec: one instruction instead of a call. One pointer fits the room that every process
 * keeps for libraries loaded later. */
extern __thread struct heap_thread* heap_self __attribute__((tls_model("initial-exec")));

#if defined(CORE_USE_MIMALLOC)
#include "heap/heap_mimalloc.h"
#elif defined(CORE_USE_MALLOC)
#include "heap/heap_malloc.h"
#else
#include "heap/heap_bins.h"
#endif

/** A block of at least `size` bytes, aligned to 64; NULL for size 0 and where there is none. */
static inline void* heap_alloc(size_t size) {
  void* block = size - 1 < HEAP_SMALL ? heap_try_alloc_small(size) : heap_try_alloc_large(size);
  return CORE_LIKELY(block != NULL) ? block : heap_alloc_slow(size);
}

/** Frees a block of this heap; tells what is none. */
static inline enum heap_verdict heap_free(void* pointer) {
  size_t mark = heap_mark(pointer);
  int freed = mark < HEAP_FIRST_LARGE ? heap_try_free_small(pointer, mark)
                                      : heap_try_free_large(pointer, mark);
  return CORE_LIKELY(freed) ? HEAP_FREED : heap_free_slow(pointer);
}

/** heap_alloc for the core's own objects, whose sizes are from 1 to HEAP_SMALL. */
static inline CORE_INLINE void* heap_alloc_object(size_t size) {
  void* block = heap_try_alloc_small(size);
  return CORE_LIKELY(block != NULL) ? block : heap_alloc_slow(size);
}

/** heap_free for the core's own objects. */
static inline CORE_INLINE void heap_free_object(void* object) {
  size_t mark = heap_mark(object);
  if (CORE_UNLIKELY(mark >= HEAP_FIRST_LARGE || !heap_try_free_small(object, mark))) {
    heap_free_slow(object);
  }
}

/** Counts an object of the core in. */
static inline CORE_INLINE void heap_created(enum core_kind kind) {
  struct heap_thread* self = heap_self;
  if (CORE_UNLIKELY(self == &heap_nobody)) {
    heap_count_slow(kind, 1);
  } else {
    HEAP_ADD(self->created[kind], 1);
  }
}

/** Counts an object of the core out. */
static inline CORE_INLINE void heap_released(enum core_kind kind) {
  struct heap_thread* self = heap_self;
  if (CORE_UNLIKELY(self == &heap_nobody)) {
    heap_count_slow(kind, -1);
  } else {
    HEAP_ADD(self->released[kind], 1);
  }
}

#endif /* ORTCFFI_HEAP_H_ */
