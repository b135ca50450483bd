/* SPDX-License-Identifier: MIT */
/* The element types of tensors, their sizes and names, and the sizes of shapes. */

#include "values/value.h"

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
