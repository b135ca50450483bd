/* SPDX-License-Identifier: MIT */
/* The measured loops over values. Each returns the nanoseconds it took, or -1. */
#include <stdlib.h>

#include "boundary/bench/bench_take.h"

int64_t bench_tensor_over(const ortcffi_bench_job* job) {
  const OrtApi* api = job->subject.api;
  static float data[256];
  const int64_t shape[] = {16, 16};
  OrtMemoryInfo* info = NULL;
  if (api->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &info) != NULL) {
    return -1;
  }
  int64_t start = bench_now();
  for (int64_t i = 0; i < job->count; i++) {
    OrtValue* value = NULL;
    if (api->CreateTensorWithDataAsOrtValue(info, data, sizeof data, shape, 2,
                                            ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value) != NULL) {
      return -1;
    }
    api->ReleaseValue(value);
  }
  int64_t taken = bench_now() - start;
  api->ReleaseMemoryInfo(info);
  return taken;
}

int64_t bench_new_tensor(const ortcffi_bench_job* job) {
  const OrtApi* api = job->subject.api;
  const int64_t shape[] = {4, (int64_t)job->size / 16};
  int64_t start = bench_now();
  for (int64_t i = 0; i < job->count; i++) {
    OrtValue* value = NULL;
    if (api->CreateTensorAsOrtValue(job->subject.allocator, shape, 2,
                                    ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value) != NULL) {
      return -1;
    }
    api->ReleaseValue(value);
  }
  return bench_now() - start;
}

#define STRINGS 1000
#define LONGEST 40

/* Texts of 1 to 40 bytes, so that some fit into an element and most do not. */
static const char* const* texts(void) {
  static char bytes[STRINGS][LONGEST + 1];
  static const char* all[STRINGS];
  for (size_t i = 0; i < STRINGS; i++) {
    memset(bytes[i], 'a' + (int)(i % 26), 1 + i * 7 % LONGEST);
    all[i] = bytes[i];
  }
  return all;
}

/* A tensor made, filled, read as a whole and released; false if anything fails. */
static int fill_and_read(const ortcffi_bench_job* job, const char* const* strings, char* content,
                         size_t* offsets) {
  const OrtApi* api = job->subject.api;
  const int64_t shape = STRINGS;
  size_t length = 0;
  OrtValue* value = NULL;
  int done = api->CreateTensorAsOrtValue(job->subject.allocator, &shape, 1,
                                         ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING, &value) == NULL &&
             api->FillStringTensor(value, strings, STRINGS) == NULL &&
             api->GetStringTensorDataLength(value, &length) == NULL &&
             api->GetStringTensorContent(value, content, length, offsets, STRINGS) == NULL;
  api->ReleaseValue(value);
  return done;
}

int64_t bench_strings(const ortcffi_bench_job* job) {
  const char* const* strings = texts();
  char* content = malloc(STRINGS * LONGEST);
  size_t* offsets = malloc(STRINGS * sizeof *offsets);
  int done = content != NULL && offsets != NULL;
  int64_t start = bench_now();
  for (int64_t i = 0; i < job->count && done; i++) {
    done = fill_and_read(job, strings, content, offsets);
  }
  int64_t taken = bench_now() - start;
  free(content);
  free(offsets);
  return done ? taken : -1;
}
