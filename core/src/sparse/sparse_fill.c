/* SPDX-License-Identifier: MIT */
/* Filling sparse tensors, by copies into an allocator's memory or with a caller's indices. */

#include "sparse/sparse.h"

/* The arguments of a FillSparseTensor function, except the indices. */
struct filling {
  const OrtMemoryInfo* info;
  const int64_t* dims;
  size_t rank;
  const void* values;
  struct core_sparse* sparse;
  size_t count;
};

/* Checks that a value is a sparse tensor without indices. */
static OrtStatus* as_unfilled(OrtValue* value, struct core_sparse** out) {
  struct core_sparse* sparse = NULL;
  CORE_TRY(core_as_sparse(value, &sparse));
  CORE_REFUSE_IF(sparse->format != ORT_SPARSE_UNDEFINED, ORT_FAIL,
                 "ort_value has been filled before");
  *out = sparse;
  return NULL;
}

static OrtStatus* take_storage(struct filling* filling, OrtValue* value) {
  size_t bytes = 0;
  CORE_TRY(as_unfilled(value, &filling->sparse));
  CORE_TRY(core_check_rank("values_shape_len", filling->rank));
  CORE_TRY(core_measure(filling->sparse->shape.type, filling->dims, filling->rank, ORT_FAIL,
                        &filling->count, &bytes));
  CORE_REFUSE_IF(filling->count > 0 && filling->values == NULL, ORT_INVALID_ARGUMENT,
                 "values must not be NULL");
  CORE_REFUSE_IF(!core_is_memory_info(filling->info), ORT_INVALID_ARGUMENT,
                 "data_mem_info must be an OrtMemoryInfo of this library");
  CORE_REFUSE_IF(!core_is_cpu_memory(filling->info), ORT_FAIL,
                 "data_mem_info must be memory of the CPU");
  return NULL;
}

static OrtStatus* copy_strings(const struct filling* filling, struct core_tensor* to) {
  const char* const* strings = filling->values;
  for (size_t i = 0; i < filling->count; i++) {
    CORE_REFUSE_IF(strings[i] == NULL, ORT_INVALID_ARGUMENT, "values[i] must not be NULL");
    CORE_TRY(core_strings_set(&to->strings, i, strings[i], strlen(strings[i])));
  }
  return NULL;
}

static OrtStatus* copy_values(const struct filling* filling, const int64_t* dims, size_t rank) {
  struct core_sparse* sparse = filling->sparse;
  CORE_REFUSE_IF(sparse->allocator == NULL, ORT_FAIL,
                 "ort_value must have memory of its own, not borrowed values");
  CORE_TRY(core_new_tensor(sparse->allocator, dims, rank, sparse->shape.type, &sparse->values));
  CORE_REFUSE_IF(!core_is_cpu_memory(&sparse->values->info), ORT_FAIL,
                 "the memory of ort_value must be the CPU's to be filled");
  if (sparse->shape.type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING) {
    return copy_strings(filling, sparse->values);
  }
  if (filling->count > 0) {
    memcpy(sparse->values->data, filling->values, sparse->values->bytes);
  }
  return NULL;
}

static OrtStatus* copy_indices(const struct filling* filling, ONNXTensorElementDataType type,
                               const int64_t* dims, size_t rank, const void* data, size_t number) {
  struct core_tensor** indices = &filling->sparse->indices[number];
  CORE_TRY(core_new_tensor(filling->sparse->allocator, dims, rank, type, indices));
  if ((*indices)->bytes > 0) {
    memcpy((*indices)->data, data, (*indices)->bytes);
  }
  return NULL;
}

/* Sets the format on success, otherwise empties the tensor again. */
static OrtStatus* finish_filling(const struct filling* filling, OrtStatus* status,
                                 OrtSparseFormat format) {
  if (status == NULL) {
    filling->sparse->format = format;
  } else if (filling->sparse->allocator != NULL) {
    core_clear_sparse(filling->sparse);
  }
  return status;
}

/* The shape of COO indices: {values}, or {values, 2} for two per value and for no values. */
#define COO_DIMS(values, count) {(int64_t)(values), 2}
#define COO_RANK(values, count) ((size_t)((count) == 2 * (values) ? 2 : 1))

CORE_SLOT(ort_FillSparseTensorCoo, OrtValue* ort_value, const OrtMemoryInfo* data_mem_info,
          const int64_t* values_shape, size_t values_shape_len, const void* values,
          const int64_t* indices_data, size_t indices_num) {
  CORE_REQUIRE_IF(values_shape_len > 0, FillSparseTensorCoo, values_shape);
  CORE_REQUIRE_IF(indices_num > 0, FillSparseTensorCoo, indices_data);
  struct filling filling = {data_mem_info, values_shape, values_shape_len, values, NULL, 0};
  CORE_TRY(take_storage(&filling, ort_value));
  size_t count = filling.count;
  CORE_TRY(core_check_coo(&filling.sparse->shape, count, indices_data, indices_num));
  const int64_t dims[] = COO_DIMS(count, indices_num);
  OrtStatus* status = copy_values(&filling, dims, 1);
  CORE_THEN(status, copy_indices(&filling, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, dims,
                                 COO_RANK(count, indices_num), indices_data, 0));
  return finish_filling(&filling, status, ORT_SPARSE_COO);
}

CORE_SLOT(ort_FillSparseTensorCsr, OrtValue* ort_value, const OrtMemoryInfo* data_mem_info,
          const int64_t* values_shape, size_t values_shape_len, const void* values,
          const int64_t* inner_indices_data, size_t inner_indices_num,
          const int64_t* outer_indices_data, size_t outer_indices_num) {
  CORE_REQUIRE_IF(values_shape_len > 0, FillSparseTensorCsr, values_shape);
  CORE_REQUIRE_IF(inner_indices_num > 0, FillSparseTensorCsr, inner_indices_data);
  CORE_REQUIRE_IF(outer_indices_num > 0, FillSparseTensorCsr, outer_indices_data);
  struct filling filling = {data_mem_info, values_shape, values_shape_len, values, NULL, 0};
  CORE_TRY(take_storage(&filling, ort_value));
  CORE_TRY(core_check_csr(&filling.sparse->shape, filling.count, inner_indices_data,
                          inner_indices_num, outer_indices_data, outer_indices_num));
  const int64_t inner = (int64_t)inner_indices_num;
  const int64_t outer = (int64_t)outer_indices_num;
  const ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64;
  OrtStatus* status = copy_values(&filling, &inner, 1);
  CORE_THEN(status, copy_indices(&filling, type, &inner, 1, inner_indices_data, 0));
  CORE_THEN(status, copy_indices(&filling, type, &outer, 1, outer_indices_data, 1));
  return finish_filling(&filling, status, ORT_SPARSE_CSRC);
}

CORE_SLOT(ort_FillSparseTensorBlockSparse, OrtValue* ort_value, const OrtMemoryInfo* data_mem_info,
          const int64_t* values_shape, size_t values_shape_len, const void* values,
          const int64_t* indices_shape_data, size_t indices_shape_len,
          const int32_t* indices_data) {
  CORE_REQUIRE_IF(values_shape_len > 0, FillSparseTensorBlockSparse, values_shape);
  CORE_REQUIRE_IF(indices_shape_len > 0, FillSparseTensorBlockSparse, indices_shape_data);
  struct filling filling = {data_mem_info, values_shape, values_shape_len, values, NULL, 0};
  const ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32;
  size_t count = 0;
  size_t bytes = 0;
  CORE_TRY(take_storage(&filling, ort_value));
  CORE_TRY(core_check_rank("indices_shape_len", indices_shape_len));
  CORE_TRY(core_measure(type, indices_shape_data, indices_shape_len, ORT_FAIL, &count, &bytes));
  const struct core_shape shape = {type, values_shape_len, filling.count, values_shape};
  CORE_TRY(core_check_blocks(&shape, indices_shape_data, indices_shape_len, count));
  CORE_REQUIRE_IF(count > 0, FillSparseTensorBlockSparse, indices_data);
  OrtStatus* status = copy_values(&filling, values_shape, values_shape_len);
  CORE_THEN(status,
            copy_indices(&filling, type, indices_shape_data, indices_shape_len, indices_data, 0));
  return finish_filling(&filling, status, ORT_SPARSE_BLOCK_SPARSE);
}

/* Checks that a sparse tensor borrows a caller's values and has no indices yet. */
static OrtStatus* check_borrowing(const struct core_sparse* sparse) {
  return sparse->allocator == NULL
             ? NULL
             : core_fail(ORT_FAIL, "ort_value must have borrowed values, not memory of its own");
}

/* The number of borrowed values; 0 for a tensor with memory of its own. */
static size_t values_of(const struct core_sparse* sparse) {
  return sparse->values != NULL ? sparse->values->shape.count : 0;
}

static OrtStatus* borrow_indices(struct core_sparse* sparse, ONNXTensorElementDataType type,
                                 const int64_t* dims, size_t rank, void* data, size_t number) {
  return core_borrow_tensor(&sparse->values->info, data, SIZE_MAX, dims, rank, type,
                            &sparse->indices[number]);
}

CORE_SLOT(ort_UseCooIndices, OrtValue* ort_value, int64_t* indices_data, size_t indices_num) {
  CORE_REQUIRE_IF(indices_num > 0, UseCooIndices, indices_data);
  struct core_sparse* sparse = NULL;
  CORE_TRY(as_unfilled(ort_value, &sparse));
  CORE_TRY(check_borrowing(sparse));
  size_t values = values_of(sparse);
  CORE_TRY(core_check_coo(&sparse->shape, values, indices_data, indices_num));
  const int64_t dims[] = COO_DIMS(values, indices_num);
  CORE_TRY(borrow_indices(sparse, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, dims,
                          COO_RANK(values, indices_num), indices_data, 0));
  sparse->format = ORT_SPARSE_COO;
  return NULL;
}

CORE_SLOT(ort_UseCsrIndices, OrtValue* ort_value, int64_t* inner_data, size_t inner_num,
          int64_t* outer_data, size_t outer_num) {
  CORE_REQUIRE_IF(inner_num > 0, UseCsrIndices, inner_data);
  CORE_REQUIRE_IF(outer_num > 0, UseCsrIndices, outer_data);
  struct core_sparse* sparse = NULL;
  CORE_TRY(as_unfilled(ort_value, &sparse));
  CORE_TRY(core_check_csr(&sparse->shape, values_of(sparse), inner_data, inner_num, outer_data,
                          outer_num));
  CORE_TRY(check_borrowing(sparse));
  const int64_t inner = (int64_t)inner_num;
  const int64_t outer = (int64_t)outer_num;
  const ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64;
  CORE_TRY(borrow_indices(sparse, type, &inner, 1, inner_data, 0));
  CORE_TRY_OR(borrow_indices(sparse, type, &outer, 1, outer_data, 1),
              ort_ReleaseValue(&sparse->indices[0]->base);
              sparse->indices[0] = NULL);
  sparse->format = ORT_SPARSE_CSRC;
  return NULL;
}

CORE_SLOT(ort_UseBlockSparseIndices, OrtValue* ort_value, const int64_t* indices_shape,
          size_t indices_shape_len, int32_t* indices_data) {
  CORE_REQUIRE_IF(indices_shape_len > 0, UseBlockSparseIndices, indices_shape);
  const ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32;
  struct core_sparse* sparse = NULL;
  size_t count = 0;
  size_t bytes = 0;
  CORE_TRY(as_unfilled(ort_value, &sparse));
  CORE_TRY(check_borrowing(sparse));
  CORE_TRY(core_check_rank("indices_shape_len", indices_shape_len));
  CORE_TRY(core_measure(type, indices_shape, indices_shape_len, ORT_FAIL, &count, &bytes));
  CORE_TRY(core_check_blocks(&sparse->values->shape, indices_shape, indices_shape_len, count));
  CORE_REQUIRE_IF(count > 0, UseBlockSparseIndices, indices_data);
  CORE_TRY(borrow_indices(sparse, type, indices_shape, indices_shape_len, indices_data, 0));
  sparse->format = ORT_SPARSE_BLOCK_SPARSE;
  return NULL;
}
