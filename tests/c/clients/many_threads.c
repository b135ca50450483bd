/* SPDX-License-Identifier: MIT */
/*
 * Thousands of threads, one after the other and some at a time. Each takes blocks, frees what
 * others left, leaves some of its own, and ends. Memory must not grow with the number of threads.
 *
 * many_threads LIBRARY [THREADS [MEBIBYTES]]: it may grow by so many.
 */
#include "table.h"

/* Threads at a time, blocks that lie about for others, and blocks that a thread takes. */
#define CREW 8
#define LEFT 512
#define TAKEN 64
/* What lies about is 6 MiB on average. */
#define LARGEST ((size_t)24 << 10)

static const OrtApi* api;
static OrtAllocator* allocator;
static unsigned char* left[LEFT];

static void* live(void* unused) {
  static uint64_t number;
  uint64_t state = __atomic_add_fetch(&number, 1, __ATOMIC_RELAXED) * 0x9E3779B97F4A7C15U + 1;
  allocator->Free(allocator, NULL); /* while another thread makes the heap */
  for (size_t i = 0; i < TAKEN; i++) {
    size_t size = next_random(&state) % LARGEST + 1;
    unsigned char* block = allocator->Alloc(allocator, size);
    CHECK(block != NULL);
    memset(block, 1, size);
    unsigned char** place = &left[next_random(&state) % LEFT];
    unsigned char* other = __atomic_exchange_n(place, block, __ATOMIC_ACQ_REL);
    CHECK(api->AllocatorFree(allocator, other) == NULL);
  }
  return unused;
}

static void run(size_t threads) {
  for (size_t i = 0; i < threads; i += CREW) on_threads(CREW, live, NULL);
}

int main(int argc, char** argv) {
  CHECK(argc >= 2);
  api = table_of(argv[1]);
  CHECK(api->GetAllocatorWithDefaultOptions(&allocator) == NULL);
  size_t threads = argc > 2 ? strtoul(argv[2], NULL, 10) : 10000;
  size_t may_grow = argc > 3 ? strtoul(argv[3], NULL, 10) : 16;
  run(threads / 2);
  size_t early = resident();
  run(threads / 2);
  size_t late = resident();
  printf("%zu KiB, then %zu KiB\n", early >> 10, late >> 10);
  CHECK(late < early + (may_grow << 20));
  for (size_t i = 0; i < LEFT; i++) {
    allocator->Free(allocator, left[i]);
  }
  puts("ok");
  return 0;
}
