/* SPDX-License-Identifier: MIT */
#include "onnx/wire.h"

#include <string.h>

/* Protobuf numbers its fields from 1 to this. */
#define LARGEST_NUMBER ((1U << 29) - 1)

static bool read_varint(struct core_message* from, uint64_t* value) {
  uint64_t number = 0;
  for (unsigned shift = 0; shift < 70 && from->at < from->end; shift += 7) {
    uint8_t byte = *from->at++;
    number |= shift < 64 ? (uint64_t)(byte & 0x7f) << shift : 0;
    if (byte < 0x80) {
      *value = number;
      return true;
    }
  }
  return false;
}

static bool read_fixed(struct core_message* from, size_t size, uint64_t* value) {
  uint64_t number = 0;
  if (core_message_size(*from) < size) {
    return false;
  }
  for (size_t i = 0; i < size; i++) {
    number |= (uint64_t)from->at[i] << (8 * i);
  }
  from->at += size;
  *value = number;
  return true;
}

static bool read_field(struct core_message* from, struct core_field* field) {
  uint64_t head;
  if (!read_varint(from, &head) || head >> 3 == 0 || head >> 3 > LARGEST_NUMBER) {
    return false;
  }
  field->number = (uint32_t)(head >> 3);
  field->wire = (enum core_wire)(head & 7);
  field->bytes = (struct core_message){NULL, NULL};
  switch (field->wire) {
    case CORE_VARINT:
      return read_varint(from, &field->value);
    case CORE_FIXED64:
      return read_fixed(from, 8, &field->value);
    case CORE_FIXED32:
      return read_fixed(from, 4, &field->value);
    case CORE_LENGTH:
      if (!read_varint(from, &field->value) || field->value > core_message_size(*from)) {
        return false;
      }
      field->bytes = (struct core_message){from->at, from->at + field->value};
      from->at += field->value;
      return true;
    default:
      return false; /* groups, which ONNX has none of */
  }
}

bool core_next_field(struct core_message* message, struct core_field* field) {
  if (message->at == message->end) {
    return false;
  }
  if (!read_field(message, field)) {
    message->at = NULL;
    return false;
  }
  return true;
}

bool core_message_is(struct core_message text, const char* string) {
  size_t size = strlen(string);
  return core_message_size(text) == size && (size == 0 || memcmp(text.at, string, size) == 0);
}
