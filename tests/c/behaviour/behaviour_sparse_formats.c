/* SPDX-License-Identifier: MIT */
/* Sparse tensors: rows, blocks, borrowed indices, and what is read out of them. */
#include "behaviour_sparse.h"

/* Type and shape, which it releases. */
static void sparse_formats_say_shape(const char* what, OrtTensorTypeAndShapeInfo* info) {
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  size_t rank = 0;
  int64_t dims[4] = {-9, -9, -9, -9};
  CHECK(api->GetTensorElementType(info, &type) == NULL);
  CHECK(api->GetDimensionsCount(info, &rank) == NULL);
  CHECK(api->GetDimensions(info, dims, 4) == NULL);
  api->ReleaseTensorTypeAndShapeInfo(info);
  say("%s type=%d rank=%zu {%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 "}", what, (int)type,
      rank, dims[0], dims[1], dims[2], dims[3]);
}

static void sparse_formats_say_values(const OrtValue* value) {
  const void* data = UNTOUCHED;
  OrtTensorTypeAndShapeInfo* info = NULL;
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  size_t count = 0;
  if (!say_status(api->GetSparseTensorValuesTypeAndShape(value, &info))) {
    return;
  }
  CHECK(api->GetTensorElementType(info, &type) == NULL);
  CHECK(api->GetTensorShapeElementCount(info, &count) == NULL);
  sparse_formats_say_shape("values", info);
  if (!say_status(api->GetSparseTensorValues(value, &data))) {
    return;
  }
  for (size_t i = 0; i < count && type == FLOAT; i++) {
    say("%g", (double)((const float*)data)[i]);
  }
}

static void say_indices(const OrtValue* value, enum OrtSparseIndicesFormat format) {
  OrtTensorTypeAndShapeInfo* info = NULL;
  const void* data = UNTOUCHED;
  size_t count = 99;
  if (!say_status(api->GetSparseTensorIndicesTypeShape(value, format, &info))) {
    return;
  }
  sparse_formats_say_shape("indices", info);
  if (!say_status(api->GetSparseTensorIndices(value, format, &count, &data))) {
    return;
  }
  say("%zu", count);
  for (size_t i = 0; i < count; i++) {
    say("%" PRId64, format == ORT_SPARSE_BLOCK_SPARSE_INDICES ? ((const int32_t*)data)[i]
                                                              : ((const int64_t*)data)[i]);
  }
}

static void say_strings(const OrtValue* value) {
  char bytes[100];
  size_t length = 0;
  size_t count = 0;
  size_t offsets[8];
  OrtTensorTypeAndShapeInfo* info =
      NEW(OrtTensorTypeAndShapeInfo, api->GetSparseTensorValuesTypeAndShape(value, &new_));
  CHECK(api->GetTensorShapeElementCount(info, &count) == NULL);
  CHECK(api->GetStringTensorDataLength(value, &length) == NULL && length < sizeof bytes);
  CHECK(api->GetStringTensorContent(value, bytes, length, offsets, count) == NULL);
  for (size_t i = 0; i < count; i++) {
    size_t end = i + 1 < count ? offsets[i + 1] : length;
    say("%.*s", (int)(end - offsets[i]), bytes + offsets[i]);
  }
}

void say_filled(const OrtValue* value, OrtStatus* status) {
  OrtSparseFormat format = (OrtSparseFormat)99;
  bool is_filled = say_status(status);
  CHECK(api->GetSparseTensorFormat(value, &format) == NULL);
  if (format != ORT_SPARSE_UNDEFINED) {
    say("format %d", (int)format);
  }
  if (!is_filled) {
    return;
  }
  sparse_formats_say_values(value);
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  OrtTensorTypeAndShapeInfo* info =
      NEW(OrtTensorTypeAndShapeInfo, api->GetTensorTypeAndShape(value, &new_));
  CHECK(api->GetTensorElementType(info, &type) == NULL);
  if (type == STRING) {
    say_strings(value);
  }
  if (format == ORT_SPARSE_COO) {
    say_indices(value, ORT_SPARSE_COO_INDICES);
  } else if (format == ORT_SPARSE_CSRC) {
    say_indices(value, ORT_SPARSE_CSR_INNER_INDICES);
    say_indices(value, ORT_SPARSE_CSR_OUTER_INDICES);
  } else {
    say_indices(value, ORT_SPARSE_BLOCK_SPARSE_INDICES);
  }
}

static float sparse_formats_numbers[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

static void csr(OrtValue* value, int64_t values, const int64_t* inner, size_t inner_count,
                const int64_t* outer, size_t outer_count) {
  say_filled(value, api->FillSparseTensorCsr(value, cpu_info(), &values, 1, sparse_formats_numbers,
                                             inner, inner_count, outer, outer_count));
}
#define MATRIX sparse(FLOAT, DIMS(3, 3))
#define NOTHING (const int64_t[1]){0}, 0
CALL("FillSparseTensorCsr(ok)") { csr(MATRIX, 2, DIMS(0, 2), DIMS(0, 1, 1, 2)); }
CALL("FillSparseTensorCsr(wrong outer count)") { csr(MATRIX, 2, DIMS(0, 2), DIMS(0, 1, 2)); }
CALL("FillSparseTensorCsr(outer not monotone)") { csr(MATRIX, 2, DIMS(0, 2), DIMS(0, 2, 1, 2)); }
CALL("FillSparseTensorCsr(outer starts at 1)") { csr(MATRIX, 2, DIMS(0, 2), DIMS(1, 1, 1, 2)); }
CALL("FillSparseTensorCsr(outer above the count)") { csr(MATRIX, 2, DIMS(0, 2), DIMS(0, 3, 3, 2)); }
CALL("FillSparseTensorCsr(outer ends early)") { csr(MATRIX, 2, DIMS(0, 2), DIMS(0, 1, 1, 1)); }
CALL("FillSparseTensorCsr(inner count 1)") { csr(MATRIX, 2, DIMS(0), DIMS(0, 1, 1, 2)); }
CALL("FillSparseTensorCsr(inner count 1, outer too)") { csr(MATRIX, 2, DIMS(0), DIMS(0, 1, 1, 1)); }
CALL("FillSparseTensorCsr(inner out of range 3)") { csr(MATRIX, 2, DIMS(0, 3), DIMS(0, 1, 1, 2)); }
CALL("FillSparseTensorCsr(inner negative)") { csr(MATRIX, 2, DIMS(-1, 2), DIMS(0, 1, 1, 2)); }
CALL("FillSparseTensorCsr(unsorted columns)") { csr(MATRIX, 2, DIMS(2, 0), DIMS(0, 2, 2, 2)); }
CALL("FillSparseTensorCsr(nothing)") { csr(MATRIX, 0, NOTHING, NOTHING); }
CALL("FillSparseTensorCsr(no values, outer of zeros)") {
  csr(MATRIX, 0, NOTHING, DIMS(0, 0, 0, 0));
}
CALL("FillSparseTensorCsr(no outer)") { csr(MATRIX, 2, DIMS(0, 2), NOTHING); }
CALL("FillSparseTensorCsr(rank 1)") {
  csr(sparse(FLOAT, DIMS(9)), 2, DIMS(0, 2), DIMS(0, 1, 1, 2));
}
CALL("FillSparseTensorCsr(rank 3)") {
  csr(sparse(FLOAT, DIMS(3, 3, 3)), 2, DIMS(0, 2), DIMS(0, 1, 1, 2));
}
CALL("FillSparseTensorCsr(fill twice)") { csr(coo(), 2, DIMS(0, 2), DIMS(0, 1, 1, 2)); }
CALL("FillSparseTensorCsr(borrowed values)") { csr(borrowing(), 2, DIMS(0, 2), DIMS(0, 1, 1, 2)); }
CALL("FillSparseTensorCsr(negative values_shape)") {
  csr(MATRIX, -1, DIMS(0, 2), DIMS(0, 1, 1, 2));
}
CALL("FillSparseTensorCsr(inner NULL)") { csr(MATRIX, 2, NULL, 2, DIMS(0, 1, 1, 2)); }
CALL("FillSparseTensorCsr(outer NULL)") { csr(MATRIX, 2, DIMS(0, 2), NULL, 4); }
ANSWER("FillSparseTensorCsr(dense tensor)",
       api->FillSparseTensorCsr(FLOATS(1), cpu_info(), DIMS(2), sparse_formats_numbers, DIMS(0, 2),
                                DIMS(0, 1, 1, 2)))
ANSWER("FillSparseTensorCsr(values NULL)",
       api->FillSparseTensorCsr(MATRIX, cpu_info(), DIMS(2), NULL, DIMS(0, 2), DIMS(0, 1, 1, 2)))
CALL("FillSparseTensorCsr(strings)") {
  OrtValue* value = sparse(STRING, DIMS(3, 3));
  const char* const strings[] = {"one", "two"};
  say_filled(value, api->FillSparseTensorCsr(value, cpu_info(), DIMS(2), strings, DIMS(0, 2),
                                             DIMS(0, 1, 1, 2)));
}

static void blocks(OrtValue* value, const int64_t* values, size_t values_rank, const int64_t* shape,
                   size_t shape_rank, const int32_t* indices) {
  say_filled(value,
             api->FillSparseTensorBlockSparse(value, cpu_info(), values, values_rank,
                                              sparse_formats_numbers, shape, shape_rank, indices));
}
#define BLOCKED sparse(FLOAT, DIMS(4, 4))
#define PLACES ((const int32_t[]){0, 0, 0, 1, 1, 0, 1, 1, 0, 0, 0, 0})
CALL("FillSparseTensorBlockSparse(ok)") { blocks(BLOCKED, DIMS(2, 2, 2), DIMS(2, 2), PLACES); }
CALL("FillSparseTensorBlockSparse(1 block {1,2,2})") {
  blocks(BLOCKED, DIMS(1, 2, 2), DIMS(2, 2), PLACES);
}
CALL("FillSparseTensorBlockSparse(1 block {1,2,2}, 1 place)") {
  blocks(BLOCKED, DIMS(1, 2, 2), DIMS(2, 1), PLACES);
}
CALL("FillSparseTensorBlockSparse(2 blocks {2,3,1})") {
  blocks(BLOCKED, DIMS(2, 3, 1), DIMS(2, 1), PLACES);
}
CALL("FillSparseTensorBlockSparse(values {1,1,2,2})") {
  blocks(BLOCKED, DIMS(1, 1, 2, 2), DIMS(2, 4), PLACES);
}
CALL("FillSparseTensorBlockSparse(values rank 1)") { blocks(BLOCKED, DIMS(2), DIMS(2, 2), PLACES); }
CALL("FillSparseTensorBlockSparse(values rank 2)") {
  blocks(BLOCKED, DIMS(2, 2), DIMS(2, 2), PLACES);
}
CALL("FillSparseTensorBlockSparse(indices rank 1)") {
  blocks(BLOCKED, DIMS(2, 2, 2), DIMS(4), PLACES);
}
CALL("FillSparseTensorBlockSparse(indices {3,2})") {
  blocks(BLOCKED, DIMS(2, 2, 2), DIMS(3, 2), PLACES);
}
CALL("FillSparseTensorBlockSparse(indices {2,3})") {
  blocks(BLOCKED, DIMS(2, 2, 2), DIMS(2, 3), PLACES);
}
CALL("FillSparseTensorBlockSparse(indices {2,-2})") {
  blocks(BLOCKED, DIMS(2, 2, 2), DIMS(2, -2), PLACES);
}
CALL("FillSparseTensorBlockSparse(nothing)") { blocks(BLOCKED, DIMS(0), DIMS(0), PLACES); }
CALL("FillSparseTensorBlockSparse(nothing, all NULL)") {
  OrtValue* value = BLOCKED;
  say_filled(value,
             api->FillSparseTensorBlockSparse(value, cpu_info(), DIMS(0), NULL, DIMS(0), NULL));
}
CALL("FillSparseTensorBlockSparse(nothing, indices {2,0})") {
  blocks(BLOCKED, DIMS(0), DIMS(2, 0), PLACES);
}
CALL("FillSparseTensorBlockSparse(nothing, indices {3})") {
  blocks(BLOCKED, DIMS(0), DIMS(3), PLACES);
}
CALL("FillSparseTensorBlockSparse(nothing, values {0,2,2})") {
  blocks(BLOCKED, DIMS(0, 2, 2), DIMS(2, 0), PLACES);
}
CALL("FillSparseTensorBlockSparse(places out of range)") {
  blocks(BLOCKED, DIMS(2, 2, 2), DIMS(2, 2), (const int32_t[]){9, -9, 0, 0});
}
CALL("FillSparseTensorBlockSparse(rank 1)") {
  blocks(sparse(FLOAT, DIMS(9)), DIMS(2, 2, 2), DIMS(2, 2), PLACES);
}
CALL("FillSparseTensorBlockSparse(fill twice)") {
  blocks(coo(), DIMS(2, 2, 2), DIMS(2, 2), PLACES);
}
CALL("FillSparseTensorBlockSparse(borrowed values)") {
  blocks(borrowing(), DIMS(2, 2, 2), DIMS(2, 2), PLACES);
}
CALL("FillSparseTensorBlockSparse(indices NULL)") {
  blocks(BLOCKED, DIMS(2, 2, 2), DIMS(2, 2), NULL);
}
CALL("FillSparseTensorBlockSparse(indices_shape NULL)") {
  blocks(BLOCKED, DIMS(2, 2, 2), NULL, 2, PLACES);
}
ANSWER("FillSparseTensorBlockSparse(dense tensor)",
       api->FillSparseTensorBlockSparse(FLOATS(1), cpu_info(), DIMS(2, 2, 2),
                                        sparse_formats_numbers, DIMS(2, 2), PLACES))
CALL("FillSparseTensorBlockSparse(strings)") {
  OrtValue* value = sparse(STRING, DIMS(4, 4));
  const char* const strings[] = {"a", "b", "c", "d"};
  say_filled(value, api->FillSparseTensorBlockSparse(value, cpu_info(), DIMS(1, 1, 4), strings,
                                                     DIMS(2, 4), PLACES));
}

/* Counts that no array has: nothing may be read. */
static const int64_t one[] = {1};
static const float value_of_one[] = {10};
#define ONE_VALUE cpu_info(), one, 1, value_of_one
CALL("FillSparseTensorCoo(values_shape_len SIZE_MAX)") {
  OrtValue* value = sparse(FLOAT, DIMS(3));
  say_status(api->FillSparseTensorCoo(value, cpu_info(), one, SIZE_MAX, value_of_one, one, 1));
}
ANSWER("FillSparseTensorCoo(indices_num SIZE_MAX)",
       api->FillSparseTensorCoo(sparse(FLOAT, DIMS(3)), ONE_VALUE, one, SIZE_MAX))
CALL("FillSparseTensorCsr(inner_indices_num SIZE_MAX)") {
  OrtValue* value = sparse(FLOAT, DIMS(3, 3));
  say_status(api->FillSparseTensorCsr(value, ONE_VALUE, one, SIZE_MAX, LIST(int64_t, 0, 1, 1, 1)));
}
CALL("FillSparseTensorCsr(outer_indices_num SIZE_MAX)") {
  OrtValue* value = sparse(FLOAT, DIMS(3, 3));
  say_status(api->FillSparseTensorCsr(value, ONE_VALUE, one, 1, (const int64_t[]){0}, SIZE_MAX));
}
CALL("FillSparseTensorBlockSparse(values_shape_len SIZE_MAX)") {
  OrtValue* value = sparse(FLOAT, DIMS(3, 3));
  say_status(api->FillSparseTensorBlockSparse(value, cpu_info(), one, SIZE_MAX, value_of_one, one,
                                              1, (const int32_t[]){1}));
}
CALL("FillSparseTensorBlockSparse(indices_shape_len SIZE_MAX)") {
  OrtValue* value = sparse(FLOAT, DIMS(3, 3));
  say_status(
      api->FillSparseTensorBlockSparse(value, ONE_VALUE, one, SIZE_MAX, (const int32_t[]){1}));
}
CALL("UseBlockSparseIndices(indices_shape_len SIZE_MAX)") {
  int32_t indices[] = {1};
  say_status(api->UseBlockSparseIndices(borrowing(), one, SIZE_MAX, indices));
}

#undef PLACES
