/* SPDX-License-Identifier: MIT */
/* Trials of environments, what they log, and what the process has one of. */
#include "faults.h"
#include "env/logging.h"

static OrtEnv* env;
static OrtThreadingOptions* threading;
static OrtKeyValuePairs* entries;
/* What was logged last. */
static char logged[100];

static void ORT_API_CALL keep(void* param, OrtLoggingLevel severity, const char* category,
                              const char* id, const char* location, const char* message) {
  (void)param, (void)severity, (void)category, (void)id, (void)location;
  snprintf(logged, sizeof logged, "%s", message);
}

static OrtStatus* create(void** out) {
  return api->CreateEnv(ORT_LOGGING_LEVEL_WARNING, "id", (OrtEnv**)out);
}
static OrtStatus* create_without_name(void** out) {
  return api->CreateEnv(ORT_LOGGING_LEVEL_WARNING, NULL, (OrtEnv**)out);
}
static OrtStatus* create_with_logger(void** out) {
  return api->CreateEnvWithCustomLogger(keep, NULL, ORT_LOGGING_LEVEL_WARNING, "id", (OrtEnv**)out);
}
/* A thread that has nothing to do. */
static OrtCustomThreadHandle create_thread(void* options, OrtThreadWorkerFn function,
                                           void* argument) {
  (void)options, (void)function;
  return argument;
}
static void join_thread(OrtCustomThreadHandle thread) { (void)thread; }

static void with_threading(void) {
  CHECK(api->CreateThreadingOptions(&threading) == NULL);
  CHECK(api->SetGlobalIntraOpNumThreads(threading, 3) == NULL);
  CHECK(api->SetGlobalCustomCreateThreadFn(threading, create_thread) == NULL);
  CHECK(api->SetGlobalCustomJoinThreadFn(threading, join_thread) == NULL);
  CHECK(api->SetGlobalIntraOpThreadAffinity(threading, "1;2") == NULL);
  api->CreateKeyValuePairs(&entries);
  api->AddKeyValuePair(entries, "key", "value");
}
static OrtStatus* create_with_threads(void** out) {
  return api->CreateEnvWithGlobalThreadPools(ORT_LOGGING_LEVEL_WARNING, "id", threading,
                                             (OrtEnv**)out);
}
static OrtStatus* create_with_both(void** out) {
  return api->CreateEnvWithCustomLoggerAndGlobalThreadPools(keep, NULL, ORT_LOGGING_LEVEL_WARNING,
                                                            "id", threading, (OrtEnv**)out);
}
static OrtStatus* create_with_options(void** out) {
  OrtEnvCreationOptions options = {ORT_API_VERSION, 2, "id", keep, NULL, threading, entries};
  return api->CreateEnvWithOptions(&options, (OrtEnv**)out);
}
static void release(void* out) { api->ReleaseEnv(out); }

static void with_env(void) { CHECK(create_with_logger((void**)&env) == NULL); }
static OrtStatus* change(void** out) {
  (void)out;
  CORE_TRY(api->EnableTelemetryEvents(env));
  CORE_TRY(api->DisableTelemetryEvents(env));
  CORE_TRY(api->SetLanguageProjection(env, ORT_PROJECTION_PYTHON));
  return api->UpdateEnvWithCustomLogLevel(env, ORT_LOGGING_LEVEL_INFO);
}
static OrtStatus* log_message(void** out) {
  OrtLoggingLevel level;
  (void)out;
  const OrtLogger* logger = core_default_logger();
  CORE_TRY(api->Logger_GetLoggingSeverityLevel(logger, &level));
  logged[0] = '\0';
  OrtStatus* status = api->Logger_LogMessage(logger, ORT_LOGGING_LEVEL_ERROR, "said",
                                             ORT_TSTR("a/file.c"), 7, "function");
  CHECK(strcmp(logged, status == NULL ? "said" : "") == 0);
  return status;
}

static OrtStatus* get_providers(void** out) {
  int count = 0;
  return api->GetAvailableProviders((char***)out, &count);
}
static void release_providers(void* out) { CHECK(api->ReleaseAvailableProviders(out, 1) == NULL); }
static OrtStatus* set_device(void** out) { return (void)out, api->SetCurrentGpuDeviceId(0); }
static OrtStatus* get_device(void** out) { return api->GetCurrentGpuDeviceId((int*)out); }
static OrtStatus* set_callbacks(void** out) {
  OrtThreadPoolCallbacksConfig config = {.version = ORT_API_VERSION};
  return (void)out, api->SetPerSessionThreadPoolCallbacks(env, &config);
}

static const struct trial trials[] = {
    TRIAL("CreateEnv ReleaseEnv", NULL, create, release),
    {"CreateEnv without a name", NULL, create_without_name, NULL, ORT_RUNTIME_EXCEPTION},
    TRIAL("CreateEnvWithCustomLogger", NULL, create_with_logger, release),
    TRIAL("CreateEnvWithGlobalThreadPools", with_threading, create_with_threads, release),
    TRIAL("CreateEnvWithCustomLoggerAndGlobalThreadPools", with_threading, create_with_both,
          release),
    TRIAL("CreateEnvWithOptions", with_threading, create_with_options, release),
    TRIAL("CreateEnv once more", with_env, create, release),
    TRIAL("EnableTelemetryEvents DisableTelemetryEvents SetLanguageProjection "
          "UpdateEnvWithCustomLogLevel",
          with_env, change, NULL),
    TRIAL("Logger_LogMessage Logger_GetLoggingSeverityLevel", with_env, log_message, NULL),
    TRIAL("GetAvailableProviders ReleaseAvailableProviders", NULL, get_providers,
          release_providers),
    {"SetCurrentGpuDeviceId", NULL, set_device, NULL, ORT_FAIL},
    {"GetCurrentGpuDeviceId", NULL, get_device, NULL, ORT_FAIL},
    {"SetPerSessionThreadPoolCallbacks", with_env, set_callbacks, NULL, ORT_NOT_IMPLEMENTED},
    {NULL},
};

static void clean(void) {
  api->ReleaseEnv(env);
  api->ReleaseThreadingOptions(threading);
  api->ReleaseKeyValuePairs(entries);
}

const struct section environments = {trials, clean};
