/* SPDX-License-Identifier: MIT */
/* Entries of session options that stand for a setting which has a function of its own, as in ONNX
 * Runtime 1.32. They are not stored as entries. */
#include <errno.h>
#include <stdlib.h>

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

/* An empty path stands for none. */
static OrtStatus* set_path(void* field, const char* value) {
  ORTCHAR_T path[CORE_PATH_ROOM];
  if (value[0] == 0) {
    return core_set_text(field, NULL, 0);
  }
  CORE_FAIL_IF(core_native_path(value, path, sizeof path) > sizeof path, ORT_INVALID_ARGUMENT,
               "AddSessionConfigEntry: config_value is too long for a path");
  return core_set_text(field, path, core_path_size(path));
}

/* The words that stand for an option of a kind, and what an error calls them. */
static const struct {
  const struct word* words;
  size_t count;
  const char* expected;
} words_of[] = {
    [CORE_OPTION_FLAG] = {flags, CORE_COUNT_OF(flags), "0, 1, false or true"},
    [CORE_OPTION_MODE] = {modes, CORE_COUNT_OF(modes), "sequential or parallel"},
    [CORE_OPTION_LEVEL] = {levels, CORE_COUNT_OF(levels),
                           "disable_all, enable_basic, enable_extended, enable_layout or "
                           "enable_all"}};

static OrtStatus* set_option(OrtSessionOptions* options, const core_option_row* row,
                             const char* value) {
  void* field = (char*)options + row->offset;
  int number = 0;
  if (row->kind == CORE_OPTION_TEXT) {
    return core_set_text(field, value, strlen(value) + 1);
  }
  if (row->kind == CORE_OPTION_PATH) {
    return set_path(field, value);
  }
  bool has_words = words_of[row->kind].words != NULL;
  CORE_REFUSE_IF(
      has_words ? !find_word(words_of[row->kind].words, words_of[row->kind].count, value, &number)
                : !read_number(value, &number),
      ORT_INVALID_ARGUMENT, "config_value of '%.80s' must be %s", row->entry,
      has_words ? words_of[row->kind].expected : "a number of 32 bits");
  core_set_number(options, row, number);
  return NULL;
}

OrtStatus* core_set_named(OrtSessionOptions* options, const char* key, const char* value,
                          bool* is_named) {
  for (const core_option_row* row = core_option_rows(CORE_OF_SESSION); row->name != NULL; row++) {
    *is_named = row->entry != NULL && strcmp(key, row->entry) == 0;
    if (*is_named) {
      return set_option(options, row, value);
    }
  }
  return NULL;
}
