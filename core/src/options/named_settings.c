/* SPDX-License-Identifier: MIT */
/* Entries of session options that stand for a setting which has a function of its own, as in ONNX
 * Runtime 1.32. They are not stored as entries. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "options/session_options.h"
#include "platform/platform.h"

/* A word that a value may be, in any case, and what it stands for. */
struct word {
  const char* text;
  int number;
};
static const struct word flags[] = {{"0", 0}, {"1", 1}, {"false", 0}, {"true", 1}};
static const struct word modes[] = {{"sequential", ORT_SEQUENTIAL}, {"parallel", ORT_PARALLEL}};
static const struct word levels[] = {{"disable_all", ORT_DISABLE_ALL},
                                     {"enable_basic", ORT_ENABLE_BASIC},
                                     {"enable_extended", ORT_ENABLE_EXTENDED},
                                     {"enable_layout", ORT_ENABLE_LAYOUT},
                                     {"enable_all", ORT_ENABLE_ALL}};

static bool is_word(const char* text, const char* value) {
  size_t i = 0;
  for (; text[i] != 0; i++) {
    char c = value[i] >= 'A' && value[i] <= 'Z' ? (char)(value[i] - 'A' + 'a') : value[i];
    if (c != text[i]) {
      return false;
    }
  }
  return value[i] == 0;
}

static bool find_word(const struct word* words, size_t count, const char* value, int* out) {
  for (size_t i = 0; i < count; i++) {
    if (is_word(words[i].text, value)) {
      *out = words[i].number;
      return true;
    }
  }
  return false;
}

static bool read_number(const char* value, int* out) {
  char* end = NULL;
  errno = 0;
  long long number = strtoll(value, &end, 10);
  *out = (int)number;
  return end != value && *end == 0 && errno == 0 && number >= INT32_MIN && number <= INT32_MAX;
}

static OrtStatus* refuse_value(const char* key, const char* what) {
  return core_fail(ORT_INVALID_ARGUMENT, "config_value of '%.80s' must be %s", key, what);
}

/* An empty path stands for none. */
static OrtStatus* set_path(OrtSessionOptions* options, enum core_session_text which,
                           const char* value) {
  ORTCHAR_T path[CORE_PATH_ROOM];
  if (value[0] == 0) {
    heap_free(options->texts[which].bytes);
    options->texts[which] = (struct core_text){NULL, 0};
    options->settings.profiling &= which != CORE_PROFILE_PREFIX;
    return NULL;
  }
  if (core_native_path(value, path, sizeof path) > sizeof path) {
    CORE_FAIL(ORT_INVALID_ARGUMENT, "AddSessionConfigEntry: config_value is too long for a path");
  }
  return which == CORE_PROFILE_PREFIX ? ort_EnableProfiling(options, path)
                                      : ort_SetOptimizedModelFilePath(options, path);
}

/* Where a key stands for a number, and the words for it; without words it is one. */
struct number_setting {
  const char* key;
  const struct word* words;
  size_t count;
  const char* expected;
};
#define FLAG(key) {key, flags, CORE_COUNT_OF(flags), "0, 1, false or true"}
#define NUMBER(key) {key, NULL, 0, "a number of 32 bits"}
enum {
  MEM_PATTERN,
  CPU_ARENA,
  DETERMINISTIC,
  OWN_THREADS,
  INTRA_OP,
  INTER_OP,
  SEVERITY,
  VERBOSITY,
  MODE,
  LEVEL
};
static const struct number_setting number_settings[] = {
    [MEM_PATTERN] = FLAG("session.enable_mem_pattern"),
    [CPU_ARENA] = FLAG("session.enable_cpu_mem_arena"),
    [DETERMINISTIC] = FLAG("session.use_deterministic_compute"),
    [OWN_THREADS] = FLAG("session.use_per_session_threads"),
    [INTRA_OP] = NUMBER("session.intra_op_num_threads"),
    [INTER_OP] = NUMBER("session.inter_op_num_threads"),
    [SEVERITY] = NUMBER("session.log_severity_level"),
    [VERBOSITY] = NUMBER("session.log_verbosity_level"),
    [MODE] = {"session.execution_mode", modes, CORE_COUNT_OF(modes), "sequential or parallel"},
    [LEVEL] = {"session.graph_optimization_level", levels, CORE_COUNT_OF(levels),
               "disable_all, enable_basic, enable_extended, enable_layout or enable_all"}};

static void set_number(struct core_session_settings* settings, size_t which, int number) {
  bool* const flag[] = {[MEM_PATTERN] = &settings->mem_pattern,
                        [CPU_ARENA] = &settings->cpu_arena,
                        [DETERMINISTIC] = &settings->deterministic,
                        [OWN_THREADS] = &settings->per_session_threads};
  int* const plain[] = {[INTRA_OP] = &settings->intra_op_threads,
                        [INTER_OP] = &settings->inter_op_threads,
                        [SEVERITY] = &settings->log_severity,
                        [VERBOSITY] = &settings->log_verbosity};
  if (which == MODE) {
    settings->execution_mode = (ExecutionMode)number;
  } else if (which == LEVEL) {
    settings->optimization_level = (GraphOptimizationLevel)number;
  } else if (which < CORE_COUNT_OF(flag)) {
    *flag[which] = number != 0;
  } else {
    *plain[which] = number;
  }
}

OrtStatus* core_set_named(OrtSessionOptions* options, const char* key, const char* value,
                          bool* is_named) {
  *is_named = true;
  if (strcmp(key, "session.log_id") == 0) {
    return ort_SetSessionLogId(options, value);
  }
  if (strcmp(key, "session.enable_profiling") == 0) {
    return set_path(options, CORE_PROFILE_PREFIX, value);
  }
  if (strcmp(key, "session.optimized_model_filepath") == 0) {
    return set_path(options, CORE_OPTIMIZED_MODEL_PATH, value);
  }
  for (size_t i = 0; i < CORE_COUNT_OF(number_settings); i++) {
    const struct number_setting* setting = &number_settings[i];
    int number = 0;
    if (strcmp(key, setting->key) != 0) {
      continue;
    }
    if (setting->words != NULL ? !find_word(setting->words, setting->count, value, &number)
                               : !read_number(value, &number)) {
      return refuse_value(key, setting->expected);
    }
    set_number(&options->settings, i, number);
    return NULL;
  }
  *is_named = false;
  return NULL;
}
