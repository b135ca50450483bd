/* SPDX-License-Identifier: MIT */
/* Streams: queues of work of an execution provider on a device. */
#include "ep/streams.h"

#include "ep/library.h"
#include "memory/memory_info.h"

CORE_EP_RELEASE(release_stream, OrtSyncStreamImpl)

static void end_stream(void* block) {
  struct OrtSyncStream* stream = block;
  if (stream->impl != NULL && stream->impl->Release != NULL) {
    core_ep_log(NULL, core_ep_call("ReleaseSyncStream", release_stream, stream->impl));
  }
  core_drop(stream->library);
}

static const struct core_class stream_class = {.kind = CORE_SYNC_STREAM, .end = end_stream};

struct making {
  const struct core_stream_source* source;
  struct OrtSyncStream* stream;
};

static OrtStatus* create_stream(void* argument) {
  const struct making* self = argument;
  const struct core_stream_source* source = self->source;
  OrtSyncStreamImpl* made = NULL;
  const OrtMemoryDevice* device = (const OrtMemoryDevice*)source->memory;
  OrtEp* ep = source->ep;
  if (ep != NULL && ep->ort_version_supported >= 23 && ep->CreateSyncStreamForDevice != NULL) {
    CORE_TRY(ep->CreateSyncStreamForDevice(ep, device, &made));
  } else {
    CORE_TRY(source->factory->CreateSyncStreamForDevice(source->factory, device, source->options,
                                                        &made));
  }
  self->stream->impl = made;
  return NULL;
}

OrtStatus* core_make_stream(const struct core_stream_source* source, OrtSyncStream** out) {
  CORE_NEW(struct OrtSyncStream, made, &stream_class);
  if (source->library != NULL) {
    made->library = source->library;
    core_retain(made->library);
  }
  struct making making = {source, made};
  OrtStatus* status = core_ep_call(NULL, create_stream, &making);
  if (status == NULL && (made->impl == NULL || made->impl->Release == NULL)) {
    status =
        core_fail(ORT_FAIL, "the execution provider must make a stream whose Release is not NULL");
  }
  CORE_HAND_OUT(status, made, out);
}

CORE_SLOT(ort_CreateSyncStreamForEpDevice, const OrtEpDevice* ep_device,
          const OrtKeyValuePairs* stream_options, OrtSyncStream** stream) {
  const struct core_stream_source source = {
      .factory = ep_device->factory,
      .memory = core_ep_memory_of(ep_device, OrtDeviceMemoryType_DEFAULT),
      .options = stream_options,
      .library = ep_device->library};
  CORE_FAIL_IF(source.memory == NULL || source.memory->device_type == OrtMemoryInfoDeviceType_CPU,
               ORT_INVALID_ARGUMENT,
               "CreateSyncStreamForEpDevice: ep_device must have memory of its own, not the CPU's");
  CORE_FAIL_IF(!core_has_streams(source.factory), ORT_NOT_IMPLEMENTED,
               "CreateSyncStreamForEpDevice: the execution provider of ep_device has no streams");
  return core_make_stream(&source, stream);
}

void* ORT_API_CALL ort_SyncStream_GetHandle(OrtSyncStream* stream) NO_EXCEPTION {
  return stream == NULL || stream->impl->GetHandle == NULL ? NULL
                                                           : stream->impl->GetHandle(stream->impl);
}

CORE_RELEASER(ort_ReleaseSyncStream, OrtSyncStream)

CORE_VALUE_GETTER(ort_ep_SyncStream_GetImpl, const OrtSyncStreamImpl*, stream->impl,
                  const OrtSyncStream*, stream)

/* A session of the core uses one stream, so that no stream ever waits for another one: their counts
 * of waits stay 0. */
uint64_t ORT_API_CALL ort_ep_SyncStream_GetSyncId(const OrtSyncStream* stream) NO_EXCEPTION {
  return 0;
}

uint64_t ORT_API_CALL ort_ep_GetSyncIdForLastWaitOnSyncStream(
    const OrtSyncStream* producer_stream, const OrtSyncStream* consumer_stream) NO_EXCEPTION {
  return 0;
}
