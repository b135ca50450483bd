/* SPDX-License-Identifier: MIT */
#include "onnx/writing.h"

#include <stdarg.h>

#include "heap/heap.h"
#include "onnx/fields.h"

static bool make_room(struct core_writing* to, size_t size) {
  if (to->has_failed || size <= to->capacity - to->size) {
    return !to->has_failed;
  }
  size_t wanted = 2 * to->capacity > to->size + size ? 2 * to->capacity : to->size + size + 256;
  uint8_t* grown = heap_alloc(wanted);
  to->has_failed = grown == NULL;
  if (grown == NULL) {
    return false;
  }
  if (to->size > 0) {
    memcpy(grown, to->bytes, to->size);
  }
  heap_free(to->bytes);
  to->bytes = grown;
  to->capacity = wanted;
  return true;
}

void core_write_raw(struct core_writing* to, const void* bytes, size_t size) {
  if (size > 0 && make_room(to, size)) {
    memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
  }
}

static void put_varint(struct core_writing* to, uint64_t number) {
  uint8_t bytes[CORE_VARINT_ROOM];
  core_write_raw(to, bytes, core_encode_varint(number, bytes));
}

static void put_head(struct core_writing* to, uint32_t field, enum core_wire wire) {
  put_varint(to, (uint64_t)field << 3 | wire);
}

void core_write_number(struct core_writing* to, uint32_t field, uint64_t number) {
  put_head(to, field, CORE_VARINT);
  put_varint(to, number);
}

void core_write_bytes(struct core_writing* to, uint32_t field, const void* bytes, size_t size) {
  put_head(to, field, CORE_LENGTH);
  put_varint(to, size);
  core_write_raw(to, bytes, size);
}

void core_write_text(struct core_writing* to, uint32_t field, const char* text) {
  core_write_bytes(to, field, text, strlen(text));
}

void core_write_entry(struct core_writing* to, uint32_t field, const char* key, const char* value) {
  size_t entry = core_begin_message(to, field);
  core_write_text(to, ENTRY_KEY, key);
  core_write_text(to, ENTRY_VALUE, value);
  core_end_message(to, entry);
}

void core_write_fixed(struct core_writing* to, uint32_t field, const void* bytes) {
  put_head(to, field, CORE_FIXED32);
  core_write_raw(to, bytes, 4);
}

void core_write_varints(struct core_writing* to, uint32_t field, const int64_t* numbers,
                        size_t count) {
  size_t begin = core_begin_message(to, field);
  for (size_t i = 0; i < count; i++) {
    put_varint(to, (uint64_t)numbers[i]);
  }
  core_end_message(to, begin);
}

size_t core_begin_message(struct core_writing* to, uint32_t field) {
  put_head(to, field, CORE_LENGTH);
  return to->size;
}

/* The size goes before the message, which makes room for it. */
void core_end_message(struct core_writing* to, size_t begin) {
  uint8_t bytes[CORE_VARINT_ROOM];
  size_t length = to->size - begin, size = core_encode_varint(length, bytes);
  if (make_room(to, size)) {
    memmove(to->bytes + begin + size, to->bytes + begin, length);
    memcpy(to->bytes + begin, bytes, size);
    to->size += size;
  }
}

void core_copy_other_fields(struct core_writing* to, struct core_message from,
                            const uint32_t* numbers, size_t count) {
  struct core_field field;
  for (const uint8_t* start = from.at; core_next_field(&from, &field); start = from.at) {
    bool is_one = false;
    for (size_t i = 0; i < count; i++) {
      is_one |= field.number == numbers[i];
    }
    if (!is_one) {
      core_write_raw(to, start, (size_t)(from.at - start));
    }
  }
}

void core_put(struct core_writing* text, const char* format, ...) {
  char piece[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(piece, sizeof piece, format, arguments);
  va_end(arguments);
  core_write_raw(text, piece, strlen(piece));
}

/* The size of the character of UTF-8 at a place; 0 if there is none. */
static size_t character_size(const unsigned char* at) {
  static const uint32_t leads[] = {0, 0, 0xC0, 0xE0, 0xF0}, least[] = {0, 0, 0x80, 0x800, 0x10000};
  size_t size = *at < 0x80 ? 1 : *at < 0xE0 ? 2 : *at < 0xF0 ? 3 : 4;
  uint32_t point = *at - leads[size];
  for (size_t i = 1; i < size; i++) {
    if ((at[i] & 0xC0) != 0x80) {
      return 0;
    }
    point = point << 6 | (at[i] & 0x3F);
  }
  bool is_surrogate = (point & 0xFFFFF800) == 0xD800;
  return point >= least[size] && point <= 0x10FFFF && !is_surrogate ? size : 0;
}

void core_put_quoted(struct core_writing* text, const char* content) {
  core_put(text, "\"");
  size_t size;
  for (const char* at = content; *at != 0; at += size > 0 ? size : 1) {
    unsigned char c = (unsigned char)*at;
    size = character_size((const unsigned char*)at);
    if (c < ' ' || c == '"' || c == '\\') {
      core_put(text, c < ' ' ? "\\u%04x" : "\\%c", c);
    } else if (size == 0) {
      core_put(text, "\\ufffd");
    } else {
      core_write_raw(text, at, size);
    }
  }
  core_put(text, "\"");
}
