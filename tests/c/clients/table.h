/* SPDX-License-Identifier: MIT */
/* What clients of today's header share: a library's table, the figures of its allocators, threads.
 */
#ifndef ORTCFFI_TESTS_TABLE_H_
#define ORTCFFI_TESTS_TABLE_H_

#include <pthread.h>

#include "client.h"
#include "onnxruntime_c_api.h"

/* The table of an open library. */
static inline const OrtApi* table_in(void* library) {
  const OrtApiBase*(ORT_API_CALL * get_base)(void);
  *(void**)&get_base = entry_in(library);
  const OrtApi* table = get_base()->GetApi(ORT_API_VERSION);
  CHECK(table != NULL);
  return table;
}

/* The table of the library of that path. */
static inline const OrtApi* table_of(const char* path) { return table_in(open_library(path)); }

static inline int64_t figure_of(const OrtApi* table, OrtAllocator* allocator, const char* key) {
  OrtKeyValuePairs* figures = NULL;
  CHECK(allocator->GetStats(allocator, &figures) == NULL);
  const char* text = table->GetKeyValue(figures, key);
  CHECK(text != NULL);
  int64_t figure = strtoll(text, NULL, 10);
  table->ReleaseKeyValuePairs(figures);
  return figure;
}

/* A function that only the core has; `api` is its table. */
#define CORE_FUNCTION(Type, name) ((Type)(void (*)(void))api->GetExperimentalFunction(name))

#define MOST_THREADS 64

static inline void begin_threads(pthread_t* threads, size_t count, void* (*work)(void*),
                                 void* argument) {
  for (size_t i = 0; i < count; i++) {
    CHECK(pthread_create(&threads[i], NULL, work, argument) == 0);
  }
}

static inline void join_threads(const pthread_t* threads, size_t count) {
  for (size_t i = 0; i < count; i++) {
    CHECK(pthread_join(threads[i], NULL) == 0);
  }
}

/* Has threads do the same at once. */
static inline void on_threads(size_t count, void* (*work)(void*), void* argument) {
  pthread_t threads[MOST_THREADS];
  CHECK(count <= MOST_THREADS);
  begin_threads(threads, count, work, argument);
  join_threads(threads, count);
}

/* A number of Marsaglia's generator. */
static inline uint64_t next_random(uint64_t* state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

#endif /* ORTCFFI_TESTS_TABLE_H_ */
