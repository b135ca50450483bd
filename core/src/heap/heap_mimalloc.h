/* SPDX-License-Identifier: MIT */
/**
 * @file heap_mimalloc.h
 * The heap over mimalloc. heap.h includes it.
 *
 * Unlike heap_bins.h, it cannot report a block that is freed twice, a pointer to a multiple of 64
 * bytes inside a block, a block that was written past its end, or a block that other code in the
 * process took from the same mimalloc. All of these damage mimalloc.
 *
 * mimalloc has no fork handlers. A thread that frees another thread's block marks the block's page
 * for a moment, and a thread that takes over the memory of an ended one counts itself as a reader;
 * in both cases other threads spin until it is done. In the child of a fork it never is. So threads
 * that call mimalloc through this heap are kept out of it during a fork. Code that calls mimalloc
 * itself, such as a program that replaces malloc with it, cannot be waited for: do not fork such a
 * program while its threads allocate.
 */
#pragma once

#if !__has_include(<mimalloc.h>)
#error \
    "mimalloc.h is missing: install libmimalloc-dev (Debian, Ubuntu) or mimalloc-devel (Fedora), \
or build without USE_MIMALLOC"
#endif
#include <mimalloc.h>

#include "heap/heap_wrapped.h"
#include "platform/platform.h"

#define HEAP_TEXT_OF(x) #x
#define HEAP_TEXT(x) HEAP_TEXT_OF(x)
#define HEAP_NAME "mimalloc " HEAP_TEXT(MI_MALLOC_VERSION)

/** From this size on mimalloc may return memory that the machine does not have: it maps addresses
 * with MAP_NORESERVE, so the process would only fail when it touches the block. */
#define HEAP_DOUBTFUL ((size_t)1 << 30)

/** The number of blocks in use that mimalloc does not recognize, such as those outside its map of
 * addresses. While there are any, no pointer can be called foreign. */
extern int64_t heap_unrecognized;

static inline void* other_alloc(size_t size) {
  if (CORE_UNLIKELY(size >= HEAP_DOUBTFUL) && !core_system_has(size)) {
    return NULL;
  }
  /* Round up to whole lines: mimalloc's size classes for these are aligned anyway. */
  void* block = mi_malloc_aligned((size + HEAP_LINE - 1) & ~(HEAP_LINE - 1), HEAP_LINE);
  if (CORE_UNLIKELY(!mi_is_in_heap_region(block) && block != NULL)) {
    __atomic_fetch_add(&heap_unrecognized, 1, __ATOMIC_RELAXED);
  }
  return block;
}

static inline int other_owns(const void* pointer) {
  return CORE_LIKELY(mi_is_in_heap_region(pointer)) ||
         (pointer != NULL && HEAP_READ(heap_unrecognized) > 0);
}

static inline void other_free(void* block) {
  if (CORE_UNLIKELY(!mi_is_in_heap_region(block))) {
    __atomic_fetch_sub(&heap_unrecognized, 1, __ATOMIC_RELAXED);
  }
  mi_free(block);
}

static inline size_t other_size(const void* block) { return mi_usable_size(block); }

static inline void other_collect(void) { mi_collect(true); }

static inline int other_survives_forks(void) { return 0; }
