/* SPDX-License-Identifier: MIT */
/** @file logging.h Where log records go: the struct behind OrtLogger. */
#ifndef ORTCFFI_LOGGING_H_
#define ORTCFFI_LOGGING_H_

#include "core.h"

/** Lent to clients; belongs to whatever it stands in. */
struct OrtLogger {
  /** NULL: a line on stderr. Called by any thread, without a lock of the core's. */
  OrtLoggingFunction function;
  void* param;
  /** What each record names as its source. */
  const char* id;
  /** The least OrtLoggingLevel that is logged. Atomic. */
  int severity;
};

/** What is logged. The strings are UTF-8 and lent. */
struct core_record {
  OrtLoggingLevel severity;
  const char* category;
  /** File, line and function. */
  const char* location;
  const char* message;
};

/** The category of what the core itself has to say, and of what clients log. */
#define CORE_LOG_CATEGORY "onnxruntime"

/** Whether the logger takes records of a severity. */
int core_logger_takes(const struct OrtLogger* logger, OrtLoggingLevel severity);

/** Gives a record to the logger's function, or else to stderr, unless its severity is too low. Must
 * not be called under a lock. */
void core_logger_log(const struct OrtLogger* logger, const struct core_record* record);

/** core_logger_log with the environment's logger, which lives until the call ends. 0 where there is
 * no environment. */
int core_log(const struct core_record* record);

/** ortcore_logger and ortcore_log; see ortcore.h. */
const OrtLogger* ORT_API_CALL core_default_logger(void);
int ORT_API_CALL core_log_text(OrtLoggingLevel severity, const char* category, const char* location,
                               const char* message);

#endif /* ORTCFFI_LOGGING_H_ */
