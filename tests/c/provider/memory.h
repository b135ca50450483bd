/* SPDX-License-Identifier: MIT */
/* The provider's allocators, copies of tensors, streams, and what it imports from other APIs. */
#ifndef ORTCFFI_TESTS_PROVIDER_MEMORY_H_
#define ORTCFFI_TESTS_PROVIDER_MEMORY_H_

#include <sched.h>

#include "provider.h"

/* --- memory, which of a device only this library can read ------------------------------------- */

/* No user's address has this bit. */
#define TAG ((uintptr_t)1 << 62)

static void* tagged(void* block) {
  return block == NULL || !IS(DEVICE) ? block : (void*)((uintptr_t)block | TAG);
}
static void* plain(void* block) { return (void*)((uintptr_t)block & ~TAG); }

typedef struct Memory {
  OrtAllocator base;
  const OrtMemoryInfo* info;
} Memory;

/* Whether the stream has work that nobody has waited for. */
static int is_pending;
/* Whether an allocator may be released, where the words have "waits". */
static int may_go_on;
ORT_EXPORT void AskedEpGoOn(void) { __atomic_store_n(&may_go_on, 1, __ATOMIC_RELEASE); }

static void* ORT_API_CALL take(OrtAllocator* self, size_t size) {
  (void)self;
  if (is_failing("Alloc")) {
    if (FailingEpMode == THROW) planned("Alloc");
    return NULL;
  }
  count(1);
  return tagged(malloc(size + 1));
}
static void ORT_API_CALL give(OrtAllocator* self, void* block) {
  (void)self;
  if (is_pending) note("freed-too-early");
  count(-(block != NULL));
  free(plain(block));
}
static const OrtMemoryInfo* ORT_API_CALL info_of(const OrtAllocator* self) {
  return ((const Memory*)self)->info;
}

static void ORT_API_CALL release_allocator(OrtEpFactory* self, OrtAllocator* allocator) {
  if (IS(ASKED) && asks(self, "waits")) {
    note("waits");
    while (!__atomic_load_n(&may_go_on, __ATOMIC_ACQUIRE)) sched_yield();
  }
  if (IS(ASKED)) note("~allocator");
  end(allocator, sizeof(Memory));
}
static OrtStatus* new_allocator(const OrtMemoryInfo* info, OrtAllocator** out) {
  Memory* made = calloc(1, sizeof *made);
  made->base.version = 22;
  made->base.Alloc = take;
  made->base.Free = give;
  made->base.Info = info_of;
  made->info = info;
  return *out = &made->base, NULL;
}
static void note_allocator(const Maker* maker, const OrtMemoryInfo* info, int has_options) {
  note(info == maker->infos[OWN]               ? "allocator"
       : info == maker->infos[HOST_ACCESSIBLE] ? "host-allocator"
       : info == maker->infos[READ_ONLY]       ? "read-only-allocator"
                                               : "allocator-of-other-info");
  if (has_options) note("with-options");
}
static OrtStatus* ORT_API_CALL make_allocator(OrtEpFactory* self, const OrtMemoryInfo* info,
                                              const OrtKeyValuePairs* options, OrtAllocator** out) {
  *out = NULL;
  if (IS(ASKED)) note_allocator((Maker*)self, info, options != NULL);
  TRY(fail_if(self, "no-allocator"));
  if (asks(self, "null-allocator")) return NULL;
  MAKE("CreateAllocator of the factory", new_allocator(info, out), release_allocator(self, *out));
}
static OrtStatus* ORT_API_CALL allocator_of_ep(OrtEp* self, const OrtMemoryInfo* info,
                                               OrtAllocator** out) {
  MAKE("CreateAllocator", new_allocator(info, out),
       release_allocator(&maker_of(self)->guide.base, *out));
}

/* --- copies ----------------------------------------------------------------------------------- */

typedef struct Transfer {
  OrtDataTransferImpl base;
  const Maker* maker;
} Transfer;

static int is_on_device(const OrtMemoryDevice* device) {
  return ep_api->MemoryDevice_GetVendorId(device) == VENDOR;
}
static bool ORT_API_CALL can_copy(const OrtDataTransferImpl* self, const OrtMemoryDevice* from,
                                  const OrtMemoryDevice* to) {
  return (void)self, is_on_device(from) || is_on_device(to);
}

static OrtStatus* copy_all(const Maker* maker, const OrtValue** from, OrtValue** to, size_t n) {
  for (size_t i = 0; i < n; i++) {
    void *source, *target;
    size_t size;
    TRY(fail_if(maker, "no-copy"));
    TRY(api->GetTensorMutableData((OrtValue*)from[i], &source));
    TRY(api->GetTensorMutableData(to[i], &target));
    TRY(api->GetTensorSizeInBytes(from[i], &size));
    if (IS(DEVICE)) note((uintptr_t)target & TAG ? "in" : "out");
    is_pending = IS(DEVICE) && asks(maker, "frees");
    memcpy(plain(target), plain(source), size);
  }
  return NULL;
}
static OrtStatus* ORT_API_CALL copy_tensors(OrtDataTransferImpl* self, const OrtValue** from,
                                            OrtValue** to, OrtSyncStream** streams, size_t n) {
  if (IS(ASKED)) note(streams == NULL || streams[0] == NULL ? "copy" : "copy-in-stream");
  DO("CopyTensors", copy_all(((Transfer*)self)->maker, from, to, n));
}

static void ORT_API_CALL release_transfer(OrtDataTransferImpl* self) {
  if (IS(ASKED)) note("~transfer");
  end(self, sizeof(Transfer));
}
static OrtStatus* new_transfer(const void* factory, OrtDataTransferImpl** out) {
  Transfer* made = calloc(1, sizeof *made);
  made->base.ort_version_supported = 23;
  made->base.Release = release_transfer;
  made->base.CanCopy = can_copy;
  made->base.CopyTensors = asks(factory, "half-transfers") ? NULL : copy_tensors;
  made->maker = factory;
  return *out = &made->base, NULL;
}
static OrtStatus* ORT_API_CALL make_transfer(OrtEpFactory* self, OrtDataTransferImpl** out) {
  *out = NULL;
  if (IS(ASKED)) {
    note("transfer");
    if (asks(self, "transfers")) new_transfer(self, out);
    return fail_if(self, "no-transfer");
  }
  if (!asks(self, "memory") || asks(self, "no-transfer")) return NULL;
  MAKE("CreateDataTransfer", new_transfer(self, out), release_transfer(*out));
}

/* --- streams ---------------------------------------------------------------------------------- */

static int stream_handle;

static void ORT_API_CALL release_notification(OrtSyncNotificationImpl* self) {
  end(self, sizeof *self);
}
static OrtStatus* ORT_API_CALL activate(OrtSyncNotificationImpl* self) {
  (void)self;
  DO("Activate", NULL);
}
static OrtStatus* ORT_API_CALL wait_on_host(OrtSyncNotificationImpl* self) {
  (void)self;
  DO("WaitOnHost", NULL);
}
static OrtStatus* new_notification(OrtSyncNotificationImpl** out) {
  OrtSyncNotificationImpl* made = calloc(1, sizeof *made);
  made->ort_version_supported = 23;
  made->Release = release_notification;
  made->Activate = activate;
  made->WaitOnHost = wait_on_host;
  return *out = made, NULL;
}
static OrtStatus* ORT_API_CALL notify(OrtSyncStreamImpl* self, OrtSyncNotificationImpl** out) {
  (void)self;
  MAKE("CreateNotification", new_notification(out), release_notification(*out));
}

static void ORT_API_CALL release_stream(OrtSyncStreamImpl* self) {
  note("~stream");
  end(self, sizeof *self);
}
static void* ORT_API_CALL handle_of(OrtSyncStreamImpl* self) {
  return IS(DEVICE) ? (void*)&stream_handle : self;
}
static OrtStatus* ORT_API_CALL flush(OrtSyncStreamImpl* self) {
  (void)self;
  is_pending = 0;
  DO("Flush", noted("flush"));
}
static OrtStatus* ORT_API_CALL end_run(OrtSyncStreamImpl* self) {
  (void)self;
  DO("OnSessionRunEnd", noted("run-end"));
}
static bool ORT_API_CALL has_streams(const OrtEpFactory* self) { return asks(self, "streams"); }

static OrtStatus* new_stream(const Maker* maker, OrtSyncStreamImpl** out) {
  OrtSyncStreamImpl* made = calloc(1, sizeof *made);
  made->ort_version_supported = 23;
  made->Release = release_stream;
  made->GetHandle = handle_of;
  made->Flush = IS(DEVICE) ? flush : NULL;
  made->OnSessionRunEnd = IS(DEVICE) ? end_run : NULL;
  made->CreateNotification = asks(maker, "every-call") ? notify : NULL;
  return *out = made, NULL;
}
static OrtStatus* new_stream_for(const Maker* maker, const OrtMemoryDevice* device,
                                 OrtSyncStreamImpl** out) {
  note(is_on_device(device) ? "stream" : "stream-elsewhere");
  *out = NULL;
  if (asks(maker, "null-streams")) return NULL;
  MAKE("CreateSyncStreamForDevice", new_stream(maker, out), release_stream(*out));
}
static OrtStatus* ORT_API_CALL make_stream(OrtEpFactory* self, const OrtMemoryDevice* device,
                                           const OrtKeyValuePairs* options,
                                           OrtSyncStreamImpl** out) {
  return (void)options, new_stream_for((Maker*)self, device, out);
}
static OrtStatus* ORT_API_CALL stream_of_ep(OrtEp* self, const OrtMemoryDevice* device,
                                            OrtSyncStreamImpl** out) {
  return new_stream_for(maker_of(self), device, out);
}

/* --- what other APIs share -------------------------------------------------------------------- */

typedef struct Importer {
  OrtExternalResourceImporterImpl base;
  const Maker* maker;
} Importer;

static void ORT_API_CALL release_memory(OrtExternalMemoryHandle* handle) {
  note("~memory");
  free(handle);
}
static void ORT_API_CALL release_semaphore(OrtExternalSemaphoreHandle* handle) {
  note("~semaphore");
  free(handle);
}

/* Imports memory or a semaphore, which have the same fields. */
#define IMPORT(Handle, event, release)                                   \
  note(event);                                                           \
  *out = NULL;                                                           \
  if (asks(((const Importer*)self)->maker, "null-imports")) return NULL; \
  Handle* made = calloc(1, sizeof *made);                                \
  made->version = desc->version;                                         \
  made->descriptor = *desc;                                              \
  made->Release = release;                                               \
  return *out = made, NULL

static OrtStatus* ORT_API_CALL import_memory(OrtExternalResourceImporterImpl* self,
                                             const OrtExternalMemoryDescriptor* desc,
                                             OrtExternalMemoryHandle** out) {
  IMPORT(OrtExternalMemoryHandle, "import-memory", release_memory);
}
static OrtStatus* ORT_API_CALL import_semaphore(OrtExternalResourceImporterImpl* self,
                                                const OrtExternalSemaphoreDescriptor* desc,
                                                OrtExternalSemaphoreHandle** out) {
  IMPORT(OrtExternalSemaphoreHandle, "import-semaphore", release_semaphore);
}
static bool ORT_API_CALL can_import_memory(const OrtExternalResourceImporterImpl* self,
                                           OrtExternalMemoryHandleType type) {
  return (void)self, type == ORT_EXTERNAL_MEMORY_HANDLE_TYPE_VK_MEMORY_OPAQUE_FD;
}
static bool ORT_API_CALL can_import_semaphore(const OrtExternalResourceImporterImpl* self,
                                              OrtExternalSemaphoreType type) {
  return (void)self, type == ORT_EXTERNAL_SEMAPHORE_VK_TIMELINE_SEMAPHORE_OPAQUE_FD;
}
static OrtStatus* ORT_API_CALL tensor_of_memory(OrtExternalResourceImporterImpl* self,
                                                const OrtExternalMemoryHandle* handle,
                                                const OrtExternalTensorDescriptor* desc,
                                                OrtValue** out) {
  return api->CreateTensorWithDataAsOrtValue(
      ((const Importer*)self)->maker->infos[OWN], handle->descriptor.native_handle,
      handle->descriptor.size_bytes, desc->shape, desc->rank, desc->element_type, out);
}
static OrtStatus* ORT_API_CALL wait_for(OrtExternalResourceImporterImpl* self,
                                        OrtExternalSemaphoreHandle* handle, OrtSyncStream* stream,
                                        uint64_t value) {
  (void)self, (void)handle, (void)stream;
  return noted(value == 3 ? "wait-3" : "wait");
}
static OrtStatus* ORT_API_CALL signal_to(OrtExternalResourceImporterImpl* self,
                                         OrtExternalSemaphoreHandle* handle, OrtSyncStream* stream,
                                         uint64_t value) {
  (void)self, (void)handle, (void)stream;
  return noted(value == 4 ? "signal-4" : "signal");
}
static void ORT_API_CALL release_importer(OrtExternalResourceImporterImpl* self) {
  note("~importer");
  free(self);
}

static OrtStatus* ORT_API_CALL make_importer(OrtEpFactory* self, const OrtEpDevice* device,
                                             OrtExternalResourceImporterImpl** out) {
  (void)device;
  *out = NULL;
  if (!asks(self, "imports")) return fail_if(self, "no-importer");
  Importer* made = calloc(1, sizeof *made);
  made->base.ort_version_supported = 24;
  made->base.Release = release_importer;
  made->maker = (Maker*)self;
  if (!asks(self, "empty-imports")) {
    made->base.CanImportMemory = can_import_memory;
    made->base.ImportMemory = import_memory;
    made->base.CreateTensorFromMemory = tensor_of_memory;
    made->base.CanImportSemaphore = can_import_semaphore;
    made->base.ImportSemaphore = import_semaphore;
    made->base.WaitSemaphore = wait_for;
    made->base.SignalSemaphore = signal_to;
  }
  *out = &made->base;
  return fail_if(self, "no-importer");
}

static OrtStatus* ORT_API_CALL begin_graphics(OrtEpFactory* self, const OrtEpDevice* device,
                                              const OrtGraphicsInteropConfig* config) {
  return (void)self, (void)device, (void)config, noted("graphics");
}
static OrtStatus* ORT_API_CALL end_graphics(OrtEpFactory* self, const OrtEpDevice* device) {
  return (void)self, (void)device, noted("~graphics");
}

#endif /* ORTCFFI_TESTS_PROVIDER_MEMORY_H_ */
