/* SPDX-License-Identifier: MIT */
/*
 * A library with an execution provider that does what the name asks under which it is registered:
 * the words are below, in `asks`. It has devices on hardware that is memory of the process.
 *
 * AskedEpEvents answers what was called since the last time, in order.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "onnxruntime_c_api.h"
#include "onnxruntime_ep_c_api.h"

#include "events.h"

static const OrtApi* api;
static const OrtEpApi* ep_api;
static char name_given[256];

static int asks(const char* word) { return strstr(name_given, word) != NULL; }

ORT_EXPORT const char* AskedEpEvents(void) { return take_events(); }

/* Whether an allocator may be released, where the name has the word "waits". */
static int may_go_on;
ORT_EXPORT void AskedEpGoOn(void) { __atomic_store_n(&may_go_on, 1, __ATOMIC_RELEASE); }

static OrtStatus* fail_if(const char* word) {
  return asks(word) ? api->CreateStatus(ORT_EP_FAIL, word) : NULL;
}

struct factory {
  OrtEpFactory base;
  const char* name;
  OrtMemoryInfo* infos[3];
  OrtCustomOpDomain* domain;
};

/* --- allocators, copies, streams ------------------------------------------------------------- */

struct allocator {
  OrtAllocator base;
  const OrtMemoryInfo* info;
};

static void* ORT_API_CALL take(OrtAllocator* self, size_t size) { return (void)self, malloc(size); }
static void ORT_API_CALL give(OrtAllocator* self, void* block) { (void)self, free(block); }
static const OrtMemoryInfo* ORT_API_CALL info_of(const OrtAllocator* self) {
  return ((const struct allocator*)self)->info;
}

static OrtStatus* ORT_API_CALL make_allocator(OrtEpFactory* self, const OrtMemoryInfo* info,
                                              const OrtKeyValuePairs* options, OrtAllocator** out) {
  struct factory* factory = (struct factory*)self;
  OrtStatus* status = fail_if("no-allocator");
  note(info == factory->infos[0]   ? "allocator"
       : info == factory->infos[1] ? "host-allocator"
       : info == factory->infos[2] ? "read-only-allocator"
                                   : "allocator-of-other-info");
  if (options != NULL) {
    note("with-options");
  }
  *out = NULL;
  if (status != NULL || asks("null-allocator")) {
    return status;
  }
  struct allocator* made = calloc(1, sizeof *made);
  made->base.version = 22;
  made->base.Alloc = take;
  made->base.Free = give;
  made->base.Info = info_of;
  made->info = info;
  *out = &made->base;
  return NULL;
}

static void ORT_API_CALL release_allocator(OrtEpFactory* self, OrtAllocator* allocator) {
  (void)self;
  if (asks("waits")) {
    note("waits");
    while (!__atomic_load_n(&may_go_on, __ATOMIC_ACQUIRE)) {
      sched_yield();
    }
  }
  note("~allocator");
  free(allocator);
}

static void ORT_API_CALL release_transfer(OrtDataTransferImpl* self) {
  note("~transfer");
  free(self);
}

static bool ORT_API_CALL can_copy(const OrtDataTransferImpl* self, const OrtMemoryDevice* from,
                                  const OrtMemoryDevice* to) {
  (void)self;
  return ep_api->MemoryDevice_GetVendorId(from) == 0xBE57 ||
         ep_api->MemoryDevice_GetVendorId(to) == 0xBE57;
}

static OrtStatus* ORT_API_CALL copy_tensors(OrtDataTransferImpl* self, const OrtValue** from,
                                            OrtValue** to, OrtSyncStream** streams, size_t count) {
  (void)self;
  note(streams == NULL || streams[0] == NULL ? "copy" : "copy-in-stream");
  for (size_t i = 0; i < count; i++) {
    void *source = NULL, *target = NULL;
    size_t size = 0;
    api->ReleaseStatus(api->GetTensorMutableData((OrtValue*)from[i], &source));
    api->ReleaseStatus(api->GetTensorMutableData(to[i], &target));
    api->ReleaseStatus(api->GetTensorSizeInBytes(from[i], &size));
    memcpy(target, source, size);
  }
  return fail_if("no-copy");
}

static OrtStatus* ORT_API_CALL make_transfer(OrtEpFactory* self, OrtDataTransferImpl** out) {
  (void)self;
  note("transfer");
  *out = NULL;
  if (asks("transfers")) {
    OrtDataTransferImpl* made = calloc(1, sizeof *made);
    made->ort_version_supported = 23;
    made->Release = release_transfer;
    made->CanCopy = can_copy;
    made->CopyTensors = asks("half-transfers") ? NULL : copy_tensors;
    *out = made;
  }
  return fail_if("no-transfer");
}

static bool ORT_API_CALL is_stream_aware(const OrtEpFactory* self) {
  return (void)self, asks("streams");
}

static void ORT_API_CALL release_stream(OrtSyncStreamImpl* self) {
  note("~stream");
  free(self);
}

static void* ORT_API_CALL stream_handle(OrtSyncStreamImpl* self) { return self; }

static OrtStatus* ORT_API_CALL make_stream(OrtEpFactory* self, const OrtMemoryDevice* device,
                                           const OrtKeyValuePairs* options,
                                           OrtSyncStreamImpl** out) {
  (void)self, (void)options;
  note(ep_api->MemoryDevice_GetVendorId(device) == 0xBE57 ? "stream" : "stream-elsewhere");
  *out = NULL;
  if (!asks("null-streams")) {
    OrtSyncStreamImpl* made = calloc(1, sizeof *made);
    made->ort_version_supported = 23;
    made->Release = release_stream;
    made->GetHandle = stream_handle;
    *out = made;
  }
  return NULL;
}

/* --- what other APIs share ------------------------------------------------------------------- */

static void ORT_API_CALL release_memory(OrtExternalMemoryHandle* handle) {
  note("~memory");
  free(handle);
}

static OrtStatus* ORT_API_CALL import_memory(OrtExternalResourceImporterImpl* self,
                                             const OrtExternalMemoryDescriptor* desc,
                                             OrtExternalMemoryHandle** out) {
  (void)self;
  note("import-memory");
  OrtExternalMemoryHandle* made = asks("null-imports") ? NULL : calloc(1, sizeof *made);
  if (made != NULL) {
    made->version = desc->version;
    made->descriptor = *desc;
    made->Release = release_memory;
  }
  *out = made;
  return NULL;
}

static bool ORT_API_CALL can_import_memory(const OrtExternalResourceImporterImpl* self,
                                           OrtExternalMemoryHandleType type) {
  return (void)self, type == ORT_EXTERNAL_MEMORY_HANDLE_TYPE_VK_MEMORY_OPAQUE_FD;
}

struct importer {
  OrtExternalResourceImporterImpl base;
  struct factory* factory;
};

static OrtStatus* ORT_API_CALL tensor_of_memory(OrtExternalResourceImporterImpl* self,
                                                const OrtExternalMemoryHandle* handle,
                                                const OrtExternalTensorDescriptor* desc,
                                                OrtValue** out) {
  return api->CreateTensorWithDataAsOrtValue(
      ((struct importer*)self)->factory->infos[0], handle->descriptor.native_handle,
      handle->descriptor.size_bytes, desc->shape, desc->rank, desc->element_type, out);
}

static void ORT_API_CALL release_semaphore(OrtExternalSemaphoreHandle* handle) {
  note("~semaphore");
  free(handle);
}

static OrtStatus* ORT_API_CALL import_semaphore(OrtExternalResourceImporterImpl* self,
                                                const OrtExternalSemaphoreDescriptor* desc,
                                                OrtExternalSemaphoreHandle** out) {
  (void)self;
  note("import-semaphore");
  OrtExternalSemaphoreHandle* made = asks("null-imports") ? NULL : calloc(1, sizeof *made);
  if (made != NULL) {
    made->version = desc->version;
    made->descriptor = *desc;
    made->Release = release_semaphore;
  }
  *out = made;
  return NULL;
}

static bool ORT_API_CALL can_import_semaphore(const OrtExternalResourceImporterImpl* self,
                                              OrtExternalSemaphoreType type) {
  return (void)self, type == ORT_EXTERNAL_SEMAPHORE_VK_TIMELINE_SEMAPHORE_OPAQUE_FD;
}

static OrtStatus* ORT_API_CALL wait_for(OrtExternalResourceImporterImpl* self,
                                        OrtExternalSemaphoreHandle* handle, OrtSyncStream* stream,
                                        uint64_t value) {
  (void)self, (void)handle, (void)stream;
  note(value == 3 ? "wait-3" : "wait");
  return NULL;
}

static OrtStatus* ORT_API_CALL signal_to(OrtExternalResourceImporterImpl* self,
                                         OrtExternalSemaphoreHandle* handle, OrtSyncStream* stream,
                                         uint64_t value) {
  (void)self, (void)handle, (void)stream;
  note(value == 4 ? "signal-4" : "signal");
  return NULL;
}

static void ORT_API_CALL release_importer(OrtExternalResourceImporterImpl* self) {
  note("~importer");
  free(self);
}

static OrtStatus* ORT_API_CALL make_importer(OrtEpFactory* self, const OrtEpDevice* device,
                                             OrtExternalResourceImporterImpl** out) {
  (void)device;
  *out = NULL;
  if (asks("imports")) {
    struct importer* importer = calloc(1, sizeof *importer);
    OrtExternalResourceImporterImpl* made = &importer->base;
    importer->factory = (struct factory*)self;
    made->ort_version_supported = 24;
    made->Release = release_importer;
    if (!asks("empty-imports")) {
      made->CanImportMemory = can_import_memory;
      made->ImportMemory = import_memory;
      made->CreateTensorFromMemory = tensor_of_memory;
      made->CanImportSemaphore = can_import_semaphore;
      made->ImportSemaphore = import_semaphore;
      made->WaitSemaphore = wait_for;
      made->SignalSemaphore = signal_to;
    }
    *out = made;
  }
  return fail_if("no-importer");
}

static OrtStatus* ORT_API_CALL begin_graphics(OrtEpFactory* self, const OrtEpDevice* device,
                                              const OrtGraphicsInteropConfig* config) {
  (void)self, (void)device, (void)config;
  return note("graphics"), NULL;
}

static OrtStatus* ORT_API_CALL end_graphics(OrtEpFactory* self, const OrtEpDevice* device) {
  (void)self, (void)device;
  return note("~graphics"), NULL;
}

/* --- the factory ----------------------------------------------------------------------------- */

static const char* ORT_API_CALL name_of(const OrtEpFactory* self) {
  return asks("nameless") ? NULL : ((const struct factory*)self)->name;
}
static const char* ORT_API_CALL vendor_of(const OrtEpFactory* self) { return (void)self, "tests"; }
static const char* ORT_API_CALL version_of(const OrtEpFactory* self) { return (void)self, "1.2.3"; }
static uint32_t ORT_API_CALL vendor_id_of(const OrtEpFactory* self) { return (void)self, 0xBE57; }

static OrtStatus* add_memories(struct factory* factory, OrtEpDevice* device) {
  OrtStatus* status = ep_api->EpDevice_AddAllocatorInfo(device, factory->infos[0]);
  if (status == NULL && asks("host-memory")) {
    status = ep_api->EpDevice_AddAllocatorInfo(device, factory->infos[1]);
  }
  if (status == NULL && asks("read-only-memory")) {
    status = ep_api->EpDevice_AddAllocatorInfo(device, factory->infos[2]);
  }
  return status;
}

static OrtStatus* make_device(struct factory* factory, const OrtHardwareDevice* on,
                              OrtEpDevice** out) {
  OrtKeyValuePairs *metadata = NULL, *options = NULL;
  api->CreateKeyValuePairs(&metadata);
  api->CreateKeyValuePairs(&options);
  api->AddKeyValuePair(metadata, asks("own-path") ? "library_path" : "kind", "asked");
  api->AddKeyValuePair(options, "Default", "1");
  OrtStatus* status = ep_api->CreateEpDevice(&factory->base, on, metadata, options, out);
  if (status == NULL && asks("memory")) {
    status = add_memories(factory, *out);
  }
  api->ReleaseKeyValuePairs(metadata);
  api->ReleaseKeyValuePairs(options);
  return status;
}

static OrtStatus* ORT_API_CALL supported(OrtEpFactory* self,
                                         const OrtHardwareDevice* const* devices,
                                         size_t num_devices, OrtEpDevice** ep_devices, size_t room,
                                         size_t* count) {
  OrtStatus* status = fail_if("no-devices");
  note("devices");
  size_t wanted = asks("three-devices") ? 3 : 1;
  for (size_t i = 0; status == NULL && i < wanted && num_devices > 0 && *count < room; i++) {
    status = make_device((struct factory*)self, devices[0], &ep_devices[*count]);
    *count += status == NULL;
  }
  while (status != NULL && *count > 0) {
    ep_api->ReleaseEpDevice(ep_devices[--*count]);
  }
  if (asks("nine-devices")) {
    *count = 9;
  }
  if (asks("null-device")) {
    ep_devices[(*count)++] = NULL;
  }
  if (asks("same-device")) {
    ep_devices[*count] = ep_devices[0];
    ++*count;
  }
  return status;
}

static OrtStatus* ORT_API_CALL create(OrtEpFactory* self, const OrtHardwareDevice* const* devices,
                                      const OrtKeyValuePairs* const* metadata, size_t count,
                                      const OrtSessionOptions* options, const OrtLogger* logger,
                                      OrtEp** ep) {
  (void)self, (void)devices, (void)metadata, (void)count, (void)options, (void)logger;
  *ep = NULL;
  return api->CreateStatus(ORT_EP_FAIL, "this provider computes nothing");
}

static void ORT_API_CALL release_ep(OrtEpFactory* self, OrtEp* ep) { (void)self, (void)ep; }

static OrtStatus* ORT_API_CALL validate(OrtEpFactory* self, const OrtHardwareDevice* const* devices,
                                        size_t count, const char* info,
                                        OrtCompiledModelCompatibility* out) {
  (void)self, (void)devices;
  *out = strcmp(info, "mine") == 0 && count == 1
             ? OrtCompiledModelCompatibility_EP_SUPPORTED_OPTIMAL
             : OrtCompiledModelCompatibility_EP_UNSUPPORTED;
  return fail_if("no-validation");
}

static OrtStatus* ORT_API_CALL why_not(OrtEpFactory* self, const OrtHardwareDevice* hardware,
                                       OrtDeviceEpIncompatibilityDetails* details) {
  (void)self, (void)hardware;
  if (asks("incompatible")) {
    OrtStatus* status = ep_api->DeviceEpIncompatibilityDetails_SetDetails(details, 4, -7, "first");
    api->ReleaseStatus(status);
    return ep_api->DeviceEpIncompatibilityDetails_SetDetails(
        details, OrtDeviceEpIncompatibility_DRIVER_INCOMPATIBLE, 42, "too old");
  }
  return fail_if("no-details");
}

static OrtStatus* ORT_API_CALL count_domains(OrtEpFactory* self, size_t* count) {
  *count = ((struct factory*)self)->domain != NULL;
  return fail_if("no-domains");
}

static OrtStatus* ORT_API_CALL domains_of(OrtEpFactory* self, OrtCustomOpDomain** out,
                                          size_t count) {
  if (count > 0) {
    out[0] = ((struct factory*)self)->domain;
  }
  return NULL;
}

static OrtStatus* begin_factory(struct factory* factory, const char* name) {
  factory->name = name;
  OrtEpFactory* base = &factory->base;
  base->ort_version_supported = asks("version-21") ? 21 : asks("version-22") ? 22 : 25;
  base->GetName = name_of;
  base->GetVendor = vendor_of;
  base->GetSupportedDevices = supported;
  base->CreateEp = asks("cannot-create") ? NULL : create;
  base->ReleaseEp = release_ep;
  base->GetVendorId = vendor_id_of;
  base->GetVersion = version_of;
  base->ValidateCompiledModelCompatibilityInfo = validate;
  base->CreateAllocator = make_allocator;
  base->ReleaseAllocator = release_allocator;
  base->CreateDataTransfer = make_transfer;
  base->IsStreamAware = is_stream_aware;
  base->CreateSyncStreamForDevice = make_stream;
  base->GetHardwareDeviceIncompatibilityDetails = why_not;
  base->CreateExternalResourceImporterForDevice = make_importer;
  base->GetNumCustomOpDomains = count_domains;
  base->GetCustomOpDomains = domains_of;
  base->InitGraphicsInterop = begin_graphics;
  base->DeinitGraphicsInterop = end_graphics;
  OrtAllocatorType type = asks("arena") ? OrtArenaAllocator : OrtDeviceAllocator;
  OrtStatus* status =
      api->CreateMemoryInfo_V2("asked", OrtMemoryInfoDeviceType_GPU, 0xBE57, 0,
                               OrtDeviceMemoryType_DEFAULT, 0, type, &factory->infos[0]);
  if (status == NULL) {
    status =
        api->CreateMemoryInfo_V2("asked", OrtMemoryInfoDeviceType_GPU, 0xBE57, 0,
                                 OrtDeviceMemoryType_HOST_ACCESSIBLE, 0, type, &factory->infos[1]);
  }
  if (status == NULL) {
    status = api->CreateMemoryInfo_V2("asked", OrtMemoryInfoDeviceType_GPU, 0xBE57, 1,
                                      OrtDeviceMemoryType_DEFAULT, 0, OrtReadOnlyAllocator,
                                      &factory->infos[2]);
  }
  return status;
}

static void end_factory(struct factory* factory) {
  for (int i = 0; i < 3; i++) {
    api->ReleaseMemoryInfo(factory->infos[i]);
  }
  api->ReleaseCustomOpDomain(factory->domain);
  free(factory);
}

ORT_EXPORT OrtStatus* CreateEpFactories(const char* registered_name, const OrtApiBase* base,
                                        const OrtLogger* logger, OrtEpFactory** made, size_t room,
                                        size_t* count) {
  snprintf(name_given, sizeof name_given, "%s", registered_name);
  note(logger != NULL && room == 4 && *count == 0 ? "create" : "create-otherwise");
  if (asks("newer")) {
    return base->GetApi(99), NULL;
  }
  api = base->GetApi(23);
  ep_api = api->GetEpApi();
  *count = asks("no-factory") ? 0 : asks("five") ? 5 : asks("two") ? 2 : 1;
  OrtStatus* status = fail_if("refuse");
  for (size_t i = 0; status == NULL && i < *count && i < 2; i++) {
    struct factory* factory = calloc(1, sizeof *factory);
    status = begin_factory(factory, i == 0 ? "AskedEP" : "OtherEP");
    if (status == NULL && asks("domains")) {
      status = api->CreateCustomOpDomain("asked", &factory->domain);
    }
    if (status != NULL || asks("null-factory")) {
      end_factory(factory);
    } else {
      made[i] = &factory->base;
    }
  }
  if (status != NULL && made[0] != NULL) {
    end_factory((struct factory*)made[0]);
  }
  if (asks("same-factory")) {
    made[(*count)++] = made[0];
  }
  return status;
}

ORT_EXPORT OrtStatus* ReleaseEpFactory(OrtEpFactory* factory) {
  note("~factory");
  end_factory((struct factory*)factory);
  return fail_if("no-end");
}
