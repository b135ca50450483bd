/* SPDX-License-Identifier: MIT */
/* Where messages about a session go, those of its kernels among them; and cancelled loading. */
#include <string.h>

#include "behaviour_session.h"

/* --- an op that logs at each severity below FATAL --------------------------------------------- */

static void log_all(const OrtLogger* logger, const char* text) {
  for (int severity = 0; severity < ORT_LOGGING_LEVEL_FATAL; severity++) {
    CHECK(api->Logger_LogMessage(logger, (OrtLoggingLevel)severity, text, ORT_TSTR("op.c"), 1,
                                 "f") == NULL);
  }
}
static OrtStatusPtr ORT_API_CALL create_logging(const OrtCustomOp* op, const OrtApi* given,
                                                const OrtKernelInfo* info, void** kernel) {
  const OrtLogger* logger = NULL;
  (void)op, (void)given;
  CHECK(api->KernelInfo_GetLogger(info, &logger) == NULL);
  log_all(logger, "made");
  *kernel = NULL;
  return NULL;
}
static OrtStatusPtr ORT_API_CALL compute_logging(void* kernel, OrtKernelContext* context) {
  const OrtLogger* logger = NEW(const OrtLogger, api->KernelContext_GetLogger(context, &new_));
  log_all(logger, "computed");
  return twice_compute(kernel, context);
}

/* The model has two such nodes: what the second one logs is the same. */
static void ORT_API_CALL hear(void* param, OrtLoggingLevel severity, const char* category,
                              const char* id, const char* location, const char* message) {
  static char before[64];
  (void)param, (void)category, (void)location;
  bool is_ours = strcmp(message, "made") == 0 || strcmp(message, "computed") == 0;
  char text[64];
  snprintf(text, sizeof text, "%s '%s' %d", message, id, (int)severity);
  if (is_ours && strcmp(text, before) != 0) {
    say("%s", text);
    strcpy(before, text);
  }
}

static OrtSessionOptions* logging_options(void) {
  static OrtCustomOp op;
  twice_api = api;
  op = twice_op;
  op.CreateKernelV2 = create_logging;
  op.KernelComputeV2 = compute_logging;
  OrtSessionOptions* options = NEW(OrtSessionOptions, api->CreateSessionOptions(&new_));
  OrtCustomOpDomain* domain = NEW(OrtCustomOpDomain, api->CreateCustomOpDomain("twice", &new_));
  CHECK(api->CustomOpDomain_Add(domain, &op) == NULL);
  CHECK(api->AddCustomOpDomain(options, domain) == NULL);
  CHECK(api->SetUserLoggingFunction(options, hear, NULL) == NULL);
  CHECK(api->SetSessionLogSeverityLevel(options, ORT_LOGGING_LEVEL_ERROR) == NULL);
  return options;
}

/* Makes a session and runs its first node. */
static void run_logging(const OrtSessionOptions* options, const OrtRunOptions* run_options) {
  const char *x = "x", *a = "a";
  OrtValue *value = FLOATS(3, 4), *out = NULL;
  OrtSession* session =
      NEW(OrtSession, api->CreateSessionFromArray(session_env(), MODEL, options, &new_));
  OrtStatus* status =
      api->Run(session, run_options, &x, (const OrtValue* const*)&value, 1, &a, 1, &out);
  if (status != NULL) {
    say_status(status);
  }
}

CALL("SetUserLoggingFunction, messages of kernels") { run_logging(logging_options(), NULL); }
CALL("SetSessionLogId, messages of kernels") {
  OrtSessionOptions* options = logging_options();
  CHECK(api->SetSessionLogId(options, "mine") == NULL);
  run_logging(options, NULL);
}

static OrtRunOptions* tagged(int severity, const char* tag) {
  OrtRunOptions* options = NEW(OrtRunOptions, api->CreateRunOptions(&new_));
  CHECK(api->RunOptionsSetRunLogSeverityLevel(options, severity) == NULL);
  CHECK(api->RunOptionsSetRunTag(options, tag) == NULL);
  return options;
}
CALL("RunOptionsSetRunTag, messages of kernels") {
  run_logging(logging_options(), tagged(-1, "first"));
}
CALL("RunOptionsSetRunTag, SetSessionLogId, messages of kernels") {
  OrtSessionOptions* options = logging_options();
  CHECK(api->SetSessionLogId(options, "mine") == NULL);
  run_logging(options, tagged(-1, "first"));
}
CALL("RunOptionsSetRunLogSeverityLevel(WARNING), messages of kernels") {
  run_logging(logging_options(), tagged(ORT_LOGGING_LEVEL_WARNING, ""));
}
CALL("RunOptionsSetRunLogSeverityLevel(FATAL), messages of kernels") {
  run_logging(logging_options(), tagged(ORT_LOGGING_LEVEL_FATAL, ""));
}

CALL("RunOptionsSetRunLogSeverityLevel(5), messages of kernels") {
  run_logging(logging_options(), tagged(5, ""));
}
CALL("RunOptionsSetRunLogSeverityLevel(-2), messages of kernels") {
  run_logging(logging_options(), tagged(-2, ""));
}

CALL("SessionOptionsSetLoadCancellationFlag, CreateSessionFromArray") {
  OrtSessionOptions* options = session_options();
  OrtSession* session = UNTOUCHED;
  CHECK(api->SessionOptionsSetLoadCancellationFlag(options, true) == NULL);
  say_status(api->CreateSessionFromArray(session_env(), MODEL, options, &session));
  say_pointer(session);
}
