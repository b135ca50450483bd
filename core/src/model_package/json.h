/* SPDX-License-Identifier: MIT */
/**
 * @file json.h
 * Reads JSON as RFC 8259 has it, within limits: a text of another makes no call deeper, no list
 * longer and no message larger than these.
 */
#ifndef ORTCFFI_JSON_H_
#define ORTCFFI_JSON_H_

#include "core.h"

/** The size of a text in bytes, how deep objects and arrays are within each other, how many values
 * a text has, and how many members an object. */
#define CORE_JSON_BYTES ((size_t)4 << 20)
#define CORE_JSON_DEPTH 64
#define CORE_JSON_VALUES 65536
#define CORE_JSON_MEMBERS 4096

enum core_json_type {
  CORE_JSON_NULL,
  CORE_JSON_FALSE,
  CORE_JSON_TRUE,
  CORE_JSON_INTEGER,
  /** A number with a fraction or an exponent, or beyond int64_t. Its value is not kept. */
  CORE_JSON_NUMBER,
  CORE_JSON_STRING,
  CORE_JSON_ARRAY,
  CORE_JSON_OBJECT
};

struct core_json_value {
  enum core_json_type type;
  /** The name of a member of an object, else NULL. Valid UTF-8 without a zero byte, as `text`. */
  const char* name;
  /** Of a string. */
  const char* text;
  int64_t integer;
  /** Places in `values`: of the first part of an object or array, and of what follows in the one
   * that this value is in. 0: there is none. */
  uint32_t first;
  uint32_t next;
};

/** A text that was read. All zeroes is one that was not. */
struct core_json {
  /** The outermost value is at 0. */
  struct core_json_value* values;
  uint32_t count;
  size_t capacity;
  /** The decoded strings. */
  char* texts;
};

/**
 * Reads a text.
 * @param[in] bytes The text, UTF-8; a byte order mark may come first.
 * @param[in] size Its size.
 * @param[out] json What it says; the caller frees it with core_json_end, also after a failure.
 * @param[out] at The byte at which a failure was seen.
 * @return NULL, or what is wrong: a constant. core_json_no_memory where there is no memory.
 */
const char* core_json_read(const char* bytes, size_t size, struct core_json* json, size_t* at);
extern const char core_json_no_memory[];

void core_json_end(struct core_json* json);

/** The first part of an object or array, and the part after one; NULL if there is none. */
const struct core_json_value* core_json_first(const struct core_json* json,
                                              const struct core_json_value* in);
const struct core_json_value* core_json_next(const struct core_json* json,
                                             const struct core_json_value* value);

/** The member of an object with that name; NULL if there is none. */
const struct core_json_value* core_json_member(const struct core_json* json,
                                               const struct core_json_value* in, const char* name);

#endif /* ORTCFFI_JSON_H_ */
