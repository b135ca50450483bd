/* SPDX-License-Identifier: MIT */
/* What tensors and other values tell. */
#include "behaviour_values.h"

static OrtValue* tensor(void) { return FLOATS(0, 1, 2, 3, 4, 5); }
static OrtValue* sequence(void) { return SEQUENCE(FLOATS(1, 2)); }
static OrtValue* map(void) { return MAP(INT64S(1), FLOATS(1)); }
static OrtValue* tensor_read_sparse(void) {
  return NEW(OrtValue, api->CreateSparseTensorAsOrtValue(allocator(), DIMS(3, 3), FLOAT, &new_));
}

#define SAYS_INT(slot, text, value)     \
  CALL(#slot "(" text ")") {            \
    int out = 99;                       \
    say_status(api->slot(value, &out)); \
    say("%d", out);                     \
  }
SAYS_INT(IsTensor, "tensor", tensor())
SAYS_INT(IsTensor, "sequence", sequence())
SAYS_INT(IsTensor, "sparse", tensor_read_sparse())
SAYS_INT(HasValue, "tensor", tensor())
SAYS_INT(IsSparseTensor, "tensor", tensor())
SAYS_INT(IsSparseTensor, "sparse", tensor_read_sparse())

#define SAYS_KIND(text, value)                  \
  CALL("GetValueType(" text ")") {              \
    enum ONNXType out = (enum ONNXType)99;      \
    say_status(api->GetValueType(value, &out)); \
    say("%d", (int)out);                        \
  }
SAYS_KIND("tensor", tensor())
SAYS_KIND("sequence", sequence())
SAYS_KIND("map", map())
SAYS_KIND("sparse", tensor_read_sparse())

static void mutable_data(OrtValue* value) {
  void* out = UNTOUCHED;
  say_status(api->GetTensorMutableData(value, &out));
  say_out(out, UNTOUCHED);
}
CALL("GetTensorMutableData(tensor)") { mutable_data(tensor()); }
CALL("GetTensorMutableData(sequence)") { mutable_data(sequence()); }
CALL("GetTensorMutableData(map)") { mutable_data(map()); }
CALL("GetTensorMutableData(sparse)") { mutable_data(tensor_read_sparse()); }
CALL("GetTensorMutableData(strings)") { mutable_data(TENSOR(STRING, 2)); }
CALL("GetTensorMutableData(no elements)") { mutable_data(TENSOR(FLOAT, 0)); }

static void data(const OrtValue* value) {
  const void* out = UNTOUCHED;
  say_status(api->GetTensorData(value, &out));
  say_out(out, UNTOUCHED);
}
CALL("GetTensorData(tensor)") { data(tensor()); }
CALL("GetTensorData(sequence)") { data(sequence()); }

static void tensor_read_memory(const OrtValue* value) {
  const OrtMemoryInfo* out = UNTOUCHED;
  const char* name = NULL;
  if (say_status(api->GetTensorMemoryInfo(value, &out))) {
    CHECK(api->MemoryInfoGetName(out, &name) == NULL);
    say("%s", name);
  } else {
    say_out(out, UNTOUCHED);
  }
}
CALL("GetTensorMemoryInfo(tensor)") { tensor_read_memory(tensor()); }
CALL("GetTensorMemoryInfo(sequence)") { tensor_read_memory(sequence()); }

static void tensor_read_size(const OrtValue* value) {
  size_t out = 99;
  say_status(api->GetTensorSizeInBytes(value, &out));
  say("%d", out == 99 ? -1 : (int)out);
}
CALL("GetTensorSizeInBytes(sequence)") { tensor_read_size(sequence()); }
CALL("GetTensorSizeInBytes(float {2,3})") { tensor_read_size(TENSOR(FLOAT, 2, 3)); }
CALL("GetTensorSizeInBytes(int4 {7})") {
  tensor_read_size(TENSOR(ONNX_TENSOR_ELEMENT_DATA_TYPE_INT4, 7));
}
CALL("GetTensorSizeInBytes(no elements)") { tensor_read_size(TENSOR(FLOAT, 0)); }

static void at(OrtValue* value, const int64_t* location, size_t count) {
  void* out = UNTOUCHED;
  if (say_status(api->TensorAt(value, location, count, &out))) {
    say("%g", (double)*(float*)out);
  } else {
    say_out(out, UNTOUCHED);
  }
}
/* Elements 0 to 5 in two rows. */
static OrtValue* matrix(void) {
  OrtValue* value = TENSOR(FLOAT, 2, 3);
  float* elements = NEW(float, api->GetTensorMutableData(value, (void**)&new_));
  for (int i = 0; i < 6; i++) {
    elements[i] = (float)i;
  }
  return value;
}
CALL("TensorAt({1,2})") { at(matrix(), DIMS(1, 2)); }
CALL("TensorAt({2,0})") { at(matrix(), DIMS(2, 0)); }
CALL("TensorAt({0,3})") { at(matrix(), DIMS(0, 3)); }
CALL("TensorAt({0,-1})") { at(matrix(), DIMS(0, -1)); }
CALL("TensorAt(1 of 2 numbers)") { at(matrix(), DIMS(0)); }
CALL("TensorAt(3 for 2 numbers)") { at(matrix(), DIMS(0, 0, 0)); }
CALL("TensorAt(strings)") { at(TENSOR(STRING, 2), DIMS(0)); }
CALL("TensorAt(sequence)") { at(sequence(), DIMS(0)); }
CALL("TensorAt(v,NULL,2)") { at(matrix(), NULL, 2); }
CALL("TensorAt(int4 {7},{2})") { at(TENSOR(ONNX_TENSOR_ELEMENT_DATA_TYPE_INT4, 7), DIMS(2)); }
CALL("TensorAt(scalar)") { at(tensor_of(FLOAT, NULL, 0), NULL, 0); }

static void reference(const OrtValue* value) {
  ONNXTensorElementDataType type = (ONNXTensorElementDataType)99;
  const int64_t* shape = UNTOUCHED;
  size_t count = 99;
  say_status(api->GetTensorElementTypeAndShapeDataReference(value, &type, &shape, &count));
  say("type=%d n=%zu", (int)type, count);
  say_out(shape, UNTOUCHED);
  if (count == 2) {
    say("{%" PRId64 ",%" PRId64 "}", shape[0], shape[1]);
  }
}
CALL("GetTensorElementTypeAndShapeDataReference(matrix)") { reference(matrix()); }
CALL("GetTensorElementTypeAndShapeDataReference(sparse)") { reference(tensor_read_sparse()); }
CALL("GetTensorElementTypeAndShapeDataReference(sequence)") { reference(sequence()); }
CALL("GetTensorElementTypeAndShapeDataReference(scalar)") { reference(tensor_of(FLOAT, NULL, 0)); }
