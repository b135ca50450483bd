/* SPDX-License-Identifier: MIT */
/* What one run does on a device: its stream, waits, and values to release after a wait. */
#include "compile/device.h"
#include "ep/library.h"
#include "ep/streams.h"
#include "memory/allocator.h"

OrtStatus* core_begin_device_run(struct core_device_run* run, struct core_ep* ep) {
  run->is_busy = true;
  if (run->device != NULL) {
    return NULL;
  }
  struct core_device* device = NULL;
  CORE_TRY(core_device_of(ep, &device));
  OrtSyncStream* stream = __atomic_exchange_n(&device->spare_stream, NULL, __ATOMIC_ACQUIRE);
  if (stream == NULL && core_has_streams(ep->factory)) {
    const struct core_stream_source source = {
        .ep = ep->seen.ep, .factory = ep->factory, .memory = ep->memory};
    CORE_TRY(core_make_stream(&source, &stream));
  }
  run->device = device;
  run->stream = stream;
  return NULL;
}

/* A wait, and the notification that it makes. */
struct waiting {
  const struct core_device_run* run;
  OrtSyncNotificationImpl* notification;
};

/* Waits until all work of a stream is done. */
static OrtStatus* wait_for(struct waiting* self, OrtSyncStreamImpl* impl) {
  OrtSyncNotificationImpl* made = NULL;
  if (impl->CreateNotification == NULL) {
    return NULL;
  }
  CORE_TRY(impl->CreateNotification(impl, &made));
  self->notification = made;
  if (made == NULL) {
    return NULL;
  }
  CORE_TRY(made->Activate != NULL ? made->Activate(made) : NULL);
  return made->WaitOnHost != NULL ? made->WaitOnHost(made) : NULL;
}

/* Waits for the work of the stream and of the provider. */
static OrtStatus* synchronize(void* argument) {
  struct waiting* self = argument;
  const struct core_device_run* run = self->run;
  OrtEp* ep = run->device->ep->seen.ep;
  if (run->stream != NULL) {
    OrtSyncStreamImpl* impl = run->stream->impl;
    CORE_TRY(impl->Flush != NULL ? impl->Flush(impl) : NULL);
    CORE_TRY(wait_for(self, impl));
  }
  return ep->ort_version_supported >= 25 && ep->Sync != NULL ? ep->Sync(ep) : NULL;
}

CORE_EP_RELEASE(release_notification, OrtSyncNotificationImpl)

OrtStatus* core_wait_for_device(struct core_device_run* run) {
  struct waiting waiting = {run, NULL};
  OrtStatus* status = core_ep_call("Sync", synchronize, &waiting);
  if (waiting.notification != NULL && waiting.notification->Release != NULL) {
    status = core_first_failure(
        status, core_ep_call("Release", release_notification, waiting.notification));
  }
  run->is_busy = status != NULL;
  while (run->waiting_count > 0) {
    ort_ReleaseValue(run->waiting[--run->waiting_count]);
  }
  return status;
}

void core_release_after(struct core_device_run* run, OrtValue* value) {
  if (!run->is_busy || value == NULL) {
    ort_ReleaseValue(value);
    return;
  }
  if (run->waiting_count == CORE_MOST_WAITING) {
    /* The end of the run waits again: if this fails, and because a node may be about to begin more
     * work, which the value has to outlive. */
    ort_ReleaseStatus(core_wait_for_device(run));
    run->is_busy = true;
  }
  run->waiting[run->waiting_count++] = value;
}

OrtStatus* core_copy_from_device(struct core_device_run* run, const OrtValue* from, OrtValue** to) {
  struct core_tensor* made = NULL;
  const struct core_shape* shape = core_shape_of(from);
  if (*to == NULL) {
    CORE_TRY(core_new_tensor(CORE_DEFAULT_ALLOCATOR, shape->dims, shape->rank, shape->type, &made));
  } else if (!core_is_tensor(*to) ||
             !core_has_shape(core_shape_of(*to), shape->type, shape->dims, shape->rank)) {
    CORE_FAIL(ORT_INVALID_ARGUMENT,
              "Run: an output that is given must have the element type and shape of the result");
  }
  OrtValue* target = made != NULL ? &made->base : *to;
  OrtStatus* status = core_copy_by_device(run->device, from, target, run->stream);
  status = core_first_failure(status, core_wait_for_device(run));
  if (status != NULL && made != NULL) {
    ort_ReleaseValue(&made->base);
  } else {
    *to = target;
  }
  return status;
}

static OrtStatus* end_stream(void* argument) {
  OrtSyncStreamImpl* impl = ((struct core_device_run*)argument)->stream->impl;
  return impl->OnSessionRunEnd != NULL ? impl->OnSessionRunEnd(impl) : NULL;
}

OrtStatus* core_end_device_run(struct core_device_run* run, OrtStatus* status) {
  if (run->device == NULL) {
    return status;
  }
  if (run->is_busy) {
    status = core_first_failure(status, core_wait_for_device(run));
  }
  OrtSyncStream* stream = run->stream;
  if (stream != NULL) {
    OrtStatus* end = core_ep_call("OnSessionRunEnd", end_stream, run);
    if (status == NULL && end == NULL) {
      stream = __atomic_exchange_n(&run->device->spare_stream, stream, __ATOMIC_ACQ_REL);
    }
    core_drop(stream);
    status = core_first_failure(status, end);
  }
  *run = (struct core_device_run){0};
  return status;
}
