/* SPDX-License-Identifier: MIT */
/* OrtTensorTypeAndShapeInfo: element type and shape, with names for dimensions of any size. */

#include "values/type_info.h"

static void free_dims(OrtTensorTypeAndShapeInfo* info) {
  if (info->dims != info->few.dims) {
    heap_free(info->dims);
  }
}

static void end_info(void* block) {
  OrtTensorTypeAndShapeInfo* info = block;
  heap_free(info->texts);
  free_dims(info);
}

static const struct core_class info_class = {.kind = CORE_SHAPE_INFO, .end = end_info};

static OrtStatus* new_info(OrtTensorTypeAndShapeInfo** out) {
  CORE_NEW(OrtTensorTypeAndShapeInfo, info, &info_class);
  *out = info;
  return NULL;
}

/* The same limit as for tensors. In ONNX Runtime such a count fails for lack of memory, with the
 * same code. */
static OrtStatus* check_count(size_t count) {
  return count <= CORE_LARGEST_RANK
             ? NULL
             : core_fail(ORT_RUNTIME_EXCEPTION, "there cannot be so many dimensions");
}

/* Changes the number of dimensions; new ones have an unknown size and no name. On failure nothing
 * changes. */
static OrtStatus* resize(OrtTensorTypeAndShapeInfo* info, size_t rank) {
  if (rank == info->rank) {
    return NULL;
  }
  size_t size = rank * (sizeof *info->dims + sizeof *info->names);
  size_t kept = rank < info->rank ? rank : info->rank;
  bool is_few = rank <= CORE_FEW_DIMENSIONS;
  int64_t* dims = is_few ? info->few.dims : heap_alloc(size);
  CORE_NEED_MEMORY(dims, size);
  const char** names = is_few ? info->few.names : (const char**)(dims + rank);
  for (size_t i = 0; i < rank; i++) {
    dims[i] = i < kept ? info->dims[i] : -1;
    names[i] = i < kept ? info->names[i] : NULL;
  }
  if (info->dims != dims) {
    free_dims(info);
  }
  info->dims = rank > 0 ? dims : NULL;
  info->names = rank > 0 ? names : NULL;
  info->rank = rank;
  return NULL;
}

static OrtStatus* set_dims(OrtTensorTypeAndShapeInfo* info, const int64_t* dims, size_t rank) {
  CORE_TRY(resize(info, rank));
  for (size_t i = 0; i < rank; i++) {
    info->dims[i] = dims[i];
  }
  info->has_shape = true;
  return NULL;
}

/* Gives the first `count` dimensions names, and others none; NULL and "" both mean no name. */
static OrtStatus* set_names(OrtTensorTypeAndShapeInfo* info, const char* const* names,
                            size_t count) {
  size_t size = 0;
  for (size_t i = 0; i < count; i++) {
    size += names[i] != NULL && names[i][0] != '\0' ? strlen(names[i]) + 1 : 0;
  }
  char *texts = heap_alloc(size), *next = texts, *before = info->texts;
  CORE_RETURN_IF(texts == NULL && size > 0, core_no_memory(size));
  CORE_TRY_OR(resize(info, count > info->rank ? count : info->rank), heap_free(texts));
  for (size_t i = 0; i < info->rank; i++) {
    info->names[i] = NULL;
    if (i < count && names[i] != NULL && names[i][0] != '\0') {
      info->names[i] = strcpy(next, names[i]);
      next += strlen(next) + 1;
    }
  }
  info->texts = texts;
  heap_free(before); /* last, because the names may be in it */
  return NULL;
}

OrtStatus* core_new_shape_info(const struct core_shape* shape, OrtTensorTypeAndShapeInfo** out) {
  OrtTensorTypeAndShapeInfo* info = NULL;
  CORE_TRY(new_info(&info));
  info->type = shape->type;
  CORE_HAND_OUT(set_dims(info, shape->dims, shape->rank), info, out);
}

OrtStatus* core_copy_shape_info(const OrtTensorTypeAndShapeInfo* from,
                                OrtTensorTypeAndShapeInfo** out) {
  OrtTensorTypeAndShapeInfo* info = NULL;
  CORE_TRY(new_info(&info));
  info->type = from->type;
  OrtStatus* status = from->has_shape ? set_dims(info, from->dims, from->rank) : NULL;
  CORE_THEN(status, set_names(info, from->names, from->rank));
  CORE_HAND_OUT(status, info, out);
}

CORE_SLOT(ort_CreateTensorTypeAndShapeInfo, OrtTensorTypeAndShapeInfo** out) {
  OrtTensorTypeAndShapeInfo* info = NULL;
  CORE_TRY(new_info(&info));
  info->type = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
  *out = info;
  return NULL;
}

CORE_SLOT(ort_SetTensorElementType, OrtTensorTypeAndShapeInfo* info,
          enum ONNXTensorElementDataType type) {
  info->type = type;
  return NULL;
}

CORE_SLOT(ort_SetDimensions, OrtTensorTypeAndShapeInfo* info, const int64_t* dim_values,
          size_t dim_count) {
  CORE_REQUIRE_IF(dim_count > 0, SetDimensions, dim_values);
  CORE_TRY(check_count(dim_count));
  for (size_t i = 0; i < dim_count; i++) {
    if (dim_values[i] < -1) {
      /* ONNX Runtime's own words, without the function: a client may compare the whole message. */
      CORE_FAIL(ORT_INVALID_ARGUMENT, "dim_values must be -1 (symbolic dimension) or larger.");
    }
  }
  return set_dims(info, dim_values, dim_count);
}

CORE_SLOT(ort_SetSymbolicDimensions, OrtTensorTypeAndShapeInfo* info, const char* dim_params[],
          size_t dim_params_length) {
  CORE_REQUIRE_IF(dim_params_length > 0, SetSymbolicDimensions, dim_params);
  CORE_TRY(check_count(dim_params_length));
  CORE_TRY(set_names(info, dim_params, dim_params_length));
  info->has_shape = true;
  return NULL;
}

CORE_GETTER(ort_GetTensorElementType, enum ONNXTensorElementDataType, info->type,
            const OrtTensorTypeAndShapeInfo* info)
CORE_GETTER(ort_GetDimensionsCount, size_t, info->rank, const OrtTensorTypeAndShapeInfo* info)

CORE_SLOT(ort_GetDimensions, const OrtTensorTypeAndShapeInfo* info, int64_t* dim_values,
          size_t dim_values_length) {
  size_t count = dim_values_length < info->rank ? dim_values_length : info->rank;
  CORE_REQUIRE_IF(count > 0, GetDimensions, dim_values);
  for (size_t i = 0; i < count; i++) {
    dim_values[i] = info->dims[i];
  }
  return NULL;
}

CORE_SLOT(ort_GetSymbolicDimensions, const OrtTensorTypeAndShapeInfo* info,
          const char* dim_params[], size_t dim_params_length) {
  size_t count = dim_params_length < info->rank ? dim_params_length : info->rank;
  CORE_REQUIRE_IF(count > 0, GetSymbolicDimensions, dim_params);
  for (size_t i = 0; i < count; i++) {
    dim_params[i] = info->names[i] != NULL ? info->names[i] : "";
  }
  return NULL;
}

CORE_SLOT(ort_GetTensorShapeElementCount, const OrtTensorTypeAndShapeInfo* info, size_t* out) {
  int64_t count = info->has_shape ? 1 : 0;
  for (size_t i = 0; i < info->rank; i++) {
    CORE_FAIL_IF(info->dims[i] < 0, ORT_FAIL,
                 "GetTensorShapeElementCount: info has a dimension of any size");
    CORE_FAIL_IF(__builtin_mul_overflow(count, info->dims[i], &count), ORT_FAIL,
                 "GetTensorShapeElementCount: info has more elements than can be counted");
  }
  *out = (size_t)count;
  return NULL;
}

CORE_SLOT(ort_GetTensorTypeAndShape, const OrtValue* value, OrtTensorTypeAndShapeInfo** out) {
  const struct core_shape* shape = core_shape_of(value);
  CORE_FAIL_IF(shape == NULL, ORT_FAIL,
               "GetTensorTypeAndShape: value must be a dense or a sparse tensor");
  return core_new_shape_info(shape, out);
}

bool ORT_API_CALL ort_TensorTypeAndShape_HasShape(const OrtTensorTypeAndShapeInfo* info)
    NO_EXCEPTION {
  return info != NULL && info->has_shape;
}

CORE_RELEASER(ort_ReleaseTensorTypeAndShapeInfo, OrtTensorTypeAndShapeInfo)
