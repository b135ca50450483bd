/* SPDX-License-Identifier: MIT */
/* Functions for values of every kind. */
#include "values/containers.h"
#include "values/sparse.h"

OrtValue* core_retain_value(const OrtValue* value) {
  OrtValue* shared = core_target(value);
  __atomic_fetch_add(&shared->references, 1, __ATOMIC_RELAXED);
  return shared;
}

/* The last holder needs no atomic decrement: nobody else can change the count. */
static bool is_last(OrtValue* value) {
  return __atomic_load_n(&value->references, __ATOMIC_ACQUIRE) == 1 ||
         __atomic_sub_fetch(&value->references, 1, __ATOMIC_ACQ_REL) == 0;
}

void ORT_API_CALL ort_ReleaseValue(OrtValue* input) NO_EXCEPTION {
  if (input == NULL || !is_last(input)) {
    return;
  }
  switch (input->kind) {
    case ONNX_TYPE_TENSOR:
      core_end_tensor((struct core_tensor*)input);
      break;
    case ONNX_TYPE_SPARSETENSOR:
      core_end_sparse(input);
      break;
    default:
      core_end_container(input);
  }
}

ORT_API_STATUS_IMPL(ort_IsTensor, const OrtValue* value, int* out) {
  CORE_REQUIRE(IsTensor, value);
  CORE_REQUIRE(IsTensor, out);
  *out = value->kind == ONNX_TYPE_TENSOR;
  return NULL;
}

ORT_API_STATUS_IMPL(ort_IsSparseTensor, const OrtValue* value, int* out) {
  CORE_REQUIRE(IsSparseTensor, value);
  CORE_REQUIRE(IsSparseTensor, out);
  *out = value->kind == ONNX_TYPE_SPARSETENSOR;
  return NULL;
}

ORT_API_STATUS_IMPL(ort_HasValue, const OrtValue* value, int* out) {
  CORE_REQUIRE(HasValue, value);
  CORE_REQUIRE(HasValue, out);
  /* Only an inference engine makes an optional without a value. */
  *out = 1;
  return NULL;
}

ORT_API_STATUS_IMPL(ort_GetValueType, const OrtValue* value, enum ONNXType* out) {
  CORE_REQUIRE(GetValueType, value);
  CORE_REQUIRE(GetValueType, out);
  *out = value->kind;
  return NULL;
}

ORT_API_STATUS_IMPL(ort_GetTensorElementTypeAndShapeDataReference, const OrtValue* value,
                    ONNXTensorElementDataType* elem_type, const int64_t** shape_data,
                    size_t* shape_data_count) {
  CORE_REQUIRE(GetTensorElementTypeAndShapeDataReference, value);
  CORE_REQUIRE(GetTensorElementTypeAndShapeDataReference, elem_type);
  CORE_REQUIRE(GetTensorElementTypeAndShapeDataReference, shape_data);
  CORE_REQUIRE(GetTensorElementTypeAndShapeDataReference, shape_data_count);
  const struct core_shape* shape = core_shape_of(value);
  if (shape == NULL) {
    CORE_FAIL(
        ORT_INVALID_ARGUMENT,
        "GetTensorElementTypeAndShapeDataReference: value must be a dense or a sparse tensor");
  }
  *elem_type = shape->type;
  *shape_data = shape->rank > 0 ? shape->dims : NULL;
  *shape_data_count = shape->rank;
  return NULL;
}
