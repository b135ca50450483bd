/* SPDX-License-Identifier: MIT */
/* Element types of values for which a model states none, as far as the schemas of operators decide
 * them: an output has the type of an input with the same type parameter, or the only type that is
 * allowed. Types that a schema does not allow are refused. Shapes are not inferred. */
#include <string.h>

#include "graph/reading.h"
#include "onnx/fields.h"

/* The most type parameters of an operator. */
#define LARGEST_PARAMETERS 8

/* A serialized TypeProto of a tensor without a shape, for each element type. */
static const uint8_t tensor_types[CORE_ELEMENT_TYPES][4] = {
#define ORT_ELEMENT_TYPE(name, value, bits, text) \
  [value] = {TYPE_TENSOR << 3 | CORE_LENGTH, 2, TENSOR_TYPE_ELEMENT << 3 | CORE_VARINT, value},
#include "ort_element_types.def"
};

/* The element type of a value that is a tensor; 0 where that is not known. */
static uint64_t element_of(const OrtValueInfo* value) {
  struct core_message bytes;
  value = core_origin(value);
  if (value->type_bytes.at != NULL) {
    return core_find_message(value->type_bytes, TYPE_TENSOR, &bytes)
               ? core_find_varint(bytes, TENSOR_TYPE_ELEMENT)
               : 0;
  }
  bytes = value->tensor_bytes;
  if (value->tensor != NULL) {
    return core_onnx_of_element(core_shape_of(value->tensor)->type);
  }
  if (value->flags & CORE_IS_CONSTANT_NODE) {
    return core_element_of_constant(bytes);
  }
  if (bytes.at == NULL ||
      (value->flags & CORE_IS_SPARSE && !core_find_message(bytes, SPARSE_VALUES, &bytes))) {
    return 0;
  }
  return core_find_varint(bytes, TENSOR_ELEMENT);
}

/* Finds the i-th input or output of a schema; false where there is none, or where it is a variadic
 * one whose values may have different types. */
static bool find_operand(const struct core_schema* schema, bool is_output, size_t i,
                         struct core_schema_operand* out) {
  size_t count = core_schema_operand_count(schema, is_output);
  if (count == 0) {
    return false;
  }
  *out = core_schema_operand_at(schema, is_output, i < count ? i : count - 1);
  return (i < count || out->characteristic == INPUT_OUTPUT_VARIADIC) && out->is_homogeneous;
}

/* The element type that a text such as "tensor(float)" stands for; 0 for other texts. */
static uint64_t element_named(const char* type) {
  static const char before[] = "tensor(";
  size_t begin = sizeof before - 1, size = strlen(type);
  return strncmp(type, before, begin) == 0 ? core_element_named(type + begin, size - begin - 1) : 0;
}

/* The element type that the inputs of a node have for a type parameter. */
static uint64_t element_of_parameter(const OrtNode* node, const struct core_schema* schema,
                                     size_t constraint) {
  struct core_schema_operand operand;
  for (size_t i = 0; i < node->input_count; i++) {
    if (node->values[i] != NULL && find_operand(schema, false, i, &operand) &&
        operand.constraint == constraint) {
      uint64_t element = element_of(node->values[i]);
      if (element != 0) {
        return element;
      }
    }
  }
  return core_schema_type_count(schema, constraint) == 1
             ? element_named(core_schema_type(schema, constraint, 0))
             : 0;
}

/* Whether an attribute of that name states an element type. */
static bool states_element(const char* name) {
  return strcmp(name, "to") == 0 || strcmp(name, "dtype") == 0 ||
         strcmp(name, "output_dtype") == 0 || strcmp(name, "output_datatype") == 0;
}

/* The element type that an attribute states, for operators whose inputs do not decide it. */
static uint64_t element_of_attribute(const OrtNode* node) {
  for (size_t i = 0; i < node->attributes.count; i++) {
    const OrtOpAttr* attribute = node->attributes.items[i];
    if (attribute->type == ORT_OP_ATTR_INT && states_element(attribute->name)) {
      return *(const uint64_t*)core_op_attr_value(attribute);
    }
    if (attribute->type == ORT_OP_ATTR_TENSOR && strcmp(attribute->name, "value") == 0) {
      return core_onnx_of_element(core_tensor_of(core_op_attr_tensor(attribute))->shape.type);
    }
  }
  return strcmp(node->op_type, "ConstantOfShape") == 0 ? ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT : 0;
}

/* The same for an operator that has an attribute for it, without which it is as the first input. */
static uint64_t element_stated(const OrtNode* node, const struct core_schema* schema) {
  struct core_schema_attribute attribute;
  uint64_t element = element_of_attribute(node);
  bool is_as_input = element == 0 && node->input_count > 0 && node->values[0] != NULL &&
                     core_schema_find_attribute(schema, "dtype", &attribute) &&
                     core_find_attribute(node, "dtype") == NULL;
  return is_as_input ? element_of(node->values[0]) : element;
}

/* Whether a type parameter stands for tensors only. */
static bool is_of_tensors(const struct core_schema* schema, size_t constraint) {
  size_t count = core_schema_type_count(schema, constraint), i = 0;
  while (i < count && strncmp(core_schema_type(schema, constraint, i), "tensor(", 7) == 0) {
    i++;
  }
  return i == count;
}

static uint64_t element_of_output(const OrtNode* node, const struct core_schema* schema,
                                  const struct core_schema_operand* operand) {
  if (operand->constraint == SIZE_MAX) {
    return element_named(operand->type);
  }
  uint64_t element = element_of_parameter(node, schema, operand->constraint);
  return element == 0 && is_of_tensors(schema, operand->constraint) ? element_stated(node, schema)
                                                                    : element;
}

static void infer_outputs(const OrtNode* node, const struct core_schema* schema) {
  struct core_schema_operand operand;
  for (size_t i = 0; i < node->output_count; i++) {
    OrtValueInfo* value = (OrtValueInfo*)node->values[node->input_count + i];
    if (value == NULL || value->type_bytes.at != NULL || !find_operand(schema, true, i, &operand)) {
      continue;
    }
    uint64_t element = element_of_output(node, schema, &operand);
    if (element > 0 && element < CORE_ELEMENT_TYPES && tensor_types[element][1] != 0) {
      value->type_bytes.at = tensor_types[element];
      value->type_bytes.end = tensor_types[element] + sizeof tensor_types[element];
    }
  }
}

/* --- types that an operator does not take ----------------------------------------------------- */

/* Whether a schema's text for a type is that of tensors of an element. */
static bool is_tensor_of(const char* type, const char* element) {
  static const char before[] = "tensor(";
  size_t begin = sizeof before - 1, size = strlen(element);
  return strncmp(type, before, begin) == 0 && strncmp(type + begin, element, size) == 0 &&
         strcmp(type + begin + size, ")") == 0;
}

static bool is_allowed(const struct core_schema* schema, const struct core_schema_operand* operand,
                       const char* element) {
  if (operand->constraint == SIZE_MAX) {
    return is_tensor_of(operand->type, element);
  }
  size_t count = core_schema_type_count(schema, operand->constraint), i = 0;
  while (i < count && !is_tensor_of(core_schema_type(schema, operand->constraint, i), element)) {
    i++;
  }
  return i < count;
}

static OrtStatus* refuse_operand(OrtErrorCode code, const OrtNode* node, const OrtValueInfo* value,
                                 const char* why) {
  return core_fail(code,
                   "the node '%.80s' has the operand '%.127s' of type tensor(%s), %s of operator "
                   "%.80s",
                   node->name, value->name,
                   core_element_name(core_element_of_onnx(element_of(value))), why, node->op_type);
}

/* Refuses the type of an operand; those with one type parameter must have one type. `first` is the
 * first known one of each parameter. */
static OrtStatus* check_type(const OrtNode* node, size_t index, const struct core_schema* schema,
                             uint64_t* first) {
  bool is_output = index >= node->input_count;
  const OrtValueInfo* value = node->values[index];
  struct core_schema_operand operand;
  uint64_t element = value != NULL ? element_of(value) : 0;
  ONNXTensorElementDataType type = core_element_of_onnx(element);
  if (type == ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED ||
      !find_operand(schema, is_output, index - (is_output ? node->input_count : 0), &operand)) {
    return NULL;
  }
  uint64_t none = 0;
  uint64_t* known = operand.constraint < LARGEST_PARAMETERS ? &first[operand.constraint] : &none;
  if (*known == element) {
    return NULL;
  }
  if (!is_allowed(schema, &operand, core_element_name(type))) {
    return refuse_operand(is_output ? ORT_FAIL : ORT_INVALID_GRAPH, node, value, "which is none");
  }
  if (*known != 0) {
    return refuse_operand(ORT_FAIL, node, value, "unlike others of one type parameter");
  }
  uint64_t stated =
      is_output && operand.constraint != SIZE_MAX && is_of_tensors(schema, operand.constraint)
          ? element_stated(node, schema)
          : 0;
  if (stated != 0 && stated != element) {
    return refuse_operand(ORT_FAIL, node, value, "unlike what an attribute says");
  }
  *known = element;
  return NULL;
}

static OrtStatus* check_types(const OrtNode* node, const struct core_schema* schema) {
  uint64_t first[LARGEST_PARAMETERS] = {0};
  for (size_t i = 0; i < node->input_count + node->output_count; i++) {
    CORE_TRY(check_type(node, i, schema, first));
  }
  return NULL;
}

OrtStatus* core_infer_types(const OrtGraph* graph) {
  for (size_t i = 0; i < graph->nodes.count; i++) {
    const OrtNode* node = graph->nodes.items[i];
    for (size_t k = 0; k < node->subgraphs.count; k++) {
      CORE_TRY(core_infer_types(node->subgraphs.items[k]));
    }
    if (node->schema != NULL) {
      infer_outputs(node, node->schema);
      CORE_TRY(check_types(node, node->schema));
    }
  }
  return NULL;
}
