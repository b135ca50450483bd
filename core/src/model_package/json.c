/* SPDX-License-Identifier: MIT */
#include "model_package/json.h"

#include <string.h>

#include "heap/heap.h"
#include "object/list.h"

const char core_json_no_memory[] = "out of memory";

/* An object or array whose end is not yet read. */
struct open_value {
  uint32_t place;
  uint32_t last;
  uint32_t members;
};

struct reader {
  const char* start;
  const char* at;
  const char* end;
  struct core_json* json;
  /* Where the next decoded byte goes. A string is never longer than what it is written as. */
  char* text;
  struct open_value open[CORE_JSON_DEPTH];
  size_t depth;
};

void core_json_end(struct core_json* json) {
  heap_free(json->values);
  heap_free(json->texts);
  *json = (struct core_json){0};
}

const struct core_json_value* core_json_first(const struct core_json* json,
                                              const struct core_json_value* in) {
  return in->first == 0 ? NULL : &json->values[in->first];
}

const struct core_json_value* core_json_next(const struct core_json* json,
                                             const struct core_json_value* value) {
  return value->next == 0 ? NULL : &json->values[value->next];
}

const struct core_json_value* core_json_member(const struct core_json* json,
                                               const struct core_json_value* in, const char* name) {
  const struct core_json_value* member = core_json_first(json, in);
  while (member != NULL && strcmp(member->name, name) != 0) {
    member = core_json_next(json, member);
  }
  return member;
}

static void skip_space(struct reader* reader) {
  while (reader->at < reader->end && (*reader->at == ' ' || *reader->at == '\t' ||
                                      *reader->at == '\n' || *reader->at == '\r')) {
    reader->at++;
  }
}

/* Whether the next byte is that one, which is then read. */
static bool take_byte(struct reader* reader, char byte) {
  if (reader->at == reader->end || *reader->at != byte) {
    return false;
  }
  reader->at++;
  return true;
}

/* --- strings --------------------------------------------------------------------------------- */

static int hex_digit(char byte) {
  return byte >= '0' && byte <= '9'   ? byte - '0'
         : byte >= 'a' && byte <= 'f' ? byte - 'a' + 10
         : byte >= 'A' && byte <= 'F' ? byte - 'A' + 10
                                      : -1;
}

/* The number of a \u escape, whose four digits come next; -1 if they do not. */
static int32_t read_unit(struct reader* reader) {
  int32_t unit = 0;
  if (reader->end - reader->at < 4) {
    return -1;
  }
  for (int i = 0; i < 4; i++) {
    int digit = hex_digit(*reader->at++);
    if (digit < 0) {
      return -1;
    }
    unit = unit << 4 | digit;
  }
  return unit;
}

static void put_utf8(struct reader* reader, uint32_t point) {
  if (point < 0x80) {
    *reader->text++ = (char)point;
    return;
  }
  int following = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  static const uint8_t leads[] = {0, 0xC0, 0xE0, 0xF0};
  *reader->text++ = (char)(leads[following] | point >> 6 * following);
  while (following-- > 0) {
    *reader->text++ = (char)(0x80 | (point >> 6 * following & 0x3F));
  }
}

static const char* read_escaped_point(struct reader* reader) {
  int32_t unit = read_unit(reader);
  if (unit < 0) {
    return "\\u takes four hexadecimal digits";
  }
  if (unit == 0) {
    return "a string must not have a zero byte";
  }
  if (unit < 0xD800 || unit > 0xDFFF) {
    put_utf8(reader, (uint32_t)unit);
    return NULL;
  }
  int32_t low = -1;
  if (unit < 0xDC00 && take_byte(reader, '\\') && take_byte(reader, 'u')) {
    low = read_unit(reader);
  }
  if (low < 0xDC00 || low > 0xDFFF) {
    return "half of a surrogate pair";
  }
  put_utf8(reader, 0x10000 + ((uint32_t)(unit - 0xD800) << 10 | (uint32_t)(low - 0xDC00)));
  return NULL;
}

static const char* read_escape(struct reader* reader) {
  static const char written[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
  if (reader->at == reader->end) {
    return "a string does not end";
  }
  char byte = *reader->at++;
  if (byte == 'u') {
    return read_escaped_point(reader);
  }
  const char* found = byte == 0 ? NULL : strchr(written, byte);
  if (found == NULL) {
    return "an escape that JSON does not have";
  }
  *reader->text++ = meant[found - written];
  return NULL;
}

/* The bytes of a character of several bytes that comes next; 0 where it is not UTF-8. */
static int utf8_length(const struct reader* reader) {
  const uint8_t* byte = (const uint8_t*)reader->at;
  int length = byte[0] >= 0xC2 && byte[0] <= 0xDF   ? 2
               : byte[0] >= 0xE0 && byte[0] <= 0xEF ? 3
               : byte[0] >= 0xF0 && byte[0] <= 0xF4 ? 4
                                                    : 0;
  if (reader->end - reader->at < length) {
    return 0;
  }
  for (int i = 1; i < length; i++) {
    if ((byte[i] & 0xC0) != 0x80) {
      return 0;
    }
  }
  bool is_other =
      length >= 3 && ((byte[0] == 0xE0 && byte[1] < 0xA0) || (byte[0] == 0xED && byte[1] > 0x9F) ||
                      (byte[0] == 0xF0 && byte[1] < 0x90) || (byte[0] == 0xF4 && byte[1] > 0x8F));
  return is_other ? 0 : length;
}

static const char* read_character(struct reader* reader) {
  uint8_t byte = (uint8_t)*reader->at;
  if (byte == '\\') {
    reader->at++;
    return read_escape(reader);
  }
  if (byte < 0x20) {
    return "a string must not have a control character";
  }
  int length = byte < 0x80 ? 1 : utf8_length(reader);
  if (length == 0) {
    return "not UTF-8";
  }
  memcpy(reader->text, reader->at, (size_t)length);
  reader->text += length;
  reader->at += length;
  return NULL;
}

/* Reads a string whose quotation mark was read. */
static const char* read_string(struct reader* reader, const char** out) {
  *out = reader->text;
  while (!take_byte(reader, '"')) {
    if (reader->at == reader->end) {
      return "a string does not end";
    }
    const char* wrong = read_character(reader);
    if (wrong != NULL) {
      return wrong;
    }
  }
  *reader->text++ = 0;
  return NULL;
}

/* --- numbers and words ----------------------------------------------------------------------- */

static bool is_digit(const struct reader* reader) {
  return reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9';
}

/* Reads digits; false if there are none. `number` is what they say, or above INT64_MAX. */
static bool read_digits(struct reader* reader, uint64_t* number) {
  bool is_any = is_digit(reader);
  for (*number = 0; is_digit(reader); reader->at++) {
    bool fits = *number <= (INT64_MAX - 9) / 10;
    *number = fits ? *number * 10 + (uint64_t)(*reader->at - '0') : UINT64_MAX;
  }
  return is_any;
}

static const char* read_number(struct reader* reader, struct core_json_value* value) {
  uint64_t number, ignored;
  bool is_negative = take_byte(reader, '-');
  const char* first = reader->at;
  if (!read_digits(reader, &number) || (*first == '0' && reader->at - first > 1)) {
    return "not a number as JSON writes it";
  }
  value->type = number > INT64_MAX ? CORE_JSON_NUMBER : CORE_JSON_INTEGER;
  value->integer = number > INT64_MAX ? 0 : is_negative ? -(int64_t)number : (int64_t)number;
  if (take_byte(reader, '.')) {
    value->type = CORE_JSON_NUMBER;
    if (!read_digits(reader, &ignored)) {
      return "a fraction has no digits";
    }
  }
  if (take_byte(reader, 'e') || take_byte(reader, 'E')) {
    value->type = CORE_JSON_NUMBER;
    if (!take_byte(reader, '+')) {
      take_byte(reader, '-');
    }
    if (!read_digits(reader, &ignored)) {
      return "an exponent has no digits";
    }
  }
  return NULL;
}

static const char* read_word(struct reader* reader, struct core_json_value* value) {
  static const char* const words[] = {
      [CORE_JSON_NULL] = "null", [CORE_JSON_FALSE] = "false", [CORE_JSON_TRUE] = "true"};
  for (int type = CORE_JSON_NULL; type <= CORE_JSON_TRUE; type++) {
    size_t length = strlen(words[type]);
    if ((size_t)(reader->end - reader->at) >= length &&
        memcmp(reader->at, words[type], length) == 0) {
      reader->at += length;
      value->type = (enum core_json_type)type;
      return NULL;
    }
  }
  return "a value is missing";
}

/* --- values ---------------------------------------------------------------------------------- */

static const char* add_value(struct reader* reader, const struct core_json_value* value) {
  struct core_json* json = reader->json;
  if (json->count == CORE_JSON_VALUES) {
    return "too many values";
  }
  if (!core_grow((void**)&json->values, json->count, &json->capacity, sizeof *value)) {
    return core_json_no_memory;
  }
  json->values[json->count++] = *value;
  return NULL;
}

/* Reads a value up to its end, or the beginning of an object or array, which is then open. */
static const char* read_value(struct reader* reader, struct core_json_value* value) {
  if (take_byte(reader, '"')) {
    value->type = CORE_JSON_STRING;
    return read_string(reader, &value->text);
  }
  if (take_byte(reader, '{')) {
    value->type = CORE_JSON_OBJECT;
    return NULL;
  }
  if (take_byte(reader, '[')) {
    value->type = CORE_JSON_ARRAY;
    return NULL;
  }
  if (is_digit(reader) || (reader->at < reader->end && *reader->at == '-')) {
    return read_number(reader, value);
  }
  return read_word(reader, value);
}

static const char* read_name(struct reader* reader, const struct open_value* in,
                             const char** name) {
  if (!take_byte(reader, '"')) {
    return "a name in quotation marks is missing";
  }
  const char* wrong = read_string(reader, name);
  if (wrong != NULL) {
    return wrong;
  }
  if (core_json_member(reader->json, &reader->json->values[in->place], *name) != NULL) {
    return "a name that the object has already";
  }
  skip_space(reader);
  return take_byte(reader, ':') ? NULL : "a colon is missing";
}

/* Puts a value after the last one of what is open, and opens it if it has parts. */
static const char* place_value(struct reader* reader, const struct core_json_value* value) {
  uint32_t place = reader->json->count;
  const char* wrong = add_value(reader, value);
  if (wrong != NULL) {
    return wrong;
  }
  if (reader->depth > 0) {
    struct open_value* in = &reader->open[reader->depth - 1];
    struct core_json_value* values = reader->json->values;
    *(in->members == 0 ? &values[in->place].first : &values[in->last].next) = place;
    in->last = place;
    in->members++;
  }
  if (value->type < CORE_JSON_ARRAY) {
    return NULL;
  }
  if (reader->depth == CORE_JSON_DEPTH) {
    return "objects and arrays are too deep within each other";
  }
  reader->open[reader->depth++] = (struct open_value){.place = place};
  return NULL;
}

/* Reads the next part of what is open, or its end. */
static const char* read_part(struct reader* reader) {
  struct open_value* in = &reader->open[reader->depth - 1];
  bool is_object = reader->json->values[in->place].type == CORE_JSON_OBJECT;
  struct core_json_value value = {0};
  if (take_byte(reader, is_object ? '}' : ']')) {
    reader->depth--;
    return NULL;
  }
  if (in->members > 0 && !take_byte(reader, ',')) {
    return is_object ? "a comma or } is missing" : "a comma or ] is missing";
  }
  skip_space(reader);
  if (is_object) {
    const char* wrong = in->members == CORE_JSON_MEMBERS ? "an object has too many members"
                                                         : read_name(reader, in, &value.name);
    if (wrong != NULL) {
      return wrong;
    }
    skip_space(reader);
  }
  const char* wrong = read_value(reader, &value);
  return wrong != NULL ? wrong : place_value(reader, &value);
}

static const char* read_text(struct reader* reader) {
  struct core_json_value outermost = {0};
  skip_space(reader);
  const char* wrong = read_value(reader, &outermost);
  if (wrong == NULL) {
    wrong = place_value(reader, &outermost);
  }
  while (wrong == NULL && reader->depth > 0) {
    skip_space(reader);
    wrong = read_part(reader);
  }
  skip_space(reader);
  return wrong != NULL               ? wrong
         : reader->at != reader->end ? "something follows the outermost value"
                                     : NULL;
}

const char* core_json_read(const char* bytes, size_t size, struct core_json* json, size_t* at) {
  struct reader reader = {.start = bytes, .at = bytes, .end = bytes + size, .json = json};
  *json = (struct core_json){0};
  *at = 0;
  if (size > CORE_JSON_BYTES) {
    return "the text is too long";
  }
  json->texts = heap_alloc(size + 1);
  if (json->texts == NULL) {
    return core_json_no_memory;
  }
  reader.text = json->texts;
  if (size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) {
    reader.at += 3;
  }
  const char* wrong = read_text(&reader);
  *at = (size_t)(reader.at - reader.start);
  return wrong;
}
