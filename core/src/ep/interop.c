/* SPDX-License-Identifier: MIT */
/* OrtInteropApi: memory, semaphores and graphics of other APIs, through the importer that an
 * execution provider makes for a device. What is imported is the provider's own object. */
#include "ep/library.h"

/* The API version that added the functions for graphics to factories. */
#define GRAPHICS_SINCE 25

struct OrtExternalResourceImporter {
  struct core_object object;
  OrtExternalResourceImporterImpl* impl;
  /** A reference to the provider's library. */
  struct core_object* library;
};

CORE_EP_RELEASE(release_importer, OrtExternalResourceImporterImpl)

static void end_importer(void* block) {
  struct OrtExternalResourceImporter* importer = block;
  if (importer->impl != NULL && importer->impl->Release != NULL) {
    core_ep_log(NULL,
                core_ep_call("ReleaseExternalResourceImporter", release_importer, importer->impl));
  }
  core_drop(importer->library);
}

static const struct core_class importer_class = {.kind = CORE_RESOURCE_IMPORTER,
                                                 .end = end_importer};

/* A call of a provider; each function below reads what it needs. */
struct call {
  const OrtEpDevice* device;
  OrtExternalResourceImporterImpl* impl;
  const void* description;
  const void* from;
  void* handle;
  OrtSyncStream* stream;
  uint64_t value;
  int type;
  bool is_supported;
  void* made;
};

static OrtStatus* create_importer(void* argument) {
  struct call* self = argument;
  OrtEpFactory* factory = self->device->factory;
  OrtExternalResourceImporterImpl* made = NULL;
  OrtStatus* status =
      factory->CreateExternalResourceImporterForDevice(factory, self->device, &made);
  self->made = made;
  return status;
}

CORE_SLOT(ort_interop_CreateExternalResourceImporterForDevice, const OrtEpDevice* ep_device,
          OrtExternalResourceImporter** out_importer) {
  *out_importer = NULL;
  if (!CORE_FACTORY_HAS(ep_device->factory, 24, CreateExternalResourceImporterForDevice)) {
    return NULL;
  }
  CORE_NEW(struct OrtExternalResourceImporter, importer, &importer_class);
  if (ep_device->library != NULL) {
    importer->library = ep_device->library;
    core_retain(importer->library);
  }
  struct call call = {.device = ep_device};
  OrtStatus* status =
      core_ep_call("CreateExternalResourceImporterForDevice", create_importer, &call);
  importer->impl = status == NULL ? call.made : NULL;
  if (status != NULL || importer->impl == NULL) {
    core_drop(importer);
    return status;
  }
  *out_importer = importer;
  return NULL;
}

CORE_RELEASER(ort_interop_ReleaseExternalResourceImporter, OrtExternalResourceImporter)

/* --- memory ---------------------------------------------------------------------------------- */

/* The slot that asks whether the provider imports handles of a type. */
#define CAN_IMPORT(NAME, function, ask, handle)                                                    \
  static OrtStatus* ask(void* argument) {                                                          \
    struct call* self = argument;                                                                  \
    self->is_supported =                                                                           \
        self->impl->function != NULL && self->impl->function(self->impl, (handle)self->type);      \
    return NULL;                                                                                   \
  }                                                                                                \
  CORE_SLOT(NAME, const OrtExternalResourceImporter* importer, handle type, bool* out_supported) { \
    struct call call = {.impl = importer->impl, .type = (int)type};                                \
    CORE_TRY(core_ep_call(#function, ask, &call));                                                 \
    *out_supported = call.is_supported;                                                            \
    return NULL;                                                                                   \
  }

/* The slot that imports what a description says. */
#define IMPORT(NAME, function, import, description_type, handle, things)               \
  static OrtStatus* import(void* argument) {                                           \
    struct call* self = argument;                                                      \
    handle* made = NULL;                                                               \
    OrtStatus* status = self->impl->function(self->impl, self->description, &made);    \
    self->made = made;                                                                 \
    return status;                                                                     \
  }                                                                                    \
  CORE_SLOT(NAME, OrtExternalResourceImporter* importer, const description_type* desc, \
            handle** out_handle) {                                                     \
    CORE_FAIL_IF(importer->impl->function == NULL, ORT_NOT_IMPLEMENTED,                \
                 #function ": the execution provider imports no " things);             \
    struct call call = {.impl = importer->impl, .description = desc};                  \
    CORE_TRY(core_ep_call(#function, import, &call));                                  \
    CORE_FAIL_IF(call.made == NULL, ORT_FAIL,                                          \
                 #function ": the execution provider gave no handle");                 \
    *out_handle = call.made;                                                           \
    return NULL;                                                                       \
  }

/* The slot that releases a handle of a provider. */
#define RELEASE(NAME, function, release, handle)                  \
  CORE_EP_RELEASE(release, handle)                                \
  void ORT_API_CALL NAME(handle* input) NO_EXCEPTION {            \
    if (input != NULL && input->Release != NULL) {                \
      core_ep_log(NULL, core_ep_call(#function, release, input)); \
    }                                                             \
  }

/* The slot that waits for a value of a semaphore or signals it. */
#define USE_SEMAPHORE(NAME, function, use, what)                                                   \
  static OrtStatus* use(void* argument) {                                                          \
    struct call* self = argument;                                                                  \
    return self->impl->function(self->impl, self->handle, self->stream, self->value);              \
  }                                                                                                \
  CORE_SLOT(NAME, OrtExternalResourceImporter* importer,                                           \
            OrtExternalSemaphoreHandle* semaphore_handle, OrtSyncStream* stream, uint64_t value) { \
    CORE_FAIL_IF(importer->impl->function == NULL, ORT_NOT_IMPLEMENTED,                            \
                 #function ": the execution provider cannot " what);                               \
    struct call call = {                                                                           \
        .impl = importer->impl, .handle = semaphore_handle, .stream = stream, .value = value};     \
    return core_ep_call(#function, use, &call);                                                    \
  }

CAN_IMPORT(ort_interop_CanImportMemory, CanImportMemory, can_import_memory,
           OrtExternalMemoryHandleType)
IMPORT(ort_interop_ImportMemory, ImportMemory, import_memory, OrtExternalMemoryDescriptor,
       OrtExternalMemoryHandle, "memory")
RELEASE(ort_interop_ReleaseExternalMemoryHandle, ReleaseExternalMemoryHandle, release_memory,
        OrtExternalMemoryHandle)

static OrtStatus* make_tensor(void* argument) {
  struct call* self = argument;
  OrtValue* made = NULL;
  OrtStatus* status =
      self->impl->CreateTensorFromMemory(self->impl, self->from, self->description, &made);
  self->made = made;
  return status;
}

CORE_SLOT(ort_interop_CreateTensorFromMemory, OrtExternalResourceImporter* importer,
          const OrtExternalMemoryHandle* mem_handle, const OrtExternalTensorDescriptor* tensor_desc,
          OrtValue** out_tensor) {
  CORE_FAIL_IF(importer->impl->CreateTensorFromMemory == NULL, ORT_NOT_IMPLEMENTED,
               "CreateTensorFromMemory: the execution provider makes no such tensors");
  struct call call = {.impl = importer->impl, .from = mem_handle, .description = tensor_desc};
  CORE_TRY(core_ep_call("CreateTensorFromMemory", make_tensor, &call));
  CORE_FAIL_IF(call.made == NULL, ORT_FAIL,
               "CreateTensorFromMemory: the execution provider gave no tensor");
  *out_tensor = call.made;
  return NULL;
}

/* --- semaphores ------------------------------------------------------------------------------ */

CAN_IMPORT(ort_interop_CanImportSemaphore, CanImportSemaphore, can_import_semaphore,
           OrtExternalSemaphoreType)
IMPORT(ort_interop_ImportSemaphore, ImportSemaphore, import_semaphore,
       OrtExternalSemaphoreDescriptor, OrtExternalSemaphoreHandle, "semaphores")
RELEASE(ort_interop_ReleaseExternalSemaphoreHandle, ReleaseExternalSemaphoreHandle,
        release_semaphore, OrtExternalSemaphoreHandle)
USE_SEMAPHORE(ort_interop_WaitSemaphore, WaitSemaphore, wait_for, "wait")
USE_SEMAPHORE(ort_interop_SignalSemaphore, SignalSemaphore, signal_semaphore, "signal")

/* --- graphics -------------------------------------------------------------------------------- */

CORE_EP_CALLER(begin_graphics, const struct call,
               self->device->factory->InitGraphicsInterop(self->device->factory, self->device,
                                                          self->description))

CORE_SLOT(ort_interop_InitGraphicsInteropForEpDevice, const OrtEpDevice* ep_device,
          const OrtGraphicsInteropConfig* config) {
  CORE_FAIL_IF(!CORE_FACTORY_HAS(ep_device->factory, GRAPHICS_SINCE, InitGraphicsInterop),
               ORT_NOT_IMPLEMENTED,
               "InitGraphicsInteropForEpDevice: the execution provider has no graphics "
               "interoperation");
  struct call call = {.device = ep_device, .description = config};
  return core_ep_call("InitGraphicsInteropForEpDevice", begin_graphics, &call);
}

CORE_EP_CALLER(end_graphics, const struct call,
               self->device->factory->DeinitGraphicsInterop(self->device->factory, self->device))

CORE_SLOT(ort_interop_DeinitGraphicsInteropForEpDevice, const OrtEpDevice* ep_device) {
  CORE_FAIL_IF(!CORE_FACTORY_HAS(ep_device->factory, GRAPHICS_SINCE, DeinitGraphicsInterop),
               ORT_NOT_IMPLEMENTED,
               "DeinitGraphicsInteropForEpDevice: the execution provider has no graphics "
               "interoperation");
  struct call call = {.device = ep_device};
  return core_ep_call("DeinitGraphicsInteropForEpDevice", end_graphics, &call);
}
