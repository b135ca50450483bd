/* SPDX-License-Identifier: MIT */
/* What a value must be: kept apart from the value, and compared with it. */
#ifndef ORTCFFI_TESTS_MODEL_H_
#define ORTCFFI_TESTS_MODEL_H_

#include "fuzz.h"

#define FLOAT ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT
#define DOUBLE ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE
#define INT64 ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64
#define INT32 ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32
#define STRING ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING

#define MOST_DIMS 3
#define MOST_CHILDREN 4
#define MOST_TEXT 30

struct text {
  size_t length;
  char bytes[MOST_TEXT];
};

struct model {
  enum ONNXType kind;
  ONNXTensorElementDataType type;
  size_t rank;
  int64_t dims[MOST_DIMS];
  size_t count;
  size_t bytes;
  /* Of a dense tensor: `bytes` of them, or a text for each element. */
  unsigned char* content;
  struct text* texts;
  /* Of a sequence, a map, or a sparse tensor: elements, keys and values, values and indices. */
  struct model* children[MOST_CHILDREN];
  size_t child_count;
  OrtSparseFormat format;
};

/** A value with its model, and memory that it borrows. */
struct value {
  OrtValue* handle;
  struct model* model;
  void* borrowed;
};

#define VALUES 10
extern struct value values[VALUES];

/** Bits of an element of a tensor; 0 for types that tensors cannot have. */
size_t bits_of(ONNXTensorElementDataType type);
/** A dense tensor of zeros or empty texts. */
struct model* new_model(ONNXTensorElementDataType type, size_t rank, const int64_t* dims);
struct model* copy_model(const struct model* from);
void end_model(struct model* model);
/** Checks that a value is what its model says. */
void check_value(OrtValue* value, const struct model* model);

/** Keeps a value in a place that has none. */
void keep_value(size_t place, OrtValue* handle, struct model* model, void* borrowed);
/** Checks and releases the value of a place. */
void drop_value(size_t place);
/** The value of a random place; NULL where there is none. */
struct value* next_value(void);

#endif /* ORTCFFI_TESTS_MODEL_H_ */
