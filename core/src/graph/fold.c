/* SPDX-License-Identifier: MIT */
/* Nodes Shape and Size of a value whose shape is known become initializers. */

#include "graph/reading.h"
#include "memory/allocator.h"
#include "onnx/fields.h"
#include "values/type_info.h"

/* The bound of the dimensions that a node Shape gives; `bound` is that of a node without the
 * attribute. A negative one counts from the end. */
static size_t bound_of(const OrtNode* node, const char* name, int64_t bound, size_t rank) {
  struct core_message attribute;
  if (core_find_attribute_bytes(node, name, &attribute)) {
    bound = (int64_t)core_find_varint(attribute, ATTRIBUTE_INT);
  }
  bound += bound < 0 ? (int64_t)rank : 0;
  return bound<0 ? 0 : bound>(int64_t) rank ? rank : (size_t)bound;
}

/* Whether all dimensions are known, and how many elements there are: not known if they are too
 * many for a number. */
static bool has_known_shape(const OrtTensorTypeAndShapeInfo* type, int64_t* elements) {
  bool is_known = type != NULL && type->has_shape;
  *elements = 1;
  for (size_t i = 0; is_known && i < type->rank; i++) {
    is_known = type->dims[i] >= 0 && !__builtin_mul_overflow(*elements, type->dims[i], elements);
  }
  return is_known;
}

/* Makes the output of a node the initializer that has these numbers. */
static OrtStatus* make_constant(struct core_scope* scope, const OrtNode* node, size_t rank,
                                const int64_t* numbers, size_t count) {
  OrtValueInfo* value = (OrtValueInfo*)node->values[node->input_count];
  struct core_tensor* made = NULL;
  int64_t length = (int64_t)count;
  CORE_TRY(core_new_tensor(CORE_DEFAULT_ALLOCATOR, &length, rank,
                           ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, &made));
  if (count > 0) {
    memcpy(made->data, numbers, count * sizeof *numbers);
  }
  core_make_part(&made->base.object);
  value->tensor = &made->base;
  value->flags |= CORE_IS_INITIALIZER | CORE_IS_REPLACED;
  value->producer = NULL;
  return core_scope_add(scope, &scope->graph->initializers, value);
}

/* Whether a node gives a part of its input's shape; `is_size`: the number of its elements. */
static bool reads_shape(const OrtNode* node, bool* is_size) {
  *is_size = strcmp(node->op_type, "Size") == 0;
  return node->domain[0] == 0 && (*is_size || strcmp(node->op_type, "Shape") == 0) &&
         node->input_count == 1 && node->output_count == 1 && node->values[1] != NULL;
}

/* Whether all attributes are numbers that have names, and the output has the type that the operator
 * gives. A node that is otherwise is kept, and refused where nodes are checked. */
static OrtStatus* is_right(const OrtNode* node, bool* out) {
  struct core_message rest = node->bytes, attribute, name;
  const OrtTypeInfo* type;
  CORE_TRY(core_known_type(node->values[1], &type));
  *out = type == NULL || (type->kind == ONNX_TYPE_TENSOR &&
                          type->tensor->type == ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64);
  while (core_next_message(&rest, NODE_ATTRIBUTE, &attribute)) {
    *out = *out && core_find_message(attribute, ATTRIBUTE_NAME, &name) &&
           core_message_size(name) > 0 &&
           core_find_varint(attribute, ATTRIBUTE_TYPE) == ATTRIBUTE_IS_INT;
  }
  return NULL;
}

static OrtStatus* fold(struct core_scope* scope, const OrtNode* node, bool* is_folded) {
  const OrtTensorTypeAndShapeInfo* type;
  struct core_message name;
  OrtValueInfo* input;
  int64_t elements;
  bool is_size;
  *is_folded = false;
  if (!reads_shape(node, &is_size) || !core_find_message(node->bytes, NODE_INPUT, &name)) {
    return NULL;
  }
  CORE_TRY(core_find_value(scope, name, &input));
  if (input == NULL) {
    return NULL;
  }
  CORE_TRY(core_known_tensor(input, &type));
  if (has_known_shape(type, &elements)) {
    CORE_TRY(is_right(node, is_folded));
  }
  if (!*is_folded) {
    return NULL;
  }
  if (is_size) {
    return make_constant(scope, node, 0, &elements, 1);
  }
  size_t begin = bound_of(node, "start", 0, type->rank);
  size_t end = bound_of(node, "end", INT64_MAX, type->rank);
  return begin < end ? make_constant(scope, node, 1, &type->dims[begin], end - begin)
                     : make_constant(scope, node, 1, NULL, 0);
}

OrtStatus* core_fold_shapes(struct core_scope* scope) {
  struct core_list* nodes = &scope->graph->nodes;
  size_t kept = 0;
  for (size_t i = 0; i < nodes->count; i++) {
    bool is_folded;
    CORE_TRY(fold(scope, nodes->items[i], &is_folded));
    if (!is_folded) {
      nodes->items[kept++] = nodes->items[i];
    }
  }
  nodes->count = kept;
  return NULL;
}
