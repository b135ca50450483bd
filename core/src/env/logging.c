/* SPDX-License-Identifier: MIT */
#include "env/logging.h"

#include "heap/heap.h"
#include "platform/platform.h"

int core_logger_takes(const struct OrtLogger* logger, OrtLoggingLevel severity) {
  return (int)severity >= __atomic_load_n(&logger->severity, __ATOMIC_RELAXED);
}

/* Writes a line to stderr in ONNX Runtime's form: local time, a letter, and from warnings on a
 * colour. */
static void write_line(const struct OrtLogger* logger, const struct core_record* record) {
  static const char letters[] = "VIWEF";
  static const char* const colours[] = {"", "", "\033[0;93m", "\033[1;31m", "\033[1;37;41m"};
  unsigned severity = (unsigned)record->severity;
  int is_known = severity < CORE_COUNT_OF(colours);
  const char* colour = is_known ? colours[severity] : "";
  char now[CORE_LOCAL_TIME];
  core_local_time(now);
  /* One call, so that the lines of several threads do not mix. */
  fprintf(stderr, "%s%s [%c:%s:%s, %s] %s%s\n", colour, now, is_known ? letters[severity] : '?',
          record->category, logger->id, record->location, record->message,
          colour[0] == '\0' ? "" : "\033[m");
}

void core_logger_log(const struct OrtLogger* logger, const struct core_record* record) {
  if (!core_logger_takes(logger, record->severity)) {
    return;
  }
  if (logger->function != NULL) {
    logger->function(logger->param, record->severity, record->category, logger->id,
                     record->location, record->message);
  } else {
    write_line(logger, record);
  }
}

CORE_GETTER(ort_Logger_GetLoggingSeverityLevel, OrtLoggingLevel,
            (OrtLoggingLevel)__atomic_load_n(&logger->severity, __ATOMIC_RELAXED),
            const OrtLogger* logger)

/* The part of a path after the last separator. */
static const ORTCHAR_T* name_of(const ORTCHAR_T* path) {
  const ORTCHAR_T* name = path;
  for (; *path != 0; path++) {
    name = *path == '/' || *path == '\\' ? path + 1 : name;
  }
  return name;
}

/* Bytes for a line number, the separators around it and a terminating zero. */
#define LINE_ROOM 16

CORE_SLOT(ort_Logger_LogMessage, const OrtLogger* logger, OrtLoggingLevel log_severity_level,
          const char* message, const ORTCHAR_T* file_path, int line_number, const char* func_name) {
  if (!core_logger_takes(logger, log_severity_level)) {
    return NULL;
  }
  CORE_FAIL_IF(file_path == NULL || func_name == NULL, ORT_RUNTIME_EXCEPTION,
               "Logger_LogMessage: neither file_path nor func_name may be NULL");
  const ORTCHAR_T* file = name_of(file_path);
  size_t room = core_path_utf8_room(file) + LINE_ROOM + strlen(func_name);
  char* location = heap_alloc(room);
  CORE_NEED_MEMORY(location, room);
  core_path_utf8(file, location, room);
  size_t length = strlen(location);
  snprintf(location + length, room - length, ":%d %s", line_number, func_name);
  struct core_record record = {log_severity_level, CORE_LOG_CATEGORY, location,
                               message != NULL ? message : ""};
  core_logger_log(logger, &record);
  heap_free(location);
  return NULL;
}
