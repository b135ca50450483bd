/* SPDX-License-Identifier: MIT */
/**
 * @file heap_mimalloc.h
 * The heap as mimalloc has it. heap.h includes it.
 *
 * What the segment heap reports and this one cannot: a block that is freed twice, a pointer to a
 * multiple of 64 bytes inside a block, a block that was written past its end, and pointers to
 * blocks that others in the process took from the same mimalloc. All of these damage mimalloc.
 */
#ifndef ORTCFFI_HEAP_MIMALLOC_H_
#define ORTCFFI_HEAP_MIMALLOC_H_

#if !__has_include(<mimalloc.h>)
#error \
    "mimalloc.h is missing: install libmimalloc-dev (Debian, Ubuntu) or mimalloc-devel (Fedora), \
or build without USE_MIMALLOC"
#endif
#include <mimalloc.h>

#include "heap/heap_base.h"
#include "platform/platform.h"

#define HEAP_TEXT_OF(x) #x
#define HEAP_TEXT(x) HEAP_TEXT_OF(x)
#define HEAP_NAME "mimalloc " HEAP_TEXT(MI_MALLOC_VERSION)

/** From this size on mimalloc promises memory that the machine may not have: it takes addresses
 * with MAP_NORESERVE, so only a process that touches too large a block would learn that it is. */
#define HEAP_DOUBTFUL ((size_t)1 << 30)

/** Blocks in use that mimalloc does not recognize, such as those beyond its map of addresses. While
 * there are any, no pointer is known to be foreign. */
extern int64_t heap_unrecognized;

static inline void* other_alloc(size_t size) {
  if (CORE_UNLIKELY(size >= HEAP_DOUBTFUL) && !core_system_has(size)) {
    return NULL;
  }
  /* Whole lines: mimalloc's classes for these are aligned by themselves. */
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

#include "heap/heap_wrapped.h"

#endif /* ORTCFFI_HEAP_MIMALLOC_H_ */
