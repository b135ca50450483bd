/* SPDX-License-Identifier: MIT */
#include "onnx/wire.h"

/* Protobuf numbers its fields from 1 to this. */
#define LARGEST_NUMBER ((1U << 29) - 1)
/* Protobuf's own limit. */
#define DEEPEST_GROUP 100

static bool read_long_varint(struct core_message* from, uint64_t* value) {
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

/* Most have one byte. */
static inline bool read_varint(struct core_message* from, uint64_t* value) {
  if (from->at < from->end && *from->at < 0x80) {
    *value = *from->at++;
    return true;
  }
  return read_long_varint(from, value);
}

/* The number of a field, or a length: protobuf gives them five bytes at most. */
static inline bool read_short_varint(struct core_message* from, uint64_t* value) {
  const uint8_t* start = from->at;
  return read_varint(from, value) && from->at - start <= 5 && *value <= UINT32_MAX;
}

static inline bool read_head(struct core_message* from, struct core_field* field) {
  uint64_t head;
  if (!read_short_varint(from, &head) || head >> 3 == 0 || head >> 3 > LARGEST_NUMBER) {
    return false;
  }
  field->number = (uint32_t)(head >> 3);
  field->wire = (enum core_wire)(head & 7);
  field->bytes = (struct core_message){NULL, NULL};
  return true;
}

static inline bool read_bytes(struct core_message* from, struct core_field* field) {
  if (!read_short_varint(from, &field->value) || field->value > core_message_size(*from)) {
    return false;
  }
  field->bytes = (struct core_message){from->at, from->at + field->value};
  from->at += field->value;
  return true;
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

static bool read_value(struct core_message* from, struct core_field* field, unsigned depth);

/* Reads what follows the beginning of a group, up to its end. ONNX has no groups, but protobuf
 * takes them as unknown fields. */
static bool skip_group(struct core_message* from, uint32_t number, unsigned depth) {
  struct core_field field = {.wire = CORE_GROUP};
  while (field.wire != CORE_GROUP_END) {
    if (depth == 0 || !read_head(from, &field) || !read_value(from, &field, depth - 1)) {
      return false;
    }
  }
  return field.number == number;
}

/* Reads what follows the head of a field. */
static bool read_value(struct core_message* from, struct core_field* field, unsigned depth) {
  switch (field->wire) {
    case CORE_VARINT:
      return read_varint(from, &field->value);
    case CORE_FIXED64:
      return read_fixed(from, 8, &field->value);
    case CORE_FIXED32:
      return read_fixed(from, 4, &field->value);
    case CORE_LENGTH:
      return read_bytes(from, field);
    case CORE_GROUP:
      return skip_group(from, field->number, depth);
    default:
      return field->wire == CORE_GROUP_END;
  }
}

bool core_next_field(struct core_message* message, struct core_field* field) {
  if (message->at == message->end) {
    return false;
  }
  bool is_read = read_head(message, field) &&
                 (field->wire == CORE_LENGTH ? read_bytes(message, field)
                                             : read_value(message, field, DEEPEST_GROUP));
  if (!is_read || field->wire == CORE_GROUP_END) {
    message->at = NULL;
    return false;
  }
  return true;
}

static bool read_number(struct core_message* from, enum core_wire wire, uint64_t* value) {
  return wire == CORE_VARINT ? read_varint(from, value)
                             : read_fixed(from, wire == CORE_FIXED64 ? 8 : 4, value);
}

bool core_next_number(struct core_numbers* numbers, uint64_t* value) {
  struct core_field field;
  while (numbers->packed.at == numbers->packed.end) {
    if (!core_next_field(&numbers->message, &field)) {
      return false;
    }
    if (field.number == numbers->number && field.wire == numbers->wire) {
      *value = field.value;
      return true;
    }
    if (field.number == numbers->number && field.wire == CORE_LENGTH) {
      numbers->packed = field.bytes;
    }
  }
  if (read_number(&numbers->packed, numbers->wire, value)) {
    return true;
  }
  numbers->message.at = NULL;
  numbers->packed.at = numbers->packed.end;
  return false;
}

size_t core_count_numbers(struct core_numbers numbers) {
  size_t count = 0;
  uint64_t value;
  while (core_next_number(&numbers, &value)) {
    count++;
  }
  return count;
}

bool core_next_message(struct core_message* message, uint32_t number, struct core_message* out) {
  struct core_field field;
  while (core_next_field(message, &field)) {
    if (field.number == number && field.wire == CORE_LENGTH) {
      *out = field.bytes;
      return true;
    }
  }
  return false;
}

bool core_find_message(struct core_message message, uint32_t number, struct core_message* out) {
  bool is_there = false;
  while (core_next_message(&message, number, out)) {
    is_there = true;
  }
  return is_there;
}

uint64_t core_find_varint(struct core_message message, uint32_t number) {
  struct core_field field;
  uint64_t found = 0;
  while (core_next_field(&message, &field)) {
    found = field.number == number && field.wire == CORE_VARINT ? field.value : found;
  }
  return found;
}

size_t core_count_messages(struct core_message message, uint32_t number) {
  struct core_message one;
  size_t count = 0;
  while (core_next_message(&message, number, &one)) {
    count++;
  }
  return count;
}

size_t core_encode_varint(uint64_t number, uint8_t bytes[CORE_VARINT_ROOM]) {
  size_t size = 0;
  for (; number > 0x7f; number >>= 7) {
    bytes[size++] = (uint8_t)(number | 0x80);
  }
  bytes[size++] = (uint8_t)number;
  return size;
}

bool core_message_is(struct core_message text, const char* string) {
  size_t size = strlen(string);
  return core_message_size(text) == size && (size == 0 || memcmp(text.at, string, size) == 0);
}
