/* SPDX-License-Identifier: MIT */
/* The address range behind the heap: segments and the pages under them. */
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "heap_internal.h"

/* Addresses cost nothing until they are used; where they are limited, less will do. */
#define LARGEST_SPAN ((size_t)1 << 40)
#define SMALLEST_SPAN ((size_t)1 << 26)
/* Pages are made writable in steps, so that the kernel is asked rarely. */
#define COMMIT_STEP ((size_t)64 << 20)
#define HUGE_PAGE ((size_t)2 << 20)
/* From here on a run is worth the kernel's huge pages. */
#define HUGE_PAGE_RUN 4

struct heap_globals heap_region;
struct heap_segment* heap_segments;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Segments below `frontier` were handed out before, bytes below `committed` are writable, and no
 * segment below `first_free` is free. */
static size_t frontier;
static size_t committed;
static size_t first_free;
static uint64_t segments_in_use;
static uint64_t extensions;
static uint64_t shrinkages;

static void* reserve(size_t size, int protection, int flags) {
  void* range = mmap(NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
  return range == MAP_FAILED ? NULL : range;
}

static uintptr_t make_secret(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  uint64_t x = (uint64_t)now.tv_nsec ^ ((uint64_t)now.tv_sec << 32) ^ (uintptr_t)&now;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return (uintptr_t)(x ^ (x >> 31)) | 1;
}

int heap_region_begin(void) {
  for (size_t span = LARGEST_SPAN; span >= SMALLEST_SPAN; span >>= 1) {
    size_t segments = span >> HEAP_SEGMENT_SHIFT;
    size_t tables = segments * (sizeof(struct heap_segment) + 1);
    /* The range counts as memory where it becomes writable, so that a block which the machine
     * cannot have is refused at once; the tables are mostly never touched. */
    char* range = reserve(span + HUGE_PAGE, PROT_NONE, 0);
    char* table = range != NULL ? reserve(tables, PROT_READ | PROT_WRITE, MAP_NORESERVE) : NULL;
    if (table != NULL) {
      heap_segments = (struct heap_segment*)table;
      heap_region.map = (uint8_t*)(heap_segments + segments);
      heap_region.base = ((uintptr_t)range + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
      heap_region.secret = make_secret();
      for (size_t i = 0; i < sizeof heap_region.classes; i++) {
        uint8_t size_class = (uint8_t)heap_class_of((i + 1) << HEAP_LINE_SHIFT);
        __atomic_store_n(&heap_region.classes[i], size_class, __ATOMIC_RELAXED);
      }
      heap_region.span = span;
      return 1;
    }
    if (range != NULL) {
      munmap(range, span + HUGE_PAGE);
    }
  }
  return 0;
}

/* The start of a gap of `count` segments, first fit; `frontier` if there is none. */
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

static int commit(size_t end) {
  if (end <= committed) {
    return 1;
  }
  size_t step = (end + COMMIT_STEP - 1) & ~(COMMIT_STEP - 1);
  step = step < heap_region.span ? step : heap_region.span;
  char* from = (char*)heap_region.base + committed;
  if (mprotect(from, step - committed, PROT_READ | PROT_WRITE) == 0) {
    committed = step;
    return 1;
  }
  if (mprotect(from, end - committed, PROT_READ | PROT_WRITE) == 0) {
    committed = end;
    return 1;
  }
  return 0;
}

static void advise_huge_pages(size_t segment, size_t count, int advice) {
#if defined(MADV_HUGEPAGE)
  if (count >= HUGE_PAGE_RUN) {
    madvise(heap_segment_start(segment), count << HEAP_SEGMENT_SHIFT, advice);
  }
#else
  (void)segment, (void)count, (void)advice;
#endif
}

int64_t heap_region_take(size_t segments, size_t mark) {
  int64_t taken = -1;
  pthread_mutex_lock(&lock);
  size_t total = heap_region.span >> HEAP_SEGMENT_SHIFT;
  size_t at = find_gap(segments);
  if (segments <= total && at <= total - segments &&
      commit((at + segments) << HEAP_SEGMENT_SHIFT)) {
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
    advise_huge_pages(at, segments, MADV_HUGEPAGE);
    taken = (int64_t)at;
  }
  pthread_mutex_unlock(&lock);
  return taken;
}

void heap_region_give(size_t segment) {
  pthread_mutex_lock(&lock);
  size_t count = heap_segments[segment].run;
  madvise(heap_segment_start(segment), count << HEAP_SEGMENT_SHIFT, MADV_DONTNEED);
  advise_huge_pages(segment, count, MADV_NOHUGEPAGE);
  for (size_t i = 0; i < count; i++) {
    __atomic_store_n(&heap_region.map[segment + i], HEAP_NOTHING, __ATOMIC_RELAXED);
  }
  first_free = segment < first_free ? segment : first_free;
  segments_in_use -= count;
  shrinkages++;
  pthread_mutex_unlock(&lock);
}

void heap_region_stats(struct heap_stats* out) {
  pthread_mutex_lock(&lock);
  out->segment_bytes = segments_in_use << HEAP_SEGMENT_SHIFT;
  out->extensions = extensions;
  out->shrinkages = shrinkages;
  pthread_mutex_unlock(&lock);
}

void heap_region_lock(void) { pthread_mutex_lock(&lock); }

void heap_region_unlock(void) { pthread_mutex_unlock(&lock); }
