/* SPDX-License-Identifier: MIT */
/* Walks one path through a library's table: paths LIBRARY PATH COUNT.
 * Under callgrind, what `walk` and everything below it execute is counted. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "onnxruntime_c_api.h"

static const OrtApi* api;
static OrtAllocator* allocator;
static OrtMemoryInfo* info;
static char message[1001];

static void create_and_release(void) {
  api->ReleaseStatus(api->CreateStatus(ORT_INVALID_ARGUMENT, message));
}

static void read_and_release(OrtStatus* status) {
  if (status == NULL || api->GetErrorCode(status) == ORT_OK ||
      api->GetErrorMessage(status) == NULL) {
    abort();
  }
  api->ReleaseStatus(status);
}

static void fail_to_allocate(void) {
  void* block = NULL;
  read_and_release(api->AllocatorAlloc(allocator, (size_t)1 << 50, &block));
}

static void fail_to_create(void) {
  OrtMemoryInfo* none = NULL;
  read_and_release(
      api->CreateMemoryInfo("NoSuchDevice", OrtDeviceAllocator, 0, OrtMemTypeDefault, &none));
}

static void take_and_free(size_t size) {
  void* block = NULL;
  if (api->AllocatorAlloc(allocator, size, &block) != NULL ||
      api->AllocatorFree(allocator, block) != NULL) {
    abort();
  }
}

/* More blocks at once than one batch of a heap's caches has. */
static void take_many(size_t size) {
  void* blocks[64];
  for (size_t i = 0; i < 64; i++) {
    if (api->AllocatorAlloc(allocator, size, &blocks[i]) != NULL) {
      abort();
    }
  }
  for (size_t i = 0; i < 64; i++) {
    api->ReleaseStatus(api->AllocatorFree(allocator, blocks[i]));
  }
}

static void create_tensor(void) {
  static float numbers[256];
  const int64_t shape[] = {256};
  OrtValue* value = NULL;
  if (api->CreateTensorWithDataAsOrtValue(info, numbers, sizeof numbers, shape, 1,
                                          ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value) != NULL) {
    abort();
  }
  api->ReleaseValue(value);
}

/* Not inlined: callgrind gets its name. */
__attribute__((noinline)) void walk(const char* path, size_t number, long count) {
  for (long i = 0; i < count; i++) {
    switch (path[0]) {
      case 's':
        create_and_release();
        break;
      case 'f':
        fail_to_allocate();
        break;
      case 'm':
        fail_to_create();
        break;
      case 'b':
        take_many(number);
        break;
      case 't':
        create_tensor();
        break;
      default:
        take_and_free(number);
    }
  }
}

int main(int argc, char** argv) {
  void* library = argc == 4 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  const OrtApiBase* (*entry)(void) = NULL;
  if (library != NULL) {
    *(void**)&entry = dlsym(library, "OrtGetApiBase");
  }
  if (entry == NULL) {
    fprintf(stderr, "paths LIBRARY PATH COUNT: %s\n", argc == 4 ? dlerror() : "three arguments");
    return 2;
  }
  api = entry()->GetApi(1);
  const char* path = argv[2];
  const char* dash = strchr(path, '-');
  size_t number = dash == NULL ? 0 : strtoul(dash + 1, NULL, 10);
  if (path[0] == 's') {
    memset(message, 'x', number < sizeof message ? number : sizeof message - 1);
  }
  if (api->GetAllocatorWithDefaultOptions(&allocator) != NULL ||
      api->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &info) != NULL) {
    return 1;
  }
  walk(path, number, strtol(argv[3], NULL, 10));
  api->ReleaseMemoryInfo(info);
  return 0;
}
