/* SPDX-License-Identifier: MIT */
/*
 * One error made on purpose, so that a tool which finds none is known to look.
 *
 * planted LIBRARY overrun|leak|race|shift
 */
#include <pthread.h>

#include "table.h"

static int shared;

static void* write_shared(void* unused) {
  for (int i = 0; i < 1000; i++) {
    shared++;
  }
  return unused;
}

static void race(void) {
  pthread_t id;
  CHECK(pthread_create(&id, NULL, write_shared, NULL) == 0);
  write_shared(NULL);
  pthread_join(id, NULL);
}

int main(int argc, char** argv) {
  CHECK(argc == 3);
  const OrtApi* api = table_of(argv[1]);
  OrtAllocator* allocator = NEW(OrtAllocator, api->GetAllocatorWithDefaultOptions(&new_));
  volatile int width = 8 * sizeof(int);
  volatile char* block = allocator->Alloc(allocator, 100);
  if (strcmp(argv[2], "overrun") == 0) {
    block[100] = 1;
  } else if (strcmp(argv[2], "leak") == 0) {
    block = NULL;
  } else if (strcmp(argv[2], "race") == 0) {
    race();
  } else if (strcmp(argv[2], "shift") == 0) {
    shared = 1 << width;
  }
  allocator->Free(allocator, (void*)block);
  return 0;
}
