/* SPDX-License-Identifier: MIT */
/* OrtTensorTypeAndShapeInfo: element type and shape, with names for dimensions of any size. */
#include <string.h>

#include "heap.h"
#include "type_info.h"

static void free_names(OrtTensorTypeAndShapeInfo* info) {
  for (size_t i = 0; i < info->named; i++) {
    heap_free((void*)info->names[i]);
  }
  heap_free(info->names);
  info->names = NULL;
  info->named = 0;
}

static OrtStatus* new_info(const char* function, OrtTensorTypeAndShapeInfo** out) {
  OrtTensorTypeAndShapeInfo* info = heap_alloc_object(sizeof *info);
  if (info == NULL) {
    return core_no_memory(function, sizeof *info);
  }
  memset(info, 0, sizeof *info);
  heap_created(CORE_SHAPE_INFO);
  *out = info;
  return NULL;
}

static OrtStatus* set_dims(const char* function, OrtTensorTypeAndShapeInfo* info,
                           const int64_t* dims, size_t rank) {
  int64_t* copy = NULL;
  if (rank > 0) {
    size_t size = 0;
    bool overflows = __builtin_mul_overflow(rank, sizeof *copy, &size);
    copy = overflows ? NULL : heap_alloc(size);
    if (copy == NULL) {
      return core_no_memory(function, overflows ? SIZE_MAX : size);
    }
    memcpy(copy, dims, size);
  }
  heap_free(info->dims);
  info->dims = copy;
  info->rank = rank;
  info->has_shape = true;
  return NULL;
}

/* NULL and "" are no names, so both are kept as NULL. */
static OrtStatus* set_names(const char* function, OrtTensorTypeAndShapeInfo* info,
                            const char* const* names, size_t count) {
  struct OrtTensorTypeAndShapeInfo made = {.names = NULL};
  if (count > 0) {
    size_t size = 0;
    bool overflows = __builtin_mul_overflow(count, sizeof *made.names, &size);
    made.names = overflows ? NULL : heap_alloc(size);
    if (made.names == NULL) {
      return core_no_memory(function, overflows ? SIZE_MAX : size);
    }
  }
  for (; made.named < count; made.named++) {
    const char* name = names[made.named];
    size_t size = name != NULL && name[0] != '\0' ? strlen(name) + 1 : 0;
    char* copy = heap_alloc(size);
    if (copy == NULL && size > 0) {
      free_names(&made);
      return core_no_memory(function, size);
    }
    made.names[made.named] = size > 0 ? memcpy(copy, name, size) : NULL;
  }
  free_names(info);
  info->names = made.names;
  info->named = count;
  return NULL;
}

OrtStatus* core_new_shape_info(const char* function, const struct core_shape* shape,
                               OrtTensorTypeAndShapeInfo** out) {
  OrtTensorTypeAndShapeInfo* info = NULL;
  CORE_TRY(new_info(function, &info));
  info->type = shape->type;
  OrtStatus* status = set_dims(function, info, shape->dims, shape->rank);
  if (status != NULL) {
    ort_ReleaseTensorTypeAndShapeInfo(info);
    return status;
  }
  *out = info;
  return NULL;
}

OrtStatus* core_copy_shape_info(const char* function, const OrtTensorTypeAndShapeInfo* from,
                                OrtTensorTypeAndShapeInfo** out) {
  OrtTensorTypeAndShapeInfo* info = NULL;
  CORE_TRY(new_info(function, &info));
  info->type = from->type;
  OrtStatus* status = from->has_shape ? set_dims(function, info, from->dims, from->rank) : NULL;
  if (status == NULL) {
    status = set_names(function, info, from->names, from->named);
  }
  if (status != NULL) {
    ort_ReleaseTensorTypeAndShapeInfo(info);
    return status;
  }
  *out = info;
  return NULL;
}

ORT_API_STATUS_IMPL(ort_CreateTensorTypeAndShapeInfo, OrtTensorTypeAndShapeInfo** out) {
  CORE_REQUIRE(CreateTensorTypeAndShapeInfo, out);
  OrtTensorTypeAndShapeInfo* info = NULL;
  CORE_TRY(new_info("CreateTensorTypeAndShapeInfo", &info));
  info->type = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
  *out = info;
  return NULL;
}

ORT_API_STATUS_IMPL(ort_SetTensorElementType, OrtTensorTypeAndShapeInfo* info,
                    enum ONNXTensorElementDataType type) {
  CORE_REQUIRE(SetTensorElementType, info);
  info->type = type;
  return NULL;
}

ORT_API_STATUS_IMPL(ort_SetDimensions, OrtTensorTypeAndShapeInfo* info, const int64_t* dim_values,
                    size_t dim_count) {
  CORE_REQUIRE(SetDimensions, info);
  CORE_REQUIRE_IF(dim_count > 0, SetDimensions, dim_values);
  for (size_t i = 0; i < dim_count; i++) {
    if (dim_values[i] < -1) {
      CORE_FAIL(ORT_INVALID_ARGUMENT,
                "SetDimensions: dim_values must be -1, for any size, or larger");
    }
  }
  return set_dims("SetDimensions", info, dim_values, dim_count);
}

ORT_API_STATUS_IMPL(ort_SetSymbolicDimensions, OrtTensorTypeAndShapeInfo* info,
                    const char* dim_params[], size_t dim_params_length) {
  CORE_REQUIRE(SetSymbolicDimensions, info);
  CORE_REQUIRE_IF(dim_params_length > 0, SetSymbolicDimensions, dim_params);
  return set_names("SetSymbolicDimensions", info, dim_params, dim_params_length);
}

ORT_API_STATUS_IMPL(ort_GetTensorElementType, const OrtTensorTypeAndShapeInfo* info,
                    enum ONNXTensorElementDataType* out) {
  CORE_REQUIRE(GetTensorElementType, info);
  CORE_REQUIRE(GetTensorElementType, out);
  *out = info->type;
  return NULL;
}

ORT_API_STATUS_IMPL(ort_GetDimensionsCount, const OrtTensorTypeAndShapeInfo* info, size_t* out) {
  CORE_REQUIRE(GetDimensionsCount, info);
  CORE_REQUIRE(GetDimensionsCount, out);
  *out = info->rank;
  return NULL;
}

ORT_API_STATUS_IMPL(ort_GetDimensions, const OrtTensorTypeAndShapeInfo* info, int64_t* dim_values,
                    size_t dim_values_length) {
  CORE_REQUIRE(GetDimensions, info);
  size_t count = dim_values_length < info->rank ? dim_values_length : info->rank;
  CORE_REQUIRE_IF(count > 0, GetDimensions, dim_values);
  for (size_t i = 0; i < count; i++) {
    dim_values[i] = info->dims[i];
  }
  return NULL;
}

ORT_API_STATUS_IMPL(ort_GetSymbolicDimensions, const OrtTensorTypeAndShapeInfo* info,
                    const char* dim_params[], size_t dim_params_length) {
  CORE_REQUIRE(GetSymbolicDimensions, info);
  size_t known = info->named > info->rank ? info->named : info->rank;
  size_t count = dim_params_length < known ? dim_params_length : known;
  CORE_REQUIRE_IF(count > 0, GetSymbolicDimensions, dim_params);
  for (size_t i = 0; i < count; i++) {
    dim_params[i] = i < info->named && info->names[i] != NULL ? info->names[i] : "";
  }
  return NULL;
}

ORT_API_STATUS_IMPL(ort_GetTensorShapeElementCount, const OrtTensorTypeAndShapeInfo* info,
                    size_t* out) {
  CORE_REQUIRE(GetTensorShapeElementCount, info);
  CORE_REQUIRE(GetTensorShapeElementCount, out);
  int64_t count = info->has_shape ? 1 : 0;
  for (size_t i = 0; i < info->rank; i++) {
    if (info->dims[i] < 0) {
      CORE_FAIL(ORT_FAIL, "GetTensorShapeElementCount: info has a dimension of any size");
    }
    if (__builtin_mul_overflow(count, info->dims[i], &count)) {
      CORE_FAIL(ORT_FAIL, "GetTensorShapeElementCount: info has more elements than can be counted");
    }
  }
  *out = (size_t)count;
  return NULL;
}

ORT_API_STATUS_IMPL(ort_GetTensorTypeAndShape, const OrtValue* value,
                    OrtTensorTypeAndShapeInfo** out) {
  CORE_REQUIRE(GetTensorTypeAndShape, value);
  CORE_REQUIRE(GetTensorTypeAndShape, out);
  const struct core_shape* shape = core_shape_of(value);
  if (shape == NULL) {
    CORE_FAIL(ORT_FAIL, "GetTensorTypeAndShape: value must be a dense or a sparse tensor");
  }
  return core_new_shape_info("GetTensorTypeAndShape", shape, out);
}

bool ORT_API_CALL ort_TensorTypeAndShape_HasShape(const OrtTensorTypeAndShapeInfo* info)
    NO_EXCEPTION {
  return info != NULL && info->has_shape;
}

void ORT_API_CALL ort_ReleaseTensorTypeAndShapeInfo(OrtTensorTypeAndShapeInfo* input) NO_EXCEPTION {
  if (input == NULL) {
    return;
  }
  free_names(input);
  heap_free(input->dims);
  heap_free_object(input);
  heap_released(CORE_SHAPE_INFO);
}
