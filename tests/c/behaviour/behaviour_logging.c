/* SPDX-License-Identifier: MIT */
/* Loggers. A client without a session gets the environment's logger from the core itself. Other
 * libraries give it to a library of execution providers only: logger_library.c, whose path is in
 * LOGGER_LIBRARY. */
#include "behaviour.h"

static void ORT_API_CALL logging_tell(void* param, OrtLoggingLevel severity, const char* category,
                                      const char* logid, const char* location,
                                      const char* message) {
  (void)param;
  say("%d|%s|%s|%s|%s", (int)severity, category, logid, location, message);
}

static OrtEnv* logging_env;

static const OrtLogger* borrow(void) {
#if defined(_WIN32)
  return NULL;
#else
  const char* library = getenv("LOGGER_LIBRARY");
  void* borrowed = NULL;
  CHECK(library != NULL);
  CHECK(api->RegisterExecutionProviderLibrary(logging_env, "logger_library", library) == NULL);
  CHECK(sscanf(getenv("BORROWED_LOGGER"), "%p", &borrowed) == 1);
  return borrowed;
#endif
}

/* A new environment's logger, which takes warnings. */
static const OrtLogger* begin(OrtLoggingFunction function) {
  CHECK(api->CreateEnvWithCustomLogger(function, NULL, ORT_LOGGING_LEVEL_WARNING, "id",
                                       &logging_env) == NULL);
  OrtcoreLogger logger = (OrtcoreLogger)api->GetExperimentalFunction(ORTCORE_LOGGER);
  return logger != NULL ? logger() : borrow();
}

static void logging_end(void) { api->ReleaseEnv(logging_env); }

static void log_message(int severity, const char* message, const ORTCHAR_T* file, int line,
                        const char* function) {
  const OrtLogger* logger = begin(logging_tell);
  say_status(
      api->Logger_LogMessage(logger, (OrtLoggingLevel)severity, message, file, line, function));
  logging_end();
}

CALL("Logger_LogMessage(l,WARNING,\"%s\",\"/a/b.c\",12,\"f\")") {
  log_message(ORT_LOGGING_LEVEL_WARNING, "%s", ORT_TSTR("/a/b.c"), 12, "f");
}
CALL("Logger_LogMessage(l,INFO)") {
  log_message(ORT_LOGGING_LEVEL_INFO, "m", ORT_TSTR("/a/b.c"), 12, "f");
}
CALL("Logger_LogMessage(l,99)") { log_message(99, "m", ORT_TSTR("/a/b.c"), 12, "f"); }
CALL("Logger_LogMessage(l,-1)") { log_message(-1, "m", ORT_TSTR("/a/b.c"), 12, "f"); }
CALL("Logger_LogMessage(l,ERROR,\"m\",\"c:\\\\a\\\\b.c\",-12,\"\")") {
  log_message(ORT_LOGGING_LEVEL_ERROR, "m", ORT_TSTR("c:\\a\\b.c"), -12, "");
}
CALL("Logger_LogMessage(l,ERROR,\"m\",\"\",0,\"f\")") {
  log_message(ORT_LOGGING_LEVEL_ERROR, "m", ORT_TSTR(""), 0, "f");
}
CALL("Logger_LogMessage(l,ERROR,\"m\",\"a/\",0,\"f\")") {
  log_message(ORT_LOGGING_LEVEL_ERROR, "m", ORT_TSTR("a/"), 0, "f");
}
CALL("Logger_LogMessage(l,ERROR,NULL,\"b.c\",12,\"f\")") {
  log_message(ORT_LOGGING_LEVEL_ERROR, NULL, ORT_TSTR("b.c"), 12, "f");
}
CALL("Logger_LogMessage(l,ERROR,\"m\",NULL,12,\"f\")") {
  log_message(ORT_LOGGING_LEVEL_ERROR, "m", NULL, 12, "f");
}
CALL("Logger_LogMessage(l,ERROR,\"m\",\"b.c\",12,NULL)") {
  log_message(ORT_LOGGING_LEVEL_ERROR, "m", ORT_TSTR("b.c"), 12, NULL);
}
CALL("Logger_LogMessage(l,INFO,NULL,NULL,12,NULL)") {
  log_message(ORT_LOGGING_LEVEL_INFO, NULL, NULL, 12, NULL);
}
/* test_logging.py reads the lines. */
CALL("Logger_LogMessage to stderr") {
  const OrtLogger* logger = begin(NULL);
  for (int severity = ORT_LOGGING_LEVEL_INFO; severity <= ORT_LOGGING_LEVEL_FATAL; severity++) {
    say_status(api->Logger_LogMessage(logger, (OrtLoggingLevel)severity, "message", ORT_TSTR("b.c"),
                                      12, "f"));
  }
  logging_end();
}
CALL("Logger_GetLoggingSeverityLevel(l,&s)") {
  OrtLoggingLevel severity = ORT_LOGGING_LEVEL_VERBOSE;
  say_status(api->Logger_GetLoggingSeverityLevel(begin(logging_tell), &severity));
  say("%d", (int)severity);
  logging_end();
}

static void set_function(OrtSessionOptions* options, OrtLoggingFunction function) {
  say_status(api->SetUserLoggingFunction(options, function, NULL));
  api->ReleaseSessionOptions(options);
}
static OrtSessionOptions* logging_some_options(void) {
  return NEW(OrtSessionOptions, api->CreateSessionOptions(&new_));
}
CALL("SetUserLoggingFunction(o,f,NULL)") { set_function(logging_some_options(), logging_tell); }
CALL("SetUserLoggingFunction(o,NULL,NULL)") { set_function(logging_some_options(), NULL); }
