/* SPDX-License-Identifier: MIT */
/**
 * @file heap_malloc.h
 * The heap over the C library's malloc, for tests: sanitizers and valgrind see every block, and any
 * allocation can be made to fail. heap.h includes it.
 */
#pragma once

#if defined(__APPLE__)
#include <malloc/malloc.h>
#else
#include <malloc.h>
#endif
#include <stdlib.h>

#include "heap/heap_wrapped.h"

#define HEAP_NAME "malloc"

/** `calls` counts allocations. Number `first` and those after it, up to but without `last`, fail.
 */
struct heap_faults {
  uint64_t calls;
  uint64_t first;
  uint64_t last;
};
extern struct heap_faults heap_faults;

static inline void* other_alloc(size_t size) {
  uint64_t call = __atomic_fetch_add(&heap_faults.calls, 1, __ATOMIC_RELAXED);
  int fails = call >= heap_faults.first && call < heap_faults.last;
  void* block = NULL;
  return fails || posix_memalign(&block, HEAP_LINE, size) != 0 ? NULL : block;
}

static inline void other_free(void* block) { free(block); }

#if defined(__APPLE__)
static inline size_t other_size(const void* block) { return malloc_size(block); }
#else
static inline size_t other_size(const void* block) { return malloc_usable_size((void*)block); }
#endif

/* The C library cannot tell; a sanitizer or valgrind reports pointers that it does not own. */
static inline int other_owns(const void* pointer) { return pointer != NULL; }

#if defined(__GLIBC__)
static inline void other_collect(void) { malloc_trim(0); }
#else
static inline void other_collect(void) {}
#endif

/* The C library has fork handlers of its own. */
static inline int other_survives_forks(void) { return 1; }
