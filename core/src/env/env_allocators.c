/* SPDX-License-Identifier: MIT */
/* The allocators that an environment shares between sessions. GetSharedAllocator finds one by
 * device and memory type. Unregistering and replacing also match the name of the memory. */
#include "arena/arena.h"
#include "env/registered_eps.h"
#include "adaptors/adaptor.h"

bool core_is_same_memory(const struct OrtMemoryInfo* a, const struct OrtMemoryInfo* b) {
  return a->device_type == b->device_type && a->device_mem_type == b->device_mem_type &&
         a->vendor_id == b->vendor_id && a->device_id == b->device_id &&
         a->alignment == b->alignment && a->mem_type == b->mem_type;
}

/* The newest allocator of the same device and memory type. Under the lock. */
static const struct core_shared_allocator* find_newest(const struct OrtEnv* env,
                                                       const struct OrtMemoryInfo* info) {
  const struct core_shared_allocator* at = env->allocators;
  while (at != NULL && !core_is_same_memory(&at->info, info)) {
    at = at->next;
  }
  return at;
}

bool core_is_shared_memory(const struct OrtEnv* env, const struct OrtMemoryInfo* info) {
  core_lock(CORE_LOCK_ENV);
  bool is_shared = find_newest(env, info) != NULL;
  core_unlock(CORE_LOCK_ENV);
  return is_shared;
}

/* Takes the allocator with the same memory and name off the list, for free_unlisted; NULL if there
 * is none. Under the lock. */
static struct core_shared_allocator* unlist(struct OrtEnv* env, const struct OrtMemoryInfo* info) {
  struct core_shared_allocator** at = &env->allocators;
  while (*at != NULL &&
         !(core_is_same_memory(&(*at)->info, info) && strcmp((*at)->info.name, info->name) == 0)) {
    at = &(*at)->next;
  }
  struct core_shared_allocator* taken = *at;
  if (taken != NULL) {
    *at = taken->next;
    if (taken->maker != NULL) {
      core_retain(&taken->maker->library.object);
    }
  }
  return taken;
}

void core_free_shared(struct core_shared_allocator* shared) {
  if (shared->factory != NULL) {
    core_release_ep_allocator(shared);
  } else if (shared->is_owned) {
    core_release_adaptor(shared->allocator);
  } else {
    core_allocator_release(shared->allocator);
  }
  heap_free(shared);
}

/* The library of a provider stays until it has its allocator back. */
static void free_unlisted(struct core_shared_allocator* shared) {
  struct core_registered_ep* maker = shared->maker;
  core_free_shared(shared);
  core_drop(maker);
}

void core_share_allocator(struct OrtEnv* env, struct core_shared_allocator* shared) {
  core_lock(CORE_LOCK_ENV);
  struct core_shared_allocator* before = unlist(env, &shared->info);
  shared->next = env->allocators;
  env->allocators = shared;
  core_unlock(CORE_LOCK_ENV);
  if (before != NULL) {
    free_unlisted(before);
  }
}

struct core_shared_allocator* core_describe_shared(const struct OrtMemoryInfo* info) {
  size_t extra = core_memory_info_extra(info);
  struct core_shared_allocator* shared = heap_alloc(sizeof *shared + extra);
  if (shared != NULL) {
    *shared = (struct core_shared_allocator){.next = NULL};
    core_embed_memory_info(info, &shared->info, shared + 1, extra);
  }
  return shared;
}

CORE_SLOT(ort_RegisterAllocator, OrtEnv* env, OrtAllocator* allocator) {
  const struct OrtMemoryInfo* info = allocator->Info == NULL ? NULL : allocator->Info(allocator);
  CORE_FAIL_IF(
      !core_is_memory_info(info), ORT_INVALID_ARGUMENT,
      "RegisterAllocator: allocator must have an Info that answers an OrtMemoryInfo of this "
      "library");
  CORE_FAIL_IF(info->allocator_type == OrtArenaAllocator, ORT_INVALID_ARGUMENT,
               "RegisterAllocator: allocator must say of its memory that it is of type "
               "OrtDeviceAllocator, even if it is an arena: the other type is for arenas that "
               "CreateAndRegisterAllocator makes");
  struct core_shared_allocator* shared = core_describe_shared(info);
  CORE_NEED_MEMORY(shared, sizeof *shared);
  core_allocator_retain(allocator);
  shared->allocator = allocator;
  core_share_allocator(env, shared);
  return NULL;
}

OrtStatus* core_unshare_allocator(struct OrtEnv* env, const struct OrtMemoryInfo* info) {
  core_lock(CORE_LOCK_ENV);
  struct core_shared_allocator* shared = unlist(env, info);
  core_unlock(CORE_LOCK_ENV);
  CORE_REFUSE_IF(shared == NULL, ORT_INVALID_ARGUMENT,
                 "no allocator is registered for memory of this device and name");
  free_unlisted(shared);
  return NULL;
}

CORE_SLOT(ort_UnregisterAllocator, OrtEnv* env, const OrtMemoryInfo* mem_info) {
  CORE_REQUIRE_INFO(UnregisterAllocator, mem_info);
  return core_unshare_allocator(env, mem_info);
}

void core_env_release_allocators(struct OrtEnv* env) {
  while (env->allocators != NULL) {
    struct core_shared_allocator* next = env->allocators->next;
    core_free_shared(env->allocators);
    env->allocators = next;
  }
}

static void* plain_alloc(void* allocator, size_t size) {
  return ((OrtAllocator*)allocator)->Alloc(allocator, size);
}

static void plain_free(void* allocator, void* block) {
  ((OrtAllocator*)allocator)->Free(allocator, block);
}

/* An allocator around the default one, with the client's description of the memory. */
static OrtStatus* create_allocator(const struct OrtMemoryInfo* info, const OrtArenaCfg* cfg,
                                   OrtAllocator** out) {
  static const struct core_callbacks plain = {.alloc = plain_alloc, .free = plain_free};
  OrtAllocator* inner = CORE_DEFAULT_ALLOCATOR;
  return info->allocator_type == OrtArenaAllocator
             ? core_create_arena(inner, cfg, info, out)
             : core_create_from_callbacks(&plain, info, inner, NULL, out);
}

CORE_SLOT(ort_CreateAndRegisterAllocator, OrtEnv* env, const OrtMemoryInfo* mem_info,
          const OrtArenaCfg* arena_cfg) {
  CORE_REQUIRE_INFO(CreateAndRegisterAllocator, mem_info);
  CORE_FAIL_IF(mem_info->device_type != OrtMemoryInfoDeviceType_CPU, ORT_INVALID_ARGUMENT,
               "CreateAndRegisterAllocator: mem_info must be memory of the CPU");
  struct core_shared_allocator* shared = core_describe_shared(mem_info);
  CORE_NEED_MEMORY(shared, sizeof *shared);
  CORE_TRY_OR(create_allocator(&shared->info, arena_cfg, &shared->allocator), heap_free(shared));
  shared->is_owned = 1;
  core_share_allocator(env, shared);
  return NULL;
}

CORE_SLOT(ort_CreateAndRegisterAllocatorV2, OrtEnv* env, const char* provider_type,
          const OrtMemoryInfo* mem_info, const OrtArenaCfg* arena_cfg,
          const char* const* provider_options_keys, const char* const* provider_options_values,
          size_t num_keys) {
  CORE_REQUIRE_INFO(CreateAndRegisterAllocatorV2, mem_info);
  CORE_REQUIRE_IF(num_keys > 0, CreateAndRegisterAllocatorV2, provider_options_keys,
                  provider_options_values);
  CORE_REFUSE_IF(strcmp(provider_type, "CPUExecutionProvider") != 0, ORT_INVALID_ARGUMENT,
                 "provider_type must be CPUExecutionProvider, not \"%s\"", provider_type);
  return ort_CreateAndRegisterAllocator(env, mem_info, arena_cfg);
}

CORE_SLOT(ort_GetSharedAllocator, OrtEnv* env, const OrtMemoryInfo* mem_info,
          OrtAllocator** allocator) {
  CORE_REQUIRE_INFO(GetSharedAllocator, mem_info);
  core_lock(CORE_LOCK_ENV);
  const struct core_shared_allocator* shared = find_newest(env, mem_info);
  OrtAllocator* found = shared == NULL ? NULL : shared->allocator;
  core_unlock(CORE_LOCK_ENV);
  if (found == NULL && mem_info->device_type == OrtMemoryInfoDeviceType_CPU) {
    found = CORE_DEFAULT_ALLOCATOR;
  }
  *allocator = found;
  return NULL;
}

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
