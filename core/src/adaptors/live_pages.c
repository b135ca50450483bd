/* SPDX-License-Identifier: MIT */
#include "adaptors/adaptor.h"

/* No system has smaller pages. */
#define PAGE_SHIFT 12
#define PAGE ((uintptr_t)1 << PAGE_SHIFT)
#define PLACES 4096

/* The number of a page, and below it the count of headers in the page. */
static uint64_t places[PLACES];
#define COUNT_BITS 16
#define COUNT (((uint64_t)1 << COUNT_BITS) - 1)

/* How often the counts were forgotten, plus one; a header that was counted earlier counts no more.
 * Never 0. */
static uint32_t generation = 1;

/* The number of the page that some memory is in, as a place has it; 0 if it is in two pages. The
 * number of a page so high that a place cannot hold it is 0, too. */
static uint64_t page_of(const void* address, size_t size) {
  uintptr_t first = (uintptr_t)address;
  uint64_t page = first >> PAGE_SHIFT;
  bool fits = (first & (PAGE - 1)) <= PAGE - size && page >> (64 - COUNT_BITS) == 0;
  return fits ? page << COUNT_BITS : 0;
}

static uint64_t* place_of(uint64_t page) { return &places[(page >> COUNT_BITS) % PLACES]; }

/* Adds a header to a page's count; false if the place is another page's, or the count is full. */
static bool add_to(uint64_t page) {
  uint64_t* place = place_of(page);
  uint64_t before = __atomic_load_n(place, __ATOMIC_RELAXED);
  uint64_t after;
  do {
    bool is_free = (before & COUNT) == 0;
    if ((!is_free && (before & ~COUNT) != page) || (before & COUNT) == COUNT) {
      return false;
    }
    after = is_free ? page | 1 : before + 1;
  } while (!__atomic_compare_exchange_n(place, &before, after, true, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED));
  return true;
}

static void take_from(uint64_t page) {
  uint64_t* place = place_of(page);
  uint64_t before = __atomic_load_n(place, __ATOMIC_RELAXED);
  while ((before & ~COUNT) == page && (before & COUNT) != 0 &&
         !__atomic_compare_exchange_n(place, &before, before - 1, true, __ATOMIC_ACQ_REL,
                                      __ATOMIC_RELAXED)) {
  }
}

uint32_t core_count_header(const void* header, size_t size) {
  uint64_t page = page_of(header, size);
  uint32_t now = __atomic_load_n(&generation, __ATOMIC_ACQUIRE);
  if (page == 0 || !add_to(page)) {
    return 0;
  }
  if (CORE_UNLIKELY(__atomic_load_n(&generation, __ATOMIC_ACQUIRE) != now)) {
    take_from(page);
    return 0;
  }
  return now;
}

void core_uncount_header(const void* header, uint32_t counted) {
  if (CORE_LIKELY(counted == __atomic_load_n(&generation, __ATOMIC_ACQUIRE))) {
    take_from(page_of(header, 1));
  }
}

int core_is_in_live_page(const void* address, size_t size) {
  uint64_t page = page_of(address, size);
  uint64_t found = page != 0 ? __atomic_load_n(place_of(page), __ATOMIC_ACQUIRE) : 0;
  return (found & COUNT) != 0 && (found & ~COUNT) == page;
}

void core_forget_live_pages(void) {
  if (__atomic_add_fetch(&generation, 1, __ATOMIC_ACQ_REL) == 0) {
    __atomic_add_fetch(&generation, 1, __ATOMIC_ACQ_REL);
  }
  for (size_t i = 0; i < PLACES; i++) {
    __atomic_store_n(&places[i], 0, __ATOMIC_RELEASE);
  }
}
