/* SPDX-License-Identifier: MIT */
/* Sparse tensors: creation and reading. sparse_fill.c fills them. */
#include "sparse/sparse.h"

#include "memory/references.h"
#include "values/type_info.h"

void core_clear_sparse(struct core_sparse* sparse) {
  core_drop(sparse->values);
  core_drop(sparse->indices[0]);
  core_drop(sparse->indices[1]);
  sparse->values = NULL;
  sparse->indices[0] = NULL;
  sparse->indices[1] = NULL;
}

static void end_sparse(void* block) {
  struct core_sparse* sparse = block;
  core_clear_sparse(sparse);
  if (sparse->keeps_allocator) {
    core_allocator_release(sparse->allocator);
  }
}

static const struct core_class sparse_class = {.kind = CORE_VALUE, .end = end_sparse};

/* Counts the elements of the dense shape. It is never in memory, so any number is allowed. */
static size_t count_dense(const int64_t* dims, size_t rank) {
  size_t count = 1;
  for (size_t i = 0; i < rank; i++) {
    if (dims[i] < 0 || __builtin_mul_overflow(count, (size_t)dims[i], &count) ||
        count > INT64_MAX) {
      return CORE_UNCOUNTED;
    }
  }
  return count;
}

static OrtStatus* check_type(ONNXTensorElementDataType type) {
  CORE_TRY(core_check_element_type("sparse tensor", type));
  return core_element_bits(type) >= 8
             ? NULL
             : core_fail(ORT_NOT_IMPLEMENTED,
                         "sparse tensors of packed elements are not supported");
}

/* Makes an empty sparse tensor; its dimensions are behind it in the same block. */
static OrtStatus* new_sparse(const int64_t* dims, size_t rank, ONNXTensorElementDataType type,
                             struct core_sparse** out) {
  CORE_TRY(core_check_rank("dense_shape_len", rank));
  size_t size = sizeof(struct core_sparse) + rank * sizeof *dims;
  struct core_sparse* sparse = heap_alloc(size);
  CORE_NEED_MEMORY(sparse, size);
  int64_t* kept = (int64_t*)(sparse + 1);
  for (size_t i = 0; i < rank; i++) {
    kept[i] = dims[i];
  }
  *sparse = (struct core_sparse){.shape = {type, rank, count_dense(dims, rank), kept},
                                 .format = ORT_SPARSE_UNDEFINED};
  core_begin_value(&sparse->base, &sparse_class, ONNX_TYPE_SPARSETENSOR);
  *out = sparse;
  return NULL;
}

CORE_SLOT(ort_CreateSparseTensorAsOrtValue, OrtAllocator* allocator, const int64_t* dense_shape,
          size_t dense_shape_len, ONNXTensorElementDataType type, OrtValue** out) {
  CORE_REQUIRE_IF(dense_shape_len > 0, CreateSparseTensorAsOrtValue, dense_shape);
  CORE_TRY(check_type(type));
  struct core_sparse* sparse = NULL;
  CORE_TRY(new_sparse(dense_shape, dense_shape_len, type, &sparse));
  for (size_t i = 0; i < dense_shape_len; i++) {
    if (dense_shape[i] < 0) {
      core_drop(sparse);
      CORE_FAIL(ORT_INVALID_ARGUMENT,
                "CreateSparseTensorAsOrtValue: dense_shape has a negative dimension");
    }
  }
  sparse->allocator = allocator;
  sparse->keeps_allocator = core_keep_allocator(allocator);
  *out = &sparse->base;
  return NULL;
}

CORE_SLOT(ort_CreateSparseTensorWithValuesAsOrtValue, const OrtMemoryInfo* info, void* p_data,
          const int64_t* dense_shape, size_t dense_shape_len, const int64_t* values_shape,
          size_t values_shape_len, ONNXTensorElementDataType type, OrtValue** out) {
  CORE_REQUIRE_IF(dense_shape_len > 0, CreateSparseTensorWithValuesAsOrtValue, dense_shape);
  CORE_REQUIRE_IF(values_shape_len > 0, CreateSparseTensorWithValuesAsOrtValue, values_shape);
  CORE_TRY(check_type(type));
  CORE_FAIL_IF(type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING, ORT_INVALID_ARGUMENT,
               "CreateSparseTensorWithValuesAsOrtValue: type must not be STRING: strings are "
               "copied, by CreateSparseTensorAsOrtValue and a FillSparseTensor function");
  struct core_sparse* sparse = NULL;
  CORE_TRY(new_sparse(dense_shape, dense_shape_len, type, &sparse));
  CORE_HAND_OUT(core_borrow_tensor(info, p_data, SIZE_MAX, values_shape, values_shape_len, type,
                                   &sparse->values),
                &sparse->base, out);
}

OrtStatus* core_as_sparse(const OrtValue* value, struct core_sparse** out) {
  CORE_REFUSE_IF(core_type_of(value) != ONNX_TYPE_SPARSETENSOR,
                 core_type_of(value) == ONNX_TYPE_MAP ? ORT_FAIL : ORT_RUNTIME_EXCEPTION,
                 "ort_value must be a sparse tensor");
  *out = (struct core_sparse*)core_target(value);
  return NULL;
}

/* Checks that a value is a sparse tensor with indices. */
static OrtStatus* as_filled(const OrtValue* value, struct core_sparse** out) {
  struct core_sparse* sparse = NULL;
  CORE_TRY(core_as_sparse(value, &sparse));
  CORE_REFUSE_IF(sparse->format == ORT_SPARSE_UNDEFINED, ORT_FAIL,
                 "ort_value must be filled first");
  *out = sparse;
  return NULL;
}

static OrtStatus* find_values(const OrtValue* value, struct core_tensor** out) {
  struct core_sparse* sparse = NULL;
  CORE_TRY(as_filled(value, &sparse));
  *out = sparse->values;
  return NULL;
}

CORE_SLOT(ort_GetSparseTensorFormat, const OrtValue* ort_value, OrtSparseFormat* out) {
  struct core_sparse* sparse = NULL;
  CORE_TRY(core_as_sparse(ort_value, &sparse));
  *out = sparse->format;
  return NULL;
}

CORE_SLOT(ort_GetSparseTensorValues, const OrtValue* ort_value, const void** out) {
  struct core_tensor* values = NULL;
  CORE_TRY(find_values(ort_value, &values));
  CORE_FAIL_IF(values->shape.type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING, ORT_INVALID_ARGUMENT,
               "GetSparseTensorValues: ort_value must not be of strings: GetStringTensorContent "
               "reads those");
  *out = values->data;
  return NULL;
}

CORE_SLOT(ort_GetSparseTensorValuesTypeAndShape, const OrtValue* ort_value,
          OrtTensorTypeAndShapeInfo** out) {
  struct core_tensor* values = NULL;
  CORE_TRY(find_values(ort_value, &values));
  return core_new_shape_info(&values->shape, out);
}

/* The format of each kind of indices, and their position in `indices`. */
static const struct indices_kind {
  OrtSparseFormat format;
  size_t number;
} kinds[] = {[ORT_SPARSE_COO_INDICES] = {ORT_SPARSE_COO, 0},
             [ORT_SPARSE_CSR_INNER_INDICES] = {ORT_SPARSE_CSRC, 0},
             [ORT_SPARSE_CSR_OUTER_INDICES] = {ORT_SPARSE_CSRC, 1},
             [ORT_SPARSE_BLOCK_SPARSE_INDICES] = {ORT_SPARSE_BLOCK_SPARSE, 0}};

static OrtStatus* find_indices(const OrtValue* value, enum OrtSparseIndicesFormat format,
                               struct core_tensor** out) {
  struct core_sparse* sparse = NULL;
  CORE_TRY(as_filled(value, &sparse));
  CORE_REFUSE_IF((size_t)format >= CORE_COUNT_OF(kinds) || kinds[format].format != sparse->format,
                 ORT_FAIL, "indices_format must be of the tensor's format");
  *out = sparse->indices[kinds[format].number];
  return NULL;
}

CORE_SLOT(ort_GetSparseTensorIndicesTypeShape, const OrtValue* ort_value,
          enum OrtSparseIndicesFormat indices_format, OrtTensorTypeAndShapeInfo** out) {
  struct core_tensor* indices = NULL;
  CORE_TRY(find_indices(ort_value, indices_format, &indices));
  return core_new_shape_info(&indices->shape, out);
}

CORE_SLOT(ort_GetSparseTensorIndices, const OrtValue* ort_value,
          enum OrtSparseIndicesFormat indices_format, size_t* num_indices, const void** indices) {
  struct core_tensor* found = NULL;
  CORE_TRY(find_indices(ort_value, indices_format, &found));
  *num_indices = found->shape.count;
  *indices = found->data;
  return NULL;
}
