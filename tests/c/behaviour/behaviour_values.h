/* SPDX-License-Identifier: MIT */
/* Values that the calls need, made without a mistake. They are not released: each call has a
 * process of its own. */
#ifndef ORTCFFI_TESTS_BEHAVIOUR_VALUES_H_
#define ORTCFFI_TESTS_BEHAVIOUR_VALUES_H_

#include <inttypes.h>
#include <stdint.h>
#include <string.h>

#include "behaviour.h"

#define FLOAT ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT
#define DOUBLE ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE
#define INT32 ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32
#define INT64 ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64
#define STRING ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING

/** An array and how many it has, as two arguments. */
#define LIST(type, ...) (const type[]){__VA_ARGS__}, sizeof((type[]){__VA_ARGS__}) / sizeof(type)
#define DIMS(...) LIST(int64_t, __VA_ARGS__)

static inline OrtAllocator* allocator(void) {
  return NEW(OrtAllocator, api->GetAllocatorWithDefaultOptions(&new_));
}

static inline const OrtModelEditorApi* editor(void) { return api->GetModelEditorApi(); }

static inline OrtMemoryInfo* cpu_info(void) {
  return NEW(OrtMemoryInfo, api->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &new_));
}

/** The type of a tensor of rank 2, as a model has it, with a name for the first dimension. */
static inline OrtTypeInfo* matrix_type(const int64_t* dims, const char* first) {
  OrtTensorTypeAndShapeInfo* info =
      NEW(OrtTensorTypeAndShapeInfo, api->CreateTensorTypeAndShapeInfo(&new_));
  CHECK(api->SetDimensions(info, dims, 2) == NULL);
  CHECK(api->SetSymbolicDimensions(info, (const char*[]){first, ""}, 2) == NULL);
  OrtTypeInfo* type = NEW(OrtTypeInfo, api->GetModelEditorApi()->CreateTensorTypeInfo(info, &new_));
  api->ReleaseTensorTypeAndShapeInfo(info);
  return type;
}

/** A tensor whose bytes count 0, 1, 2 ... and start anew at 256. */
static inline OrtValue* tensor_of(ONNXTensorElementDataType type, const int64_t* dims,
                                  size_t rank) {
  OrtValue* value = NULL;
  CHECK(api->CreateTensorAsOrtValue(allocator(), dims, rank, type, &value) == NULL);
  size_t bytes = 0;
  OrtStatus* status = api->GetTensorSizeInBytes(value, &bytes);
  /* Strings have no such size, and are not touched: what they own would not be released. */
  uint8_t* data = NULL;
  CHECK(status != NULL || api->GetTensorMutableData(value, (void**)&data) == NULL);
  for (size_t i = 0; i < bytes && status == NULL; i++) {
    data[i] = (uint8_t)i;
  }
  return value;
}

static inline OrtValue* of_bytes(ONNXTensorElementDataType type, const void* bytes, size_t size,
                                 int64_t count) {
  OrtValue* value = tensor_of(type, &count, 1);
  void* data = NULL;
  CHECK(api->GetTensorMutableData(value, &data) == NULL);
  memcpy(data, bytes, size);
  return value;
}

static inline OrtValue* of_strings(const char* const* strings, size_t count) {
  OrtValue* value = tensor_of(STRING, DIMS((int64_t)count));
  CHECK(api->FillStringTensor(value, strings, count) == NULL);
  return value;
}

#define TENSOR(type, ...) tensor_of(type, DIMS(__VA_ARGS__))
#define FLOATS(...)                                                       \
  of_bytes(FLOAT, (float[]){__VA_ARGS__}, sizeof((float[]){__VA_ARGS__}), \
           sizeof((float[]){__VA_ARGS__}) / sizeof(float))
#define DOUBLES(...)                                                         \
  of_bytes(DOUBLE, (double[]){__VA_ARGS__}, sizeof((double[]){__VA_ARGS__}), \
           sizeof((double[]){__VA_ARGS__}) / sizeof(double))
#define INT64S(...)                                                           \
  of_bytes(INT64, (int64_t[]){__VA_ARGS__}, sizeof((int64_t[]){__VA_ARGS__}), \
           sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t))
#define STRINGS(...) of_strings(LIST(char* const, __VA_ARGS__))

static inline OrtValue* made(enum ONNXType type, const OrtValue* const* in, size_t count) {
  return NEW(OrtValue, api->CreateValue(in, count, type, &new_));
}

#define SEQUENCE(...) made(ONNX_TYPE_SEQUENCE, LIST(OrtValue* const, __VA_ARGS__))
#define MAP(keys, values) made(ONNX_TYPE_MAP, LIST(OrtValue* const, keys, values))

/** Says type, shape and elements of a tensor. */
void say_tensor(const OrtValue* value);

#endif /* ORTCFFI_TESTS_BEHAVIOUR_VALUES_H_ */
