/* SPDX-License-Identifier: MIT */
#include "ep/library.h"

#include "object/keyed_list.h"
#include "platform/catching.h"

#define SLOT "RegisterExecutionProviderLibrary"

/* --- calls of providers ---------------------------------------------------------------------- */

struct caught_call {
  const char* name;
  OrtStatus* (*function)(void* argument);
  void* argument;
  OrtStatus* status;
};

/* Providers are written in C++, and an exception that passed through C code would end the process:
 * it is caught here and becomes a status. */
static void enter(void* call) {
  struct caught_call* self = call;
  self->status = self->function(self->argument);
}

static OrtStatus* named(const char* name, OrtStatus* status) {
  return name != NULL ? core_named(name, status) : status;
}

static void report(void* call, const char* text) {
  struct caught_call* self = call;
  self->status = named(self->name, core_fail(ORT_RUNTIME_EXCEPTION,
                                             "an exception left the execution provider: %s", text));
}

OrtStatus* core_ep_call(const char* name, OrtStatus* (*function)(void* argument), void* argument) {
  struct caught_call call = {name, function, argument, NULL};
  core_call_catching(enter, &call, report);
  if (CORE_UNLIKELY(call.status != NULL) && ort_GetErrorMessage(call.status)[0] == 0) {
    OrtErrorCode code = ort_GetErrorCode(call.status);
    ort_ReleaseStatus(call.status);
    return named(name,
                 core_fail(code, "the execution provider answered a status without a message"));
  }
  return call.status;
}

void core_ep_log(const OrtLogger* logger, OrtStatus* status) {
  if (status != NULL && logger != NULL) {
    ort_ReleaseStatus(ort_Logger_LogMessage(logger, ORT_LOGGING_LEVEL_ERROR,
                                            ort_GetErrorMessage(status), ORT_TSTR("ep"), 0, SLOT));
  }
  ort_ReleaseStatus(status);
}

/* --- factories ------------------------------------------------------------------------------- */

static OrtStatus* failure(const char* what, const struct core_ep_library* library) {
  return core_fail(ORT_FAIL, "%s%s", what, library->name);
}

/* Providers that want a newer table often answer success, without a factory and without a word. */
static OrtStatus* no_factory(const struct core_ep_library* library) {
  uint32_t version = core_take_refused_version();
  return version == 0
             ? failure("no factory was made by the library ", library)
             : core_fail(ORT_FAIL,
                         "no factory was made, after the library asked for API version %u, which "
                         "is not here, by the library %s",
                         (unsigned)version, library->name);
}

static OrtStatus* check_factory(const struct core_ep_library* library,
                                const OrtEpFactory* factory) {
  CORE_RETURN_IF(
      factory->GetName == NULL || factory->GetVendor == NULL ||
          factory->GetSupportedDevices == NULL || factory->CreateEp == NULL ||
          factory->ReleaseEp == NULL,
      failure("GetName, GetVendor, GetSupportedDevices, CreateEp and ReleaseEp must not be "
              "NULL in a factory of ",
              library));
  return NULL;
}

static OrtStatus* take_factory(struct core_ep_library* library, OrtEpFactory* factory) {
  CORE_RETURN_IF(factory == NULL, failure("a factory must not be NULL in the library ", library));
  for (size_t i = 0; i < library->factory_count; i++) {
    CORE_RETURN_IF(library->factories[i].factory == factory,
                   failure("a factory is listed twice by the library ", library));
  }
  struct core_ep_factory* taken = &library->factories[library->factory_count++];
  taken->factory = factory;
  CORE_TRY(check_factory(library, factory));
  const char* name = factory->GetName(factory);
  return name == NULL ? failure("the name of a factory must not be NULL in the library ", library)
                      : core_copy_text(name, &taken->name);
}

static OrtStatus* make_factories(struct core_ep_library* library,
                                 const struct core_ep_source* source) {
  void* symbol = core_library_symbol(library->handle, "CreateEpFactories");
  void* release = core_library_symbol(library->handle, "ReleaseEpFactory");
  CORE_RETURN_IF(
      symbol == NULL || release == NULL,
      failure(symbol == NULL ? "the symbol CreateEpFactories is not exported by the library "
                             : "the symbol ReleaseEpFactory is not exported by the library ",
              library));
  CreateEpApiFactoriesFn create;
  memcpy(&create, &symbol, sizeof symbol);
  memcpy(&library->release, &release, sizeof release);
  OrtEpFactory* made[CORE_EP_FACTORIES] = {NULL};
  size_t count = 0;
  core_take_refused_version();
  CORE_TRY(create(source->name, source->base, source->logger, made, CORE_EP_FACTORIES, &count));
  if (count == 0) {
    return no_factory(library);
  }
  OrtStatus* status =
      count <= CORE_EP_FACTORIES
          ? NULL
          : failure("there is room for 4 factories, and more were made by ", library);
  /* All are taken, also after one was refused: what is not in the list is never released. */
  for (size_t i = 0; i < count && i < CORE_EP_FACTORIES; i++) {
    OrtStatus* taken = take_factory(library, made[i]);
    if (status != NULL) {
      ort_ReleaseStatus(taken);
    } else {
      status = taken;
    }
  }
  return status;
}

CORE_EP_CALLER(release_factory, struct core_ep_library,
               self->release(self->factories[self->factory_count].factory))

/* `release` is NULL for the factories that the core itself has; nobody releases those. */
static void end_factories(struct core_ep_library* library) {
  while (library->factory_count > 0) {
    heap_free(library->factories[--library->factory_count].name);
    if (library->release != NULL) {
      core_ep_log(library->logger, core_ep_call("ReleaseEpFactory", release_factory, library));
    }
  }
}

/* --- devices --------------------------------------------------------------------------------- */

static OrtStatus* set_path(OrtEpDevice* device, const ORTCHAR_T* path) {
  char text[CORE_PATH_ROOM];
  if (path == NULL) {
    return NULL;
  }
  CORE_FAIL_IF(!core_whole_path_utf8(path, text), ORT_FAIL, SLOT ": path is too long");
  if (ort_GetKeyValue(device->metadata, "library_path") != NULL) {
    ort_RemoveKeyValuePair(device->metadata, "library_path");
  }
  return core_append_pair(device->metadata, "library_path", text) ? NULL
                                                                  : core_no_memory(strlen(text));
}

static OrtStatus* ask_devices(struct core_ep_library* library, OrtEpFactory* factory,
                              const ORTCHAR_T* path) {
  OrtEpDevice* found[CORE_EP_DEVICES] = {NULL};
  size_t count = 0;
  CORE_TRY(factory->GetSupportedDevices(factory, library->hardware, library->hardware_count, found,
                                        CORE_EP_DEVICES, &count));
  OrtStatus* status =
      count <= CORE_EP_DEVICES
          ? NULL
          : failure("there is room for 8 devices of a factory, and more were listed by ", library);
  /* As with factories, all are taken. */
  for (size_t i = 0; i < count && i < CORE_EP_DEVICES; i++) {
    if (found[i] == NULL) {
      continue;
    }
    /* A device listed twice, or one of another library, would be released twice. */
    bool is_new = core_is_ep_device(found[i]) && found[i]->library == NULL;
    if (is_new) {
      found[i]->library = &library->object;
      library->devices[library->device_count++] = found[i];
    }
    CORE_THEN(status, is_new
                          ? set_path(found[i], path)
                          : failure("not a new device of CreateEpDevice was listed by ", library));
  }
  return status;
}

static OrtStatus* ask_transfer(struct core_ep_library* library, struct core_ep_factory* of) {
  OrtDataTransferImpl* transfer = NULL;
  if (!CORE_FACTORY_HAS(of->factory, 23, CreateDataTransfer)) {
    return NULL;
  }
  CORE_TRY(of->factory->CreateDataTransfer(of->factory, &transfer));
  if (transfer != NULL &&
      (transfer->Release == NULL || transfer->CanCopy == NULL || transfer->CopyTensors == NULL)) {
    of->transfer = transfer->Release == NULL ? NULL : transfer;
    return failure("Release, CanCopy and CopyTensors must not be NULL in a data transfer of ",
                   library);
  }
  of->transfer = transfer;
  return NULL;
}

static OrtStatus* ask_transfers(void* argument) {
  struct core_ep_library* library = argument;
  for (size_t i = 0; i < library->factory_count; i++) {
    CORE_TRY(ask_transfer(library, &library->factories[i]));
  }
  return NULL;
}

OrtStatus* core_ep_library_ask_transfers(struct core_ep_library* library) {
  return core_ep_call(SLOT, ask_transfers, library);
}

/* --- the whole ------------------------------------------------------------------------------- */

static OrtStatus* copy_hardware(struct core_ep_library* library,
                                const struct core_ep_source* source) {
  size_t size = source->hardware_count * sizeof(OrtHardwareDevice*);
  library->hardware = heap_alloc(size + 1); /* the array must not be NULL */
  CORE_NEED_MEMORY(library->hardware, size);
  for (size_t i = 0; i < source->hardware_count; i++) {
    core_retain((struct core_object*)&source->hardware[i]->object);
    library->hardware[library->hardware_count++] = source->hardware[i];
  }
  return NULL;
}

struct beginning {
  const struct core_ep_source* source;
  struct core_ep_library* library;
};

static OrtStatus* ask_library(void* argument) {
  struct beginning* self = argument;
  struct core_ep_library* library = self->library;
  CORE_TRY(library->handle == NULL ? take_factory(library, self->source->factory)
                                   : make_factories(library, self->source));
  for (size_t i = 0; i < library->factory_count; i++) {
    CORE_TRY(ask_devices(library, library->factories[i].factory, self->source->path));
  }
  return NULL;
}

OrtStatus* core_ep_library_begin(const struct core_ep_source* source,
                                 struct core_ep_library* library) {
  library->logger = source->logger;
  CORE_TRY(core_copy_text(source->name, &library->name));
  CORE_TRY(copy_hardware(library, source));
  if (source->path != NULL) {
    char error[CORE_LIBRARY_ERROR];
    library->handle = core_library_open(source->path, error);
    CORE_REFUSE_IF(library->handle == NULL, ORT_FAIL, "%s", error);
  }
  struct beginning beginning = {source, library};
  return core_ep_call(SLOT, ask_library, &beginning);
}

CORE_EP_RELEASE(release_transfer, OrtDataTransferImpl)

void core_ep_library_end_transfers(struct core_ep_library* library) {
  for (size_t i = 0; i < library->factory_count; i++) {
    OrtDataTransferImpl* transfer = library->factories[i].transfer;
    library->factories[i].transfer = NULL;
    if (transfer != NULL) {
      core_ep_log(library->logger,
                  core_ep_call("OrtDataTransferImpl::Release", release_transfer, transfer));
    }
  }
}

/* In the reverse order of their making. The code of all of them is in the library, which is closed
 * when nothing of it is left. */
void core_ep_library_end(struct core_ep_library* library) {
  core_ep_library_end_transfers(library);
  while (library->device_count > 0) {
    core_drop(library->devices[--library->device_count]);
  }
  end_factories(library);
  while (library->hardware_count > 0) {
    core_drop((void*)library->hardware[--library->hardware_count]);
  }
  heap_free(library->hardware);
  if (library->handle != NULL) {
    core_library_close(library->handle);
  }
  heap_free(library->name);
}
