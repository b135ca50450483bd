/* SPDX-License-Identifier: MIT */
/* Trials of statuses, memory infos, key-value pairs, the default allocator, and other hosts. */
#include "faults.h"
#include "table/versions.h"

#define LONG_KEY "a key that is longer than it was"

static OrtKeyValuePairs* pairs;
static OrtMemoryInfo* info;
static void* block;

static OrtStatus* create_status(void** out) {
  (void)out;
  return api->CreateStatus(ORT_FAIL, "why");
}
static OrtStatus* read_status(void** out) {
  (void)out;
  CHECK(api->GetErrorCode(NULL) == ORT_OK && api->GetErrorMessage(NULL)[0] == '\0');
  api->ReleaseStatus(NULL);
  return NULL;
}

static OrtStatus* create_memory_info(void** out) {
  return api->CreateMemoryInfo("Cuda", OrtDeviceAllocator, 0, OrtMemTypeDefault,
                               (OrtMemoryInfo**)out);
}
static OrtStatus* create_cpu_memory_info(void** out) {
  return api->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, (OrtMemoryInfo**)out);
}
static OrtStatus* create_memory_info_v2(void** out) {
  return api->CreateMemoryInfo_V2("mine", OrtMemoryInfoDeviceType_GPU, 7, 1,
                                  OrtDeviceMemoryType_DEFAULT, 64, OrtDeviceAllocator,
                                  (OrtMemoryInfo**)out);
}
static OrtStatus* create_unknown_memory_info(void** out) {
  return api->CreateMemoryInfo("no device", OrtDeviceAllocator, 0, OrtMemTypeDefault,
                               (OrtMemoryInfo**)out);
}
static void with_info(void) { CHECK(create_cpu_memory_info((void**)&info) == NULL); }
static OrtStatus* read_memory_info(void** out) {
  (void)out;
  const char* name;
  int number;
  OrtMemType mem_type;
  OrtAllocatorType type;
  OrtMemoryInfoDeviceType device;
  CORE_TRY(api->MemoryInfoGetName(info, &name));
  CORE_TRY(api->MemoryInfoGetId(info, &number));
  CORE_TRY(api->MemoryInfoGetMemType(info, &mem_type));
  CORE_TRY(api->MemoryInfoGetType(info, &type));
  api->MemoryInfoGetDeviceType(info, &device);
  CHECK(api->MemoryInfoGetVendorId(info) == 0);
  CHECK(api->MemoryInfoGetDeviceMemType(info) == OrtDeviceMemoryType_DEFAULT);
  return api->CompareMemoryInfo(info, info, &number);
}

static OrtStatus* create_pairs(void** out) {
  api->CreateKeyValuePairs((OrtKeyValuePairs**)out);
  if (*out == NULL) {
    *out = UNTOUCHED;
    return failed_without_status();
  }
  return NULL;
}
static void with_pairs(void) {
  api->CreateKeyValuePairs(&pairs);
  api->AddKeyValuePair(pairs, "first", "1");
}
/* As many as there is room for: one more makes the arrays grow. */
static void with_full_pairs(void) {
  with_pairs();
  char key[] = "key 0";
  for (; key[4] < '7'; key[4]++) {
    api->AddKeyValuePair(pairs, key, "value");
  }
}
static OrtStatus* set_pair(const char* key, const char* value) {
  const char* before = api->GetKeyValue(pairs, key);
  size_t count = count_pairs(pairs);
  api->AddKeyValuePair(pairs, key, value);
  const char* after = api->GetKeyValue(pairs, key);
  if (after != NULL && strcmp(after, value) == 0) {
    return NULL;
  }
  CHECK(after == before && count_pairs(pairs) == count);
  CHECK(strcmp(api->GetKeyValue(pairs, "first"), "1") == 0);
  return failed_without_status();
}
static OrtStatus* add_pair(void** out) {
  (void)out;
  return set_pair(LONG_KEY, "2");
}
static OrtStatus* replace_pair(void** out) {
  (void)out;
  return set_pair("first", "another value, longer than the one before");
}
static OrtStatus* remove_pair(void** out) {
  (void)out;
  api->RemoveKeyValuePair(pairs, "key 3");
  return api->GetKeyValue(pairs, "key 3") == NULL ? NULL : failed_without_status();
}

static OrtStatus* get_allocator(void** out) {
  CORE_TRY(api->GetAllocatorWithDefaultOptions((OrtAllocator**)out));
  api->ReleaseAllocator(*out);
  return NULL;
}
static OrtStatus* alloc(void** out) { return api->AllocatorAlloc(allocator, 1000, out); }
static OrtStatus* alloc_too_much(void** out) {
  return api->AllocatorAlloc(allocator, SIZE_MAX, out);
}
static OrtStatus* alloc_from_struct(void** out) {
  void* got = allocator->Alloc(allocator, 1000);
  if (got == NULL) {
    return failed_without_status();
  }
  *out = got;
  return NULL;
}
static void with_block(void) { block = allocator->Alloc(allocator, 100); }
static OrtStatus* free_block(void** out) {
  (void)out;
  CORE_TRY(api->AllocatorFree(allocator, block));
  block = NULL;
  return NULL;
}
static void free_what_came(void* out) { allocator->Free(allocator, out); }
static OrtStatus* free_inside(void** out) {
  (void)out;
  return api->AllocatorFree(allocator, (char*)block + 8);
}
static OrtStatus* get_info(void** out) {
  return api->AllocatorGetInfo(allocator, (const OrtMemoryInfo**)out);
}
static OrtStatus* get_stats(void** out) {
  CORE_TRY(api->AllocatorGetStats(allocator, (OrtKeyValuePairs**)out));
  CHECK(count_pairs(*out) == 0); /* the default allocator has no arena */
  return NULL;
}
static OrtStatus* get_stats_of_client(void** out) {
  static OrtAllocator client = {.version = 1};
  return api->AllocatorGetStats(&client, (OrtKeyValuePairs**)out);
}
static OrtStatus* shrink(void** out) {
  (void)out;
  return allocator->Shrink(allocator);
}

static OrtStatus* get_constants(void** out) {
  (void)out;
  CHECK(api->GetBuildInfoString() != NULL && api->GetModelEditorApi() != NULL);
  CHECK(api->GetCompileApi() != NULL && api->GetEpApi() != NULL && api->GetInteropApi() != NULL);
  CHECK(api->GetModelPackageApi() != NULL);
  CHECK(api->GetExperimentalFunction(ORTCORE_EMULATE) != NULL);
  return NULL;
}
static OrtStatus* call_what_needs_an_engine(void** out) {
  return api->CreateTensorRTProviderOptions((OrtTensorRTProviderOptionsV2**)out);
}
static OrtStatus* call_late_slot(void** out) {
  const OrtApi* old = core_emulate(12)->GetApi(12);
  return old->CreateMemoryInfo_V2("mine", OrtMemoryInfoDeviceType_GPU, 7, 1,
                                  OrtDeviceMemoryType_DEFAULT, 64, OrtDeviceAllocator,
                                  (OrtMemoryInfo**)out);
}
static OrtStatus* trace(void** out) {
  return core_trace_begin(api, ORT_API_VERSION, "1.9.9", NULL, (OrtcoreTrace**)out);
}
static void end_trace(void* out) { core_trace_end(out); }

static const struct trial trials[] = {
    {"CreateStatus", NULL, create_status, NULL, ORT_FAIL},
    TRIAL("GetErrorCode GetErrorMessage ReleaseStatus", NULL, read_status, NULL),
    TRIAL("CreateMemoryInfo ReleaseMemoryInfo", NULL, create_memory_info, release_info),
    {"CreateMemoryInfo of no device", NULL, create_unknown_memory_info, NULL, ORT_INVALID_ARGUMENT},
    TRIAL("CreateCpuMemoryInfo", NULL, create_cpu_memory_info, release_info),
    TRIAL("CreateMemoryInfo_V2", NULL, create_memory_info_v2, release_info),
    TRIAL("MemoryInfoGetName MemoryInfoGetId MemoryInfoGetMemType MemoryInfoGetType "
          "MemoryInfoGetDeviceType MemoryInfoGetVendorId MemoryInfoGetDeviceMemType "
          "CompareMemoryInfo",
          with_info, read_memory_info, NULL),
    TRIAL("CreateKeyValuePairs ReleaseKeyValuePairs", NULL, create_pairs, release_pairs),
    TRIAL("AddKeyValuePair GetKeyValue GetKeyValuePairs", with_pairs, add_pair, NULL),
    TRIAL("AddKeyValuePair that grows", with_full_pairs, add_pair, NULL),
    TRIAL("AddKeyValuePair that replaces", with_pairs, replace_pair, NULL),
    TRIAL("RemoveKeyValuePair", with_full_pairs, remove_pair, NULL),
    TRIAL("GetAllocatorWithDefaultOptions ReleaseAllocator", NULL, get_allocator, NULL),
    TRIAL("AllocatorAlloc", NULL, alloc, free_what_came),
    {"AllocatorAlloc of too much", NULL, alloc_too_much, NULL, ORT_RUNTIME_EXCEPTION},
    TRIAL("OrtAllocator.Alloc", NULL, alloc_from_struct, free_what_came),
    TRIAL("AllocatorFree", with_block, free_block, NULL),
    {"AllocatorFree of no block", with_block, free_inside, NULL, ORT_INVALID_ARGUMENT},
    TRIAL("AllocatorGetInfo", NULL, get_info, NULL),
    TRIAL("AllocatorGetStats", NULL, get_stats, release_pairs),
    TRIAL("AllocatorGetStats without GetStats", NULL, get_stats_of_client, release_pairs),
    TRIAL("OrtAllocator.Shrink", with_block, shrink, NULL),
    TRIAL("GetBuildInfoString GetModelEditorApi GetCompileApi GetEpApi GetInteropApi "
          "GetModelPackageApi "
          "GetExperimentalFunction",
          NULL, get_constants, NULL),
    {"CreateTensorRTProviderOptions", NULL, call_what_needs_an_engine, NULL, ORT_NOT_IMPLEMENTED},
    {"a late slot", NULL, call_late_slot, NULL, ORT_NOT_IMPLEMENTED},
    TRIAL("a trace", NULL, trace, end_trace),
    {NULL},
};

static void clean(void) {
  api->ReleaseKeyValuePairs(pairs);
  api->ReleaseMemoryInfo(info);
  allocator->Free(allocator, block);
}

const struct section foundations = {trials, clean};
