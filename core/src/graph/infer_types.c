/* SPDX-License-Identifier: MIT */
/* Element types of values for which a model states none, of tensors and of sequences of tensors. An
 * output has the type of an input with the same type parameter, or the only type that the schema of
 * its operator allows; what a custom op says; or that of an output of the node's subgraph. Types
 * that a schema does not allow are refused. Shapes are not inferred. */

#include "graph/reading.h"
#include "onnx/fields.h"

/* The most type parameters of an operator. */
#define LARGEST_PARAMETERS 8

/* Added to the number of an element type: a sequence of such tensors. */
#define IN_SEQUENCE 256

/* A serialized TypeProto of a sequence of tensors without a shape, for each element type. The bytes
 * from TENSOR_PART on are that of the tensor. */
#define TENSOR_PART 4
static const uint8_t types[CORE_ELEMENT_TYPES][8] = {
#define ORT_ELEMENT_TYPE(name, value, bits, text)                                            \
  [value] = {TYPE_SEQUENCE << 3 | CORE_LENGTH, 6, ELEMENT_TYPE << 3 | CORE_LENGTH,        4, \
             TYPE_TENSOR << 3 | CORE_LENGTH,   2, TENSOR_TYPE_ELEMENT << 3 | CORE_VARINT, value},
#include "ort_element_types.def"
};

/* The element type of a serialized TypeProto of tensors or sequences of tensors; 0 of others. */
static uint64_t element_of_type(struct core_message type) {
  struct core_message bytes;
  uint64_t sequence = 0;
  uint32_t member = core_member_of_type(type, &bytes);
  if (member == TYPE_SEQUENCE && core_find_message(bytes, ELEMENT_TYPE, &type)) {
    sequence = IN_SEQUENCE;
    member = core_member_of_type(type, &bytes);
  }
  uint64_t element = member == TYPE_TENSOR ? core_find_varint(bytes, TENSOR_TYPE_ELEMENT) : 0;
  return element > 0 && element < IN_SEQUENCE ? element | sequence : 0;
}

/* The element type of a value that is a tensor or a sequence of tensors; 0 where that is not known.
 */
static uint64_t element_of(const OrtValueInfo* value) {
  struct core_message bytes;
  value = core_origin(value);
  if (value->type_bytes.at != NULL) {
    return element_of_type(value->type_bytes);
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

ONNXTensorElementDataType core_element_type_of(const OrtValueInfo* value) {
  uint64_t element = value != NULL ? element_of(value) : 0;
  return element < IN_SEQUENCE ? core_element_of_onnx(element)
                               : ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
}

/* Gives a value, which may be NULL, a type of that element type, unless it has a type. */
static void give_type(const OrtValueInfo* value, uint64_t element) {
  uint64_t number = element & (IN_SEQUENCE - 1);
  if (value != NULL && element_of(value) == 0 && value->type_bytes.at == NULL &&
      number < CORE_ELEMENT_TYPES && types[number][1] != 0) {
    const uint8_t* bytes = types[number];
    ((OrtValueInfo*)value)->type_bytes = (struct core_message){
        element & IN_SEQUENCE ? bytes : bytes + TENSOR_PART, bytes + sizeof types[number]};
  }
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

/* The element type that a text such as "tensor(float)" or "seq(tensor(float))" stands for; 0 for
 * other texts. */
static uint64_t element_named(const char* type) {
  static const char before[] = "tensor(", around[] = "seq(";
  size_t begin = sizeof before - 1;
  uint64_t sequence = 0;
  if (strncmp(type, around, sizeof around - 1) == 0) {
    type += sizeof around - 1;
    sequence = IN_SEQUENCE;
  }
  uint64_t element = strncmp(type, before, begin) == 0
                         ? core_element_named(type + begin, strcspn(type, ")") - begin)
                         : 0;
  return element != 0 ? element | sequence : 0;
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

/* Whether all types that a type parameter stands for begin so. */
static bool is_only(const struct core_schema* schema, size_t constraint, const char* kind) {
  size_t count = core_schema_type_count(schema, constraint), i = 0;
  while (i < count && strncmp(core_schema_type(schema, constraint, i), kind, strlen(kind)) == 0) {
    i++;
  }
  return i == count;
}
#define IS_OF_TENSORS(schema, constraint) is_only(schema, constraint, "tensor(")

/* For an operator that makes sequences of tensors, or the reverse: the type that follows from the
 * first input, or else from an attribute. */
static uint64_t element_converted(const OrtNode* node, bool makes_sequence) {
  uint64_t first = node->input_count > 0 && node->values[0] != NULL ? element_of(node->values[0])
                                                                    : element_of_attribute(node);
  if (node->input_count == 0 && first == 0) {
    first = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
  }
  if (first == 0 || ((first & IN_SEQUENCE) != 0) == makes_sequence) {
    return 0;
  }
  return first ^ IN_SEQUENCE;
}

static uint64_t element_of_output(const OrtNode* node, const struct core_schema* schema,
                                  const struct core_schema_operand* operand) {
  if (operand->constraint == SIZE_MAX) {
    return element_named(operand->type);
  }
  uint64_t element = element_of_parameter(node, schema, operand->constraint);
  bool makes_sequence = is_only(schema, operand->constraint, "seq(");
  bool makes_tensor = !makes_sequence && IS_OF_TENSORS(schema, operand->constraint);
  if (element == 0 && (makes_sequence || makes_tensor)) {
    element = element_converted(node, makes_sequence);
  }
  return element == 0 && makes_tensor ? element_stated(node, schema) : element;
}

static void infer_outputs(const OrtNode* node, const struct core_schema* schema) {
  struct core_schema_operand operand;
  for (size_t i = 0; i < node->output_count; i++) {
    const OrtValueInfo* value = node->values[node->input_count + i];
    if (value != NULL && value->type_bytes.at == NULL && find_operand(schema, true, i, &operand)) {
      give_type(value, element_of_output(node, schema, &operand));
    }
  }
}

/* --- nodes that no schema decides ---------------------------------------------------------------
 */

/* The element type of the first input for which a custom op declares none; 0 where there is none.
 */
static uint64_t element_of_any(const OrtNode* node, const OrtCustomOp* op) {
  size_t count = core_op_operand_count(op, false);
  for (size_t i = 0; count > 0 && i < node->input_count; i++) {
    ONNXTensorElementDataType known = core_element_type_of(node->values[i]);
    if (known != 0 && core_op_operand(op, false, i < count ? i : count - 1).type == 0) {
      return core_onnx_of_element(known);
    }
  }
  return 0;
}

/* The outputs of a custom op have the types that it declares. One for which it declares none has
 * that of an input that may have any. */
static void infer_custom(const OrtNode* node) {
  struct core_misfit misfit;
  const OrtCustomOp* op = core_op_of_node(node, &misfit);
  size_t count = op != NULL ? core_op_operand_count(op, true) : 0;
  for (size_t i = 0; count > 0 && i < node->output_count; i++) {
    ONNXTensorElementDataType type = core_op_operand(op, true, i < count ? i : count - 1).type;
    give_type(node->values[node->input_count + i],
              type != 0 ? core_onnx_of_element(type) : element_of_any(node, op));
  }
}

/* The inputs of the body of Loop or Scan have the types of the node's last inputs. */
static void give_inputs(const OrtNode* node, const OrtGraph* body) {
  size_t count = body->inputs.count;
  const OrtValueInfo** from = node->values + node->input_count - count;
  for (size_t i = 0; node->schema != NULL && node->input_count >= count && i < count; i++) {
    give_type(body->inputs.items[i], from[i] != NULL ? element_of(from[i]) : 0);
  }
}

/* The outputs of a node have the types of its body's outputs, of which the first one of Loop is the
 * condition. */
static void take_outputs(const OrtNode* node, const OrtGraph* body) {
  size_t first = strcmp(node->op_type, "Loop") == 0;
  for (size_t i = 0; i < node->output_count && first + i < body->outputs.count; i++) {
    give_type(node->values[node->input_count + i], element_of(body->outputs.items[first + i]));
  }
}

static OrtStatus* infer_bodies(const OrtNode* node) {
  for (size_t i = 0; i < node->subgraphs.count; i++) {
    give_inputs(node, node->subgraphs.items[i]);
    CORE_TRY(core_infer_types(node->subgraphs.items[i]));
    if (node->schema != NULL) {
      take_outputs(node, node->subgraphs.items[i]);
    }
  }
  return NULL;
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
  ONNXTensorElementDataType type = core_element_type_of(value);
  if (type == ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED ||
      !find_operand(schema, is_output, index - (is_output ? node->input_count : 0), &operand)) {
    return NULL;
  }
  uint64_t none = 0, element = core_onnx_of_element(type);
  uint64_t* known = operand.constraint < LARGEST_PARAMETERS ? &first[operand.constraint] : &none;
  if (*known == element) {
    return NULL;
  }
  CORE_RETURN_IF(
      !is_allowed(schema, &operand, core_element_name(type)),
      refuse_operand(is_output ? ORT_FAIL : ORT_INVALID_GRAPH, node, value, "which is none"));
  CORE_RETURN_IF(*known != 0,
                 refuse_operand(ORT_FAIL, node, value, "unlike others of one type parameter"));
  uint64_t stated =
      is_output && operand.constraint != SIZE_MAX && IS_OF_TENSORS(schema, operand.constraint)
          ? element_stated(node, schema)
          : 0;
  CORE_RETURN_IF(stated != 0 && stated != element,
                 refuse_operand(ORT_FAIL, node, value, "unlike what an attribute says"));
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
    CORE_TRY(infer_bodies(node));
    if (node->schema == NULL) {
      infer_custom(node);
    } else {
      infer_outputs(node, node->schema);
      CORE_TRY(check_types(node, node->schema));
    }
  }
  return NULL;
}
