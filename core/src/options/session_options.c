/* SPDX-License-Identifier: MIT */
/* Creates, copies and releases session options; their settings that are not lists. */
#include "options/session_options.h"

#include <string.h>

#include "heap/heap.h"
#include "options/settings.h"
#include "platform/platform.h"

/* Options and their clones share the flag: a session loads with a clone of its own, and whoever
 * cancels has the options that the clone was made of. */
static const struct core_class flag_class = {.kind = CORE_SHARED};

static void end_session_options(void* block) {
  struct OrtSessionOptions* options = block;
  for (size_t i = 0; i < CORE_SESSION_TEXTS; i++) {
    heap_free(options->texts[i].bytes);
  }
  core_release_initializers(&options->lists[CORE_EXTERNAL_INITIALIZERS]);
  for (size_t i = 0; i < CORE_SESSION_LISTS; i++) {
    core_items_end(&options->lists[i]);
  }
  core_drop(options->load_flag);
  core_custom_ops_end(&options->custom_ops);
  core_end_ep_choices(&options->ep_choices);
}

const struct core_class core_session_options_class = {.kind = CORE_SESSION_OPTIONS,
                                                      .end = end_session_options};

/* Options with these settings, and no texts and lists; NULL where there is no memory. Takes over
 * the reference to the flag. */
static struct OrtSessionOptions* new_options(const struct core_session_settings* settings,
                                             struct core_load_flag* flag) {
  struct OrtSessionOptions* options =
      flag == NULL ? NULL : core_new_object(&core_session_options_class, sizeof *options);
  if (options == NULL) {
    core_drop(flag);
    return NULL;
  }
  options->settings = *settings;
  options->load_flag = flag;
  return options;
}

CORE_SLOT(ort_CreateSessionOptions, OrtSessionOptions** options) {
  CORE_REQUIRE(CreateSessionOptions, options);
  static const struct core_session_settings defaults = {
      .execution_mode = ORT_SEQUENTIAL,
      .optimization_level = ORT_ENABLE_ALL,
      .log_severity = -1,
      .mem_pattern = true,
      .cpu_arena = true,
      .per_session_threads = true,
  };
  struct OrtSessionOptions* made =
      new_options(&defaults, core_new_object(&flag_class, sizeof(struct core_load_flag)));
  if (made == NULL) {
    return core_no_memory(sizeof *made);
  }
  *options = made;
  return NULL;
}

static bool copy_text(const struct core_text* from, struct core_text* to) {
  if (from->bytes == NULL) {
    return true;
  }
  to->bytes = core_copy_bytes(from->bytes, from->size);
  to->size = from->size;
  return to->bytes != NULL;
}

/* Copies texts, lists, choices and custom ops; false where there is no memory. */
static bool copy_parts(const struct OrtSessionOptions* from, struct OrtSessionOptions* to) {
  for (size_t i = 0; i < CORE_SESSION_TEXTS; i++) {
    if (!copy_text(&from->texts[i], &to->texts[i])) {
      return false;
    }
  }
  for (size_t i = 0; i < CORE_SESSION_LISTS; i++) {
    if (!core_items_copy(&from->lists[i], &to->lists[i])) {
      return false;
    }
    if (i == CORE_EXTERNAL_INITIALIZERS) {
      core_retain_initializers(&to->lists[i]);
    }
  }
  return core_copy_ep_choices(&from->ep_choices, &to->ep_choices) &&
         core_custom_ops_copy(&from->custom_ops, &to->custom_ops);
}

CORE_SLOT(ort_CloneSessionOptions, const OrtSessionOptions* in_options,
          OrtSessionOptions** out_options) {
  CORE_REQUIRE(CloneSessionOptions, in_options, out_options);
  core_retain(&in_options->load_flag->object);
  struct OrtSessionOptions* copy = new_options(&in_options->settings, in_options->load_flag);
  if (copy != NULL && !copy_parts(in_options, copy)) {
    core_drop(copy);
    copy = NULL;
  }
  if (copy == NULL) {
    return core_no_memory(sizeof *copy);
  }
  *out_options = copy;
  return NULL;
}

void ORT_API_CALL ort_ReleaseSessionOptions(OrtSessionOptions* input) NO_EXCEPTION {
  core_drop(input);
}

CORE_SETS(ort_DisableProfiling, OrtSessionOptions, options, settings.profiling, false)
CORE_SETS(ort_EnableMemPattern, OrtSessionOptions, options, settings.mem_pattern, true)
CORE_SETS(ort_DisableMemPattern, OrtSessionOptions, options, settings.mem_pattern, false)
CORE_SETS(ort_EnableCpuMemArena, OrtSessionOptions, options, settings.cpu_arena, true)
CORE_SETS(ort_DisableCpuMemArena, OrtSessionOptions, options, settings.cpu_arena, false)
CORE_SETS(ort_DisablePerSessionThreads, OrtSessionOptions, options, settings.per_session_threads,
          false)
CORE_STORES(ort_SetSessionLogVerbosityLevel, OrtSessionOptions, options, int,
            session_log_verbosity_level, settings.log_verbosity)
CORE_STORES(ort_SetSessionLogSeverityLevel, OrtSessionOptions, options, int,
            session_log_severity_level, settings.log_severity)
CORE_STORES(ort_SetIntraOpNumThreads, OrtSessionOptions, options, int, intra_op_num_threads,
            settings.intra_op_threads)
CORE_STORES(ort_SetInterOpNumThreads, OrtSessionOptions, options, int, inter_op_num_threads,
            settings.inter_op_threads)
CORE_STORES(ort_SetDeterministicCompute, OrtSessionOptions, options, bool, value,
            settings.deterministic)
CORE_STORES(ort_SessionOptionsSetCustomCreateThreadFn, OrtSessionOptions, options,
            OrtCustomCreateThreadFn, ort_custom_create_thread_fn, settings.threads.create)
CORE_STORES(ort_SessionOptionsSetCustomThreadCreationOptions, OrtSessionOptions, options, void*,
            ort_custom_thread_creation_options, settings.threads.creation_options)
CORE_STORES(ort_SessionOptionsSetCustomJoinThreadFn, OrtSessionOptions, options,
            OrtCustomJoinThreadFn, ort_custom_join_thread_fn, settings.threads.join)

CORE_SLOT(ort_SetUserLoggingFunction, OrtSessionOptions* options,
          OrtLoggingFunction user_logging_function, void* user_logging_param) {
  CORE_REQUIRE(SetUserLoggingFunction, options);
  options->settings.logging_function = user_logging_function;
  options->settings.logging_param = user_logging_param;
  return NULL;
}

CORE_SLOT(ort_SetSessionExecutionMode, OrtSessionOptions* options, ExecutionMode execution_mode) {
  CORE_REQUIRE(SetSessionExecutionMode, options);
  if (execution_mode != ORT_SEQUENTIAL && execution_mode != ORT_PARALLEL) {
    CORE_FAIL(ORT_INVALID_ARGUMENT,
              "SetSessionExecutionMode: execution_mode must be ORT_SEQUENTIAL or ORT_PARALLEL");
  }
  options->settings.execution_mode = execution_mode;
  return NULL;
}

CORE_SLOT(ort_SetSessionGraphOptimizationLevel, OrtSessionOptions* options,
          GraphOptimizationLevel graph_optimization_level) {
  CORE_REQUIRE(SetSessionGraphOptimizationLevel, options);
  switch ((int)graph_optimization_level) {
    case ORT_DISABLE_ALL:
    case ORT_ENABLE_BASIC:
    case ORT_ENABLE_EXTENDED:
    case ORT_ENABLE_LAYOUT:
    case ORT_ENABLE_ALL:
      options->settings.optimization_level = graph_optimization_level;
      return NULL;
    default:
      CORE_FAIL(ORT_INVALID_ARGUMENT,
                "SetSessionGraphOptimizationLevel: graph_optimization_level must be 0, 1, 2, 3 or "
                "99");
  }
}

CORE_READS(ort_GetMemPatternEnabled, OrtSessionOptions, options, int, out, settings.mem_pattern)
CORE_READS(ort_GetSessionExecutionMode, OrtSessionOptions, options, ExecutionMode, out,
           settings.execution_mode)

static bool set_text(OrtSessionOptions* options, enum core_session_text which, const void* bytes,
                     size_t size) {
  void* copy = core_copy_bytes(bytes, size);
  if (copy == NULL) {
    return false;
  }
  heap_free(options->texts[which].bytes);
  options->texts[which] = (struct core_text){.bytes = copy, .size = size};
  return true;
}

CORE_SLOT(ort_SetSessionLogId, OrtSessionOptions* options, const char* logid) {
  CORE_REQUIRE(SetSessionLogId, options, logid);
  size_t size = strlen(logid) + 1;
  return set_text(options, CORE_LOG_ID, logid, size) ? NULL : core_no_memory(size);
}

CORE_SLOT(ort_SetOptimizedModelFilePath, OrtSessionOptions* options,
          const ORTCHAR_T* optimized_model_filepath) {
  CORE_REQUIRE(SetOptimizedModelFilePath, options, optimized_model_filepath);
  size_t size = core_path_size(optimized_model_filepath);
  return set_text(options, CORE_OPTIMIZED_MODEL_PATH, optimized_model_filepath, size)
             ? NULL
             : core_no_memory(size);
}

CORE_SLOT(ort_EnableProfiling, OrtSessionOptions* options, const ORTCHAR_T* profile_file_prefix) {
  CORE_REQUIRE(EnableProfiling, options, profile_file_prefix);
  size_t size = core_path_size(profile_file_prefix);
  if (!set_text(options, CORE_PROFILE_PREFIX, profile_file_prefix, size)) {
    return core_no_memory(size);
  }
  options->settings.profiling = true;
  return NULL;
}

CORE_SLOT(ort_SessionOptionsSetLoadCancellationFlag, OrtSessionOptions* options, bool cancel) {
  CORE_REQUIRE(SessionOptionsSetLoadCancellationFlag, options);
  __atomic_store_n(&options->load_flag->is_cancelled, cancel, __ATOMIC_RELEASE);
  return NULL;
}

static void set_policy(OrtSessionOptions* options, OrtExecutionProviderDevicePolicy policy,
                       EpSelectionDelegate delegate, void* state) {
  options->settings.has_policy = true;
  options->settings.policy = policy;
  options->settings.delegate = delegate;
  options->settings.delegate_state = state;
}

CORE_SLOT(ort_SessionOptionsSetEpSelectionPolicy, OrtSessionOptions* session_options,
          OrtExecutionProviderDevicePolicy policy) {
  CORE_REQUIRE(SessionOptionsSetEpSelectionPolicy, session_options);
  set_policy(session_options, policy, NULL, NULL);
  return NULL;
}

CORE_SLOT(ort_SessionOptionsSetEpSelectionPolicyDelegate, OrtSessionOptions* session_options,
          EpSelectionDelegate delegate, void* delegate_state) {
  CORE_REQUIRE(SessionOptionsSetEpSelectionPolicyDelegate, session_options);
  set_policy(session_options, OrtExecutionProviderDevicePolicy_DEFAULT, delegate, delegate_state);
  return NULL;
}

CORE_SLOT(ort_SessionOptionsSetWeightlessSourceModelBuffer, OrtSessionOptions* options,
          const void* source_model_data, size_t source_model_data_length) {
  CORE_REQUIRE(SessionOptionsSetWeightlessSourceModelBuffer, options, source_model_data);
  if (source_model_data_length == 0) {
    CORE_FAIL(ORT_INVALID_ARGUMENT,
              "SessionOptionsSetWeightlessSourceModelBuffer: source_model_data_length must be "
              "above 0");
  }
  options->settings.weightless_source = source_model_data;
  options->settings.weightless_source_size = source_model_data_length;
  return NULL;
}

CORE_SLOT(ort_SessionOptionsAppendExecutionProvider, OrtSessionOptions* options,
          const char* provider_name, const char* const* provider_options_keys,
          const char* const* provider_options_values, size_t num_keys) {
  (void)provider_options_keys, (void)provider_options_values, (void)num_keys;
  CORE_REQUIRE(SessionOptionsAppendExecutionProvider, options, provider_name);
  if (strcmp(provider_name, "CPU") == 0 || strcmp(provider_name, "CPUExecutionProvider") == 0) {
    return NULL;
  }
  return core_fail(
      ORT_INVALID_ARGUMENT,
      "this library is built with no provider '%s': register a library of the provider",
      provider_name);
}

/* Programs that are linked with onnxruntime may refer to it, though it changes nothing. */
CORE_EXPORT OrtStatus* ORT_API_CALL OrtSessionOptionsAppendExecutionProvider_CPU(
    OrtSessionOptions* options, int use_arena) NO_EXCEPTION {
  (void)use_arena;
  CORE_REQUIRE(OrtSessionOptionsAppendExecutionProvider_CPU, options);
  return NULL;
}
