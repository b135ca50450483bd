/* SPDX-License-Identifier: MIT */
/* What an execution provider makes for the library: allocators, streams, copies, answers. */
#include "behaviour_eps.h"
#include "behaviour_values.h"

/* A call with an environment `e` and a device `d` of a library that was asked for `words`. */
#define WITH_EP(text, words, ...)                  \
  CALL(text) {                                     \
    OrtEnv* e = env_of_eps();                      \
    const OrtEpDevice* d = device_of_ep(e, words); \
    const OrtEpApi* ep = api->GetEpApi();          \
    (void)ep;                                      \
    if (d == NULL) {                               \
      return;                                      \
    }                                              \
    events_of_ep();                                \
    __VA_ARGS__;                                   \
    say("%s", events_of_ep());                     \
  }

#define DEFAULT OrtDeviceMemoryType_DEFAULT
#define OF_HOST OrtDeviceMemoryType_HOST_ACCESSIBLE

/* --- allocators ------------------------------------------------------------------------------ */

static void find_allocator(OrtEnv* env, const OrtMemoryInfo* info) {
  OrtAllocator* found = UNTOUCHED;
  say_status(api->GetSharedAllocator(env, info, &found));
  say_out(found, UNTOUCHED);
}
WITH_EP("GetSharedAllocator of a device", "memory",
        find_allocator(e, api->EpDevice_MemoryInfo(d, OrtDeviceMemoryType_DEFAULT)))
WITH_EP("GetSharedAllocator of memory of the host", "memory host-memory",
        find_allocator(e, api->EpDevice_MemoryInfo(d, OrtDeviceMemoryType_HOST_ACCESSIBLE)))
WITH_EP("GetSharedAllocator after UnregisterExecutionProviderLibrary", "memory",
        OrtMemoryInfo* info = NULL;
        CHECK(api->CreateMemoryInfo_V2("asked", OrtMemoryInfoDeviceType_GPU, 0xBE57, 0, DEFAULT, 0,
                                       OrtDeviceAllocator, &info) == NULL);
        find_allocator(e, info); say_status(api->UnregisterExecutionProviderLibrary(e, "memory"));
        find_allocator(e, info))

static void share(OrtEnv* env, const OrtEpDevice* device, OrtDeviceMemoryType memory,
                  OrtAllocatorType type, const OrtKeyValuePairs* options) {
  OrtAllocator *found = UNTOUCHED, *shared = NULL;
  say_status(api->CreateSharedAllocator(env, device, memory, type, options, &found));
  say_out(found, UNTOUCHED);
  const OrtMemoryInfo* info = api->EpDevice_MemoryInfo(device, memory);
  if (info != NULL) {
    api->ReleaseStatus(api->GetSharedAllocator(env, info, &shared));
    say("%s", shared == found ? "shared" : "another one is shared");
  }
}
WITH_EP("CreateSharedAllocator(e,d,0)", "memory", share(e, d, DEFAULT, OrtDeviceAllocator, NULL))
WITH_EP("CreateSharedAllocator(e,d,5)", "memory", share(e, d, OF_HOST, OrtDeviceAllocator, NULL))
WITH_EP("CreateSharedAllocator(e,d,5) of a device with it", "memory host-memory",
        share(e, d, OF_HOST, OrtDeviceAllocator, NULL))
WITH_EP("CreateSharedAllocator(e,d,0,arena)", "memory",
        share(e, d, DEFAULT, OrtArenaAllocator, NULL))
WITH_EP("CreateSharedAllocator(e,d,0,read-only)", "memory read-only-memory",
        share(e, d, DEFAULT, OrtReadOnlyAllocator, NULL))
WITH_EP("CreateSharedAllocator(e,d,0,options)", "memory", OrtKeyValuePairs* o = NULL;
        api->CreateKeyValuePairs(&o); share(e, d, DEFAULT, OrtDeviceAllocator, o);
        api->ReleaseKeyValuePairs(o))
WITH_EP("ReleaseSharedAllocator(e,d,0)", "memory",
        say_status(api->ReleaseSharedAllocator(e, d, DEFAULT));
        find_allocator(e, api->EpDevice_MemoryInfo(d, DEFAULT));
        say_status(api->ReleaseSharedAllocator(e, d, DEFAULT)))
WITH_EP("ReleaseSharedAllocator(e,d,5)", "memory",
        say_status(api->ReleaseSharedAllocator(e, d, OF_HOST)))

/* --- streams --------------------------------------------------------------------------------- */

static void make_stream(const OrtEpDevice* device, const OrtKeyValuePairs* options) {
  OrtSyncStream* stream = UNTOUCHED;
  const OrtEpApi* ep = api->GetEpApi();
  if (!say_status(api->CreateSyncStreamForEpDevice(device, options, &stream))) {
    say_out(stream, UNTOUCHED);
    return;
  }
  say_pointer(api->SyncStream_GetHandle(stream));
  say("%d %d %d", ep->SyncStream_GetImpl(stream) == api->SyncStream_GetHandle(stream),
      (int)ep->SyncStream_GetSyncId(stream),
      (int)ep->GetSyncIdForLastWaitOnSyncStream(stream, stream));
  api->ReleaseSyncStream(stream);
}
WITH_EP("CreateSyncStreamForEpDevice(d,NULL,&s)", "memory streams", make_stream(d, NULL))
WITH_EP("CreateSyncStreamForEpDevice of a provider without streams", "memory", make_stream(d, NULL))
WITH_EP("CreateSyncStreamForEpDevice of a device without memory", "streams", make_stream(d, NULL))
WITH_EP("CreateSyncStreamForEpDevice that makes none", "memory streams null-streams",
        make_stream(d, NULL))
WITH_EP("CreateSyncStreamForEpDevice of a factory of version 22", "memory streams version-22",
        make_stream(d, NULL))
CALL("GetSyncIdForLastWaitOnSyncStream(NULL,NULL)") {
  say("%d", (int)api->GetEpApi()->GetSyncIdForLastWaitOnSyncStream(NULL, NULL));
}

/* --- copies ---------------------------------------------------------------------------------- */

static void ep_objects_copy(OrtEnv* env, const OrtEpDevice* device, OrtSyncStream* stream,
                            int back) {
  OrtAllocator* allocator = NULL;
  const int64_t dims[] = {3};
  OrtValue *there = NULL, *here = FLOATS(1, 2, 3);
  const OrtMemoryInfo* info = api->EpDevice_MemoryInfo(device, DEFAULT);
  CHECK(api->GetSharedAllocator(env, info, &allocator) == NULL);
  CHECK(api->CreateTensorAsOrtValue(allocator, dims, 1, FLOAT, &there) == NULL);
  const OrtValue* from[] = {back ? there : here};
  OrtValue* to[] = {back ? here : there};
  say_status(api->CopyTensors(env, from, to, stream, 1));
  api->ReleaseValue(there);
  api->ReleaseValue(here);
}
WITH_EP("CopyTensors to a device", "memory transfers", ep_objects_copy(e, d, NULL, 0))
WITH_EP("CopyTensors from a device", "memory transfers", ep_objects_copy(e, d, NULL, 1))
WITH_EP("CopyTensors to a device without transfers", "memory", ep_objects_copy(e, d, NULL, 0))
WITH_EP("CopyTensors that the provider fails", "memory transfers no-copy",
        ep_objects_copy(e, d, NULL, 0))
WITH_EP("CopyTensors in a stream", "memory transfers streams", OrtSyncStream* s = NULL;
        CHECK(api->CreateSyncStreamForEpDevice(d, NULL, &s) == NULL); ep_objects_copy(e, d, s, 0);
        api->ReleaseSyncStream(s))

/* --- memory devices -------------------------------------------------------------------------- */

static void say_memory(const OrtMemoryDevice* device) {
  const OrtEpApi* ep = api->GetEpApi();
  say_pointer(device);
  if (device != NULL) {
    say("%d %d %x %u", (int)ep->MemoryDevice_GetDeviceType(device),
        (int)ep->MemoryDevice_GetMemoryType(device), ep->MemoryDevice_GetVendorId(device),
        ep->MemoryDevice_GetDeviceId(device));
  }
}
static const OrtMemoryDevice* memory(const char* name, uint32_t vendor, int32_t id,
                                     size_t alignment, OrtAllocatorType type) {
  OrtMemoryInfo* info = NULL;
  CHECK(api->CreateMemoryInfo_V2(name, OrtMemoryInfoDeviceType_GPU, vendor, id, OF_HOST, alignment,
                                 type, &info) == NULL);
  return api->GetEpApi()->MemoryInfo_GetMemoryDevice(info);
}
#define MEMORY memory("a", 7, 3, 64, OrtDeviceAllocator)
#define EQUAL(text, other)                                                   \
  CALL("MemoryDevice_AreEqual of " text) {                                   \
    say("%d", (int)api->GetEpApi()->MemoryDevice_AreEqual(MEMORY, (other))); \
  }
CALL("MemoryInfo_GetMemoryDevice(i)") { say_memory(MEMORY); }
CALL("Value_GetMemoryDevice(v)") { say_memory(api->GetEpApi()->Value_GetMemoryDevice(FLOATS(1))); }
CALL("Value_GetMemoryDevice(NULL)") { say_memory(api->GetEpApi()->Value_GetMemoryDevice(NULL)); }
CALL("Value_GetMemoryDevice(sequence)") {
  const OrtValue* items[] = {FLOATS(1)};
  OrtValue* sequence = NEW(OrtValue, api->CreateValue(items, 1, ONNX_TYPE_SEQUENCE, &new_));
  say_memory(api->GetEpApi()->Value_GetMemoryDevice(sequence));
}
EQUAL("the same", MEMORY)
EQUAL("another name and allocator", memory("b", 7, 3, 64, OrtReadOnlyAllocator))
EQUAL("another vendor", memory("a", 8, 3, 64, OrtDeviceAllocator))
EQUAL("another id", memory("a", 7, 4, 64, OrtDeviceAllocator))
EQUAL("another alignment", memory("a", 7, 3, 128, OrtDeviceAllocator))
EQUAL("NULL", NULL)

#undef DEFAULT
#undef WITH_EP
