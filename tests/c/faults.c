/* SPDX-License-Identifier: MIT */
/*
 * The n-th allocation inside a call fails, for every n: the answer must be a clean status for a
 * lack of memory, with nothing leaked and no out-parameter touched.
 *
 * faults: linked with the core's objects, built on the C library's malloc, whose allocations can be
 * made to fail. Prints each function with the number of allocations that it makes.
 */
#include <sys/wait.h>

#include "adaptor.h"
#include "client.h"
#include "heap.h"
#include "hosts.h"
#include "memory_info.h"

#define UNTOUCHED ((void*)16)
#define LONG_KEY "a key that is longer than it was"

static const OrtApi* api;
static OrtAllocator* allocator;
static OrtKeyValuePairs* pairs;
static OrtMemoryInfo* info;
static void* block;
/* The outermost, and all of which it is made. */
static OrtAllocator* adaptor;
static OrtAllocator* adaptors[4];

/* A call whose failure shows in its effects alone answers this. */
static OrtStatus* failed_without_status(void) {
  static const struct OrtStatus silent = {ORT_RUNTIME_EXCEPTION, 1, "out of memory"};
  return core_constant_status(&silent);
}

/* One call. `prepare` makes what it needs, `undo` gives back what it made; both without faults. */
struct trial {
  const char* name;
  void (*prepare)(void);
  OrtStatus* (*make)(void** out);
  void (*undo)(void* out);
  /* The code of the status that it makes when nothing is lacking. */
  OrtErrorCode code;
};

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
static void release_info(void* out) { api->ReleaseMemoryInfo(out); }
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
static size_t count_pairs(const OrtKeyValuePairs* which) {
  size_t count = 0;
  api->GetKeyValuePairs(which, NULL, NULL, &count);
  return count;
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
static void release_pairs(void* out) { api->ReleaseKeyValuePairs(out); }

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
  CHECK(count_pairs(*out) == 8);
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
  CHECK(api->GetExperimentalFunction(ORTCORE_EMULATE) != NULL);
  return NULL;
}
static OrtStatus* call_what_needs_an_engine(void** out) {
  return api->CreateEnv(ORT_LOGGING_LEVEL_WARNING, "id", (OrtEnv**)out);
}
static OrtStatus* call_late_slot(void** out) {
  const OrtApi* old = core_emulate(12)->GetApi(12);
  return old->CreateMemoryInfo_V2("mine", OrtMemoryInfoDeviceType_GPU, 7, 1,
                                  OrtDeviceMemoryType_DEFAULT, 64, OrtDeviceAllocator,
                                  (OrtMemoryInfo**)out);
}
static OrtStatus* trace(void** out) {
  return core_trace_begin(api, 30, "1.30.0", NULL, (OrtcoreTrace**)out);
}
static void end_trace(void* out) { core_trace_end(out); }

static void observe(void* context, int event, void* what, size_t size) {
  (void)context, (void)event, (void)what, (void)size;
}
static void* callback_alloc(void* context, size_t size) { return (void)context, malloc(size); }
static void callback_free(void* context, void* what) { (void)context, free(what); }
static OrtStatus* create_aligned(void** out) {
  return core_create_aligned(allocator, 4096, (OrtAllocator**)out);
}
static OrtStatus* create_limiting(void** out) {
  return core_create_limiting(allocator, 1 << 20, (OrtAllocator**)out);
}
static OrtStatus* create_failing(void** out) {
  return core_create_failing(allocator, 10, (OrtAllocator**)out);
}
static OrtStatus* create_observing(void** out) {
  return core_create_observing(allocator, observe, NULL, (OrtAllocator**)out);
}
static OrtStatus* create_from_callbacks(void** out) {
  static const struct core_callbacks callbacks = {callback_alloc, callback_free, NULL, NULL};
  return core_create_from_callbacks(&callbacks, &core_cpu_memory_info, NULL, (OrtAllocator**)out);
}
static OrtStatus* create_tracking(void** out) {
  return core_create_tracking(allocator, (OrtAllocator**)out);
}
static void release_adaptor(void* out) { core_release_adaptor(out); }
static void with_limiting(void) {
  CHECK(create_limiting((void**)&adaptors[0]) == NULL);
  adaptor = adaptors[0];
}
static void with_tracking(void) {
  CHECK(create_tracking((void**)&adaptors[0]) == NULL);
  adaptor = adaptors[0];
  core_tracking_record(adaptor, 1);
}
static void with_all_adaptors(void) {
  CHECK(core_create_aligned(allocator, 4096, &adaptors[0]) == NULL);
  CHECK(core_create_limiting(adaptors[0], 1 << 20, &adaptors[1]) == NULL);
  CHECK(core_create_observing(adaptors[1], observe, NULL, &adaptors[2]) == NULL);
  CHECK(core_create_tracking(adaptors[2], &adaptors[3]) == NULL);
  adaptor = adaptors[3];
}
static OrtStatus* alloc_from_adaptor(void** out) { return api->AllocatorAlloc(adaptor, 100, out); }
static void free_in_adaptor(void* out) { adaptor->Free(adaptor, out); }
static OrtStatus* get_stats_of_adaptor(void** out) {
  CORE_TRY(api->AllocatorGetStats(adaptor, (OrtKeyValuePairs**)out));
  CHECK(count_pairs(*out) == 6);
  return NULL;
}

#define TRIAL(name, prepare, make, undo) {name, prepare, make, undo, ORT_OK}
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
          "GetExperimentalFunction",
          NULL, get_constants, NULL),
    {"CreateEnv", NULL, call_what_needs_an_engine, NULL, ORT_NOT_IMPLEMENTED},
    {"a late slot", NULL, call_late_slot, NULL, ORT_NOT_IMPLEMENTED},
    TRIAL("a trace", NULL, trace, end_trace),
    TRIAL("Aligned", NULL, create_aligned, release_adaptor),
    TRIAL("Limiting", NULL, create_limiting, release_adaptor),
    TRIAL("Failing", NULL, create_failing, release_adaptor),
    TRIAL("Observing", NULL, create_observing, release_adaptor),
    TRIAL("from callbacks", NULL, create_from_callbacks, release_adaptor),
    TRIAL("Tracking", NULL, create_tracking, release_adaptor),
    TRIAL("Limiting.Alloc", with_limiting, alloc_from_adaptor, free_in_adaptor),
    TRIAL("Tracking.Alloc", with_tracking, alloc_from_adaptor, free_in_adaptor),
    TRIAL("Tracking.GetStats", with_tracking, get_stats_of_adaptor, release_pairs),
    TRIAL("Alloc through all", with_all_adaptors, alloc_from_adaptor, free_in_adaptor),
};

/* Gives back what a trial's `prepare` made. */
static void clean(void) {
  api->ReleaseKeyValuePairs(pairs);
  api->ReleaseMemoryInfo(info);
  allocator->Free(allocator, block);
  for (size_t i = CORE_COUNT_OF(adaptors); i-- > 0;) {
    core_release_adaptor(adaptors[i]);
  }
}

struct census {
  int64_t objects[CORE_KINDS];
  uint64_t bytes;
};

static struct census take_census(void) {
  struct census census;
  for (int kind = 0; kind < CORE_KINDS; kind++) {
    census.objects[kind] = heap_live_objects((enum core_kind)kind);
  }
  struct heap_stats stats;
  heap_read_stats(&stats);
  census.bytes = stats.live_bytes;
  return census;
}

static void must_be_as_before(const struct census* before) {
  struct census now = take_census();
  for (int kind = 0; kind < CORE_KINDS; kind++) {
    CHECK(now.objects[kind] == before->objects[kind]);
  }
  CHECK(now.bytes == before->bytes);
}

/* Ends a process in which the allocations from number `first` to before `last` failed: with 0 if
 * there were so many, else with 3. A call that does its work without the memory may succeed. */
static void attempt(const struct trial* trial, uint64_t first, uint64_t last) {
  struct census before = take_census();
  if (trial->prepare != NULL) {
    trial->prepare();
  }
  void* out = UNTOUCHED;
  heap_faults = (struct heap_faults){.first = first, .last = last};
  OrtStatus* status = trial->make(&out);
  int reached = heap_faults.calls > first;
  heap_faults = (struct heap_faults){0};
  int failed = api->GetErrorCode(status) != trial->code;
  if (failed) {
    CHECK(reached && api->GetErrorCode(status) == ORT_RUNTIME_EXCEPTION);
    CHECK(strstr(api->GetErrorMessage(status), "out of memory") != NULL);
  }
  CHECK(status == NULL || out == UNTOUCHED);
  api->ReleaseStatus(status);
  if (out != UNTOUCHED && trial->undo != NULL) {
    trial->undo(out);
  }
  clean();
  must_be_as_before(&before);
  exit(reached ? 0 : 3);
}

/* How many allocations a trial makes, each of which fails: alone, or with all that follow. */
static unsigned try_all(const struct trial* trial, int alone) {
  for (unsigned n = 0;; n++) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
      attempt(trial, n, alone ? n + 1 : UINT64_MAX);
    }
    int result = 0;
    waitpid(child, &result, 0);
    if (WIFEXITED(result) && WEXITSTATUS(result) == 3) {
      return n;
    }
    if (result != 0) {
      fprintf(stderr, "%s: allocation %u failed: ended with %d\n", trial->name, n, result);
      exit(1);
    }
  }
}

int main(void) {
  api = core_api_base()->GetApi(ORT_API_VERSION);
  CHECK(api->GetAllocatorWithDefaultOptions(&allocator) == NULL);
  for (size_t i = 0; i < CORE_COUNT_OF(trials); i++) {
    unsigned alone = try_all(&trials[i], 1);
    unsigned together = try_all(&trials[i], 0);
    printf("%s: %u and %u\n", trials[i].name, alone, together);
  }
  return 0;
}
