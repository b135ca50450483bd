/* SPDX-License-Identifier: MIT */
#include "onnx/check_fields.h"

#include "heap/heap.h"

/* Protobuf's own limit for messages within messages. */
#define DEEPEST 100

#define INT .type = CORE_INT
#define FLOAT .type = CORE_FLOAT
#define TEXT .type = CORE_TEXT
#define BYTES .type = CORE_BYTES
#define INTS INT, .is_list = true
#define FLOATS FLOAT, .is_list = true
#define DOUBLES .type = CORE_DOUBLE, .is_list = true
#define TEXTS TEXT, .is_list = true
#define STRINGS BYTES, .is_list = true
#define ONE(inner) .type = CORE_MESSAGE, .kind = ONNX_##inner
#define MANY(inner) ONE(inner), .is_list = true

const struct core_known_field core_known_fields[ONNX_MESSAGES][ONNX_FIELDS] = {
#define MESSAGE(kind, title)
#define FIELD(message, field, number, title, shape) \
  [ONNX_##message][field] = {.name = (title), shape},
#include "onnx/fields.def"
};

const struct core_known_field (*core_all_known_fields(void))[ONNX_FIELDS] {
  return core_known_fields;
}

const char* core_onnx_name(enum core_onnx kind) {
  static const char* const names[ONNX_MESSAGES] = {
      [ONNX_NO_MESSAGE] = "",
#define MESSAGE(message, title) [ONNX_##message] = (title),
#define FIELD(message, field, number, title, shape)
#include "onnx/fields.def"
  };
  return names[kind];
}

/* What is known of a field that has a length. */
static const struct core_known_field* known_field(enum core_onnx kind,
                                                  const struct core_field* field) {
  static const struct core_known_field nothing = {0};
  return field->number < ONNX_FIELDS && field->wire == CORE_LENGTH
             ? &core_known_fields[kind][field->number]
             : &nothing;
}

/* Whether packed numbers end where their field ends. */
static bool are_whole(struct core_message packed, enum core_field_type type) {
  size_t size = core_message_size(packed);
  return type == CORE_INT      ? size == 0 || (packed.end[-1] & 0x80) == 0
         : type == CORE_DOUBLE ? size % 8 == 0
         : type == CORE_FLOAT  ? size % 4 == 0
                               : true;
}

static enum core_fields check(struct core_message message, enum core_onnx kind, unsigned depth,
                              bool without_graphs) {
  enum core_fields found = CORE_FIELDS_WHOLE;
  struct core_field field;
  uint32_t seen = 0;
  while (core_next_field(&message, &field)) {
    const struct core_known_field* known = known_field(kind, &field);
    if (known->is_list && !are_whole(field.bytes, known->type)) {
      return CORE_FIELDS_DAMAGED;
    }
    if (known->kind == ONNX_NO_MESSAGE) {
      continue;
    }
    uint32_t bit = (uint32_t)1 << field.number;
    found = !known->is_list && seen & bit ? CORE_FIELDS_IN_PARTS : found;
    seen |= bit;
    if (without_graphs && (known->kind == ONNX_GRAPH || known->kind == ONNX_FUNCTION)) {
      continue;
    }
    enum core_fields inner =
        depth > 0 ? check(field.bytes, known->kind, depth - 1, false) : CORE_FIELDS_TOO_DEEP;
    if (inner > CORE_FIELDS_IN_PARTS) {
      return inner;
    }
    found = inner > found ? inner : found;
  }
  return core_is_malformed(&message) ? CORE_FIELDS_DAMAGED : found;
}

enum core_fields core_check_fields(struct core_message message, enum core_onnx kind) {
  return check(message, kind, DEEPEST, false);
}

enum core_fields core_check_model_fields(struct core_message model) {
  return check(model, ONNX_MODEL, DEEPEST, true);
}

static bool each_tensor(struct core_message message, enum core_onnx kind, core_visit_tensor visit,
                        void* state, unsigned depth) {
  struct core_field field;
  bool goes_on = kind != ONNX_TENSOR || visit(message, state);
  while (goes_on && kind != ONNX_TENSOR && depth > 0 && core_next_field(&message, &field)) {
    enum core_onnx inner = known_field(kind, &field)->kind;
    goes_on = inner == ONNX_NO_MESSAGE || each_tensor(field.bytes, inner, visit, state, depth - 1);
  }
  return goes_on;
}

bool core_each_tensor(struct core_message message, enum core_onnx kind, core_visit_tensor visit,
                      void* state) {
  return each_tensor(message, kind, visit, state, DEEPEST + 1);
}

/* Writes all parts of a message as one. */
static void join(struct core_writing* to, struct core_message message, uint32_t number,
                 enum core_onnx kind) {
  struct core_writing whole = {0};
  struct core_message part;
  while (core_next_message(&message, number, &part)) {
    core_write_raw(&whole, part.at, core_message_size(part));
  }
  size_t begin = core_begin_message(to, number);
  if (whole.size > 0) { /* otherwise there is no memory to add a size to */
    core_join_parts(to, (struct core_message){whole.bytes, whole.bytes + whole.size}, kind);
  }
  core_end_message(to, begin);
  to->has_failed |= whole.has_failed;
  heap_free(whole.bytes);
}

void core_join_parts(struct core_writing* to, struct core_message message, enum core_onnx kind) {
  const struct core_message all = message;
  struct core_field field;
  uint32_t seen = 0;
  for (const uint8_t* start = message.at; core_next_field(&message, &field); start = message.at) {
    const struct core_known_field* known = known_field(kind, &field);
    uint32_t bit = known->kind != ONNX_NO_MESSAGE ? (uint32_t)1 << field.number : 0;
    if (bit == 0) {
      core_write_raw(to, start, (size_t)(message.at - start));
    } else if (known->is_list) {
      size_t begin = core_begin_message(to, field.number);
      core_join_parts(to, field.bytes, known->kind);
      core_end_message(to, begin);
    } else if ((seen & bit) == 0) {
      join(to, all, field.number, known->kind);
    }
    seen |= bit;
  }
}
