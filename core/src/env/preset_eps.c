/* SPDX-License-Identifier: MIT */
/* The libraries of execution providers that an environment variable names, for programs whose
 * options name none: ORTCORE_PROVIDERS=/path/liba.so?threads=2:/path/libb.so. Its items are
 * separated as those of PATH are; behind '?' are options of the provider, separated by '&'. */

#include <stdlib.h>

#include "env/registered_eps.h"

#define VARIABLE "ORTCORE_PROVIDERS"

/* The option that is not the provider's: the vendor of the CPU that the library is shown, for
 * libraries that refuse those of other vendors. */
#define VENDOR "hardware.vendor_id"

#if defined(_WIN32)
#define SEPARATOR ";"
#else
#define SEPARATOR ":"
#endif

static void say(const struct OrtEnv* env, OrtLoggingLevel severity, const char* text) {
  const struct core_record record = {severity, CORE_LOG_CATEGORY, VARIABLE, text};
  core_logger_log(&env->logger, &record);
}

/* The library of a name, with a reference. */
static struct core_registered_ep* find(const struct OrtEnv* env, const char* name) {
  struct core_registered_ep* ep = core_next_ep(env, NULL);
  while (ep != NULL && strcmp(ep->library.name, name) != 0) {
    ep = core_next_ep(env, ep);
  }
  return ep;
}

/* Writes the name of a file without its ending, by which a library is registered. */
static void write_name(const char* path, char name[CORE_PATH_ROOM]) {
  const char* file = path + core_path_folder_length(path);
  snprintf(name, CORE_PATH_ROOM, "%.*s", (int)strcspn(file, "."), file);
}

/* Cuts options such as "threads=2&device=0" off a path, which they follow. */
static OrtStatus* cut_options(char* item, OrtKeyValuePairs** out) {
  char* text = strchr(item, '?');
  ort_CreateKeyValuePairs(out);
  if (*out == NULL) {
    return core_no_memory(1);
  }
  if (text != NULL) {
    *text++ = 0;
  }
  while (text != NULL) {
    char *end = strchr(text, '&'), *value = strchr(text, '=');
    if (end != NULL) {
      *end++ = 0;
    }
    if (value != NULL && (end == NULL || value < end)) {
      *value = 0;
      ort_AddKeyValuePair(*out, text, value + 1);
    }
    text = end;
  }
  return NULL;
}

/* The CPU that a library is to be shown, of a vendor that its options name; NULL for the machine's.
 */
static OrtStatus* take_hardware(OrtKeyValuePairs* options, OrtHardwareDevice** out) {
  const char* vendor = ort_GetKeyValue(options, VENDOR);
  if (vendor == NULL) {
    return NULL;
  }
  char* end;
  unsigned long id = strtoul(vendor, &end, 0);
  CORE_FAIL_IF(*vendor == 0 || *end != 0 || id > UINT32_MAX, ORT_INVALID_ARGUMENT,
               VENDOR " must be a number of 32 bits");
  ort_RemoveKeyValuePair(options, VENDOR);
  return ort_ep_CreateHardwareDevice(OrtHardwareDeviceType_CPU, (uint32_t)id, 0, "", NULL, out);
}

/* Registers a library, which gets the options. */
static OrtStatus* register_library(struct OrtEnv* env, const char* utf8,
                                   OrtKeyValuePairs** options) {
  ORTCHAR_T path[CORE_PATH_ROOM];
  char name[CORE_PATH_ROOM];
  OrtHardwareDevice* hardware = NULL;
  if (core_native_path(utf8, path, sizeof path) > sizeof path) {
    return core_status(ORT_INVALID_ARGUMENT, "the path of a library is too long");
  }
  write_name(utf8, name);
  CORE_TRY(take_hardware(*options, &hardware));
  const OrtHardwareDevice* const shown[] = {hardware};
  OrtStatus* status =
      core_register_ep_library(env, NULL, name, path, hardware != NULL ? shown : NULL, 1);
  core_drop(hardware);
  struct core_registered_ep* ep = status == NULL ? find(env, name) : NULL;
  if (ep != NULL) { /* no other thread has unregistered it */
    ep->preset = *options;
    *options = NULL;
    core_drop(ep);
  }
  return status;
}

/* Registers the library of an item; what is wrong with it is logged. */
static void add_item(struct OrtEnv* env, const char* text, size_t length) {
  OrtKeyValuePairs* options = NULL;
  char* item = heap_alloc(length + 1);
  if (item == NULL) {
    return;
  }
  memcpy(item, text, length);
  item[length] = 0;
  OrtStatus* status = cut_options(item, &options);
  CORE_THEN(status, register_library(env, item, &options));
  if (status == NULL) {
    say(env, ORT_LOGGING_LEVEL_INFO, item);
  } else {
    OrtStatus* named = core_status(ORT_FAIL, "'%s': %s", item, ort_GetErrorMessage(status));
    say(env, ORT_LOGGING_LEVEL_ERROR, ort_GetErrorMessage(named));
    ort_ReleaseStatus(named);
    ort_ReleaseStatus(status);
  }
  ort_ReleaseKeyValuePairs(options);
  heap_free(item);
}

/* The environment whose libraries this thread registers: they may create a session, which must not
 * wait. */
static __thread struct OrtEnv* registering CORE_TLS;

static void register_all(void) {
  struct OrtEnv* env = registering;
  bool is_refused = false;
  const char* list = core_variable(VARIABLE, &is_refused);
  if (is_refused) {
    say(env, ORT_LOGGING_LEVEL_WARNING,
        "ignored, because the program has rights that its user does not have");
  }
  while (list != NULL && *list != 0) {
    size_t length = strcspn(list, SEPARATOR);
    if (length > 0) {
      add_item(env, list, length);
    }
    list += length + (list[length] != 0);
  }
}

void core_env_register_presets(struct OrtEnv* env) {
  struct OrtEnv* outer = registering;
  if (outer != env) {
    registering = env;
    core_run_once(&env->presets, register_all);
    registering = outer;
  }
}

/* Adds the first device of a library to options. */
static OrtStatus* add_device(const struct core_registered_ep* ep, OrtSessionOptions* options) {
  const char *const *keys, *const *values;
  size_t count;
  if (ep->library.device_count == 0) {
    return core_fail(ORT_FAIL, VARIABLE ": %s has no device here", ep->library.name);
  }
  ort_GetKeyValuePairs(ep->preset, &keys, &values, &count);
  const OrtEpDevice* device = ep->library.devices[0];
  return ort_SessionOptionsAppendExecutionProvider_V2(options, ep->env, &device, 1, keys, values,
                                                      count);
}

OrtStatus* core_choose_presets(struct OrtEnv* env, OrtSessionOptions* options) {
  core_env_register_presets(env);
  OrtStatus* status = NULL;
  struct core_registered_ep* ep = core_next_ep(env, NULL);
  for (; ep != NULL; ep = core_next_ep(env, ep)) {
    if (status == NULL && ep->preset != NULL) {
      status = add_device(ep, options);
    }
  }
  return status;
}
