/* SPDX-License-Identifier: MIT */
/* The environment, and what the API tells of the process. */
#include "behaviour.h"

/* The last record that the function below was given, as text. */
static char record[512];
static int records;

static void ORT_API_CALL keep(void* param, OrtLoggingLevel severity, const char* category,
                              const char* logid, const char* location, const char* message) {
  (void)location;
  snprintf(record, sizeof record, "%s|%d|%s|%s|%s", (const char*)param, (int)severity, category,
           logid, message);
  records++;
}

/* Has the library log a warning: through the core's own function, or by replacing an entry. */
static void warn(void) {
  OrtcoreLog log = (OrtcoreLog)api->GetExperimentalFunction(ORTCORE_LOG);
  if (log != NULL) {
    log(ORT_LOGGING_LEVEL_WARNING, NULL, "here", "Config with key ...");
    return;
  }
  OrtSessionOptions* options = NEW(OrtSessionOptions, api->CreateSessionOptions(&new_));
  CHECK(api->AddSessionConfigEntry(options, "k", "1") == NULL);
  CHECK(api->AddSessionConfigEntry(options, "k", "2") == NULL);
  api->ReleaseSessionOptions(options);
}

static void say_warning(void) {
  records = 0;
  warn();
  if (records == 0) {
    say("nothing");
  } else {
    record[strcspn(record, "C") + strlen("Config with key")] = '\0';
    say("%s", record);
  }
}

static OrtEnv* some_env(OrtLoggingLevel severity) {
  return NEW(OrtEnv, api->CreateEnvWithCustomLogger(keep, "first", severity, "id", &new_));
}

/* Says what came of a call that makes an environment, and ends it. */
static void say_env(OrtStatus* status, OrtEnv* const* env) {
  say_status(status);
  say_out(*env, UNTOUCHED);
  if (*env != UNTOUCHED) {
    api->ReleaseEnv(*env);
  }
}

CALL("CreateEnv(WARNING,NULL,&o)") {
  OrtEnv* env = UNTOUCHED;
  say_env(api->CreateEnv(ORT_LOGGING_LEVEL_WARNING, NULL, &env), &env);
}
CALL("CreateEnv(WARNING,NULL,&o) with an environment") {
  OrtEnv* first = some_env(ORT_LOGGING_LEVEL_ERROR);
  OrtEnv* env = UNTOUCHED;
  say_env(api->CreateEnv(ORT_LOGGING_LEVEL_WARNING, NULL, &env), &env);
  api->ReleaseEnv(first);
}
CALL("CreateEnv(WARNING,\"\",&o)") {
  OrtEnv* env = UNTOUCHED;
  say_env(api->CreateEnv(ORT_LOGGING_LEVEL_WARNING, "", &env), &env);
}
CALL("CreateEnv(99,\"x\",&o)") {
  OrtEnv* env = UNTOUCHED;
  say_env(api->CreateEnv((OrtLoggingLevel)99, "x", &env), &env);
}
CALL("CreateEnv(-1,\"x\",&o)") {
  OrtEnv* env = UNTOUCHED;
  say_env(api->CreateEnv((OrtLoggingLevel)-1, "x", &env), &env);
}
CALL("CreateEnv twice") {
  OrtEnv *first = NULL, *second = NULL;
  CHECK(api->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "x", &first) == NULL);
  say_status(api->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "y", &second));
  say(first == second ? "same" : "another");
  api->ReleaseEnv(first);
  api->ReleaseEnv(second);
}
CALL("CreateEnvWithCustomLogger(keep,\"p\",WARNING,\"x\",&o)") {
  OrtEnv* env = NULL;
  say_status(api->CreateEnvWithCustomLogger(keep, "p", ORT_LOGGING_LEVEL_WARNING, "x", &env));
  say_warning();
  api->ReleaseEnv(env);
}
CALL("CreateEnvWithCustomLogger(keep,\"p\",ERROR,\"x\",&o)") {
  OrtEnv* env = NULL;
  say_status(api->CreateEnvWithCustomLogger(keep, "p", ORT_LOGGING_LEVEL_ERROR, "x", &env));
  say_warning();
  api->ReleaseEnv(env);
}
CALL("CreateEnvWithCustomLogger(NULL,NULL,WARNING,\"x\",&o)") {
  OrtEnv* env = UNTOUCHED;
  say_env(api->CreateEnvWithCustomLogger(NULL, NULL, ORT_LOGGING_LEVEL_WARNING, "x", &env), &env);
}
CALL("CreateEnvWithCustomLogger(keep,\"p\",WARNING,NULL,&o)") {
  OrtEnv* env = UNTOUCHED;
  say_env(api->CreateEnvWithCustomLogger(keep, "p", ORT_LOGGING_LEVEL_WARNING, NULL, &env), &env);
}
CALL("CreateEnvWithCustomLogger for a second client: its function") {
  OrtEnv* first = some_env(ORT_LOGGING_LEVEL_WARNING);
  OrtEnv* second = NULL;
  say_status(
      api->CreateEnvWithCustomLogger(keep, "second", ORT_LOGGING_LEVEL_FATAL, "two", &second));
  say_warning();
  api->ReleaseEnv(first);
  say_warning();
  api->ReleaseEnv(second);
}
CALL("CreateEnvWithCustomLogger after the last ReleaseEnv: its function") {
  api->ReleaseEnv(some_env(ORT_LOGGING_LEVEL_WARNING));
  OrtEnv* env = NULL;
  say_status(api->CreateEnvWithCustomLogger(keep, "later", ORT_LOGGING_LEVEL_WARNING, "z", &env));
  say_warning();
  api->ReleaseEnv(env);
}
CALL("CreateEnvWithGlobalThreadPools(WARNING,\"x\",NULL,&o)") {
  OrtEnv* env = UNTOUCHED;
  say_env(api->CreateEnvWithGlobalThreadPools(ORT_LOGGING_LEVEL_WARNING, "x", NULL, &env), &env);
}
CALL("CreateEnvWithGlobalThreadPools(WARNING,\"x\",options,&o)") {
  OrtEnv* env = UNTOUCHED;
  OrtThreadingOptions* threads = NEW(OrtThreadingOptions, api->CreateThreadingOptions(&new_));
  say_env(api->CreateEnvWithGlobalThreadPools(ORT_LOGGING_LEVEL_WARNING, "x", threads, &env), &env);
  api->ReleaseThreadingOptions(threads);
}
CALL("CreateEnvWithGlobalThreadPools(WARNING,NULL,NULL,&o)") {
  OrtEnv* env = UNTOUCHED;
  say_env(api->CreateEnvWithGlobalThreadPools(ORT_LOGGING_LEVEL_WARNING, NULL, NULL, &env), &env);
}
CALL("CreateEnvWithCustomLoggerAndGlobalThreadPools(keep,\"p\",WARNING,\"x\",NULL,&o)") {
  OrtEnv* env = NULL;
  say_status(api->CreateEnvWithCustomLoggerAndGlobalThreadPools(
      keep, "p", ORT_LOGGING_LEVEL_WARNING, "x", NULL, &env));
  say_warning();
  api->ReleaseEnv(env);
}
CALL("CreateEnvWithCustomLoggerAndGlobalThreadPools(keep,\"p\",WARNING,NULL,NULL,&o)") {
  OrtEnv* env = UNTOUCHED;
  say_env(api->CreateEnvWithCustomLoggerAndGlobalThreadPools(keep, "p", ORT_LOGGING_LEVEL_WARNING,
                                                             NULL, NULL, &env),
          &env);
}

/* --- CreateEnvWithOptions --------------------------------------------------------------------- */

static struct OrtEnvCreationOptions creation_options(void) {
  return (struct OrtEnvCreationOptions){.version = ORT_API_VERSION,
                                        .logging_severity_level = ORT_LOGGING_LEVEL_WARNING,
                                        .log_id = "x",
                                        .custom_logging_function = keep,
                                        .custom_logging_param = "p"};
}

static void env_create(const struct OrtEnvCreationOptions* options) {
  OrtEnv* env = UNTOUCHED;
  say_env(api->CreateEnvWithOptions(options, &env), &env);
}

CALL("CreateEnvWithOptions(options,&o)") {
  struct OrtEnvCreationOptions options = creation_options();
  OrtEnv* env = NULL;
  say_status(api->CreateEnvWithOptions(&options, &env));
  say_warning();
  api->ReleaseEnv(env);
}
CALL("CreateEnvWithOptions(with entries,&o)") {
  struct OrtEnvCreationOptions options = creation_options();
  OrtKeyValuePairs* entries = NULL;
  api->CreateKeyValuePairs(&entries);
  api->AddKeyValuePair(entries, "no such setting", "1");
  options.config_entries = entries;
  env_create(&options);
  api->ReleaseKeyValuePairs(entries);
}
CALL("CreateEnvWithOptions(with threads,&o)") {
  struct OrtEnvCreationOptions options = creation_options();
  OrtThreadingOptions* threads = NEW(OrtThreadingOptions, api->CreateThreadingOptions(&new_));
  options.threading_options = threads;
  env_create(&options);
  api->ReleaseThreadingOptions(threads);
}

static void create_of_version(uint32_t version) {
  struct OrtEnvCreationOptions options = creation_options();
  options.version = version;
  env_create(&options);
}
CALL("CreateEnvWithOptions(version 0)") { create_of_version(0); }
CALL("CreateEnvWithOptions(version 23)") { create_of_version(23); }
CALL("CreateEnvWithOptions(version 24)") { create_of_version(24); }
CALL("CreateEnvWithOptions(version 9999)") { create_of_version(9999); }

static void create_with_severity(int severity) {
  struct OrtEnvCreationOptions options = creation_options();
  options.logging_severity_level = severity;
  env_create(&options);
}
CALL("CreateEnvWithOptions(severity -1)") { create_with_severity(-1); }
CALL("CreateEnvWithOptions(severity 4)") { create_with_severity(4); }
CALL("CreateEnvWithOptions(severity 5)") { create_with_severity(5); }
CALL("CreateEnvWithOptions(log_id NULL)") {
  struct OrtEnvCreationOptions options = creation_options();
  options.log_id = NULL;
  env_create(&options);
}
CALL("CreateEnvWithOptions(log_id NULL) with an environment") {
  OrtEnv* first = some_env(ORT_LOGGING_LEVEL_ERROR);
  struct OrtEnvCreationOptions options = creation_options();
  options.log_id = NULL;
  env_create(&options);
  api->ReleaseEnv(first);
}

/* --- ReleaseEnv, and settings of the environment ---------------------------------------------- */

CALL("ReleaseEnv once too often") {
  OrtEnv* env = some_env(ORT_LOGGING_LEVEL_ERROR);
  api->ReleaseEnv(env);
  api->ReleaseEnv(env);
  say("no-op");
}
CALL("ReleaseEnv(what is no environment)") {
  OrtEnv* env = some_env(ORT_LOGGING_LEVEL_ERROR);
  api->ReleaseEnv(UNTOUCHED);
  say("no-op");
  api->ReleaseEnv(env);
}

/* The severity from which on the environment logs, once it was changed by one of these calls. */
static void update(OrtEnv* env, int severity) {
  say_status(api->UpdateEnvWithCustomLogLevel(env, (OrtLoggingLevel)severity));
  say_warning();
}
CALL("UpdateEnvWithCustomLogLevel(e,ERROR), then WARNING") {
  OrtEnv* env = some_env(ORT_LOGGING_LEVEL_WARNING);
  update(env, ORT_LOGGING_LEVEL_ERROR);
  update(env, ORT_LOGGING_LEVEL_WARNING);
  api->ReleaseEnv(env);
}
CALL("UpdateEnvWithCustomLogLevel(e,99)") {
  OrtEnv* env = some_env(ORT_LOGGING_LEVEL_WARNING);
  update(env, 99);
  api->ReleaseEnv(env);
}
CALL("UpdateEnvWithCustomLogLevel(NULL,VERBOSE)") {
  OrtEnv* env = some_env(ORT_LOGGING_LEVEL_FATAL);
  update(NULL, ORT_LOGGING_LEVEL_VERBOSE);
  api->ReleaseEnv(env);
}
ANSWER("UpdateEnvWithCustomLogLevel(NULL,ERROR) without an environment",
       api->UpdateEnvWithCustomLogLevel(NULL, ORT_LOGGING_LEVEL_ERROR))
CALL("EnableTelemetryEvents(NULL)") { say_status(api->EnableTelemetryEvents(NULL)); }
CALL("EnableTelemetryEvents(e)") {
  OrtEnv* env = some_env(ORT_LOGGING_LEVEL_ERROR);
  say_status(api->EnableTelemetryEvents(env));
  api->ReleaseEnv(env);
}
CALL("DisableTelemetryEvents(NULL)") { say_status(api->DisableTelemetryEvents(NULL)); }
CALL("DisableTelemetryEvents(e)") {
  OrtEnv* env = some_env(ORT_LOGGING_LEVEL_ERROR);
  say_status(api->DisableTelemetryEvents(env));
  api->ReleaseEnv(env);
}
CALL("SetLanguageProjection(e,99)") {
  OrtEnv* env = some_env(ORT_LOGGING_LEVEL_ERROR);
  say_status(api->SetLanguageProjection(env, (OrtLanguageProjection)99));
  api->ReleaseEnv(env);
}
ANSWER("SetLanguageProjection(NULL,0)", api->SetLanguageProjection(NULL, ORT_PROJECTION_C))
