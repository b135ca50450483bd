/* SPDX-License-Identifier: MIT */
/* Memory, semaphores and graphics of other APIs, through the importer of an execution provider. */
#include "behaviour_eps.h"
#include "behaviour_values.h"

#define INTEROP (api->GetInteropApi())

static OrtExternalResourceImporter* importer_of(const OrtEpDevice* device) {
  return NEW(OrtExternalResourceImporter,
             INTEROP->CreateExternalResourceImporterForDevice(device, &new_));
}

/* A call with a device `d` of a library that was asked for `words`, and perhaps its importer `i`.
 */
#define WITH_DEVICE(text, words, ...)                         \
  CALL(text) {                                                \
    const OrtEpDevice* d = device_of_ep(env_of_eps(), words); \
    if (d == NULL) {                                          \
      return;                                                 \
    }                                                         \
    events_of_ep();                                           \
    __VA_ARGS__;                                              \
    say("%s", events_of_ep());                                \
  }
#define WITH_IMPORTER(text, words, ...)                                                  \
  WITH_DEVICE(text, words, OrtExternalResourceImporter* i = importer_of(d); __VA_ARGS__; \
              INTEROP->ReleaseExternalResourceImporter(i))

static void interop_make(const OrtEpDevice* device) {
  OrtExternalResourceImporter* importer = UNTOUCHED;
  say_status(INTEROP->CreateExternalResourceImporterForDevice(device, &importer));
  say_out(importer, UNTOUCHED);
  if (importer != UNTOUCHED) {
    INTEROP->ReleaseExternalResourceImporter(importer);
  }
}
WITH_DEVICE("CreateExternalResourceImporterForDevice(d,&i)", "memory imports", interop_make(d))
WITH_DEVICE("CreateExternalResourceImporterForDevice of none", "memory", interop_make(d))
WITH_DEVICE("CreateExternalResourceImporterForDevice that fails", "memory no-importer",
            interop_make(d))

static void can(const OrtExternalResourceImporter* importer, int type) {
  bool memory = true, semaphore = true;
  say_status(INTEROP->CanImportMemory(importer, (OrtExternalMemoryHandleType)type, &memory));
  say_status(INTEROP->CanImportSemaphore(importer, (OrtExternalSemaphoreType)type, &semaphore));
  say("%d %d", memory, semaphore);
}
WITH_IMPORTER("CanImportMemory(i,3,&s)", "memory imports", can(i, 3))
WITH_IMPORTER("CanImportMemory(i,2,&s)", "memory imports", can(i, 2))
WITH_IMPORTER("CanImportMemory(i,99,&s)", "memory imports", can(i, 99))
WITH_IMPORTER("CanImportMemory(i,3,NULL)", "memory imports",
              say_status(INTEROP->CanImportMemory(i, 3, NULL)))
CALL("CanImportMemory(NULL,3,&s)") { can(NULL, 3); }

static float interop_numbers[4] = {1, 2, 3, 4};
static OrtExternalMemoryDescriptor description(uint32_t version) {
  return (OrtExternalMemoryDescriptor){version, 3, interop_numbers, sizeof interop_numbers, 0};
}
static void import(OrtExternalResourceImporter* importer, uint32_t version) {
  OrtExternalMemoryDescriptor memory = description(version);
  OrtExternalSemaphoreDescriptor semaphore = {version, 2, interop_numbers};
  OrtExternalMemoryHandle* handle = UNTOUCHED;
  OrtExternalSemaphoreHandle* other = UNTOUCHED;
  if (say_status(INTEROP->ImportMemory(importer, &memory, &handle))) {
    INTEROP->ReleaseExternalMemoryHandle(handle);
  } else {
    say_out(handle, UNTOUCHED);
  }
  if (say_status(INTEROP->ImportSemaphore(importer, &semaphore, &other))) {
    INTEROP->ReleaseExternalSemaphoreHandle(other);
  } else {
    say_out(other, UNTOUCHED);
  }
}
WITH_IMPORTER("ImportMemory(i,d,&h)", "memory imports", import(i, api_version))
WITH_IMPORTER("ImportMemory of version 0", "memory imports", import(i, 0))
WITH_IMPORTER("ImportMemory that gives none", "memory imports null-imports", import(i, api_version))
CALL("ImportMemory(NULL,d,&h)") { import(NULL, api_version); }
WITH_IMPORTER("ImportMemory(i,NULL,&h)", "memory imports", OrtExternalMemoryHandle* h = UNTOUCHED;
              say_status(INTEROP->ImportMemory(i, NULL, &h)); say_out(h, UNTOUCHED))
WITH_IMPORTER("ImportSemaphore(i,NULL,&h)", "memory imports",
              OrtExternalSemaphoreHandle* h = UNTOUCHED;
              say_status(INTEROP->ImportSemaphore(i, NULL, &h)); say_out(h, UNTOUCHED))

/* Several parts of one memory at once. */
static void import_many(OrtExternalResourceImporter* importer) {
  OrtExternalMemoryHandle* handles[3] = {NULL};
  for (int i = 0; i < 3; i++) {
    OrtExternalMemoryDescriptor memory = description(api_version);
    memory.offset_bytes = (size_t)i * sizeof *interop_numbers;
    say_status(INTEROP->ImportMemory(importer, &memory, &handles[i]));
  }
  say("%d", handles[0] != handles[1] && handles[1] != handles[2] && handles[2] != handles[0]);
  for (int i = 0; i < 3; i++) {
    INTEROP->ReleaseExternalMemoryHandle(handles[i]);
  }
}
WITH_IMPORTER("ImportMemory three times", "memory imports", import_many(i))

static void interop_tensor(OrtExternalResourceImporter* importer, uint32_t version) {
  OrtExternalMemoryDescriptor memory = description(api_version);
  const int64_t dims[] = {2, 2};
  OrtExternalTensorDescriptor wanted = {version, FLOAT, dims, 2, 0};
  OrtValue* value = UNTOUCHED;
  void* data = NULL;
  OrtExternalMemoryHandle* handle =
      NEW(OrtExternalMemoryHandle, INTEROP->ImportMemory(importer, &memory, &new_));
  if (say_status(INTEROP->CreateTensorFromMemory(importer, handle, &wanted, &value))) {
    CHECK(api->GetTensorMutableData(value, &data) == NULL);
    say("%d", data == interop_numbers);
    api->ReleaseValue(value);
  } else {
    say_out(value, UNTOUCHED);
  }
  INTEROP->ReleaseExternalMemoryHandle(handle);
}
WITH_IMPORTER("CreateTensorFromMemory(i,h,d,&t)", "memory imports", interop_tensor(i, api_version))
WITH_IMPORTER("CreateTensorFromMemory of version 0", "memory imports", interop_tensor(i, 0))
WITH_IMPORTER("CreateTensorFromMemory(i,NULL,NULL,&t)", "memory imports", OrtValue* t = UNTOUCHED;
              say_status(INTEROP->CreateTensorFromMemory(i, NULL, NULL, &t)); say_out(t, UNTOUCHED))

static void in_stream(const OrtEpDevice* device, OrtExternalResourceImporter* importer) {
  OrtExternalSemaphoreDescriptor wanted = {api_version, 2, interop_numbers};
  OrtExternalSemaphoreHandle* semaphore =
      NEW(OrtExternalSemaphoreHandle, INTEROP->ImportSemaphore(importer, &wanted, &new_));
  OrtSyncStream* stream = NEW(OrtSyncStream, api->CreateSyncStreamForEpDevice(device, NULL, &new_));
  say_status(INTEROP->WaitSemaphore(importer, semaphore, stream, 3));
  say_status(INTEROP->SignalSemaphore(importer, semaphore, stream, 4));
  say_status(INTEROP->WaitSemaphore(importer, NULL, stream, 3));
  say_status(INTEROP->SignalSemaphore(importer, semaphore, NULL, 4));
  INTEROP->ReleaseExternalSemaphoreHandle(semaphore);
  api->ReleaseSyncStream(stream);
}
WITH_IMPORTER("WaitSemaphore(i,h,s,3)", "memory imports streams", in_stream(d, i))
CALL("WaitSemaphore(NULL,NULL,NULL,3)") {
  say_status(INTEROP->WaitSemaphore(NULL, NULL, NULL, 3));
  say_status(INTEROP->SignalSemaphore(NULL, NULL, NULL, 3));
}

static void graphics(const OrtEpDevice* device, uint32_t version) {
  OrtGraphicsInteropConfig config = {version, ORT_GRAPHICS_API_VULKAN, NULL, NULL};
  say_status(INTEROP->InitGraphicsInteropForEpDevice(device, &config));
  say_status(INTEROP->DeinitGraphicsInteropForEpDevice(device));
}
WITH_DEVICE("InitGraphicsInteropForEpDevice(d,c)", "memory", graphics(d, api_version))
WITH_DEVICE("InitGraphicsInteropForEpDevice of version 0", "memory", graphics(d, 0))
WITH_DEVICE("InitGraphicsInteropForEpDevice of a factory of version 22", "memory version-22",
            graphics(d, api_version))
CALL("InitGraphicsInteropForEpDevice(NULL,c)") { graphics(NULL, api_version); }

#undef WITH_DEVICE
