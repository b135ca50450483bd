/* SPDX-License-Identifier: MIT */
#include "onnx/check_fields.h"

#include "heap/heap.h"
#include "onnx/fields.h"

/* Protobuf's own limit for messages within messages. */
#define DEEPEST 100

/* What a field has that is known by its number. */
struct known {
  /** A message. */
  uint8_t kind;
  /** Whether there may be several. */
  bool is_list;
  /** Numbers that may be packed into one field: how each is stored. */
  bool is_packed;
  uint8_t wire;
};

#define FIELDS 27
#define ONE(message) {.kind = (message)}
#define LIST(message) {.kind = (message), .is_list = true}
#define INTS {.is_packed = true, .wire = CORE_VARINT}
#define FLOATS {.is_packed = true, .wire = CORE_FIXED32}
#define DOUBLES {.is_packed = true, .wire = CORE_FIXED64}

/* Fields without a row are texts, bytes or single numbers, which need no look inside. Those that
 * fields.h has no name for are not read. */
static const struct known known_fields[ONNX_MESSAGES][FIELDS] = {
    [ONNX_MODEL] = {[MODEL_GRAPH] = ONE(ONNX_GRAPH),
                    [MODEL_OPSET] = LIST(ONNX_OPSET),
                    [MODEL_METADATA] = LIST(ONNX_ENTRY),
                    [20] = LIST(ONNX_TRAINING),
                    [MODEL_FUNCTION] = LIST(ONNX_FUNCTION),
                    [26] = LIST(ONNX_DEVICES)},
    [ONNX_GRAPH] = {[GRAPH_NODE] = LIST(ONNX_NODE),
                    [GRAPH_INITIALIZER] = LIST(ONNX_TENSOR),
                    [GRAPH_INPUT] = LIST(ONNX_VALUE),
                    [GRAPH_OUTPUT] = LIST(ONNX_VALUE),
                    [GRAPH_VALUE] = LIST(ONNX_VALUE),
                    [GRAPH_ANNOTATION] = LIST(ONNX_ANNOTATION),
                    [GRAPH_SPARSE_INITIALIZER] = LIST(ONNX_SPARSE_TENSOR),
                    [16] = LIST(ONNX_ENTRY)},
    [ONNX_NODE] = {[NODE_ATTRIBUTE] = LIST(ONNX_ATTRIBUTE),
                   [9] = LIST(ONNX_ENTRY),
                   [10] = LIST(ONNX_NODE_DEVICES)},
    [ONNX_ATTRIBUTE] = {[ATTRIBUTE_TENSOR] = ONE(ONNX_TENSOR),
                        [ATTRIBUTE_GRAPH] = ONE(ONNX_GRAPH),
                        [ATTRIBUTE_FLOATS] = FLOATS,
                        [ATTRIBUTE_INTS] = INTS,
                        [ATTRIBUTE_TENSORS] = LIST(ONNX_TENSOR),
                        [ATTRIBUTE_GRAPHS] = LIST(ONNX_GRAPH),
                        [ATTRIBUTE_TYPE_PROTO] = ONE(ONNX_TYPE),
                        [15] = LIST(ONNX_TYPE),
                        [ATTRIBUTE_SPARSE_TENSOR] = ONE(ONNX_SPARSE_TENSOR),
                        [ATTRIBUTE_SPARSE_TENSORS] = LIST(ONNX_SPARSE_TENSOR)},
    [ONNX_TENSOR] = {[TENSOR_DIMENSIONS] = INTS,
                     [TENSOR_SEGMENT] = ONE(ONNX_SEGMENT),
                     [TENSOR_FLOATS] = FLOATS,
                     [TENSOR_INT32S] = INTS,
                     [TENSOR_INT64S] = INTS,
                     [TENSOR_DOUBLES] = DOUBLES,
                     [TENSOR_UINT64S] = INTS,
                     [TENSOR_EXTERNAL] = LIST(ONNX_ENTRY),
                     [16] = LIST(ONNX_ENTRY)},
    [ONNX_SPARSE_TENSOR] = {[SPARSE_VALUES] = ONE(ONNX_TENSOR),
                            [SPARSE_INDICES] = ONE(ONNX_TENSOR),
                            [SPARSE_DIMENSIONS] = INTS},
    [ONNX_VALUE] = {[VALUE_TYPE] = ONE(ONNX_TYPE), [4] = LIST(ONNX_ENTRY)},
    [ONNX_TYPE] = {[TYPE_TENSOR] = ONE(ONNX_TENSOR_TYPE),
                   [TYPE_SEQUENCE] = ONE(ONNX_ELEMENT_TYPE),
                   [TYPE_MAP] = ONE(ONNX_MAP_TYPE),
                   [7] = ONE(ONNX_OPAQUE_TYPE),
                   [TYPE_SPARSE_TENSOR] = ONE(ONNX_TENSOR_TYPE),
                   [TYPE_OPTIONAL] = ONE(ONNX_ELEMENT_TYPE)},
    [ONNX_TENSOR_TYPE] = {[TENSOR_TYPE_SHAPE] = ONE(ONNX_SHAPE)},
    [ONNX_ELEMENT_TYPE] = {[ELEMENT_TYPE] = ONE(ONNX_TYPE)},
    [ONNX_MAP_TYPE] = {[MAP_TYPE_VALUE] = ONE(ONNX_TYPE)},
    [ONNX_SHAPE] = {[SHAPE_DIMENSION] = LIST(ONNX_DIMENSION)},
    [ONNX_ANNOTATION] = {[2] = LIST(ONNX_ENTRY)},
    [ONNX_FUNCTION] = {[FUNCTION_NODE] = LIST(ONNX_NODE),
                       [FUNCTION_OPSET] = LIST(ONNX_OPSET),
                       [FUNCTION_ATTRIBUTE] = LIST(ONNX_ATTRIBUTE),
                       [FUNCTION_VALUE] = LIST(ONNX_VALUE),
                       [14] = LIST(ONNX_ENTRY)},
    [ONNX_TRAINING] = {[1] = ONE(ONNX_GRAPH),
                       [2] = ONE(ONNX_GRAPH),
                       [3] = LIST(ONNX_ENTRY),
                       [4] = LIST(ONNX_ENTRY)},
    [ONNX_NODE_DEVICES] = {[2] = LIST(ONNX_SHARDING)},
    [ONNX_SHARDING] =
        {[2] = INTS, [3] = LIST(ONNX_DEVICE_GROUP), [4] = LIST(ONNX_SHARDED_DIMENSION)},
    [ONNX_DEVICE_GROUP] = {[2] = INTS},
    [ONNX_SHARDED_DIMENSION] = {[2] = LIST(ONNX_SIMPLE_SHARDING)},
};

static const struct known* known_field(enum core_onnx kind, const struct core_field* field) {
  static const struct known nothing = {0};
  return field->number < FIELDS && field->wire == CORE_LENGTH ? &known_fields[kind][field->number]
                                                              : &nothing;
}

/* Whether packed numbers end where their field ends. */
static bool are_whole(struct core_message packed, uint8_t wire) {
  size_t size = core_message_size(packed);
  return wire == CORE_VARINT    ? size == 0 || (packed.end[-1] & 0x80) == 0
         : wire == CORE_FIXED64 ? size % 8 == 0
                                : size % 4 == 0;
}

static enum core_fields check(struct core_message message, enum core_onnx kind, unsigned depth,
                              bool without_graphs) {
  enum core_fields found = CORE_FIELDS_WHOLE;
  struct core_field field;
  uint32_t seen = 0;
  while (core_next_field(&message, &field)) {
    const struct known* known = known_field(kind, &field);
    if (known->is_packed && !are_whole(field.bytes, known->wire)) {
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

/* Writes all parts of a message as one. */
static void join(struct core_writing* to, struct core_message message, uint32_t number,
                 enum core_onnx kind) {
  struct core_writing whole = {0};
  struct core_field field;
  while (core_next_field(&message, &field)) {
    if (field.number == number && field.wire == CORE_LENGTH) {
      core_write_raw(&whole, field.bytes.at, core_message_size(field.bytes));
    }
  }
  size_t begin = core_begin_message(to, number);
  core_join_parts(to, (struct core_message){whole.bytes, whole.bytes + whole.size}, kind);
  core_end_message(to, begin);
  to->has_failed |= whole.has_failed;
  heap_free(whole.bytes);
}

void core_join_parts(struct core_writing* to, struct core_message message, enum core_onnx kind) {
  const struct core_message all = message;
  struct core_field field;
  uint32_t seen = 0;
  for (const uint8_t* start = message.at; core_next_field(&message, &field); start = message.at) {
    const struct known* known = known_field(kind, &field);
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
