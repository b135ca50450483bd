/* SPDX-License-Identifier: MIT */
#include "options/describe_options.h"

#include <inttypes.h>
#include <stdio.h>

#include "heap/heap.h"
#include "platform/platform.h"
#include "options/run_options.h"
#include "options/session_options.h"
#include "options/threading_options.h"
#include "status/key_values.h"

/* Collects pairs. NULL after an allocation failed. */
struct pair_writer {
  OrtKeyValuePairs* pairs;
};

static struct pair_writer new_writer(void) {
  struct pair_writer writer = {NULL};
  ort_CreateKeyValuePairs(&writer.pairs);
  return writer;
}

static void write_text(struct pair_writer* writer, const char* key, const char* value) {
  if (writer->pairs != NULL && !core_append_pair(writer->pairs, key, value)) {
    ort_ReleaseKeyValuePairs(writer->pairs);
    writer->pairs = NULL;
  }
}

static void write_number(struct pair_writer* writer, const char* key, int64_t number) {
  char text[24];
  snprintf(text, sizeof text, "%" PRId64, number);
  write_text(writer, key, text);
}

/* Pairs hold text, so a pointer is written as a decimal number; a NULL is not written. */
static void write_address(struct pair_writer* writer, const char* key, uintptr_t address) {
  if (address != 0) {
    char text[24];
    snprintf(text, sizeof text, "%" PRIuPTR, address);
    write_text(writer, key, text);
  }
}

static void write_path(struct pair_writer* writer, const char* key, const ORTCHAR_T* path) {
  if (path == NULL) {
    return;
  }
  size_t room = core_path_utf8_room(path);
  char* text = heap_alloc(room);
  if (text == NULL) {
    ort_ReleaseKeyValuePairs(writer->pairs);
    writer->pairs = NULL;
    return;
  }
  core_path_utf8(path, text, room);
  write_text(writer, key, text);
  heap_free(text);
}

static OrtStatus* finish(const struct pair_writer* writer, OrtKeyValuePairs** out) {
  if (writer->pairs == NULL) {
    return core_no_memory(sizeof(void*));
  }
  *out = writer->pairs;
  return NULL;
}

static void write_threads(struct pair_writer* writer,
                          const struct core_thread_functions* functions) {
  write_address(writer, "create_thread_function", (uintptr_t)functions->create);
  write_address(writer, "thread_creation_options", (uintptr_t)functions->creation_options);
  write_address(writer, "join_thread_function", (uintptr_t)functions->join);
}

static void write_devices(struct pair_writer* writer,
                          const struct core_session_settings* settings) {
  if (settings->has_policy) {
    write_number(writer, "device_policy", settings->policy);
  }
  write_address(writer, "device_delegate", (uintptr_t)settings->delegate);
  write_address(writer, "device_delegate_state", (uintptr_t)settings->delegate_state);
}

OrtStatus* core_describe_session_options(const OrtSessionOptions* options, OrtKeyValuePairs** out) {
  if (options->object.class != &core_session_options_class) {
    *out = NULL;
    return NULL;
  }
  const struct core_session_settings* settings = &options->settings;
  const struct core_text* texts = options->texts;
  struct pair_writer writer = new_writer();
  write_number(&writer, "intra_op_threads", settings->intra_op_threads);
  write_number(&writer, "inter_op_threads", settings->inter_op_threads);
  write_number(&writer, "execution_mode", settings->execution_mode);
  write_number(&writer, "optimization_level", settings->optimization_level);
  write_number(&writer, "mem_pattern", settings->mem_pattern);
  write_number(&writer, "cpu_arena", settings->cpu_arena);
  write_number(&writer, "deterministic", settings->deterministic);
  write_number(&writer, "per_session_threads", settings->per_session_threads);
  write_text(&writer, "log_id", texts[CORE_LOG_ID].bytes == NULL ? "" : texts[CORE_LOG_ID].bytes);
  write_number(&writer, "log_severity", settings->log_severity);
  write_number(&writer, "log_verbosity", settings->log_verbosity);
  write_path(&writer, "optimized_model_path", texts[CORE_OPTIMIZED_MODEL_PATH].bytes);
  write_path(&writer, "profiling", settings->profiling ? texts[CORE_PROFILE_PREFIX].bytes : NULL);
  write_number(&writer, "loading_cancelled",
               __atomic_load_n(&options->load_flag->is_cancelled, __ATOMIC_ACQUIRE));
  write_devices(&writer, settings);
  write_threads(&writer, &settings->threads);
  write_address(&writer, "weightless_source", (uintptr_t)settings->weightless_source);
  write_address(&writer, "weightless_source_size", settings->weightless_source_size);
  write_address(&writer, "ep_context_function", (uintptr_t)settings->ep_context.read);
  write_address(&writer, "ep_context_state", (uintptr_t)settings->ep_context.read_state);
  return finish(&writer, out);
}

OrtStatus* core_describe_run_options(const OrtRunOptions* options, OrtKeyValuePairs** out) {
  if (options->object.class != &core_run_options_class) {
    *out = NULL;
    return NULL;
  }
  struct pair_writer writer = new_writer();
  write_number(&writer, "log_severity", options->log_severity);
  write_number(&writer, "log_verbosity", options->log_verbosity);
  write_text(&writer, "tag", options->tag == NULL ? "" : options->tag);
  write_number(&writer, "terminated", __atomic_load_n(&options->is_terminated, __ATOMIC_ACQUIRE));
  write_path(&writer, "profiling", options->profile_prefix);
  write_address(&writer, "sync_stream", (uintptr_t)options->stream);
  return finish(&writer, out);
}

OrtStatus* core_describe_threading_options(const OrtThreadingOptions* options,
                                           OrtKeyValuePairs** out) {
  if (options->object.class != &core_threading_options_class) {
    *out = NULL;
    return NULL;
  }
  struct pair_writer writer = new_writer();
  write_number(&writer, "intra_op_threads", options->intra_op_threads);
  write_number(&writer, "inter_op_threads", options->inter_op_threads);
  write_number(&writer, "spinning", options->spinning);
  write_number(&writer, "denormal_as_zero", options->denormal_as_zero);
  write_text(&writer, "affinity", options->affinity == NULL ? "" : options->affinity);
  write_threads(&writer, &options->functions);
  return finish(&writer, out);
}

OrtStatus* core_run_config(const OrtRunOptions* options, OrtKeyValuePairs** out) {
  if (options->object.class != &core_run_options_class) {
    *out = NULL;
    return NULL;
  }
  return core_pairs_of(&options->config, out);
}

bool core_read_session_item(const OrtSessionOptions* options, enum core_session_list list, size_t i,
                            core_session_item* out) {
  if (options->object.class != &core_session_options_class || i >= options->lists[list].count) {
    return false;
  }
  const struct core_item* item = &options->lists[list].list[i];
  *out = (core_session_item){item->key, item->number, item->pointer, item->mark};
  return true;
}
