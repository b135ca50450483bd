/* SPDX-License-Identifier: MIT */
/** @file logging.h The struct behind OrtLogger, and functions that log. */
#pragma once

#include "core.h"

/** Clients borrow it from the object that contains it. */
struct OrtLogger {
  /** NULL writes a line to stderr. Called on any thread, never while the core holds a lock. */
  OrtLoggingFunction function;
  void* param;
  /** The log id that each message carries. */
  const char* id;
  /** The lowest OrtLoggingLevel that is logged. Atomic. */
  int severity;
};

/** A log message. The strings are UTF-8 and borrowed. */
struct core_record {
  OrtLoggingLevel severity;
  const char* category;
  /** File, line and function, such as "file.cc:12 Run". */
  const char* location;
  const char* message;
};

/** The category of messages of the core and of Logger_LogMessage. */
#define CORE_LOG_CATEGORY "onnxruntime"

/** Whether the logger logs messages of a severity. */
int core_logger_takes(const struct OrtLogger* logger, OrtLoggingLevel severity);

/** Passes a message to the logger's function, or writes it to stderr, unless its severity is too
 * low. The caller must hold no lock of the core. */
void core_logger_log(const struct OrtLogger* logger, const struct core_record* record);

/** core_logger_log with the environment's logger; 0 where there is no environment. */
int core_log(const struct core_record* record);

/** ortcore_logger and ortcore_log; see ortcore.h. The logger is the environment's: as in ONNX
 * Runtime, who uses it sees to it that a client keeps the environment. */
const OrtLogger* ORT_API_CALL core_default_logger(void);
int ORT_API_CALL core_log_text(OrtLoggingLevel severity, const char* category, const char* location,
                               const char* message);
