/* SPDX-License-Identifier: MIT */
#include "env/registered_eps.h"

#define SLOT "RegisterExecutionProviderLibrary"

static void end_registered(void* block) {
  struct core_registered_ep* ep = block;
  core_ep_library_end_transfers(&ep->library);
  while (ep->allocators != NULL) {
    struct core_shared_allocator* shared = ep->allocators;
    ep->allocators = shared->next;
    core_free_shared(shared);
  }
  core_ep_library_end(&ep->library);
  ort_ReleaseKeyValuePairs(ep->preset);
  core_drop(ep->env);
}

static const struct core_class registered_class = {.kind = CORE_EP_LIBRARY, .end = end_registered};

/* --- the list -------------------------------------------------------------------------------- */

/* Where a library with a name is listed, or the end of the list. Under the lock. */
static struct core_registered_ep** find_ep(struct OrtEnv* env, const char* name) {
  struct core_registered_ep** at = &env->eps;
  while (*at != NULL && strcmp((*at)->library.name, name) != 0) {
    at = &(*at)->next;
  }
  return at;
}

/* Makes the array of all devices anew; false where there is no memory. Under the lock. */
static bool list_devices(struct OrtEnv* env) {
  size_t count = 0;
  for (struct core_registered_ep* ep = env->eps; ep != NULL; ep = ep->next) {
    count += ep->library.device_count;
  }
  const OrtEpDevice** devices = heap_alloc(count * sizeof *devices + 1); /* must not be NULL */
  if (devices == NULL) {
    return false;
  }
  heap_free(env->devices);
  env->devices = devices;
  env->device_count = count;
  for (struct core_registered_ep* ep = env->eps; ep != NULL; ep = ep->next) {
    for (size_t i = 0; i < ep->library.device_count; i++) {
      *devices++ = ep->library.devices[i];
    }
  }
  return true;
}

/* Lists a library, which the environment has from then on. */
static OrtStatus* list(struct OrtEnv* env, struct core_registered_ep* ep) {
  core_lock(CORE_LOCK_ENV);
  struct core_registered_ep** at = find_ep(env, ep->library.name);
  bool is_there = *at != NULL, is_listed = false;
  if (!is_there) {
    *at = ep;
    is_listed = list_devices(env);
    if (!is_listed) {
      *at = NULL;
    }
  }
  core_unlock(CORE_LOCK_ENV);
  if (is_listed) {
    return NULL;
  }
  CORE_RETURN_IF(!is_there, core_no_memory(sizeof *env->devices));
  return core_fail(ORT_FAIL, "a library is already registered under the name %s", ep->library.name);
}

/* Takes a library off the list, with what was shared for it, and drops the reference to it. Under
 * the lock, which is given back. */
static void unlist_and_unlock(struct OrtEnv* env, struct core_registered_ep** at) {
  struct core_registered_ep* ep = *at;
  *at = ep->next;
  ep->next = NULL;
  core_take_ep_allocators(env, ep);
  env->virtual_libraries -= ep->is_virtual;
  /* A shorter array fits into the one that is there. */
  size_t count = 0;
  for (size_t i = 0; i < env->device_count; i++) {
    if (env->devices[i]->library != &ep->library.object) {
      env->devices[count++] = env->devices[i];
    }
  }
  env->device_count = count;
  core_unlock(CORE_LOCK_ENV);
  core_drop(ep);
}

void core_env_unregister_eps(struct OrtEnv* env) {
  for (;;) {
    core_lock(CORE_LOCK_ENV);
    struct core_registered_ep** at = &env->eps;
    while (*at != NULL && (*at)->next != NULL) {
      at = &(*at)->next;
    }
    if (*at == NULL) {
      core_unlock(CORE_LOCK_ENV);
      return;
    }
    unlist_and_unlock(env, at);
  }
}

struct core_registered_ep* core_next_ep(const struct OrtEnv* env, struct core_registered_ep* last) {
  core_lock(CORE_LOCK_ENV);
  struct core_registered_ep* next = last == NULL ? env->eps : last->next;
  if (next != NULL) {
    core_retain(&next->library.object);
  }
  core_unlock(CORE_LOCK_ENV);
  core_drop(last);
  return next;
}

/* --- libraries ------------------------------------------------------------------------------- */

static OrtStatus* open_library(struct OrtEnv* env, const struct core_ep_source* source,
                               bool is_virtual) {
  CORE_NEW(struct core_registered_ep, ep, &registered_class);
  core_retain(&env->object);
  ep->env = env;
  ep->is_virtual = is_virtual;
  OrtStatus* status = core_ep_library_begin(source, &ep->library);
  CORE_THEN(status, core_share_ep_memories(env, ep));
  CORE_THEN(status, core_ep_library_ask_transfers(&ep->library));
  CORE_THEN(status, list(env, ep));
  if (status != NULL) {
    core_lock(CORE_LOCK_ENV);
    core_take_ep_allocators(env, ep);
    core_unlock(CORE_LOCK_ENV);
    core_drop(ep);
  }
  return status;
}

OrtStatus* core_env_find_devices(const OrtEnv* input) {
  struct OrtEnv* env = (struct OrtEnv*)input;
  core_lock(CORE_LOCK_ENV);
  bool is_done = env->devices != NULL;
  OrtHardwareDevice* cpu = env->cpu;
  core_unlock(CORE_LOCK_ENV);
  if (is_done) {
    return NULL;
  }
  if (cpu == NULL) {
    CORE_TRY(core_find_cpu(&cpu));
    core_lock(CORE_LOCK_ENV);
    OrtHardwareDevice* surplus = env->cpu == NULL ? NULL : cpu;
    cpu = env->cpu = env->cpu == NULL ? cpu : env->cpu;
    core_unlock(CORE_LOCK_ENV);
    core_drop(surplus);
  }
  const OrtHardwareDevice* found[] = {cpu};
  struct core_ep_source own = {.name = core_cpu_factory.GetName(&core_cpu_factory),
                               .factory = &core_cpu_factory,
                               .logger = &env->logger,
                               .hardware = found,
                               .hardware_count = 1};
  OrtStatus* status = open_library(env, &own, false);
  core_lock(CORE_LOCK_ENV);
  is_done = env->devices != NULL; /* perhaps by another thread */
  core_unlock(CORE_LOCK_ENV);
  if (is_done) {
    ort_ReleaseStatus(status);
    status = NULL;
  }
  return status;
}

OrtStatus* core_env_use_devices(const OrtEnv* env, const OrtEpDevice*** out, size_t* count) {
  CORE_TRY(core_env_find_devices(env));
  core_lock(CORE_LOCK_ENV);
  size_t size = env->device_count * sizeof(OrtEpDevice*);
  const OrtEpDevice** devices = heap_alloc(size);
  for (size_t i = 0; devices != NULL && i < env->device_count; i++) {
    devices[i] = env->devices[i];
    core_retain(devices[i]->library);
  }
  *count = env->device_count;
  core_unlock(CORE_LOCK_ENV);
  *out = devices;
  return devices != NULL ? NULL : core_no_memory(size);
}

void core_env_leave_devices(const OrtEpDevice** devices, size_t count) {
  for (size_t i = 0; i < count; i++) {
    core_drop(devices[i]->library);
  }
  heap_free(devices);
}

static bool ends_in_virtual(const char* name) {
  static const char end[] = ".virtual";
  size_t length = strlen(name);
  return length >= sizeof end - 1 && strcmp(name + length - (sizeof end - 1), end) == 0;
}

OrtStatus* ORT_API_CALL core_register_ep_library(OrtEnv* env, const OrtApiBase* base,
                                                 const char* name, const ORTCHAR_T* path,
                                                 const OrtHardwareDevice* const* hardware,
                                                 size_t hardware_count) {
  CORE_REQUIRE(RegisterExecutionProviderLibrary, env);
  CORE_FAIL_IF(name == NULL, ORT_RUNTIME_EXCEPTION, SLOT ": registration_name must not be NULL");
  CORE_REQUIRE(RegisterExecutionProviderLibrary, path);
  CORE_TRY(core_named(SLOT, core_env_find_devices(env)));
  bool is_virtual = ends_in_virtual(name);
  core_lock(CORE_LOCK_ENV);
  bool is_there = *find_ep(env, name) != NULL;
  const OrtHardwareDevice* found[] = {env->cpu};
  env->virtual_libraries += is_virtual && !is_there;
  core_unlock(CORE_LOCK_ENV);
  CORE_RETURN_IF(
      is_there,
      core_status(ORT_FAIL, SLOT ": a library is already registered under the name %s", name));
  struct core_ep_source source = {.name = name,
                                  .path = path,
                                  .base = base != NULL ? base : core_api_base(),
                                  .logger = &env->logger,
                                  .hardware = hardware != NULL ? hardware : found,
                                  .hardware_count = hardware != NULL ? hardware_count : 1};
  OrtStatus* status = open_library(env, &source, is_virtual);
  if (status != NULL) {
    core_lock(CORE_LOCK_ENV);
    env->virtual_libraries -= is_virtual;
    core_unlock(CORE_LOCK_ENV);
  }
  return core_named(SLOT, status);
}

CORE_SLOT(ort_RegisterExecutionProviderLibrary, OrtEnv* env, const char* registration_name,
          const ORTCHAR_T* path) {
  return core_register_ep_library(env, NULL, registration_name, path, NULL, 0);
}

CORE_SLOT(ort_UnregisterExecutionProviderLibrary, OrtEnv* env, const char* registration_name) {
  CORE_FAIL_IF(registration_name == NULL, ORT_RUNTIME_EXCEPTION,
               "UnregisterExecutionProviderLibrary: registration_name must not be NULL");
  core_lock(CORE_LOCK_ENV);
  struct core_registered_ep** at = find_ep(env, registration_name);
  bool is_library = *at != NULL && (*at)->library.handle != NULL;
  if (is_library) {
    unlist_and_unlock(env, at);
    return NULL;
  }
  core_unlock(CORE_LOCK_ENV);
  return core_fail(ORT_FAIL, "no library is registered under the name %s", registration_name);
}
