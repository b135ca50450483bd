/* SPDX-License-Identifier: MIT */
/* Streams: queues of work of an execution provider on a device. */
#include "ep/streams.h"

#include "ep/library.h"
#include "memory/memory_info.h"

static OrtStatus* release_impl(void* argument) {
  OrtSyncStreamImpl* impl = argument;
  impl->Release(impl);
  return NULL;
}

static void end_stream(void* block) {
  struct OrtSyncStream* stream = block;
  if (stream->impl != NULL && stream->impl->Release != NULL) {
    core_ep_log(NULL, core_ep_call("ReleaseSyncStream", release_impl, stream->impl));
  }
  core_drop(stream->library);
}

static const struct core_class stream_class = {.kind = CORE_SYNC_STREAM, .end = end_stream};

struct making {
  OrtEpFactory* factory;
  const OrtMemoryInfo* memory;
  const OrtKeyValuePairs* options;
  struct OrtSyncStream* stream;
};

static OrtStatus* make(void* argument) {
  struct making* self = argument;
  OrtEpFactory* factory = self->factory;
  if (!CORE_FACTORY_HAS(factory, 23, IsStreamAware) || !factory->IsStreamAware(factory) ||
      !CORE_FACTORY_HAS(factory, 23, CreateSyncStreamForDevice)) {
    CORE_FAIL(ORT_NOT_IMPLEMENTED,
              "CreateSyncStreamForEpDevice: the execution provider of ep_device has no streams");
  }
  CORE_TRY(factory->CreateSyncStreamForDevice(factory, (const OrtMemoryDevice*)self->memory,
                                              self->options, &self->stream->impl));
  if (self->stream->impl == NULL || self->stream->impl->Release == NULL) {
    CORE_FAIL(ORT_FAIL,
              "CreateSyncStreamForEpDevice: the execution provider must make a stream whose "
              "Release is not NULL");
  }
  return NULL;
}

ORT_API_STATUS_IMPL(ort_CreateSyncStreamForEpDevice, const OrtEpDevice* ep_device,
                    const OrtKeyValuePairs* stream_options, OrtSyncStream** stream) {
  CORE_REQUIRE(CreateSyncStreamForEpDevice, ep_device, stream);
  const struct OrtMemoryInfo* memory = core_ep_memory_of(ep_device, OrtDeviceMemoryType_DEFAULT);
  if (memory == NULL || memory->device_type == OrtMemoryInfoDeviceType_CPU) {
    CORE_FAIL(ORT_INVALID_ARGUMENT,
              "CreateSyncStreamForEpDevice: ep_device must have memory of its own, not the CPU's");
  }
  struct OrtSyncStream* made = core_new_object(&stream_class, sizeof *made);
  if (made == NULL) {
    return CORE_OUT_OF_MEMORY(CreateSyncStreamForEpDevice, sizeof *made);
  }
  if (ep_device->library != NULL) {
    made->library = ep_device->library;
    core_retain(made->library);
  }
  struct making making = {ep_device->factory, memory, stream_options, made};
  OrtStatus* status = core_ep_call("CreateSyncStreamForEpDevice", make, &making);
  if (status != NULL) {
    core_drop(made);
    return status;
  }
  *stream = made;
  return NULL;
}

void* ORT_API_CALL ort_SyncStream_GetHandle(OrtSyncStream* stream) NO_EXCEPTION {
  return stream == NULL || stream->impl->GetHandle == NULL ? NULL
                                                           : stream->impl->GetHandle(stream->impl);
}

void ORT_API_CALL ort_ReleaseSyncStream(OrtSyncStream* input) NO_EXCEPTION { core_drop(input); }

const OrtSyncStreamImpl* ORT_API_CALL ort_ep_SyncStream_GetImpl(const OrtSyncStream* stream)
    NO_EXCEPTION {
  return stream == NULL ? NULL : stream->impl;
}

uint64_t ORT_API_CALL ort_ep_SyncStream_GetSyncId(const OrtSyncStream* stream) NO_EXCEPTION {
  return stream == NULL ? 0 : stream->sync_id;
}

/* A wait of one stream for another happens where a session uses two, which no session here does. */
uint64_t ORT_API_CALL ort_ep_GetSyncIdForLastWaitOnSyncStream(
    const OrtSyncStream* producer_stream, const OrtSyncStream* consumer_stream) NO_EXCEPTION {
  (void)producer_stream, (void)consumer_stream;
  return 0;
}
