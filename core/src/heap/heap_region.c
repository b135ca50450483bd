/* SPDX-License-Identifier: MIT */
/* The address range behind the heap: segments and the pages under them. */

#include "heap/heap_internal.h"

/* The smallest range to try if the process's address space is limited. */
#define SMALLEST_SPAN ((size_t)1 << 26)
/* Pages are made writable in large steps, to save system calls. */
#define COMMIT_STEP ((size_t)64 << 20)
#define HUGE_PAGE ((size_t)2 << 20)
/* The number of segments from which a run uses the kernel's huge pages. */
#define HUGE_PAGE_RUN 4
#define LONG_RUN 32

/* A thread may free NULL, or a pointer of another library, while another thread makes the region.
 * No pointer is within a span of this base, so that it may see the new span before the new base. */
struct heap_globals heap_region = {.base = (uintptr_t)1 << (8 * sizeof(uintptr_t) - 1)};
struct heap_segment* heap_segments;

/* Segments below `frontier` have been handed out before, bytes below `committed` are writable, and
 * no segment below `first_free` is free. */
static size_t frontier;
static size_t committed;
static size_t first_free;
static uint64_t segments_in_use;
static uint64_t extensions;
static uint64_t shrinkages;

/* Odd, so that no key is 0: that marks a block in use. The entropy may be weak in some bits, so it
 * is mixed (the finalizer of splitmix64). */
static uintptr_t make_secret(void) {
  uint64_t x = core_entropy();
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return (uintptr_t)(x ^ (x >> 31)) | 1;
}

/* Reserves the address range. */
int heap_begin(void) {
  for (size_t span = core_address_room(); span >= SMALLEST_SPAN; span >>= 1) {
    size_t segments = span >> HEAP_SEGMENT_SHIFT;
    size_t tables = segments * (sizeof(struct heap_segment) + 1);
    /* The system counts the range as memory only once it is writable, so that it refuses at once a
     * block that is too large for the machine. Most of the tables are never touched. */
    char* range = core_address_reserve(span + HUGE_PAGE);
    char* table = range != NULL ? core_map(tables) : NULL;
    if (table != NULL) {
      heap_segments = (struct heap_segment*)table;
      heap_region.map = (uint8_t*)(heap_segments + segments);
      uintptr_t base = ((uintptr_t)range + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
      __atomic_store_n(&heap_region.base, base, __ATOMIC_RELAXED);
      heap_region.secret = make_secret();
      for (size_t i = 0; i < sizeof heap_region.classes; i++) {
        uint8_t size_class = (uint8_t)heap_class_of((i + 1) << HEAP_LINE_SHIFT);
        __atomic_store_n(&heap_region.classes[i], size_class, __ATOMIC_RELAXED);
      }
      __atomic_store_n(&heap_region.span, span, __ATOMIC_RELEASE);
      return 1;
    }
    if (range != NULL) {
      core_address_release(range, span + HUGE_PAGE);
    }
  }
  return 0;
}

/* Returns the first gap of `count` segments; `frontier` if there is none. */
static size_t find_gap(size_t count) {
  size_t at = first_free;
  while (at < frontier) {
    uint8_t* found = memchr(heap_region.map + at, HEAP_NOTHING, frontier - at);
    if (found == NULL) {
      break;
    }
    at = (size_t)(found - heap_region.map);
    size_t end = at;
    while (end < frontier && end - at < count && heap_region.map[end] == HEAP_NOTHING) {
      end++;
    }
    if (end - at == count || end == frontier) {
      return at;
    }
    at = end;
  }
  return frontier;
}

/* Makes bytes writable. Where the system refuses a whole step, what is needed now may still fit. */
static int commit(size_t start, size_t end) {
  char* base = (char*)heap_region.base;
  if (CORE_PURGE_DECOMMITS) {
    return core_address_commit(base + start, end - start);
  }
  if (end <= committed) {
    return 1;
  }
  size_t step = (end + COMMIT_STEP - 1) & ~(COMMIT_STEP - 1);
  step = step < heap_region.span ? step : heap_region.span;
  if (core_address_commit(base + committed, step - committed)) {
    committed = step;
    return 1;
  }
  if (core_address_commit(base + committed, end - committed)) {
    committed = end;
    return 1;
  }
  return 0;
}

/* The ends of a long run stay small pages. They may share a page with headers or with zeros that
 * no code touches, and one write to a huge page makes all of it resident. */
static void advise_huge_pages(size_t segment, size_t count, int wanted) {
  if (count >= HUGE_PAGE_RUN) {
    size_t apart = count >= LONG_RUN ? HUGE_PAGE : 0;
    core_address_huge_pages(heap_segment_start(segment) + apart,
                            (count << HEAP_SEGMENT_SHIFT) - 2 * apart, wanted);
  }
}

int64_t heap_region_take(size_t segments, size_t mark) {
  int64_t taken = -1;
  core_lock(CORE_LOCK_HEAP_REGION);
  size_t total = heap_region.span >> HEAP_SEGMENT_SHIFT;
  size_t at = find_gap(segments);
  if (segments <= total && at <= total - segments &&
      commit(at << HEAP_SEGMENT_SHIFT, (at + segments) << HEAP_SEGMENT_SHIFT)) {
    memset(&heap_segments[at], 0, sizeof heap_segments[at]);
    heap_segments[at].run = (uint32_t)segments;
    for (size_t i = 1; i < segments; i++) {
      __atomic_store_n(&heap_region.map[at + i], HEAP_INSIDE, __ATOMIC_RELAXED);
    }
    __atomic_store_n(&heap_region.map[at], (uint8_t)mark, __ATOMIC_RELAXED);
    frontier = at + segments > frontier ? at + segments : frontier;
    first_free = at == first_free ? at + segments : first_free;
    segments_in_use += segments;
    extensions++;
    advise_huge_pages(at, segments, 1);
    taken = (int64_t)at;
  }
  core_unlock(CORE_LOCK_HEAP_REGION);
  return taken;
}

void heap_region_give(size_t segment) {
  core_lock(CORE_LOCK_HEAP_REGION);
  size_t count = heap_segments[segment].run;
  core_address_purge(heap_segment_start(segment), count << HEAP_SEGMENT_SHIFT);
  advise_huge_pages(segment, count, 0);
  for (size_t i = 0; i < count; i++) {
    __atomic_store_n(&heap_region.map[segment + i], HEAP_NOTHING, __ATOMIC_RELAXED);
  }
  first_free = segment < first_free ? segment : first_free;
  segments_in_use -= count;
  shrinkages++;
  core_unlock(CORE_LOCK_HEAP_REGION);
}

void heap_system_stats(struct heap_stats* out) {
  core_lock(CORE_LOCK_HEAP_REGION);
  out->segment_bytes = segments_in_use << HEAP_SEGMENT_SHIFT;
  out->extensions = extensions;
  out->shrinkages = shrinkages;
  core_unlock(CORE_LOCK_HEAP_REGION);
}
