/* SPDX-License-Identifier: MIT */
/*
 * A client in C: statuses, an allocator through the table and through its struct, one of its own.
 *
 * Runs on the library that it is linked with, or on that of the first argument.
 */
#include "client.h"

#include "onnxruntime_c_api.h"

static const OrtApi* g_ort;

static void must_succeed(OrtStatus* status) {
  if (status != NULL) {
    fprintf(stderr, "%s\n", g_ort->GetErrorMessage(status));
    g_ort->ReleaseStatus(status);
    exit(1);
  }
}

static void must_fail(OrtStatus* status, OrtErrorCode code) {
  CHECK(status != NULL);
  CHECK(g_ort->GetErrorCode(status) == code);
  CHECK(g_ort->GetErrorMessage(status)[0] != '\0');
  g_ort->ReleaseStatus(status);
}

static void use_statuses(void) {
  char text[] = "no such file: \xC3\xA4.onnx";
  OrtStatus* status = g_ort->CreateStatus(ORT_NO_SUCHFILE, text);
  memset(text, '#', sizeof text - 1);
  CHECK(g_ort->GetErrorCode(status) == ORT_NO_SUCHFILE);
  CHECK(strcmp(g_ort->GetErrorMessage(status), "no such file: \xC3\xA4.onnx") == 0);
  g_ort->ReleaseStatus(status);
  g_ort->ReleaseStatus(NULL);
}

static void use_default_allocator(void) {
  OrtAllocator* allocator = NULL;
  must_succeed(g_ort->GetAllocatorWithDefaultOptions(&allocator));
  void* block = NULL;
  must_succeed(g_ort->AllocatorAlloc(allocator, 1000, &block));
  CHECK((uintptr_t)block % 64 == 0);
  memset(block, 1, 1000);
  must_succeed(g_ort->AllocatorFree(allocator, block));
  block = allocator->Alloc(allocator, 100000);
  CHECK(block != NULL && (uintptr_t)block % 64 == 0);
  memset(block, 2, 100000);
  allocator->Free(allocator, block);
  must_fail(g_ort->AllocatorAlloc(allocator, (size_t)1 << 60, &block), ORT_RUNTIME_EXCEPTION);
  const OrtMemoryInfo* info = NULL;
  must_succeed(g_ort->AllocatorGetInfo(allocator, &info));
  CHECK(info == allocator->Info(allocator));
}

struct counting {
  OrtAllocator base;
  const OrtMemoryInfo* info;
  int blocks;
};

static void* ORT_API_CALL counting_alloc(OrtAllocator* this_, size_t size) {
  ((struct counting*)this_)->blocks++;
  return malloc(size);
}

static void ORT_API_CALL counting_free(OrtAllocator* this_, void* p) {
  ((struct counting*)this_)->blocks--;
  free(p);
}

static const OrtMemoryInfo* ORT_API_CALL counting_info(const OrtAllocator* this_) {
  return ((const struct counting*)this_)->info;
}

static void use_own_allocator(void) {
  OrtMemoryInfo* info = NULL;
  must_succeed(g_ort->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &info));
  struct counting counting = {.base = {.version = ORT_API_VERSION,
                                       .Alloc = counting_alloc,
                                       .Free = counting_free,
                                       .Info = counting_info},
                              .info = info};
  void* block = NULL;
  must_succeed(g_ort->AllocatorAlloc(&counting.base, 10, &block));
  CHECK(block != NULL && counting.blocks == 1);
  must_succeed(g_ort->AllocatorFree(&counting.base, block));
  CHECK(counting.blocks == 0);
  const OrtMemoryInfo* given = NULL;
  must_succeed(g_ort->AllocatorGetInfo(&counting.base, &given));
  CHECK(given == info);
  g_ort->ReleaseMemoryInfo(info);
}

int main(int argc, char** argv) {
  const OrtApiBase*(ORT_API_CALL * get_base)(void) = OrtGetApiBase;
  if (argc > 1) {
    *(void**)&get_base = entry_of(argv[1]);
  }
  g_ort = get_base()->GetApi(ORT_API_VERSION);
  CHECK(g_ort != NULL);
  use_statuses();
  use_default_allocator();
  use_own_allocator();
  puts("ok");
  return 0;
}
