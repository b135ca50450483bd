/* SPDX-License-Identifier: MIT */
/* The input is the file of a model. The fuzzer of calls changes two models that it makes itself;
 * this one begins with any files. */
#include <stdio.h>
#include <stdlib.h>

#include "heap/heap.h"

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      abort();                                                                \
    }                                                                         \
  } while (0)

#include "../../c/clients/walk_model.h"

const OrtApi* api;

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  api = core_api_base()->GetApi(ORT_API_VERSION);
  walk_model(data, size);
  struct heap_stats stats;
  heap_read_stats(&stats);
  CHECK(stats.live_bytes == 0);
  for (int kind = 0; kind < CORE_KINDS; kind++) {
    CHECK(heap_live_objects((enum core_kind)kind) == 0);
  }
  return 0;
}
