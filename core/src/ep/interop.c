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

static OrtStatus* release_importer(void* argument) {
  OrtExternalResourceImporterImpl* impl = argument;
  impl->Release(impl);
  return NULL;
}

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
  struct OrtExternalResourceImporter* importer = core_new_object(&importer_class, sizeof *importer);
  CORE_RETURN_IF(importer == NULL, core_no_memory(sizeof *importer));
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

void ORT_API_CALL ort_interop_ReleaseExternalResourceImporter(OrtExternalResourceImporter* input)
    NO_EXCEPTION {
  core_drop(input);
}

/* --- memory ---------------------------------------------------------------------------------- */

static OrtStatus* can_import_memory(void* argument) {
  struct call* self = argument;
  self->is_supported =
      self->impl->CanImportMemory != NULL &&
      self->impl->CanImportMemory(self->impl, (OrtExternalMemoryHandleType)self->type);
  return NULL;
}

CORE_SLOT(ort_interop_CanImportMemory, const OrtExternalResourceImporter* importer,
          OrtExternalMemoryHandleType handle_type, bool* out_supported) {
  struct call call = {.impl = importer->impl, .type = (int)handle_type};
  CORE_TRY(core_ep_call("CanImportMemory", can_import_memory, &call));
  *out_supported = call.is_supported;
  return NULL;
}

static OrtStatus* import_memory(void* argument) {
  struct call* self = argument;
  OrtExternalMemoryHandle* made = NULL;
  OrtStatus* status = self->impl->ImportMemory(self->impl, self->description, &made);
  self->made = made;
  return status;
}

CORE_SLOT(ort_interop_ImportMemory, OrtExternalResourceImporter* importer,
          const OrtExternalMemoryDescriptor* desc, OrtExternalMemoryHandle** out_handle) {
  CORE_FAIL_IF(importer->impl->ImportMemory == NULL, ORT_NOT_IMPLEMENTED,
               "ImportMemory: the execution provider imports no memory");
  struct call call = {.impl = importer->impl, .description = desc};
  CORE_TRY(core_ep_call("ImportMemory", import_memory, &call));
  CORE_FAIL_IF(call.made == NULL, ORT_FAIL, "ImportMemory: the execution provider gave no handle");
  *out_handle = call.made;
  return NULL;
}

static OrtStatus* release_memory(void* argument) {
  OrtExternalMemoryHandle* handle = argument;
  handle->Release(handle);
  return NULL;
}

void ORT_API_CALL ort_interop_ReleaseExternalMemoryHandle(OrtExternalMemoryHandle* input)
    NO_EXCEPTION {
  if (input != NULL && input->Release != NULL) {
    core_ep_log(NULL, core_ep_call("ReleaseExternalMemoryHandle", release_memory, input));
  }
}

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

static OrtStatus* can_import_semaphore(void* argument) {
  struct call* self = argument;
  self->is_supported =
      self->impl->CanImportSemaphore != NULL &&
      self->impl->CanImportSemaphore(self->impl, (OrtExternalSemaphoreType)self->type);
  return NULL;
}

CORE_SLOT(ort_interop_CanImportSemaphore, const OrtExternalResourceImporter* importer,
          OrtExternalSemaphoreType type, bool* out_supported) {
  struct call call = {.impl = importer->impl, .type = (int)type};
  CORE_TRY(core_ep_call("CanImportSemaphore", can_import_semaphore, &call));
  *out_supported = call.is_supported;
  return NULL;
}

static OrtStatus* import_semaphore(void* argument) {
  struct call* self = argument;
  OrtExternalSemaphoreHandle* made = NULL;
  OrtStatus* status = self->impl->ImportSemaphore(self->impl, self->description, &made);
  self->made = made;
  return status;
}

CORE_SLOT(ort_interop_ImportSemaphore, OrtExternalResourceImporter* importer,
          const OrtExternalSemaphoreDescriptor* desc, OrtExternalSemaphoreHandle** out_handle) {
  CORE_FAIL_IF(importer->impl->ImportSemaphore == NULL, ORT_NOT_IMPLEMENTED,
               "ImportSemaphore: the execution provider imports no semaphores");
  struct call call = {.impl = importer->impl, .description = desc};
  CORE_TRY(core_ep_call("ImportSemaphore", import_semaphore, &call));
  CORE_FAIL_IF(call.made == NULL, ORT_FAIL,
               "ImportSemaphore: the execution provider gave no handle");
  *out_handle = call.made;
  return NULL;
}

static OrtStatus* release_semaphore(void* argument) {
  OrtExternalSemaphoreHandle* handle = argument;
  handle->Release(handle);
  return NULL;
}

void ORT_API_CALL ort_interop_ReleaseExternalSemaphoreHandle(OrtExternalSemaphoreHandle* input)
    NO_EXCEPTION {
  if (input != NULL && input->Release != NULL) {
    core_ep_log(NULL, core_ep_call("ReleaseExternalSemaphoreHandle", release_semaphore, input));
  }
}

static OrtStatus* wait_for(void* argument) {
  struct call* self = argument;
  return self->impl->WaitSemaphore(self->impl, self->handle, self->stream, self->value);
}

CORE_SLOT(ort_interop_WaitSemaphore, OrtExternalResourceImporter* importer,
          OrtExternalSemaphoreHandle* semaphore_handle, OrtSyncStream* stream, uint64_t value) {
  CORE_FAIL_IF(importer->impl->WaitSemaphore == NULL, ORT_NOT_IMPLEMENTED,
               "WaitSemaphore: the execution provider cannot wait");
  struct call call = {
      .impl = importer->impl, .handle = semaphore_handle, .stream = stream, .value = value};
  return core_ep_call("WaitSemaphore", wait_for, &call);
}

static OrtStatus* signal_semaphore(void* argument) {
  struct call* self = argument;
  return self->impl->SignalSemaphore(self->impl, self->handle, self->stream, self->value);
}

CORE_SLOT(ort_interop_SignalSemaphore, OrtExternalResourceImporter* importer,
          OrtExternalSemaphoreHandle* semaphore_handle, OrtSyncStream* stream, uint64_t value) {
  CORE_FAIL_IF(importer->impl->SignalSemaphore == NULL, ORT_NOT_IMPLEMENTED,
               "SignalSemaphore: the execution provider cannot signal");
  struct call call = {
      .impl = importer->impl, .handle = semaphore_handle, .stream = stream, .value = value};
  return core_ep_call("SignalSemaphore", signal_semaphore, &call);
}

/* --- graphics -------------------------------------------------------------------------------- */

static OrtStatus* begin_graphics(void* argument) {
  struct call* self = argument;
  OrtEpFactory* factory = self->device->factory;
  return factory->InitGraphicsInterop(factory, self->device, self->description);
}

CORE_SLOT(ort_interop_InitGraphicsInteropForEpDevice, const OrtEpDevice* ep_device,
          const OrtGraphicsInteropConfig* config) {
  CORE_FAIL_IF(!CORE_FACTORY_HAS(ep_device->factory, GRAPHICS_SINCE, InitGraphicsInterop),
               ORT_NOT_IMPLEMENTED,
               "InitGraphicsInteropForEpDevice: the execution provider has no graphics "
               "interoperation");
  struct call call = {.device = ep_device, .description = config};
  return core_ep_call("InitGraphicsInteropForEpDevice", begin_graphics, &call);
}

static OrtStatus* end_graphics(void* argument) {
  struct call* self = argument;
  OrtEpFactory* factory = self->device->factory;
  return factory->DeinitGraphicsInterop(factory, self->device);
}

CORE_SLOT(ort_interop_DeinitGraphicsInteropForEpDevice, const OrtEpDevice* ep_device) {
  CORE_FAIL_IF(!CORE_FACTORY_HAS(ep_device->factory, GRAPHICS_SINCE, DeinitGraphicsInterop),
               ORT_NOT_IMPLEMENTED,
               "DeinitGraphicsInteropForEpDevice: the execution provider has no graphics "
               "interoperation");
  struct call call = {.device = ep_device};
  return core_ep_call("DeinitGraphicsInteropForEpDevice", end_graphics, &call);
}
