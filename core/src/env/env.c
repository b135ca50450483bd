/* SPDX-License-Identifier: MIT */
#include "env/env.h"

#include "env/registered_eps.h"
#include "options/session_options.h"
#include "heap/heap.h"

/* Under CORE_LOCK_ENV, with the number of its clients, its allocators and its execution providers.
 * No other lock but the heap's is taken under that one, and no function of a client is called. */
static struct OrtEnv* current;

/* The arguments of the functions that create an environment. */
struct env_settings {
  OrtLoggingFunction function;
  void* param;
  int severity;
  const char* id;
  const OrtThreadingOptions* threading;
  const OrtKeyValuePairs* config;
};

static void end_env(void* block) {
  struct OrtEnv* env = block;
  core_end_thread_pool(env->threads);
  core_env_release_allocators(env);
  ort_ReleaseThreadingOptions(env->threading);
  ort_ReleaseKeyValuePairs(env->config);
  core_drop(env->cpu);
  heap_free(env->devices);
}

static const struct core_class env_class = {.kind = CORE_ENV, .end = end_env};

/* Copies what the environment is made with, and has the client make its threads. */
static OrtStatus* copy_settings(const struct env_settings* from, struct OrtEnv* to) {
  if (from->config != NULL) {
    CORE_TRY(core_copy_pairs(from->config, &to->config));
  }
  if (from->threading == NULL) {
    return NULL;
  }
  to->threading = core_copy_threading_options(from->threading);
  CORE_NEED_MEMORY(to->threading, sizeof *to->threading);
  return core_new_thread_pool(&to->threading->functions, to->threading->intra_op_threads,
                              to->threading->inter_op_threads, &to->threads);
}

static OrtStatus* new_env(const struct env_settings* settings, struct OrtEnv** out) {
  CORE_REFUSE_IF(settings->id == NULL, ORT_RUNTIME_EXCEPTION,
                 "logid must not be NULL for the first environment");
  size_t id_size = strlen(settings->id) + 1;
  struct OrtEnv* env = core_new_object(&env_class, sizeof *env + id_size);
  CORE_NEED_MEMORY(env, sizeof *env + id_size);
  env->presets = (core_once)CORE_ONCE_INIT;
  env->logger = (struct OrtLogger){.function = settings->function,
                                   .param = settings->param,
                                   .id = memcpy(env + 1, settings->id, id_size),
                                   .severity = settings->severity};
  CORE_HAND_OUT(copy_settings(settings, env), env, out);
}

/* The environment, with one more client, which has a reference. Where there is none, `made` becomes
 * it, which may be NULL. */
static struct OrtEnv* count_client(struct OrtEnv* made) {
  core_lock(CORE_LOCK_ENV);
  if (current != NULL) {
    core_retain(&current->object);
  } else {
    current = made;
  }
  struct OrtEnv* env = current;
  if (env != NULL) {
    env->clients++;
  }
  core_unlock(CORE_LOCK_ENV);
  return env;
}

/* The common part of all functions that create an environment, after their guards: hands out the
 * environment, with one more client. */
static OrtStatus* hand_out(const struct env_settings* settings, OrtEnv** out) {
  struct OrtEnv* env = count_client(NULL);
  if (env == NULL) {
    struct OrtEnv* made = NULL;
    CORE_TRY(new_env(settings, &made));
    env = count_client(made);
    if (env == made) {
      core_env_register_presets(env);
    } else { /* another thread created one meanwhile */
      core_drop(made);
    }
  }
  *out = env;
  return NULL;
}

struct OrtEnv* core_env_use(void) {
  core_lock(CORE_LOCK_ENV);
  struct OrtEnv* env = current;
  if (env != NULL) {
    core_retain(&env->object);
  }
  core_unlock(CORE_LOCK_ENV);
  return env;
}

int core_log(const struct core_record* record) {
  struct OrtEnv* env = core_env_use();
  if (env == NULL) {
    return 0;
  }
  core_logger_log(&env->logger, record);
  core_drop(env);
  return 1;
}

const OrtLogger* ORT_API_CALL core_default_logger(void) {
  struct OrtEnv* env = core_env_use();
  if (env == NULL) {
    return NULL;
  }
  const OrtLogger* logger = &env->logger;
  core_drop(env);
  return logger;
}

int ORT_API_CALL core_log_text(OrtLoggingLevel severity, const char* category, const char* location,
                               const char* message) {
  struct core_record record = {severity, category != NULL ? category : CORE_LOG_CATEGORY,
                               location != NULL ? location : "", message != NULL ? message : ""};
  return core_log(&record);
}

void ORT_API_CALL ort_ReleaseEnv(OrtEnv* input) NO_EXCEPTION {
  core_lock(CORE_LOCK_ENV);
  /* Only the current environment may be read: one that was released too often is freed memory. */
  bool is_current = input != NULL && input == current;
  bool is_last = is_current && --input->clients == 0;
  if (is_last) {
    current = NULL;
  }
  core_unlock(CORE_LOCK_ENV);
  if (is_last) {
    /* Here, and not with the last reference, which a run on one of the threads may have. */
    core_end_thread_pool(input->threads);
    input->threads = NULL;
    core_env_unregister_eps(input);
  }
  if (is_current) {
    core_drop(input);
  }
}

CORE_SLOT(ort_CreateEnv, OrtLoggingLevel log_severity_level, const char* logid, OrtEnv** out) {
  struct env_settings settings = {.severity = (int)log_severity_level, .id = logid};
  return hand_out(&settings, out);
}

CORE_SLOT(ort_CreateEnvWithCustomLogger, OrtLoggingFunction logging_function, void* logger_param,
          OrtLoggingLevel log_severity_level, const char* logid, OrtEnv** out) {
  struct env_settings settings = {.function = logging_function,
                                  .param = logger_param,
                                  .severity = (int)log_severity_level,
                                  .id = logid};
  return hand_out(&settings, out);
}

CORE_SLOT(ort_CreateEnvWithGlobalThreadPools, OrtLoggingLevel log_severity_level, const char* logid,
          const OrtThreadingOptions* tp_options, OrtEnv** out) {
  struct env_settings settings = {
      .severity = (int)log_severity_level, .id = logid, .threading = tp_options};
  return hand_out(&settings, out);
}

CORE_SLOT(ort_CreateEnvWithCustomLoggerAndGlobalThreadPools, OrtLoggingFunction logging_function,
          void* logger_param, OrtLoggingLevel log_severity_level, const char* logid,
          const OrtThreadingOptions* tp_options, OrtEnv** out) {
  struct env_settings settings = {logging_function, logger_param, (int)log_severity_level, logid,
                                  tp_options,       NULL};
  return hand_out(&settings, out);
}

/* The API version that added the struct with all of its fields. */
#define CREATION_OPTIONS_SINCE 24

CORE_SLOT(ort_CreateEnvWithOptions, const OrtEnvCreationOptions* options, OrtEnv** out) {
  CORE_FAIL_IF(options->version < CREATION_OPTIONS_SINCE, ORT_INVALID_ARGUMENT,
               "CreateEnvWithOptions: options->version must be 24 or more; a client sends the "
               "version set equal to ORT_API_VERSION");
  CORE_FAIL_IF(options->log_id == NULL, ORT_INVALID_ARGUMENT,
               "CreateEnvWithOptions: options->log_id must not be NULL, but a valid (non-null) log "
               "identifier string");
  CORE_FAIL_IF(options->logging_severity_level < ORT_LOGGING_LEVEL_VERBOSE ||
                   options->logging_severity_level > ORT_LOGGING_LEVEL_FATAL,
               ORT_INVALID_ARGUMENT,
               "CreateEnvWithOptions: options->logging_severity_level must be from 0 to 4, a valid "
               "logging severity level value from the OrtLoggingLevel enumeration");
  struct env_settings settings = {options->custom_logging_function, options->custom_logging_param,
                                  options->logging_severity_level,  options->log_id,
                                  options->threading_options,       options->config_entries};
  return hand_out(&settings, out);
}

CORE_SLOT(ort_UpdateEnvWithCustomLogLevel, OrtEnv* ort_env, OrtLoggingLevel log_severity_level) {
  struct OrtEnv* env = core_env_use();
  CORE_FAIL_IF(env == NULL, ORT_FAIL, "UpdateEnvWithCustomLogLevel: there is no environment");
  __atomic_store_n(&env->logger.severity, (int)log_severity_level, __ATOMIC_RELAXED);
  core_drop(env);
  return NULL;
}

CORE_SLOT(ort_EnableTelemetryEvents, const OrtEnv* env) { return NULL; }

CORE_SLOT(ort_DisableTelemetryEvents, const OrtEnv* env) { return NULL; }

CORE_SLOT(ort_SetLanguageProjection, const OrtEnv* ort_env, OrtLanguageProjection projection) {
  return NULL;
}

CORE_SLOT(ort_SetCurrentGpuDeviceId, int device_id) {
  CORE_FAIL(ORT_FAIL, "SetCurrentGpuDeviceId: this library has no CUDA");
}

CORE_SLOT(ort_GetCurrentGpuDeviceId, int* device_id) {
  CORE_FAIL(ORT_FAIL, "GetCurrentGpuDeviceId: this library has no CUDA");
}

/* Answers one block: the array with a terminating NULL, then the names. */
CORE_SLOT(ort_GetAvailableProviders, char*** out_ptr, int* provider_length) {
  static const char cpu[] = "CPUExecutionProvider";
  char** providers = heap_alloc(2 * sizeof *providers + sizeof cpu);
  CORE_NEED_MEMORY(providers, 2 * sizeof *providers + sizeof cpu);
  providers[0] = memcpy(providers + 2, cpu, sizeof cpu);
  providers[1] = NULL;
  *out_ptr = providers;
  *provider_length = 1;
  return NULL;
}

CORE_SLOT(ort_ReleaseAvailableProviders, char** ptr, int providers_length) {
  heap_free(ptr);
  return NULL;
}

/* Fails as the builds of ONNX Runtime in the wheels do: they have no thread-pool callbacks. */
CORE_SLOT(ort_SetPerSessionThreadPoolCallbacks, OrtEnv* env,
          const OrtThreadPoolCallbacksConfig* config) {
  CORE_FAIL_IF(config->version == 0 || config->version > ORT_API_VERSION, ORT_INVALID_ARGUMENT,
               "SetPerSessionThreadPoolCallbacks: config->version must be from 1 to " CORE_TEXT(
                   ORT_API_VERSION));
  CORE_FAIL(ORT_NOT_IMPLEMENTED,
            "SetPerSessionThreadPoolCallbacks: this library calls no functions about the work of "
            "threads");
}
