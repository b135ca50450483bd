/* SPDX-License-Identifier: MIT */
/* The allocators that execution providers make for the memory of their devices, which the
 * environment shares. */
#include "env/registered_eps.h"

struct making {
  OrtEpFactory* factory;
  const OrtMemoryInfo* info;
  const OrtKeyValuePairs* options;
  OrtAllocator* made;
};

CORE_EP_CALLER(create_ep_allocator, struct making,
               self->factory->CreateAllocator(self->factory, self->info, self->options,
                                              &self->made))

CORE_EP_ACTION(give_back, struct core_shared_allocator,
               self->factory->ReleaseAllocator(self->factory, self->allocator))

void core_release_ep_allocator(struct core_shared_allocator* shared) {
  core_ep_log(shared->maker->library.logger, core_ep_call("ReleaseAllocator", give_back, shared));
}

static OrtStatus* check_made(OrtAllocator* made) {
  CORE_REFUSE_IF(made->Alloc == NULL || made->Free == NULL || made->Info == NULL, ORT_FAIL,
                 "Alloc, Free and Info must not be NULL in an allocator of an execution provider");
  const struct OrtMemoryInfo* info = made->Info(made);
  CORE_REFUSE_IF(!core_is_memory_info(info) || info->allocator_type == OrtArenaAllocator, ORT_FAIL,
                 "the Info of an allocator of an execution provider must be an OrtMemoryInfo, "
                 "and not of type OrtArenaAllocator, even for an arena");
  return NULL;
}

/* Has a device's factory make an allocator; `out` is NULL, with success, where it cannot. */
static OrtStatus* create(const OrtEpDevice* device, const OrtMemoryInfo* info,
                         const OrtKeyValuePairs* options, struct core_shared_allocator** out) {
  struct making making = {device->factory, info, options, NULL};
  *out = NULL;
  if (!CORE_FACTORY_HAS(device->factory, 23, CreateAllocator) ||
      !CORE_FACTORY_HAS(device->factory, 23, ReleaseAllocator)) {
    return NULL;
  }
  struct core_shared_allocator* shared = core_describe_shared(info);
  CORE_NEED_MEMORY(shared, sizeof *shared);
  OrtStatus* status = core_ep_call(NULL, create_ep_allocator, &making);
  if (status == NULL && making.made == NULL) {
    status = core_fail(ORT_FAIL, "the factory of an execution provider made no allocator");
  }
  CORE_TRY_OR(status, heap_free(shared));
  shared->allocator = making.made;
  shared->factory = device->factory;
  shared->maker = (struct core_registered_ep*)device->library;
  status = check_made(making.made);
  CORE_TRY_OR(status, core_free_shared(shared));
  *out = shared;
  return NULL;
}

static OrtStatus* share_memory(struct OrtEnv* env, const OrtEpDevice* device,
                               const OrtMemoryInfo* info) {
  struct core_shared_allocator* shared = NULL;
  if (info == NULL || core_is_shared_memory(env, info)) {
    return NULL;
  }
  CORE_TRY(create(device, info, NULL, &shared));
  if (shared != NULL) {
    core_share_allocator(env, shared);
  }
  return NULL;
}

OrtStatus* core_share_ep_memories(struct OrtEnv* env, struct core_registered_ep* ep) {
  for (size_t i = 0; i < ep->library.device_count; i++) {
    const OrtEpDevice* device = ep->library.devices[i];
    CORE_TRY(share_memory(env, device, device->infos[CORE_EP_MEMORY]));
    CORE_TRY(share_memory(env, device, device->infos[CORE_EP_MEMORY_OF_HOST]));
  }
  return NULL;
}

void core_take_ep_allocators(struct OrtEnv* env, struct core_registered_ep* ep) {
  struct core_shared_allocator** at = &env->allocators;
  while (*at != NULL) {
    struct core_shared_allocator* shared = *at;
    if (shared->maker != ep) {
      at = &shared->next;
      continue;
    }
    *at = shared->next;
    shared->next = ep->allocators;
    ep->allocators = shared;
  }
}

CORE_SLOT(ort_CreateSharedAllocator, OrtEnv* env, const OrtEpDevice* ep_device,
          OrtDeviceMemoryType mem_type, OrtAllocatorType allocator_type,
          const OrtKeyValuePairs* allocator_options, OrtAllocator** allocator) {
  const struct OrtMemoryInfo* info = core_ep_memory_of(ep_device, mem_type);
  CORE_FAIL_IF(info == NULL || ep_device->library == NULL, ORT_INVALID_ARGUMENT,
               "CreateSharedAllocator: ep_device has no memory of its own of this mem_type");
  CORE_FAIL_IF(allocator_type == OrtArenaAllocator, ORT_FAIL,
               "CreateSharedAllocator: allocator_type must be OrtDeviceAllocator: an execution "
               "provider that has an arena brings it itself");
  struct core_shared_allocator* shared = NULL;
  /* First, as in ONNX Runtime: a factory may hand its old allocator out again while it is in use.
   */
  ort_ReleaseStatus(core_unshare_allocator(env, info));
  CORE_TRY(create(ep_device, info, allocator_options, &shared));
  CORE_FAIL_IF(shared == NULL, ORT_FAIL,
               "CreateSharedAllocator: the factory of ep_device makes no allocators");
  *allocator = shared->allocator;
  core_share_allocator(env, shared);
  return NULL;
}

CORE_SLOT(ort_ReleaseSharedAllocator, OrtEnv* env, const OrtEpDevice* ep_device,
          OrtDeviceMemoryType mem_type) {
  const struct OrtMemoryInfo* info = core_ep_memory_of(ep_device, mem_type);
  CORE_FAIL_IF(info == NULL, ORT_INVALID_ARGUMENT,
               "ReleaseSharedAllocator: ep_device has no memory of its own of this mem_type");
  return core_unshare_allocator(env, info);
}
