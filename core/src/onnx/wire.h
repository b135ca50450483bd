/* SPDX-License-Identifier: MIT */
/**
 * @file wire.h
 * The wire format of protobuf, in which ONNX files are written.
 *
 * A message is a sequence of fields. Each has a number and a wire type. Nothing here
 * knows what a field means, and nothing allocates.
 */
#pragma once

#include "core.h"

/** The most bytes of a varint. */
#define CORE_VARINT_ROOM 10

/** The bytes of a message, or of a text. Both NULL: there is none. */
struct core_message {
  const uint8_t* at;
  const uint8_t* end;
};

static inline size_t core_message_size(struct core_message message) {
  return (size_t)(message.end - message.at);
}

enum core_wire {
  CORE_VARINT = 0,
  CORE_FIXED64 = 1,
  CORE_LENGTH = 2,
  CORE_GROUP = 3,
  CORE_GROUP_END = 4,
  CORE_FIXED32 = 5
};

struct core_field {
  uint32_t number;
  enum core_wire wire;
  /** For CORE_LENGTH: the bytes of the text or message. */
  struct core_message bytes;
  /** For numbers: the number, or its bits. */
  uint64_t value;
};

/** Reads the field at the front of a message, which then begins behind it. False at the end, and
 * where the bytes are no field: `message->at` is NULL then. */
CORE_FOR_EXTENSION bool core_next_field(struct core_message* message, struct core_field* field);

/** Reads on to the next field with a number that has bytes; false where there is none. */
bool core_next_message(struct core_message* message, uint32_t number, struct core_message* out);

/** Whether core_next_field has stopped at bytes that are no field. */
static inline bool core_is_malformed(const struct core_message* message) {
  return message->at == NULL;
}

/** The numbers of a repeated field, each a field of its own or many in one. */
struct core_numbers {
  /** What is not read yet. Use core_is_malformed on it at the end. */
  struct core_message message;
  uint32_t number;
  enum core_wire wire;
  struct core_message packed;
};

/** Reads the next number, or its bits; false at the end. */
CORE_FOR_EXTENSION bool core_next_number(struct core_numbers* numbers, uint64_t* value);

/** How many numbers there are. */
size_t core_count_numbers(struct core_numbers numbers);

/** Finds the last field with a number that has bytes: in protobuf the last one counts. False where
 * there is none. */
bool core_find_message(struct core_message message, uint32_t number, struct core_message* out);

/** The last varint in the fields with a number; 0 where there is none. */
uint64_t core_find_varint(struct core_message message, uint32_t number);

/** Counts the fields with a number that have bytes. */
size_t core_count_messages(struct core_message message, uint32_t number);

/** A string as the bytes of a text. */
static inline struct core_message core_message_of(const char* string) {
  const uint8_t* bytes = (const uint8_t*)string;
  return (struct core_message){bytes, bytes + strlen(string)};
}

/** Writes a varint; returns its size. */
CORE_FOR_EXTENSION size_t core_encode_varint(uint64_t number, uint8_t bytes[CORE_VARINT_ROOM]);

/** Whether a text is equal to a string. */
CORE_FOR_EXTENSION bool core_message_is(struct core_message text, const char* string);
