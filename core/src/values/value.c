/* SPDX-License-Identifier: MIT */
/* Functions for values of every kind. */
#include "values/value.h"

OrtValue* core_retain_value(const OrtValue* value) {
  OrtValue* shared = core_target(value);
  core_retain(&shared->object);
  return shared;
}

CORE_RELEASER(ort_ReleaseValue, OrtValue)
CORE_GETTER(ort_IsTensor, int, core_type_of(value) == ONNX_TYPE_TENSOR, const OrtValue* value)
CORE_GETTER(ort_IsSparseTensor, int, core_type_of(value) == ONNX_TYPE_SPARSETENSOR,
            const OrtValue* value)

static const struct core_class empty_optional_class = {.kind = CORE_VALUE};

OrtStatus* core_empty_optional(OrtValue** out) {
  OrtValue* value = heap_alloc(sizeof *value);
  CORE_NEED_MEMORY(value, sizeof *value);
  core_begin_value(value, &empty_optional_class, ONNX_TYPE_OPTIONAL);
  *out = value;
  return NULL;
}

CORE_QUICK_GETTER(ort_HasValue, HasValue, int, out, core_type_of(value) != ONNX_TYPE_OPTIONAL,
                  const OrtValue*, value)
CORE_QUICK_GETTER(ort_GetValueType, GetValueType, enum ONNXType, out, core_type_of(value),
                  const OrtValue*, value)

ORT_API_STATUS_IMPL(ort_GetTensorElementTypeAndShapeDataReference, const OrtValue* value,
                    ONNXTensorElementDataType* elem_type, const int64_t** shape_data,
                    size_t* shape_data_count) {
  CORE_REQUIRE(GetTensorElementTypeAndShapeDataReference, value, elem_type, shape_data,
               shape_data_count);
  const struct core_shape* shape = core_shape_of(value);
  CORE_FAIL_IF(
      shape == NULL, ORT_INVALID_ARGUMENT,
      "GetTensorElementTypeAndShapeDataReference: value must be a dense or a sparse tensor");
  *elem_type = shape->type;
  *shape_data = shape->rank > 0 ? shape->dims : NULL;
  *shape_data_count = shape->rank;
  return NULL;
}

/* Values of opaque types. Such types must be built into a library; the core has none, so both slots
 * fail. */

CORE_SLOT(ort_CreateOpaqueValue, const char* domain_name, const char* type_name,
          const void* data_container, size_t data_container_size, OrtValue** out) {
  CORE_FAIL(ORT_FAIL, "CreateOpaqueValue: domain_name and type_name must be those of a known type");
}

CORE_SLOT(ort_GetOpaqueValue, const char* domain_name, const char* type_name, const OrtValue* in,
          void* data_container, size_t data_container_size) {
  CORE_FAIL(ORT_FAIL, "GetOpaqueValue: domain_name and type_name must be those of a known type");
}

#define HELD_BITS(value, bits) \
  ((value) == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING ? 8 * sizeof(struct core_string) : (bits))
const uint16_t core_bits_of_elements[CORE_ELEMENT_TYPES] = {
#define ORT_ELEMENT_TYPE(name, value, bits, text) [value] = HELD_BITS(value, bits),
#include "ort_element_types.def"
};

static const char* const names[CORE_ELEMENT_TYPES] = {
#define ORT_ELEMENT_TYPE(name, value, bits, text) [value] = text,
#include "ort_element_types.def"
};

const char* core_element_name(ONNXTensorElementDataType type) {
  return (size_t)type < CORE_ELEMENT_TYPES ? names[type] : "unknown";
}

ONNXTensorElementDataType core_element_named(const char* text, size_t length) {
  for (size_t i = 1; i < CORE_ELEMENT_TYPES; i++) {
    if (strlen(names[i]) == length && memcmp(names[i], text, length) == 0) {
      return (ONNXTensorElementDataType)i;
    }
  }
  return ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
}

OrtStatus* core_refuse_element_type(const char* what, ONNXTensorElementDataType type) {
  return core_fail(ORT_NOT_IMPLEMENTED, "%s type %d is not supported", what, (int)type);
}

OrtStatus* core_refuse_rank(const char* name) {
  return core_fail(ORT_INVALID_ARGUMENT, "%s is too large", name);
}

OrtStatus* core_refuse_shape(bool is_negative, OrtErrorCode negative_code) {
  return core_fail(
      is_negative ? negative_code : ORT_FAIL, "%s",
      is_negative ? "shape has a negative dimension" : "shape has more bytes than can be counted");
}
