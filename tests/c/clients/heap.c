/* SPDX-License-Identifier: MIT */
/*
 * What every heap under the default allocator must do alike: alignment, sizes, statistics, Shrink.
 *
 * heap LIBRARY [resident]: with `resident` also that the system has back what Shrink gave back,
 * which a tool that watches memory may prevent.
 */
#include <pthread.h>

#include "barrier.h"
#include "table.h"

static const OrtApi* api;
static OrtAllocator* allocator;

static uint64_t figure(const char* key) { return (uint64_t)figure_of(api, allocator, key); }

static void every_size_is_aligned_and_writable_to_its_end(void) {
  static const size_t around[] = {64,       128,       1 << 10, 4 << 10,
                                  64 << 10, 128 << 10, 1 << 20, 40 << 20};
  for (size_t i = 0; i < sizeof around / sizeof around[0]; i++) {
    for (size_t size = around[i] - 2; size <= around[i] + 2; size++) {
      unsigned char* block = allocator->Alloc(allocator, size);
      CHECK(block != NULL && (uintptr_t)block % 64 == 0);
      block[0] = block[size - 1] = 0xA5;
      allocator->Free(allocator, block);
    }
  }
}

static void a_gigabyte_can_be_had(void) {
  size_t size = ((size_t)1 << 30) + 1;
  unsigned char* block = allocator->Alloc(allocator, size);
  CHECK(block != NULL && (uintptr_t)block % 64 == 0);
  block[0] = block[size - 1] = 1;
  CHECK(api->AllocatorFree(allocator, block) == NULL);
}

static void what_cannot_be_had_is_refused_at_once(void) {
  static const size_t sizes[] = {SIZE_MAX,     SIZE_MAX - 63,   SIZE_MAX / 2 + 1,
                                 SIZE_MAX / 2, (size_t)1 << 47, (size_t)1 << 45};
  void* untouched = &api;
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    CHECK(allocator->Alloc(allocator, sizes[i]) == NULL);
    CHECK(allocator->Reserve(allocator, sizes[i]) == NULL);
    OrtStatus* status = api->AllocatorAlloc(allocator, sizes[i], &untouched);
    CHECK(api->GetErrorCode(status) == ORT_RUNTIME_EXCEPTION);
    CHECK(strstr(api->GetErrorMessage(status), "out of memory") != NULL);
    CHECK(untouched == &api);
    api->ReleaseStatus(status);
  }
}

static void no_bytes_are_no_block(void) {
  void* out = &out;
  CHECK(allocator->Alloc(allocator, 0) == NULL);
  CHECK(api->AllocatorAlloc(allocator, 0, &out) == NULL && out == NULL);
  allocator->Free(allocator, NULL);
}

static void figures_follow_the_blocks(void) {
  enum { COUNT = 1000, SIZE = 3000 };
  static void* blocks[COUNT];
  uint64_t in_use = figure("InUse");
  uint64_t allocations = figure("NumAllocs");
  uint64_t frees = figure("NumFrees");
  for (size_t i = 0; i < COUNT; i++) {
    blocks[i] = allocator->Alloc(allocator, SIZE);
  }
  uint64_t more = figure("InUse") - in_use;
  CHECK(more >= COUNT * SIZE && more < COUNT * SIZE * 3 / 2);
  CHECK(figure("NumAllocs") >= allocations + COUNT);
  CHECK(figure("TotalAllocated") >= more);
  for (size_t i = 0; i < COUNT; i++) {
    allocator->Free(allocator, blocks[i]);
  }
  CHECK(figure("InUse") == in_use);
  CHECK(figure("NumFrees") >= frees + COUNT);
  CHECK(figure("MaxInUse") >= in_use + COUNT * SIZE);
}

static void the_peak_of_a_large_block_is_exact(void) {
  uint64_t peak = figure("MaxInUse");
  void* block = allocator->Alloc(allocator, (size_t)2 << 30);
  CHECK(block != NULL);
  uint64_t with = figure("InUse");
  allocator->Free(allocator, block);
  CHECK(with > peak && figure("MaxInUse") == with);
}

enum { GIVEN = 32, GIVEN_SIZE = 4 << 20, ROUNDS = 12 };
static struct {
  pthread_barrier_t barrier;
  void* blocks[GIVEN];
  void* other;
} exchange;

static void* free_what_others_took(void* unused) {
  for (size_t round = 0; round < ROUNDS; round++) {
    pthread_barrier_wait(&exchange.barrier);
    for (size_t i = 0; i < GIVEN; i++) {
      allocator->Free(allocator, exchange.blocks[i]);
    }
    /* A block of another size, which none of these will do for. */
    exchange.other = allocator->Alloc(allocator, (size_t)1 << 20);
    pthread_barrier_wait(&exchange.barrier);
  }
  return unused;
}

/* Comes first: it is at each new peak that a thread sets blocks aside. */
static void a_thread_that_frees_for_others_keeps_a_bounded_part(void) {
  void* kept = NULL;
  pthread_t thread;
  CHECK(pthread_barrier_init(&exchange.barrier, NULL, 2) == 0);
  CHECK(pthread_create(&thread, NULL, free_what_others_took, NULL) == 0);
  uint64_t before = figure("TotalAllocated");
  for (size_t round = 0; round < ROUNDS; round++) {
    for (size_t i = 0; i < GIVEN; i++) {
      exchange.blocks[i] = allocator->Alloc(allocator, GIVEN_SIZE);
      CHECK(exchange.blocks[i] != NULL);
    }
    pthread_barrier_wait(&exchange.barrier);
    pthread_barrier_wait(&exchange.barrier);
    allocator->Free(allocator, kept);
    kept = exchange.other;
  }
  /* What one round takes, what a thread may keep, and what lies in the middle. */
  CHECK(figure("TotalAllocated") < before + (uint64_t)4 * GIVEN * GIVEN_SIZE);
  CHECK(pthread_join(thread, NULL) == 0);
  pthread_barrier_destroy(&exchange.barrier);
  allocator->Free(allocator, kept);
}

static void shrink_gives_memory_back(void) {
  enum { COUNT = 600, SIZE = 200000 };
  static void* blocks[COUNT];
  for (size_t i = 0; i < COUNT; i++) {
    blocks[i] = allocator->Alloc(allocator, SIZE);
    memset(blocks[i], 1, SIZE);
  }
  size_t before = resident();
  for (size_t i = 0; i < COUNT; i++) {
    allocator->Free(allocator, blocks[i]);
  }
  CHECK(allocator->Shrink(allocator) == NULL);
  CHECK(resident() < before - (size_t)COUNT * SIZE / 2);
}

int main(int argc, char** argv) {
  CHECK(argc >= 2);
  api = table_of(argv[1]);
  CHECK(api->GetAllocatorWithDefaultOptions(&allocator) == NULL);
  puts(api->GetBuildInfoString());
  no_bytes_are_no_block();
  a_thread_that_frees_for_others_keeps_a_bounded_part();
  every_size_is_aligned_and_writable_to_its_end();
  a_gigabyte_can_be_had();
  what_cannot_be_had_is_refused_at_once();
  figures_follow_the_blocks();
  the_peak_of_a_large_block_is_exact();
  CHECK(allocator->Shrink(allocator) == NULL);
  if (argc > 2 && strcmp(argv[2], "resident") == 0) {
    shrink_gives_memory_back();
  }
  puts("ok");
  return 0;
}
