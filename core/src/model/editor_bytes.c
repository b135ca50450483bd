/* SPDX-License-Identifier: MIT */
/* Graphs that the model editor made, written as the bytes of a model. */

#include "graph/tensor_bytes.h"
#include "model/model.h"
#include "onnx/fields.h"

/* A dimension with a size needs no name. One with neither is unknown: its message stays empty. */
static void write_shape(struct core_writing* to, const OrtTensorTypeAndShapeInfo* info) {
  size_t shape = core_begin_message(to, TENSOR_TYPE_SHAPE);
  for (size_t i = 0; i < info->rank; i++) {
    size_t dimension = core_begin_message(to, SHAPE_DIMENSION);
    if (info->dims[i] >= 0) {
      core_write_number(to, DIMENSION_VALUE, (uint64_t)info->dims[i]);
    } else if (info->names[i] != NULL) {
      core_write_text(to, DIMENSION_NAME, info->names[i]);
    }
    core_end_message(to, dimension);
  }
  core_end_message(to, shape);
}

void core_write_value(struct core_writing* to, uint32_t field, const char* name,
                      const OrtTensorTypeAndShapeInfo* info) {
  size_t message = core_begin_message(to, field);
  core_write_text(to, VALUE_NAME, name);
  size_t type = core_begin_message(to, VALUE_TYPE);
  size_t tensor = core_begin_message(to, TYPE_TENSOR);
  core_write_number(to, TENSOR_TYPE_ELEMENT, core_onnx_of_element(info->type));
  if (info->has_shape) {
    write_shape(to, info);
  }
  core_end_message(to, tensor);
  core_end_message(to, type);
  core_end_message(to, message);
}

/* A weight that is not copied stands in the model like one of an external file: the location is
 * CORE_WEIGHTS_IN_MEMORY, and the offset is its number among the weights of the model. */
static void write_external(struct core_writing* to, size_t number) {
  char text[24];
  snprintf(text, sizeof text, "%zu", number);
  core_write_entry(to, TENSOR_EXTERNAL, "location", CORE_WEIGHTS_IN_MEMORY);
  core_write_entry(to, TENSOR_EXTERNAL, "offset", text);
  core_write_number(to, TENSOR_LOCATION, 1);
}

static void write_strings(struct core_writing* to, const struct core_tensor* tensor) {
  for (size_t i = 0; i < tensor->shape.count; i++) {
    const struct core_string* element = &tensor->strings.elements[i];
    core_write_bytes(to, TENSOR_STRINGS, core_string_text(element), element->length);
  }
}

static void write_tensor(struct core_writing* to, uint32_t field, const char* name,
                         const OrtValue* value, OrtModel* in_place) {
  const struct core_tensor* tensor = core_tensor_of(value);
  size_t message = core_begin_message(to, field);
  core_write_varints(to, TENSOR_DIMENSIONS, tensor->shape.dims, tensor->shape.rank);
  core_write_number(to, TENSOR_ELEMENT, core_onnx_of_element(tensor->shape.type));
  core_write_text(to, TENSOR_NAME, name);
  if (tensor->shape.type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING) {
    write_strings(to, tensor);
  } else if (in_place == NULL) {
    core_write_bytes(to, TENSOR_RAW, tensor->data, tensor->bytes);
  } else {
    write_external(to, in_place->weight_count);
    in_place->weights[in_place->weight_count++] = (struct core_weight){tensor->data, tensor->bytes};
  }
  core_end_message(to, message);
}

void core_write_tensor(struct core_writing* to, uint32_t field, const char* name,
                       const OrtValue* tensor) {
  write_tensor(to, field, name, tensor, NULL);
}

/* --- nodes ----------------------------------------------------------------------------------- */

/* The attribute has its strings one behind the other, each with a null at its end. */
static void write_texts(struct core_writing* to, const OrtOpAttr* attribute) {
  const char* text = core_op_attr_value(attribute);
  const char* end = text + attribute->size;
  for (; text < end; text += strlen(text) + 1) {
    core_write_text(to, ATTRIBUTE_STRINGS, text);
  }
}

static void write_attribute(struct core_writing* to, const OrtOpAttr* attribute) {
  const void* value = core_op_attr_value(attribute);
  size_t message = core_begin_message(to, NODE_ATTRIBUTE);
  core_write_text(to, ATTRIBUTE_NAME, attribute->name);
  core_write_number(to, ATTRIBUTE_TYPE, core_onnx_of_attribute(attribute->type));
  switch (attribute->type) {
    case ORT_OP_ATTR_INT:
      core_write_number(to, ATTRIBUTE_INT, *(const uint64_t*)value);
      break;
    case ORT_OP_ATTR_FLOAT:
      core_write_fixed(to, ATTRIBUTE_FLOAT, value);
      break;
    case ORT_OP_ATTR_INTS:
      core_write_varints(to, ATTRIBUTE_INTS, value, attribute->size / sizeof(int64_t));
      break;
    case ORT_OP_ATTR_FLOATS:
      core_write_bytes(to, ATTRIBUTE_FLOATS, value, attribute->size);
      break;
    case ORT_OP_ATTR_STRING:
      core_write_bytes(to, ATTRIBUTE_STRING, value, attribute->size);
      break;
    case ORT_OP_ATTR_STRINGS:
      write_texts(to, attribute);
      break;
    default: /* a tensor: there are no others */
      core_write_tensor(to, ATTRIBUTE_TENSOR, "", core_op_attr_tensor(attribute));
      break;
  }
  core_end_message(to, message);
}

void core_write_node(struct core_writing* to, const OrtNode* node) {
  for (size_t i = 0; i < node->input_count + node->output_count; i++) {
    core_write_text(to, i < node->input_count ? NODE_INPUT : NODE_OUTPUT, node->operands[i]);
  }
  core_write_text(to, NODE_NAME, node->name);
  core_write_text(to, NODE_OPERATOR, node->op_type);
  core_write_text(to, NODE_DOMAIN, node->domain);
  for (size_t i = 0; i < node->attributes.count; i++) {
    write_attribute(to, node->attributes.items[i]);
  }
}

void core_write_opset(struct core_writing* to, const char* domain, int64_t version) {
  size_t message = core_begin_message(to, MODEL_OPSET);
  core_write_text(to, OPSET_DOMAIN, domain);
  core_write_number(to, OPSET_VERSION, (uint64_t)version);
  core_end_message(to, message);
}

/* Makes room for more weights behind those that a model has. */
static OrtStatus* make_room_for_weights(OrtModel* model, size_t count) {
  size_t size = (model->weight_count + count) * sizeof *model->weights;
  struct core_weight* weights = size > 0 ? heap_alloc(size) : NULL;
  if (weights == NULL) {
    return size > 0 ? core_no_memory(size) : NULL;
  }
  if (model->weight_count > 0) {
    memcpy(weights, model->weights, model->weight_count * sizeof *weights);
  }
  heap_free(model->weights);
  model->weights = weights;
  return NULL;
}

OrtStatus* core_write_editor_graph(const OrtGraph* graph, struct core_writing* to,
                                   OrtModel* model) {
  size_t count = graph->initializers.count;
  CORE_TRY(make_room_for_weights(model, count));
  for (size_t i = 0; i < graph->nodes.count; i++) {
    size_t node = core_begin_message(to, GRAPH_NODE);
    core_write_node(to, graph->nodes.items[i]);
    core_end_message(to, node);
  }
  for (size_t i = 0; i < count; i++) {
    const OrtValueInfo* value = graph->initializers.items[i];
    write_tensor(to, GRAPH_INITIALIZER, value->name, value->tensor,
                 value->flags & CORE_IS_IN_PLACE ? model : NULL);
  }
  for (size_t i = 0; i < graph->inputs.count; i++) {
    const OrtValueInfo* value = graph->inputs.items[i];
    core_write_value(to, GRAPH_INPUT, value->name, value->type->tensor);
  }
  for (size_t i = 0; i < graph->outputs.count; i++) {
    const OrtValueInfo* value = graph->outputs.items[i];
    core_write_value(to, GRAPH_OUTPUT, value->name, value->type->tensor);
  }
  return NULL;
}
