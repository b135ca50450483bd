/* SPDX-License-Identifier: MIT */
#include "logging.h"

#include <stdio.h>
#include <string.h>

#include "env.h"
#include "platform.h"

int core_logger_takes(const struct OrtLogger* logger, OrtLoggingLevel severity) {
  return (int)severity >= __atomic_load_n(&logger->severity, __ATOMIC_RELAXED);
}

/* A line on stderr, in the reference's form: local time, a letter, a colour from warnings on. */
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

int core_log(const struct core_record* record) {
  struct OrtEnv* env = core_env_use();
  if (env == NULL) {
    return 0;
  }
  core_logger_log(&env->logger, record);
  core_env_done(env);
  return 1;
}
