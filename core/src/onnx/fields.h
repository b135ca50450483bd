/* SPDX-License-Identifier: MIT */
/** @file fields.h The numbers of the fields in the messages of ONNX files that the core, or a
 * program that edits models, reads. */
#ifndef ORTCFFI_FIELDS_H_
#define ORTCFFI_FIELDS_H_

enum core_model_field {
  MODEL_IR_VERSION = 1,
  MODEL_PRODUCER_NAME = 2,
  MODEL_PRODUCER_VERSION = 3,
  MODEL_DOMAIN = 4,
  MODEL_VERSION = 5,
  MODEL_DOC = 6,
  MODEL_GRAPH = 7,
  MODEL_OPSET = 8,
  MODEL_METADATA = 14,
  MODEL_FUNCTION = 25
};

enum core_opset_field { OPSET_DOMAIN = 1, OPSET_VERSION = 2 };

enum core_entry_field { ENTRY_KEY = 1, ENTRY_VALUE = 2 };

enum core_graph_field {
  GRAPH_NODE = 1,
  GRAPH_NAME = 2,
  GRAPH_INITIALIZER = 5,
  GRAPH_DOC = 10,
  GRAPH_INPUT = 11,
  GRAPH_OUTPUT = 12,
  GRAPH_VALUE = 13,
  GRAPH_ANNOTATION = 14,
  GRAPH_SPARSE_INITIALIZER = 15
};

enum core_function_field {
  FUNCTION_NAME = 1,
  FUNCTION_INPUT = 4,
  FUNCTION_OUTPUT = 5,
  FUNCTION_ATTRIBUTE_NAME = 6,
  FUNCTION_NODE = 7,
  FUNCTION_DOC = 8,
  FUNCTION_OPSET = 9,
  FUNCTION_DOMAIN = 10,
  FUNCTION_ATTRIBUTE = 11,
  FUNCTION_VALUE = 12,
  FUNCTION_OVERLOAD = 13
};

enum core_node_field {
  NODE_INPUT = 1,
  NODE_OUTPUT = 2,
  NODE_NAME = 3,
  NODE_OPERATOR = 4,
  NODE_ATTRIBUTE = 5,
  NODE_DOMAIN = 7,
  NODE_OVERLOAD = 8
};

enum core_attribute_field {
  ATTRIBUTE_NAME = 1,
  ATTRIBUTE_FLOAT = 2,
  ATTRIBUTE_INT = 3,
  ATTRIBUTE_STRING = 4,
  ATTRIBUTE_TENSOR = 5,
  ATTRIBUTE_GRAPH = 6,
  ATTRIBUTE_FLOATS = 7,
  ATTRIBUTE_INTS = 8,
  ATTRIBUTE_STRINGS = 9,
  ATTRIBUTE_TENSORS = 10,
  ATTRIBUTE_GRAPHS = 11,
  ATTRIBUTE_TYPE = 20,
  ATTRIBUTE_REFERENCE = 21,
  ATTRIBUTE_SPARSE_TENSOR = 22,
  ATTRIBUTE_SPARSE_TENSORS = 23
};

/** What ATTRIBUTE_TYPE says. */
enum core_attribute_type {
  ATTRIBUTE_IS_FLOAT = 1,
  ATTRIBUTE_IS_INT = 2,
  ATTRIBUTE_IS_STRING = 3,
  ATTRIBUTE_IS_TENSOR = 4,
  ATTRIBUTE_IS_GRAPH = 5,
  ATTRIBUTE_IS_FLOATS = 6,
  ATTRIBUTE_IS_INTS = 7,
  ATTRIBUTE_IS_STRINGS = 8
};

enum core_value_field { VALUE_NAME = 1, VALUE_TYPE = 2 };

enum core_annotation_field { ANNOTATION_NAME = 1 };

enum core_type_field {
  TYPE_TENSOR = 1,
  TYPE_SEQUENCE = 4,
  TYPE_MAP = 5,
  TYPE_SPARSE_TENSOR = 8,
  TYPE_OPTIONAL = 9
};

/** Of the types of tensors, sparse tensors, sequences, maps and optional values. */
enum core_kind_of_type_field {
  TENSOR_TYPE_ELEMENT = 1,
  TENSOR_TYPE_SHAPE = 2,
  ELEMENT_TYPE = 1,
  MAP_TYPE_KEY = 1,
  MAP_TYPE_VALUE = 2
};

enum core_dimension_field {
  SHAPE_DIMENSION = 1,
  DIMENSION_VALUE = 1,
  DIMENSION_NAME = 2,
  DIMENSION_DENOTATION = 3
};

enum core_tensor_field {
  TENSOR_DIMENSIONS = 1,
  TENSOR_ELEMENT = 2,
  TENSOR_SEGMENT = 3,
  TENSOR_FLOATS = 4,
  TENSOR_INT32S = 5,
  TENSOR_STRINGS = 6,
  TENSOR_INT64S = 7,
  TENSOR_NAME = 8,
  TENSOR_RAW = 9,
  TENSOR_DOUBLES = 10,
  TENSOR_UINT64S = 11,
  TENSOR_EXTERNAL = 13,
  TENSOR_LOCATION = 14
};

enum core_sparse_field { SPARSE_VALUES = 1, SPARSE_INDICES = 2, SPARSE_DIMENSIONS = 3 };

#endif /* ORTCFFI_FIELDS_H_ */
