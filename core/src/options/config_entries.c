/* SPDX-License-Identifier: MIT */
/* Configuration entries of session options and run options; free dimensions of session options. */

#include "options/session_options.h"

/* In bytes, without the terminating zero. */
#define KEY_LIMIT 1024
#define VALUE_LIMIT 8192

OrtStatus* core_config_set(struct core_items* entries, const char* key, const char* value) {
  size_t key_length = strnlen(key, KEY_LIMIT + 1);
  CORE_REFUSE_IF(key_length == 0 || key_length > KEY_LIMIT, ORT_INVALID_ARGUMENT,
                 "config_key must have 1 to 1024 bytes. Config key is empty or longer than "
                 "maximum length 1024");
  CORE_REFUSE_IF(strnlen(value, VALUE_LIMIT + 1) > VALUE_LIMIT, ORT_INVALID_ARGUMENT,
                 "config_value must have at most 8192 bytes. Config value is longer than "
                 "maximum length: 8192");
  return core_items_put(entries, key, value) ? NULL
                                             : core_no_memory(key_length + strlen(value) + 2);
}

const char* core_config_get(const struct core_items* entries, const char* key) {
  const struct core_item* item = core_items_named(entries, key);
  return item == NULL ? NULL : core_item_text(item);
}

CORE_SLOT(ort_AddSessionConfigEntry, OrtSessionOptions* options, const char* config_key,
          const char* config_value) {
  bool is_named = false;
  CORE_TRY(core_set_named(options, config_key, config_value, &is_named));
  if (is_named) {
    return NULL;
  }
  return core_config_set(&options->lists[CORE_SESSION_CONFIG], config_key, config_value);
}

CORE_SLOT(ort_HasSessionConfigEntry, const OrtSessionOptions* options, const char* config_key,
          int* out) {
  CORE_FAIL_IF(config_key == NULL, ORT_RUNTIME_EXCEPTION,
               "HasSessionConfigEntry: config_key must not be NULL");
  *out = core_config_get(&options->lists[CORE_SESSION_CONFIG], config_key) != NULL;
  return NULL;
}

CORE_SLOT(ort_GetSessionConfigEntry, const OrtSessionOptions* options, const char* config_key,
          char* config_value, size_t* size) {
  CORE_FAIL_IF(config_key == NULL, ORT_RUNTIME_EXCEPTION,
               "GetSessionConfigEntry: config_key must not be NULL");
  const char* value = core_config_get(&options->lists[CORE_SESSION_CONFIG], config_key);
  CORE_REFUSE_IF(value == NULL, ORT_INVALID_ARGUMENT, "there is no entry '%s'", config_key);
  size_t room = *size;
  *size = strlen(value) + 1;
  if (config_value == NULL) {
    return NULL;
  }
  CORE_FAIL_IF(room < *size, ORT_INVALID_ARGUMENT,
               "GetSessionConfigEntry: config_value is too small for the value; size now says how "
               "many bytes it needs");
  memcpy(config_value, value, *size);
  return NULL;
}

CORE_SLOT(ort_GetSessionOptionsConfigEntries, const OrtSessionOptions* options,
          OrtKeyValuePairs** out) {
  return core_pairs_of(&options->lists[CORE_SESSION_CONFIG], out);
}

CORE_SLOT(ort_AddRunConfigEntry, OrtRunOptions* options, const char* config_key,
          const char* config_value) {
  return core_config_set(&options->config, config_key, config_value);
}

const char* ORT_API_CALL ort_GetRunConfigEntry(const OrtRunOptions* options,
                                               const char* config_key) NO_EXCEPTION {
  return options == NULL || config_key == NULL ? NULL
                                               : core_config_get(&options->config, config_key);
}

static OrtStatus* fix_dimension(OrtSessionOptions* options, const char* key, bool is_denotation,
                                int64_t value) {
  size_t size = strlen(key) + 1;
  struct core_item* item = core_items_add(&options->lists[CORE_FREE_DIMENSIONS], key, size, NULL);
  CORE_NEED_MEMORY(item, size);
  item->number = value;
  item->mark = is_denotation;
  return NULL;
}

CORE_SLOT(ort_AddFreeDimensionOverride, OrtSessionOptions* options, const char* dim_denotation,
          int64_t dim_value) {
  return fix_dimension(options, dim_denotation, true, dim_value);
}

CORE_SLOT(ort_AddFreeDimensionOverrideByName, OrtSessionOptions* options, const char* dim_name,
          int64_t dim_value) {
  return fix_dimension(options, dim_name, false, dim_value);
}
