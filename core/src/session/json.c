/* SPDX-License-Identifier: MIT */
#include "session/profile.h"

#include <stdarg.h>

/* Objects and lists within each other, so that the stack is bounded. */
#define DEPTH 64

void core_put(struct core_writing* text, const char* format, ...) {
  char piece[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(piece, sizeof piece, format, arguments);
  va_end(arguments);
  core_write_raw(text, piece, strlen(piece));
}

void core_put_quoted(struct core_writing* text, const char* content) {
  core_put(text, "\"");
  for (const char* at = content; *at != 0; at++) {
    unsigned char c = (unsigned char)*at;
    if (c < ' ' || c == '"' || c == '\\') {
      core_put(text, c < ' ' ? "\\u%04x" : "\\%c", c);
    } else {
      core_write_raw(text, at, 1);
    }
  }
  core_put(text, "\"");
}

/* --- reading: each function returns the end of what it reads, or NULL --------------------------
 */

static const char* skip_space(const char* at) { return at + strspn(at, " \t\r\n"); }

static const char* skip_string(const char* at) {
  for (at++; *at != '"'; at++) {
    if (*at == '\\') {
      at++;
      size_t digits = *at == 'u' ? 4 : 0;
      if (*at == 0 || strchr("\"\\/bfnrtu", *at) == NULL ||
          strspn(at + 1, "0123456789abcdefABCDEF") < digits) {
        return NULL;
      }
      at += digits;
    } else if ((unsigned char)*at < ' ') {
      return NULL;
    }
  }
  return at + 1;
}

static const char* skip_digits(const char* at) {
  size_t count = strspn(at, "0123456789");
  return count > 0 ? at + count : NULL;
}

static const char* skip_number(const char* at) {
  at += *at == '-';
  at = *at == '0' ? at + 1 : skip_digits(at);
  at = at != NULL && *at == '.' ? skip_digits(at + 1) : at;
  if (at != NULL && (*at == 'e' || *at == 'E')) {
    at += at[1] == '+' || at[1] == '-' ? 2 : 1;
    at = skip_digits(at);
  }
  return at;
}

static const char* skip_simple(const char* at) {
  static const char* const words[] = {"true", "false", "null"};
  for (size_t i = 0; i < CORE_COUNT_OF(words); i++) {
    if (strncmp(at, words[i], strlen(words[i])) == 0) {
      return at + strlen(words[i]);
    }
  }
  return *at == '"' ? skip_string(at) : skip_number(at);
}

/* Skips the name of a member and the colon. */
static const char* skip_name(const char* at) {
  at = *at == '"' ? skip_string(at) : NULL;
  at = at != NULL ? skip_space(at) : NULL;
  return at != NULL && *at == ':' ? skip_space(at + 1) : NULL;
}

static const char* skip_value(const char* at, int depth) {
  char open = *at, end = open == '{' ? '}' : ']';
  if (open != '{' && open != '[') {
    return skip_simple(at);
  }
  if (depth == 0) {
    return NULL;
  }
  at = skip_space(at + 1);
  if (*at == end) {
    return at + 1;
  }
  for (;;) {
    at = open == '{' ? skip_name(at) : at;
    at = at != NULL ? skip_value(at, depth - 1) : NULL;
    at = at != NULL ? skip_space(at) : NULL;
    if (at == NULL || *at != ',') {
      return at != NULL && *at == end ? at + 1 : NULL;
    }
    at = skip_space(at + 1);
  }
}

void core_put_value(struct core_writing* text, const char* value) {
  const char* end = *value == '{' || *value == '[' ? skip_value(value, DEPTH) : NULL;
  if (end != NULL && *skip_space(end) == 0) {
    core_write_raw(text, value, strlen(value));
  } else {
    core_put_quoted(text, value);
  }
}
