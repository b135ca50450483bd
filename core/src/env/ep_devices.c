/* SPDX-License-Identifier: MIT */
/* What clients ask an environment of hardware and execution providers, and providers of it. */

#include "env/registered_eps.h"

CORE_SLOT(ort_GetEpDevices, const OrtEnv* env, const OrtEpDevice* const** ep_devices,
          size_t* num_ep_devices) {
  CORE_TRY(core_env_find_devices(env));
  core_lock(CORE_LOCK_ENV);
  *ep_devices = env->devices;
  *num_ep_devices = env->device_count;
  core_unlock(CORE_LOCK_ENV);
  return NULL;
}

CORE_GETTER(ort_GetNumHardwareDevices, size_t, 1, const OrtEnv* env)

CORE_SLOT(ort_GetHardwareDevices, const OrtEnv* env, const OrtHardwareDevice** devices,
          size_t num_devices) {
  CORE_FAIL_IF(num_devices < 1, ORT_INVALID_ARGUMENT,
               "GetHardwareDevices: num_devices is less than what GetNumHardwareDevices answers");
  CORE_TRY(core_env_find_devices(env));
  devices[0] = env->cpu;
  return NULL;
}

/* The factory of a provider, and its library with a reference; NULL where there is none. */
static struct core_registered_ep* find_factory(const OrtEnv* env, const char* name,
                                               OrtEpFactory** out) {
  struct core_registered_ep* ep = NULL;
  while ((ep = core_next_ep(env, ep)) != NULL) {
    for (size_t i = 0; i < ep->library.factory_count; i++) {
      if (strcmp(ep->library.factories[i].name, name) == 0) {
        *out = ep->library.factories[i].factory;
        return ep;
      }
    }
  }
  return NULL;
}

CORE_SLOT(ort_GetHardwareDeviceEpIncompatibilityDetails, const OrtEnv* env, const char* ep_name,
          const OrtHardwareDevice* hw, OrtDeviceEpIncompatibilityDetails** details) {
  OrtEpFactory* factory = NULL;
  CORE_TRY(core_env_find_devices(env));
  struct core_registered_ep* ep = find_factory(env, ep_name, &factory);
  CORE_REFUSE_IF(ep == NULL, ORT_INVALID_ARGUMENT,
                 "No valid factory found for execution provider '%s'", ep_name);
  OrtStatus* status = core_ask_incompatibility(factory, hw, details);
  core_drop(ep);
  return status;
}

#define VIRTUAL "allow_virtual_devices"

/* The entries of the environment, and that for devices that libraries may invent. */
static OrtStatus* copy_config(struct OrtEnv* env, OrtKeyValuePairs** out) {
  OrtKeyValuePairs* copy = NULL;
  CORE_TRY(core_copy_pairs(env->config, &copy));
  core_lock(CORE_LOCK_ENV);
  bool is_virtual = env->virtual_libraries > 0;
  core_unlock(CORE_LOCK_ENV);
  if (is_virtual) {
    ort_RemoveKeyValuePair(copy, VIRTUAL);
    if (!core_append_pair(copy, VIRTUAL, "1")) {
      ort_ReleaseKeyValuePairs(copy);
      return core_no_memory(sizeof VIRTUAL);
    }
  }
  *out = copy;
  return NULL;
}

CORE_SLOT(ort_ep_GetEnvConfigEntries, OrtKeyValuePairs** config_entries) {
  struct OrtEnv* env = core_env_use();
  CORE_FAIL_IF(env == NULL, ORT_FAIL, "GetEnvConfigEntries: there is no environment");
  OrtStatus* status = copy_config(env, config_entries);
  core_drop(env);
  return status;
}
