/* SPDX-License-Identifier: MIT */
/* Trials of sparse tensors. */
#include "faults.h"

#define FLOAT ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT

#define STRING ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING
#define LONG "a text that is longer than what fits into an element itself"

static const int64_t dense[] = {3, 3};
static const int64_t two[] = {2};
static const int64_t blocks[] = {1, 1, 2};
static const int64_t places[] = {2, 2};
static int64_t coordinates[] = {1, 5};
static int64_t inner[] = {1, 2};
static int64_t outer[] = {0, 1, 1, 2};
static int32_t corners[] = {0, 1, 2, 0};
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
static void with_strings(void) {
  with_info();
  CHECK(api->CreateSparseTensorAsOrtValue(allocator, dense, 2, STRING, &value) == NULL);
}
/* Filled wholly or not at all. */
static OrtStatus* format_is(OrtStatus* status, OrtSparseFormat filled) {
  OrtSparseFormat format;
  CHECK(api->GetSparseTensorFormat(value, &format) == NULL);
  CHECK(format == (status == NULL ? filled : ORT_SPARSE_UNDEFINED));
  return status;
}
static OrtStatus* fill_coo(void** out) {
  (void)out;
  return format_is(api->FillSparseTensorCoo(value, info, two, 1, numbers, coordinates, 2),
                   ORT_SPARSE_COO);
}
static OrtStatus* fill_strings(void** out) {
  (void)out;
  const char* const texts[] = {LONG, LONG};
  return format_is(api->FillSparseTensorCoo(value, info, two, 1, texts, coordinates, 2),
                   ORT_SPARSE_COO);
}
static OrtStatus* fill_csr(void** out) {
  (void)out;
  return format_is(api->FillSparseTensorCsr(value, info, two, 1, numbers, inner, 2, outer, 4),
                   ORT_SPARSE_CSRC);
}
static OrtStatus* fill_blocks(void** out) {
  (void)out;
  return format_is(
      api->FillSparseTensorBlockSparse(value, info, blocks, 3, numbers, places, 2, corners),
      ORT_SPARSE_BLOCK_SPARSE);
}
static OrtStatus* use_coo(void** out) {
  return (void)out, format_is(api->UseCooIndices(value, coordinates, 2), ORT_SPARSE_COO);
}
static OrtStatus* use_csr(void** out) {
  return (void)out, format_is(api->UseCsrIndices(value, inner, 2, outer, 4), ORT_SPARSE_CSRC);
}
static void with_blocks(void) {
  with_info();
  CHECK(api->CreateSparseTensorWithValuesAsOrtValue(info, numbers, dense, 2, blocks, 3, FLOAT,
                                                    &value) == NULL);
}
static OrtStatus* use_blocks(void** out) {
  (void)out;
  return format_is(api->UseBlockSparseIndices(value, places, 2, corners), ORT_SPARSE_BLOCK_SPARSE);
}
static void with_empty_and_info(void) {
  with_info();
  with_empty();
}
static void with_coo(void) {
  void* out;
  with_values();
  CHECK(use_coo(&out) == NULL);
}
static OrtStatus* get_type(void** out) { return api->GetTypeInfo(value, (OrtTypeInfo**)out); }
static void release_type(void* out) { api->ReleaseTypeInfo(out); }
static void release_shape(void* out) { api->ReleaseTensorTypeAndShapeInfo(out); }
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
    TRIAL("GetSparseTensorValues", with_coo, get_values, NULL),
    TRIAL("GetSparseTensorValuesTypeAndShape", with_coo, get_values_shape, release_shape),
    TRIAL("GetSparseTensorIndicesTypeShape", with_coo, get_indices_shape, release_shape),
    TRIAL("GetSparseTensorIndices", with_coo, get_indices, NULL),
    TRIAL("GetTypeInfo of a sparse tensor", with_coo, get_type, release_type),
    TRIAL("FillSparseTensorCoo", with_empty_and_info, fill_coo, NULL),
    TRIAL("FillSparseTensorCoo of strings", with_strings, fill_strings, NULL),
    TRIAL("FillSparseTensorCsr", with_empty_and_info, fill_csr, NULL),
    TRIAL("FillSparseTensorBlockSparse", with_empty_and_info, fill_blocks, NULL),
    TRIAL("UseCooIndices", with_values, use_coo, NULL),
    TRIAL("UseCsrIndices", with_values, use_csr, NULL),
    TRIAL("UseBlockSparseIndices", with_blocks, use_blocks, NULL),
    {NULL},
};

static void clean(void) {
  api->ReleaseValue(value);
  api->ReleaseMemoryInfo(info);
}

const struct section sparse = {trials, clean};
