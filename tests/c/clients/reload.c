/* SPDX-License-Identifier: MIT */
/*
 * Opens the library, uses it from two threads and closes it, again and again. The threads end when
 * it is closed already, so what they had cached is given back by code that must still be there.
 *
 * reload LIBRARY [ROUNDS [MEBIBYTES]]: it may grow by so many.
 */
#include "barrier.h"
#include "table.h"

static const OrtApi* api;
static pthread_barrier_t used;
static pthread_barrier_t closed;

static void* use(void* unused) {
  OrtAllocator* allocator = NEW(OrtAllocator, api->GetAllocatorWithDefaultOptions(&new_));
  for (size_t size = 1; size < (1 << 20); size = size * 3 / 2 + 1) {
    void* block = NEW(void, api->AllocatorAlloc(allocator, size, &new_));
    memset(block, 1, size);
    CHECK(api->AllocatorFree(allocator, block) == NULL);
    OrtStatus* status = api->CreateStatus(ORT_FAIL, "again");
    CHECK(strcmp(api->GetErrorMessage(status), "again") == 0);
    api->ReleaseStatus(status);
  }
  pthread_barrier_wait(&used);
  pthread_barrier_wait(&closed);
  return unused;
}

static void one_round(const char* path) {
  void* library = open_library(path);
  api = table_in(library);
  pthread_t threads[2];
  begin_threads(threads, 2, use, NULL);
  pthread_barrier_wait(&used);
  close_library(library);
  pthread_barrier_wait(&closed);
  join_threads(threads, 2);
}

int main(int argc, char** argv) {
  CHECK(argc >= 2);
  long rounds = argc > 2 ? strtol(argv[2], NULL, 10) : 200;
  size_t may_grow = argc > 3 ? strtoul(argv[3], NULL, 10) : 4;
  pthread_barrier_init(&used, NULL, 3);
  pthread_barrier_init(&closed, NULL, 3);
  one_round(argv[1]);
  size_t early = resident();
  for (long round = 1; round < rounds; round++) {
    one_round(argv[1]);
  }
  CHECK(resident() < early + (may_grow << 20));
  puts("ok");
  return 0;
}
