/* SPDX-License-Identifier: MIT */
/**
 * @file writing.h
 * Writes messages of protobuf, and JSON, into memory that grows.
 *
 * Where there is no memory, the rest is not written, and `has_failed` says so at the end.
 */
#pragma once

#include "onnx/wire.h"

/** All zeroes is an empty one. */
struct core_writing {
  uint8_t* bytes;
  size_t size;
  size_t capacity;
  bool has_failed;
};

/** Writes bytes that are whole fields. */
CORE_FOR_EXTENSION void core_write_raw(struct core_writing* to, const void* bytes, size_t size);

CORE_FOR_EXTENSION void core_write_number(struct core_writing* to, uint32_t field, uint64_t number);
CORE_FOR_EXTENSION void core_write_bytes(struct core_writing* to, uint32_t field, const void* bytes,
                                         size_t size);
CORE_FOR_EXTENSION void core_write_text(struct core_writing* to, uint32_t field, const char* text);
/** Writes a StringStringEntryProto. */
void core_write_entry(struct core_writing* to, uint32_t field, const char* key, const char* value);
static inline void core_write_message(struct core_writing* to, uint32_t field,
                                      struct core_message message) {
  core_write_bytes(to, field, message.at, core_message_size(message));
}

/** Writes a field of four bytes, as they are in memory. */
CORE_FOR_EXTENSION void core_write_fixed(struct core_writing* to, uint32_t field,
                                         const void* bytes);

/** Writes the numbers of a repeated field, packed. Numbers of fixed size are written with
 * core_write_bytes. */
void core_write_varints(struct core_writing* to, uint32_t field, const int64_t* numbers,
                        size_t count);

/** Writes the fields of a message but for those with some numbers. */
void core_copy_other_fields(struct core_writing* to, struct core_message from,
                            const uint32_t* numbers, size_t count);

/** Begins a message within the message; returns the argument for core_end_message. */
CORE_FOR_EXTENSION size_t core_begin_message(struct core_writing* to, uint32_t field);
CORE_FOR_EXTENSION void core_end_message(struct core_writing* to, size_t begin);

/** Writes up to 255 bytes as printf. */
void core_put(struct core_writing* text, const char* format, ...) CORE_FORMAT(2);
/** Writes a string of JSON; what is no UTF-8 becomes U+FFFD. */
void core_put_quoted(struct core_writing* text, const char* content);
