/* SPDX-License-Identifier: MIT */
/**
 * @file heap.h
 * The memory under the default allocator and the core's own objects: blocks aligned to 64 bytes.
 *
 * There are three heaps, and the build defines which one is used: heap_bins.h is this project's own
 * and the default; heap_mimalloc.h calls mimalloc; heap_malloc.h calls the C library, for tests.
 * Each defines
 *
 *   HEAP_NAME                      its name, for GetBuildInfoString
 *   HEAP_SMALL, HEAP_FIRST_LARGE   the largest small size, and the first mark of a large block
 *   heap_mark                      a pointer's mark: HEAP_NOTHING if it is certainly no block
 *   heap_try_*                     fast paths: they use only the thread's blocks, or do nothing
 *   struct heap_thread             with `created` and `released`, one count per kind
 *
 * and the functions declared here.
 */
#pragma once

#include "heap/heap_base.h"

#if defined(CORE_USE_MIMALLOC)
#include "heap/heap_mimalloc.h"
#elif defined(CORE_USE_MALLOC)
#include "heap/heap_malloc.h"
#else
#include "heap/heap_bins.h"
#endif

/** heap_alloc with the thread's blocks alone; NULL where they do not do. */
static inline CORE_INLINE void* heap_try_alloc(size_t size) {
  return CORE_LIKELY(size - 1 < HEAP_SMALL) ? heap_try_alloc_small(size)
                                            : heap_try_alloc_large(size);
}

/** Returns at least `size` bytes, aligned to 64; NULL for size 0 and when out of memory. */
static inline void* heap_alloc(size_t size) {
  void* block = heap_try_alloc(size);
  return CORE_LIKELY(block != NULL) ? block : heap_alloc_slow(size);
}

/** Frees a block into the thread's blocks; false where heap_free_slow is needed. */
static inline CORE_INLINE int heap_try_free(void* pointer) {
  size_t mark = heap_mark(pointer);
  return CORE_LIKELY(mark < HEAP_FIRST_LARGE) ? heap_try_free_small(pointer, mark)
                                              : heap_try_free_large(pointer, mark);
}

/** Frees a block of this heap; the verdict says if the pointer was not one. */
static inline enum heap_verdict heap_free(void* pointer) {
  return CORE_LIKELY(heap_try_free(pointer)) ? HEAP_FREED : heap_free_slow(pointer);
}

/** heap_alloc for the core's own objects, whose sizes are from 1 to HEAP_SMALL. */
static inline CORE_INLINE void* heap_alloc_object(size_t size) {
  void* block = heap_try_alloc_small(size);
  return CORE_LIKELY(block != NULL) ? block : heap_alloc_slow(size);
}

/** Frees one of the core's own objects; false if heap_free_object is needed. */
static inline CORE_INLINE int heap_try_free_object(void* object) {
  size_t mark = heap_mark(object);
  return CORE_LIKELY(mark < HEAP_FIRST_LARGE) && heap_try_free_small(object, mark);
}

/** heap_free for the core's own objects. */
static inline CORE_INLINE void heap_free_object(void* object) {
  if (CORE_UNLIKELY(!heap_try_free_object(object))) {
    heap_free_slow(object);
  }
}

/** Counts an object of the core that was created. */
static inline CORE_INLINE void heap_created(enum core_kind kind) {
  struct heap_thread* self = heap_self;
  if (CORE_UNLIKELY(self == &heap_nobody)) {
    heap_count_slow(kind, 1);
  } else {
    HEAP_ADD(self->created[kind], 1);
  }
}

/** Counts an object of the core that was released. */
static inline CORE_INLINE void heap_released(enum core_kind kind) {
  struct heap_thread* self = heap_self;
  if (CORE_UNLIKELY(self == &heap_nobody)) {
    heap_count_slow(kind, -1);
  } else {
    HEAP_ADD(self->released[kind], 1);
  }
}

/** heap_released for an object that heap_try_free_object has freed. */
static inline CORE_INLINE void heap_released_at_once(enum core_kind kind) {
  HEAP_ADD(heap_self->released[kind], 1);
}
