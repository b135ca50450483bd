/* SPDX-License-Identifier: MIT */
/* Creates, copies and releases session options; their settings that are not lists. */
#include "options/session_options.h"

#include "options/option_slots.h"

#define OWNER OrtSessionOptions
#define SELF options
#define FIELD(name) settings.name
#include "options/session_options.def"

SETTER(ort_SessionOptionsSetCustomCreateThreadFn, threads.create, OrtCustomCreateThreadFn,
       ort_custom_create_thread_fn)
SETTER(ort_SessionOptionsSetCustomThreadCreationOptions, threads.creation_options, void*,
       ort_custom_thread_creation_options)
SETTER(ort_SessionOptionsSetCustomJoinThreadFn, threads.join, OrtCustomJoinThreadFn,
       ort_custom_join_thread_fn)

/* Options and their clones share the flag: a session loads with a clone of its own, and whoever
 * cancels has the options that the clone was made of. */
static const struct core_class flag_class = {.kind = CORE_SHARED};

static void end_session_options(void* block) {
  struct OrtSessionOptions* options = block;
  core_end_texts(options, CORE_OF_SESSION);
  core_release_initializers(&options->lists[CORE_EXTERNAL_INITIALIZERS]);
  for (size_t i = 0; i < CORE_SESSION_LISTS; i++) {
    core_items_end(&options->lists[i]);
  }
  core_drop(options->settings.loading_cancelled);
  core_custom_ops_end(&options->custom_ops);
  core_end_ep_choices(&options->ep_choices);
}

const struct core_class core_session_options_class = {.kind = CORE_SESSION_OPTIONS,
                                                      .end = end_session_options};

CORE_SLOT(ort_CreateSessionOptions, OrtSessionOptions** options) {
  struct OrtSessionOptions* made = core_new_object(&core_session_options_class, sizeof *made);
  void* flag = core_new_object(&flag_class, sizeof(struct core_load_flag));
  if (made == NULL || flag == NULL) {
    core_drop(flag);
    core_drop(made);
    return core_no_memory(sizeof *made);
  }
  core_begin_options(made, CORE_OF_SESSION);
  made->settings.loading_cancelled = flag;
  *options = made;
  return NULL;
}

/* Copies what an assignment does not; false where there is no memory. */
static bool copy_parts(const struct OrtSessionOptions* from, struct OrtSessionOptions* to) {
  core_retain(&to->settings.loading_cancelled->object);
  if (!core_copy_texts_of(from, to, CORE_OF_SESSION)) {
    return false;
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
  struct OrtSessionOptions* copy = core_new_object(&core_session_options_class, sizeof *copy);
  if (copy != NULL) {
    copy->settings = in_options->settings;
    if (!copy_parts(in_options, copy)) {
      core_drop(copy);
      copy = NULL;
    }
  }
  CORE_NEED_MEMORY(copy, sizeof *copy);
  *out_options = copy;
  return NULL;
}

CORE_RELEASER(ort_ReleaseSessionOptions, OrtSessionOptions)

CORE_SLOT(ort_SetUserLoggingFunction, OrtSessionOptions* options,
          OrtLoggingFunction user_logging_function, void* user_logging_param) {
  options->settings.logging_function = user_logging_function;
  options->settings.logging_param = user_logging_param;
  return NULL;
}

CORE_SLOT(ort_SetSessionExecutionMode, OrtSessionOptions* options, ExecutionMode execution_mode) {
  CORE_FAIL_IF(execution_mode != ORT_SEQUENTIAL && execution_mode != ORT_PARALLEL,
               ORT_INVALID_ARGUMENT,
               "SetSessionExecutionMode: execution_mode must be ORT_SEQUENTIAL or ORT_PARALLEL");
  options->settings.execution_mode = execution_mode;
  return NULL;
}

CORE_SLOT(ort_SetSessionGraphOptimizationLevel, OrtSessionOptions* options,
          GraphOptimizationLevel graph_optimization_level) {
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

CORE_SLOT(ort_SessionOptionsSetLoadCancellationFlag, OrtSessionOptions* options, bool cancel) {
  __atomic_store_n(&options->settings.loading_cancelled->is_cancelled, cancel, __ATOMIC_RELEASE);
  return NULL;
}

static void set_policy(OrtSessionOptions* options, OrtExecutionProviderDevicePolicy policy,
                       EpSelectionDelegate delegate, void* state) {
  options->settings.has_policy = true;
  options->settings.device_policy = policy;
  options->settings.delegate = delegate;
  options->settings.delegate_state = state;
}

CORE_SLOT(ort_SessionOptionsSetEpSelectionPolicy, OrtSessionOptions* session_options,
          OrtExecutionProviderDevicePolicy policy) {
  set_policy(session_options, policy, NULL, NULL);
  return NULL;
}

CORE_SLOT(ort_SessionOptionsSetEpSelectionPolicyDelegate, OrtSessionOptions* session_options,
          EpSelectionDelegate delegate, void* delegate_state) {
  set_policy(session_options, OrtExecutionProviderDevicePolicy_DEFAULT, delegate, delegate_state);
  return NULL;
}

CORE_SLOT(ort_SessionOptionsSetWeightlessSourceModelBuffer, OrtSessionOptions* options,
          const void* source_model_data, size_t source_model_data_length) {
  CORE_FAIL_IF(source_model_data_length == 0, ORT_INVALID_ARGUMENT,
               "SessionOptionsSetWeightlessSourceModelBuffer: source_model_data_length must be "
               "above 0");
  options->settings.weightless_source = source_model_data;
  options->settings.weightless_source_size = source_model_data_length;
  return NULL;
}

CORE_SLOT(ort_SessionOptionsAppendExecutionProvider, OrtSessionOptions* options,
          const char* provider_name, const char* const* provider_options_keys,
          const char* const* provider_options_values, size_t num_keys) {
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
  CORE_REQUIRE(OrtSessionOptionsAppendExecutionProvider_CPU, options);
  return NULL;
}

static const struct core_class ep_context_class = {.kind = CORE_EP_CONTEXT};

CORE_SLOT(ort_SessionOptionsSetEpContextDataReadFunc, OrtSessionOptions* options,
          OrtReadNamedBufferFunc read_func, void* state) {
  options->settings.ep_context.read = read_func;
  options->settings.ep_context.read_state = read_func == NULL ? NULL : state;
  return NULL;
}

CORE_SLOT(ort_ep_SessionOptionsGetEpContextConfig, const OrtSessionOptions* session_options,
          OrtEpContextConfig** config) {
  CORE_NEW(struct OrtEpContextConfig, made, &ep_context_class);
  made->functions = session_options->settings.ep_context;
  *config = made;
  return NULL;
}

CORE_RELEASER(ort_ep_ReleaseEpContextConfig, OrtEpContextConfig)

CORE_PAIR_GETTER(ort_ep_EpContextConfigGetEpContextDataReadFunc, OrtReadNamedBufferFunc,
                 config->functions.read, void*, config->functions.read_state,
                 const OrtEpContextConfig* config)
CORE_PAIR_GETTER(ort_ep_EpContextConfigGetEpContextDataWriteFunc, OrtWriteNamedBufferFunc,
                 config->functions.write, void*, config->functions.write_state,
                 const OrtEpContextConfig* config)
