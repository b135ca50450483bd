/* SPDX-License-Identifier: MIT */
/* Trials of environments and what they log. */
#include "faults.h"

static void ORT_API_CALL ignore(void* param, OrtLoggingLevel severity, const char* category,
                                const char* id, const char* location, const char* message) {
  (void)param, (void)severity, (void)category, (void)id, (void)location, (void)message;
}

static OrtStatus* create(void** out) {
  return api->CreateEnv(ORT_LOGGING_LEVEL_WARNING, "id", (OrtEnv**)out);
}
static OrtStatus* create_without_name(void** out) {
  return api->CreateEnv(ORT_LOGGING_LEVEL_WARNING, NULL, (OrtEnv**)out);
}
static OrtStatus* create_with_logger(void** out) {
  return api->CreateEnvWithCustomLogger(ignore, NULL, ORT_LOGGING_LEVEL_WARNING, "id",
                                        (OrtEnv**)out);
}
static void release(void* out) { api->ReleaseEnv(out); }

static const struct trial trials[] = {
    TRIAL("CreateEnv ReleaseEnv", NULL, create, release),
    {"CreateEnv without a name", NULL, create_without_name, NULL, ORT_RUNTIME_EXCEPTION},
    TRIAL("CreateEnvWithCustomLogger", NULL, create_with_logger, release),
    {NULL},
};

static void clean(void) {}

const struct section environments = {trials, clean};
