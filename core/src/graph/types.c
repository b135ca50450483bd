/* SPDX-License-Identifier: MIT */
/* Reads types of values from the bytes of a model. */
#include "graph/graph.h"
#include "onnx/check_fields.h"
#include "values/type_info.h"

/* Types within types; deeper ones are refused. */
#define LARGEST_DEPTH 32

/* The element types that have the numbers from FIRST_MOVED on in ONNX's files, in that order. */
#define FIRST_MOVED 24
static const ONNXTensorElementDataType moved[] = {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E8M0,
                                                  ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT2,
                                                  ONNX_TENSOR_ELEMENT_DATA_TYPE_INT2};

ONNXTensorElementDataType core_element_of_onnx(uint64_t number) {
  if (number < FIRST_MOVED) {
    return (ONNXTensorElementDataType)number;
  }
  return number - FIRST_MOVED < CORE_COUNT_OF(moved) ? moved[number - FIRST_MOVED]
                                                     : ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
}

uint64_t core_onnx_of_element(ONNXTensorElementDataType type) {
  size_t i = 0;
  while (i < CORE_COUNT_OF(moved) && moved[i] != type) {
    i++;
  }
  return i < CORE_COUNT_OF(moved) ? FIRST_MOVED + i : type;
}

uint32_t core_member_of_type(struct core_message type, struct core_message* out) {
  struct core_field field;
  uint32_t number = 0;
  while (core_next_field(&type, &field)) {
    if (field.wire == CORE_LENGTH && field.number < ONNX_FIELDS &&
        core_known_fields[ONNX_TYPE][field.number].kind != ONNX_NO_MESSAGE) {
      number = field.number;
      *out = field.bytes;
    }
  }
  return number;
}

/* Gives an unknown dimension the length that a list has for its name or its denotation. */
static void fix_dimension(const struct core_items* fixed, struct core_message text,
                          bool is_denotation, int64_t* length) {
  for (size_t i = 0; fixed != NULL && *length < 0 && i < fixed->count; i++) {
    const struct core_item* item = &fixed->list[i];
    if (item->mark == is_denotation && core_message_is(text, item->key)) {
      *length = item->number < 0 ? -1 : item->number;
    }
  }
}

/* Reads one dimension; false where there is no memory. A negative length is unknown. */
static bool read_dimension(const struct core_items* fixed, struct core_pool* pool,
                           struct core_message bytes, int64_t* length, const char** name) {
  struct core_message denotation = {NULL, NULL}, symbol = {NULL, NULL};
  struct core_field field;
  *length = -1;
  while (core_next_field(&bytes, &field)) {
    if (field.number == DIMENSION_VALUE && field.wire == CORE_VARINT) {
      *length = (int64_t)field.value < 0 ? -1 : (int64_t)field.value;
      symbol = (struct core_message){NULL, NULL};
    } else if (field.number == DIMENSION_NAME && field.wire == CORE_LENGTH) {
      *length = -1;
      symbol = field.bytes;
    } else if (field.number == DIMENSION_DENOTATION && field.wire == CORE_LENGTH) {
      denotation = field.bytes;
    }
  }
  fix_dimension(fixed, symbol, false, length);
  fix_dimension(fixed, denotation, true, length);
  if (*length < 0 && symbol.at != NULL) {
    *name = core_pool_text(pool, symbol.at, core_message_size(symbol));
    return *name != NULL;
  }
  return true;
}

static OrtStatus* read_shape(const struct core_items* fixed, struct core_pool* pool,
                             struct core_message shape, OrtTensorTypeAndShapeInfo* info) {
  struct core_message dimension;
  info->has_shape = true;
  info->rank = core_count_messages(shape, SHAPE_DIMENSION);
  CORE_REFUSE_IF(info->rank > CORE_LARGEST_RANK, ORT_INVALID_GRAPH,
                 "a value has too many dimensions");
  CORE_TAKE_ARRAY(pool, info->dims, info->rank);
  CORE_TAKE_ARRAY(pool, info->names, info->rank);
  for (size_t i = 0; core_next_message(&shape, SHAPE_DIMENSION, &dimension); i++) {
    CORE_RETURN_IF(!read_dimension(fixed, pool, dimension, &info->dims[i], &info->names[i]),
                   core_no_memory(core_message_size(dimension)));
  }
  return NULL;
}

static OrtStatus* read_tensor_type(const struct core_items* fixed, enum ONNXType kind,
                                   struct core_message bytes, OrtTypeInfo** out) {
  OrtTensorTypeAndShapeInfo info = {
      .type = core_element_of_onnx(core_find_varint(bytes, TENSOR_TYPE_ELEMENT))};
  struct core_pool pool = {0};
  struct core_message shape;
  bool has_shape = core_find_message(bytes, TENSOR_TYPE_SHAPE, &shape);
  OrtStatus* status = has_shape ? read_shape(fixed, &pool, shape, &info) : NULL;
  CORE_THEN(status, core_new_tensor_type(kind, &info, out));
  core_pool_end(&pool);
  return status;
}

static OrtStatus* read_type(const struct core_items* fixed, struct core_message bytes,
                            unsigned depth, OrtTypeInfo** out);

/* A sequence, a map or an optional value: a type around another one. */
static OrtStatus* read_outer_type(const struct core_items* fixed, enum ONNXType kind,
                                  struct core_message bytes, unsigned depth, OrtTypeInfo** out) {
  uint32_t inner_number = kind == ONNX_TYPE_MAP ? MAP_TYPE_VALUE : ELEMENT_TYPE;
  struct core_message inner_bytes;
  OrtTypeInfo* inner = NULL;
  CORE_REFUSE_IF(!core_find_message(bytes, inner_number, &inner_bytes), ORT_INVALID_GRAPH,
                 "a type that contains another one does not say which");
  CORE_TRY(read_type(fixed, inner_bytes, depth + 1, &inner));
  uint64_t key = kind == ONNX_TYPE_MAP ? core_find_varint(bytes, MAP_TYPE_KEY) : 0;
  return core_wrap_type(kind, core_element_of_onnx(key), inner, out);
}

static OrtStatus* read_type(const struct core_items* fixed, struct core_message bytes,
                            unsigned depth, OrtTypeInfo** out) {
  struct core_message member;
  CORE_REFUSE_IF(depth >= LARGEST_DEPTH, ORT_INVALID_GRAPH, "types are nested too deeply");
  switch (core_member_of_type(bytes, &member)) {
    case TYPE_TENSOR:
      return read_tensor_type(fixed, ONNX_TYPE_TENSOR, member, out);
    case TYPE_SPARSE_TENSOR:
      return read_tensor_type(fixed, ONNX_TYPE_SPARSETENSOR, member, out);
    case TYPE_SEQUENCE:
      return read_outer_type(fixed, ONNX_TYPE_SEQUENCE, member, depth, out);
    case TYPE_MAP:
      return read_outer_type(fixed, ONNX_TYPE_MAP, member, depth, out);
    case TYPE_OPTIONAL:
      return read_outer_type(fixed, ONNX_TYPE_OPTIONAL, member, depth, out);
    default:
      return core_fail(ORT_INVALID_GRAPH, "a value has a type that the API cannot describe");
  }
}

OrtStatus* core_read_type(struct core_message bytes, const struct core_items* fixed,
                          OrtTypeInfo** out) {
  return read_type(fixed, bytes, 0, out);
}
