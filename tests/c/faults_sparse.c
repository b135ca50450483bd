/* SPDX-License-Identifier: MIT */
/* Trials of sparse tensors. */
#include "faults.h"

#define FLOAT ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT

static const int64_t dense[] = {3, 3};
static const int64_t two[] = {2};
static float numbers[2];
static OrtMemoryInfo* info;
static OrtValue* value;

static OrtStatus* create(void** out) {
  return api->CreateSparseTensorAsOrtValue(allocator, dense, 2, FLOAT, (OrtValue**)out);
}
static void release_value(void* out) { api->ReleaseValue(out); }
static void with_empty(void) { CHECK(create((void**)&value) == NULL); }
static void with_info(void) {
  CHECK(api->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &info) == NULL);
}
static OrtStatus* create_over_values(void** out) {
  return api->CreateSparseTensorWithValuesAsOrtValue(info, numbers, dense, 2, two, 1, FLOAT,
                                                     (OrtValue**)out);
}
static void with_values(void) {
  with_info();
  CHECK(create_over_values((void**)&value) == NULL);
}
static OrtStatus* get_format(void** out) {
  OrtSparseFormat format;
  return (void)out, api->GetSparseTensorFormat(value, &format);
}
static OrtStatus* get_values(void** out) {
  return api->GetSparseTensorValues(value, (const void**)out);
}
static OrtStatus* get_values_shape(void** out) {
  return api->GetSparseTensorValuesTypeAndShape(value, (OrtTensorTypeAndShapeInfo**)out);
}
static OrtStatus* get_indices_shape(void** out) {
  return api->GetSparseTensorIndicesTypeShape(value, ORT_SPARSE_COO_INDICES,
                                              (OrtTensorTypeAndShapeInfo**)out);
}
static OrtStatus* get_indices(void** out) {
  size_t count;
  return api->GetSparseTensorIndices(value, ORT_SPARSE_COO_INDICES, &count, (const void**)out);
}

static const struct trial trials[] = {
    TRIAL("CreateSparseTensorAsOrtValue", NULL, create, release_value),
    TRIAL("CreateSparseTensorWithValuesAsOrtValue", with_info, create_over_values, release_value),
    TRIAL("GetSparseTensorFormat", with_values, get_format, NULL),
    {"GetSparseTensorValues of none", with_empty, get_values, NULL, ORT_FAIL},
    {"GetSparseTensorValuesTypeAndShape of none", with_values, get_values_shape, NULL, ORT_FAIL},
    {"GetSparseTensorIndicesTypeShape of none", with_values, get_indices_shape, NULL, ORT_FAIL},
    {"GetSparseTensorIndices of none", with_values, get_indices, NULL, ORT_FAIL},
    {NULL},
};

static void clean(void) {
  api->ReleaseValue(value);
  api->ReleaseMemoryInfo(info);
}

const struct section sparse = {trials, clean};
