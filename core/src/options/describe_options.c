/* SPDX-License-Identifier: MIT */
#include "options/describe_options.h"

#include <inttypes.h>
#include <stdio.h>

#include "heap/heap.h"
#include "platform/platform.h"
#include "options/run_options.h"
#include "options/threading_options.h"

/* Pairs in the making; NULL once there was no memory for one. */
struct telling {
  OrtKeyValuePairs* pairs;
};

static struct telling begin(void) {
  struct telling telling = {NULL};
  ort_CreateKeyValuePairs(&telling.pairs);
  return telling;
}

static void tell(struct telling* telling, const char* key, const char* value) {
  if (telling->pairs != NULL && !core_append_pair(telling->pairs, key, value)) {
    ort_ReleaseKeyValuePairs(telling->pairs);
    telling->pairs = NULL;
  }
}

static void tell_number(struct telling* telling, const char* key, int64_t number) {
  char text[24];
  snprintf(text, sizeof text, "%" PRId64, number);
  tell(telling, key, text);
}

static void tell_address(struct telling* telling, const char* key, uintptr_t address) {
  if (address != 0) {
    char text[24];
    snprintf(text, sizeof text, "%" PRIuPTR, address);
    tell(telling, key, text);
  }
}

static void tell_path(struct telling* telling, const char* key, const ORTCHAR_T* path) {
  if (path == NULL) {
    return;
  }
  size_t room = core_path_utf8_room(path);
  char* text = heap_alloc(room);
  if (text == NULL) {
    ort_ReleaseKeyValuePairs(telling->pairs);
    telling->pairs = NULL;
    return;
  }
  core_path_utf8(path, text, room);
  tell(telling, key, text);
  heap_free(text);
}

static OrtStatus* end(const char* function, const struct telling* telling, OrtKeyValuePairs** out) {
  if (telling->pairs == NULL) {
    return core_no_memory(function, sizeof(void*));
  }
  *out = telling->pairs;
  return NULL;
}

static void tell_threads(struct telling* telling, const struct core_thread_functions* functions) {
  tell_address(telling, "create_thread_function", (uintptr_t)functions->create);
  tell_address(telling, "thread_creation_options", (uintptr_t)functions->creation_options);
  tell_address(telling, "join_thread_function", (uintptr_t)functions->join);
}

static void tell_devices(struct telling* telling, const struct core_session_settings* settings) {
  if (settings->has_policy) {
    tell_number(telling, "device_policy", settings->policy);
  }
  tell_address(telling, "device_delegate", (uintptr_t)settings->delegate);
  tell_address(telling, "device_delegate_state", (uintptr_t)settings->delegate_state);
}

OrtStatus* core_describe_session_options(const OrtSessionOptions* options, OrtKeyValuePairs** out) {
  if (options->mark != &core_options_mark) {
    *out = NULL;
    return NULL;
  }
  const struct core_session_settings* settings = &options->settings;
  const struct core_text* texts = options->texts;
  struct telling telling = begin();
  tell_number(&telling, "intra_op_threads", settings->intra_op_threads);
  tell_number(&telling, "inter_op_threads", settings->inter_op_threads);
  tell_number(&telling, "execution_mode", settings->execution_mode);
  tell_number(&telling, "optimization_level", settings->optimization_level);
  tell_number(&telling, "mem_pattern", settings->mem_pattern);
  tell_number(&telling, "cpu_arena", settings->cpu_arena);
  tell_number(&telling, "deterministic", settings->deterministic);
  tell_number(&telling, "per_session_threads", settings->per_session_threads);
  tell(&telling, "log_id", texts[CORE_LOG_ID].bytes == NULL ? "" : texts[CORE_LOG_ID].bytes);
  tell_number(&telling, "log_severity", settings->log_severity);
  tell_number(&telling, "log_verbosity", settings->log_verbosity);
  tell_path(&telling, "optimized_model_path", texts[CORE_OPTIMIZED_MODEL_PATH].bytes);
  tell_path(&telling, "profiling", settings->profiling ? texts[CORE_PROFILE_PREFIX].bytes : NULL);
  tell_number(&telling, "loading_cancelled",
              __atomic_load_n(&options->load_flag->is_cancelled, __ATOMIC_ACQUIRE));
  tell_devices(&telling, settings);
  tell_threads(&telling, &settings->threads);
  tell_address(&telling, "weightless_source", (uintptr_t)settings->weightless_source);
  tell_address(&telling, "weightless_source_size", settings->weightless_source_size);
  return end("describe_session_options", &telling, out);
}

OrtStatus* core_describe_run_options(const OrtRunOptions* options, OrtKeyValuePairs** out) {
  if (options->mark != &core_options_mark) {
    *out = NULL;
    return NULL;
  }
  struct telling telling = begin();
  tell_number(&telling, "log_severity", options->log_severity);
  tell_number(&telling, "log_verbosity", options->log_verbosity);
  tell(&telling, "tag", options->tag == NULL ? "" : options->tag);
  tell_number(&telling, "terminated", __atomic_load_n(&options->is_terminated, __ATOMIC_ACQUIRE));
  tell_path(&telling, "profiling", options->profile_prefix);
  tell_address(&telling, "sync_stream", (uintptr_t)options->stream);
  return end("describe_run_options", &telling, out);
}

OrtStatus* core_describe_threading_options(const OrtThreadingOptions* options,
                                           OrtKeyValuePairs** out) {
  if (options->mark != &core_options_mark) {
    *out = NULL;
    return NULL;
  }
  struct telling telling = begin();
  tell_number(&telling, "intra_op_threads", options->intra_op_threads);
  tell_number(&telling, "inter_op_threads", options->inter_op_threads);
  tell_number(&telling, "spinning", options->spinning);
  tell_number(&telling, "denormal_as_zero", options->denormal_as_zero);
  tell(&telling, "affinity", options->affinity == NULL ? "" : options->affinity);
  tell_threads(&telling, &options->functions);
  return end("describe_threading_options", &telling, out);
}

OrtStatus* core_run_config(const OrtRunOptions* options, OrtKeyValuePairs** out) {
  if (options->mark != &core_options_mark) {
    *out = NULL;
    return NULL;
  }
  return core_config_pairs("run_config", &options->config, out);
}

const struct core_item* core_session_item(const OrtSessionOptions* options,
                                          enum core_session_list list, size_t i) {
  const struct core_items* items = &options->lists[list];
  return options->mark == &core_options_mark && i < items->count ? &items->list[i] : NULL;
}
