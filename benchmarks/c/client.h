/* SPDX-License-Identifier: MIT */
/* What clients share that end at the first call that fails. */
#ifndef ORTCFFI_BENCHMARKS_CLIENT_H_
#define ORTCFFI_BENCHMARKS_CLIENT_H_

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "onnxruntime_c_api.h"

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      abort();                                                                \
    }                                                                         \
  } while (0)
#define MUST(call) CHECK((call) == NULL)

/* The newest table of a library, which stays open. */
static inline const OrtApi* api_of(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  const OrtApiBase* (*entry)(void) = NULL;
  CHECK(library != NULL);
  *(void**)&entry = dlsym(library, "OrtGetApiBase");
  CHECK(entry != NULL);
  const OrtApi* api = entry()->GetApi(ORT_API_VERSION);
  CHECK(api != NULL);
  return api;
}

#endif /* ORTCFFI_BENCHMARKS_CLIENT_H_ */
