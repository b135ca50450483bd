/* SPDX-License-Identifier: MIT */
/* The libraries of execution providers that an environment variable names, for programs whose
 * options name none: ORTCORE_PROVIDERS=/path/liba.so?threads=2:/path/libb.so. Its items are
 * separated as those of PATH are; behind '?' are options of the provider, separated by '&'. */
#include "env/preset_eps.h"

#include <stdio.h>
#include <string.h>

#include "env/registered_eps.h"
#include "heap/heap.h"

#define VARIABLE "ORTCORE_PROVIDERS"

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

/* Registers the library of an item, which the library gets. */
static OrtStatus* register_item(struct OrtEnv* env, char* item) {
  ORTCHAR_T path[CORE_PATH_ROOM];
  char name[CORE_PATH_ROOM];
  char* options = strchr(item, '?');
  if (options != NULL) {
    *options = 0;
  }
  if (core_native_path(item, path, sizeof path) > sizeof path) {
    return core_status(ORT_INVALID_ARGUMENT, "the path of a library is too long");
  }
  write_name(item, name);
  CORE_TRY(core_register_ep_library(env, NULL, name, path, NULL, 0));
  struct core_registered_ep* ep = find(env, name);
  if (ep == NULL) { /* another thread has unregistered it */
    return NULL;
  }
  ep->preset = item;
  ep->preset_options = options != NULL ? options + 1 : "";
  core_drop(ep);
  return NULL;
}

/* Registers the library of an item; what is wrong with it is logged. */
static void add_item(struct OrtEnv* env, const char* text, size_t length) {
  char* item = heap_alloc(length + 1);
  if (item == NULL) {
    return;
  }
  memcpy(item, text, length);
  item[length] = 0;
  OrtStatus* status = register_item(env, item);
  if (status == NULL) {
    say(env, ORT_LOGGING_LEVEL_INFO, item);
    return;
  }
  say(env, ORT_LOGGING_LEVEL_ERROR, ort_GetErrorMessage(status));
  ort_ReleaseStatus(status);
  heap_free(item);
}

void core_env_register_presets(struct OrtEnv* env) {
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

/* --- the options of sessions ------------------------------------------------------------------ */

/* Splits options such as "threads=2&device=0" in place. */
static void read_options(char* text, OrtKeyValuePairs* pairs) {
  while (*text != 0) {
    char* end = text + strcspn(text, "&");
    char* next = end + (*end != 0);
    *end = 0;
    char* value = strchr(text, '=');
    if (value != NULL) {
      *value = 0;
      ort_AddKeyValuePair(pairs, text, value + 1);
    }
    text = next;
  }
}

/* Adds the first device of a library to options. */
static OrtStatus* add_device(const struct core_registered_ep* ep, OrtSessionOptions* options) {
  OrtKeyValuePairs* pairs = NULL;
  const char *const *keys, *const *values;
  size_t count, size = strlen(ep->preset_options) + 1;
  if (ep->library.device_count == 0) {
    return core_fail(ORT_FAIL, VARIABLE ": %s has no device here", ep->library.name);
  }
  char* text = heap_alloc(size);
  ort_CreateKeyValuePairs(&pairs);
  if (text == NULL || pairs == NULL) {
    heap_free(text);
    ort_ReleaseKeyValuePairs(pairs);
    return core_no_memory(size);
  }
  read_options(memcpy(text, ep->preset_options, size), pairs);
  ort_GetKeyValuePairs(pairs, &keys, &values, &count);
  const OrtEpDevice* device = ep->library.devices[0];
  OrtStatus* status = ort_SessionOptionsAppendExecutionProvider_V2(options, ep->env, &device, 1,
                                                                   keys, values, count);
  ort_ReleaseKeyValuePairs(pairs);
  heap_free(text);
  return status;
}

OrtStatus* core_choose_presets(const struct OrtEnv* env, OrtSessionOptions* options) {
  OrtStatus* status = NULL;
  struct core_registered_ep* ep = core_next_ep(env, NULL);
  for (; ep != NULL; ep = core_next_ep(env, ep)) {
    if (status == NULL && ep->preset != NULL) {
      status = add_device(ep, options);
    }
  }
  return status;
}
