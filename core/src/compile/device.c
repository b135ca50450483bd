/* SPDX-License-Identifier: MIT */
/* What a provider brings for memory of its device: an allocator, copies and streams. */
#include "compile/device.h"

#include "ep/library.h"
#include "ep/streams.h"

/* --- where a provider computes --------------------------------------------------------------- */

struct finding {
  OrtEp* ep;
  const OrtMemoryDevice* device;
};

const OrtLogger* core_logger_of_ep(const struct core_ep* ep) {
  return ep->library != NULL ? ((const struct core_ep_library*)ep->library)->logger : NULL;
}

CORE_EP_CALLER(ask_default, struct finding,
               self->ep->GetDefaultMemoryDevice(self->ep, &self->device))

/* The info that the provider added to one of its devices for that memory, since its allocator may
 * know only that one; otherwise the memory device itself. */
static const OrtMemoryInfo* info_of(const OrtMemoryDevice* device,
                                    const OrtEpDevice* const* devices, size_t count) {
  const struct OrtMemoryInfo* memory = (const struct OrtMemoryInfo*)device;
  for (size_t i = 0; i < count; i++) {
    const struct OrtMemoryInfo* info = devices[i]->infos[CORE_EP_MEMORY];
    if (info != NULL && core_is_same_device(info, memory)) {
      return info;
    }
  }
  return memory;
}

OrtStatus* core_find_memory(struct core_ep* ep, const OrtEpDevice* const* devices, size_t count) {
  struct finding finding = {.ep = ep->seen.ep};
  const struct OrtMemoryInfo* memory = devices[0]->infos[CORE_EP_MEMORY];
  if (finding.ep->ort_version_supported >= 28 && finding.ep->GetDefaultMemoryDevice != NULL) {
    CORE_TRY(core_ep_call("GetDefaultMemoryDevice", ask_default, &finding));
    memory = finding.device != NULL ? info_of(finding.device, devices, count) : memory;
  }
  ep->memory = memory != NULL && !core_is_cpu_memory(memory) ? memory : NULL;
  return NULL;
}

/* --- allocator and copies -------------------------------------------------------------------- */

static OrtStatus* create_allocator(void* argument) {
  struct core_device* device = argument;
  OrtEp* ep = device->ep->seen.ep;
  OrtEpFactory* factory = device->ep->factory;
  OrtAllocator* allocator = NULL;
  OrtDataTransferImpl* transfer = NULL;
  if (ep->ort_version_supported >= 23 && ep->CreateAllocator != NULL) {
    CORE_TRY(ep->CreateAllocator(ep, device->ep->memory, &allocator));
  } else if (CORE_FACTORY_HAS(factory, 23, CreateAllocator)) {
    CORE_TRY(factory->CreateAllocator(factory, device->ep->memory, NULL, &allocator));
  }
  device->allocator = allocator;
  if (CORE_FACTORY_HAS(factory, 23, CreateDataTransfer)) {
    CORE_TRY(factory->CreateDataTransfer(factory, &transfer));
  }
  device->transfer = transfer;
  CORE_REFUSE_IF(device->allocator == NULL || device->transfer == NULL, ORT_FAIL,
                 "a provider that computes in memory of its own must make an allocator for it "
                 "and what copies tensors");
  return NULL;
}

static OrtStatus* release(void* argument) {
  struct core_device* device = argument;
  OrtEpFactory* factory = device->ep->factory;
  if (device->transfer != NULL && device->transfer->Release != NULL) {
    device->transfer->Release(device->transfer);
  }
  if (device->allocator != NULL && factory->ReleaseAllocator != NULL) {
    factory->ReleaseAllocator(factory, device->allocator);
  }
  return NULL;
}

static void end_device(struct core_device* device) {
  core_drop(device->spare_stream);
  core_ep_log(core_logger_of_ep(device->ep), core_ep_call("ReleaseAllocator", release, device));
  heap_free(device);
}

void core_end_device(struct core_ep* ep) {
  if (ep->device != NULL) {
    end_device(ep->device);
  }
}

OrtStatus* core_device_of(struct core_ep* ep, struct core_device** out) {
  struct core_device* found = __atomic_load_n(&ep->device, __ATOMIC_ACQUIRE);
  if (found == NULL && ep->memory != NULL) {
    struct core_device* made = heap_alloc(sizeof *made);
    CORE_NEED_MEMORY(made, sizeof *made);
    *made = (struct core_device){.ep = ep};
    CORE_TRY_OR(core_ep_call("CreateAllocator", create_allocator, made), end_device(made));
    found = core_publish((void**)&ep->device, made);
    if (found != made) {
      end_device(made);
    }
  }
  *out = found;
  return NULL;
}

/* --- copies ---------------------------------------------------------------------------------- */

struct copying {
  OrtDataTransferImpl* transfer;
  const OrtValue* from;
  OrtValue* to;
  OrtSyncStream* stream;
};

static OrtStatus* copy_by_ep(void* argument) {
  struct copying* self = argument;
  OrtDataTransferImpl* transfer = self->transfer;
  CORE_FAIL_IF(transfer->CanCopy != NULL && !transfer->CanCopy(transfer, core_memory_of(self->from),
                                                               core_memory_of(self->to)),
               ORT_NOT_IMPLEMENTED,
               "CopyTensors: the execution provider does not copy between these memories");
  return transfer->CopyTensors(transfer, &self->from, &self->to, &self->stream, 1);
}

OrtStatus* core_copy_by_device(struct core_device* device, const OrtValue* from, OrtValue* to,
                               OrtSyncStream* stream) {
  struct copying copying = {device->transfer, from, to, stream};
  if (core_is_on_cpu(from) && core_is_on_cpu(to)) {
    return core_copy_elements(core_tensor_of(from), core_tensor_of(to));
  }
  return core_tensor_of(from)->bytes > 0 ? core_ep_call("CopyTensors", copy_by_ep, &copying) : NULL;
}

/* A tensor on a device that is like another one. */
struct making {
  OrtAllocator* allocator;
  const struct core_shape* shape;
  struct core_tensor* made;
};

CORE_EP_CALLER(make_tensor, struct making,
               core_new_tensor(self->allocator, self->shape->dims, self->shape->rank,
                               self->shape->type, &self->made))

OrtStatus* core_copy_to_device(struct core_device* device, const OrtValue* from,
                               OrtSyncStream* stream, OrtValue** out) {
  struct making making = {device->allocator, core_shape_of(from), NULL};
  CORE_TRY(core_ep_call("Alloc", make_tensor, &making));
  CORE_HAND_OUT(core_copy_by_device(device, from, &making.made->base, stream), &making.made->base,
                out);
}
