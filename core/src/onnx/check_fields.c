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

const char* const core_onnx_names[ONNX_MESSAGES] = {
    [ONNX_NO_MESSAGE] = "",
#define MESSAGE(message, title) [ONNX_##message] = (title),
#define FIELD(message, field, number, title, shape)
#include "onnx/fields.def"
};

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
    if (!known->is_list && seen & bit) {
      return CORE_FIELDS_DAMAGED;
    }
    seen |= bit;
    if (without_graphs && (known->kind == ONNX_GRAPH || known->kind == ONNX_FUNCTION)) {
      continue;
    }
    enum core_fields inner =
        depth > 0 ? check(field.bytes, known->kind, depth - 1, false) : CORE_FIELDS_TOO_DEEP;
    if (inner != CORE_FIELDS_WHOLE) {
      return inner;
    }
  }
  return core_is_malformed(&message) ? CORE_FIELDS_DAMAGED : CORE_FIELDS_WHOLE;
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
