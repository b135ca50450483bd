/* SPDX-License-Identifier: MIT */
/* The element types of tensors, and what a shape of them takes. */
#include <stdio.h>

#include "value.h"

/* Tensors hold every type of the enum but UNDEFINED and the complex ones. */
#define HELD_BITS(value, bits)                                                            \
  ((value) == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING       ? 8 * sizeof(struct core_string) \
   : (value) == ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX64  ? 0                              \
   : (value) == ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX128 ? 0                              \
                                                         : (bits))
static const uint16_t bits_of[] = {
#define ORT_ELEMENT_TYPE(name, value, bits) [value] = HELD_BITS(value, bits),
#include "ort_element_types.def"
};

size_t core_element_bits(ONNXTensorElementDataType type) {
  return (size_t)type < CORE_COUNT_OF(bits_of) ? bits_of[type] : 0;
}

OrtStatus* core_check_element_type(const char* function, const char* what,
                                   ONNXTensorElementDataType type) {
  if (CORE_LIKELY(core_element_bits(type) != 0)) {
    return NULL;
  }
  char text[80];
  snprintf(text, sizeof text, ": %s type %d is not supported", what, (int)type);
  return core_status(ORT_NOT_IMPLEMENTED, function, text, NULL);
}

OrtStatus* core_measure(const char* function, ONNXTensorElementDataType type, const int64_t* dims,
                        size_t rank, OrtErrorCode negative_code, size_t* count, size_t* bytes) {
  int64_t elements = 1;
  bool overflows = false;
  for (size_t i = 0; i < rank; i++) {
    if (CORE_UNLIKELY(dims[i] < 0)) {
      return core_status(negative_code, function, ": shape has a negative dimension", NULL);
    }
    overflows |= __builtin_mul_overflow(elements, dims[i], &elements);
  }
  size_t bits = core_element_bits(type);
  size_t size;
  if (CORE_LIKELY(bits >= 8)) {
    overflows |= __builtin_mul_overflow((size_t)elements, bits / 8, &size);
  } else {
    size_t in_a_byte = 8 / bits;
    size = (size_t)elements / in_a_byte + ((size_t)elements % in_a_byte != 0);
  }
  if (CORE_UNLIKELY(overflows)) {
    return core_status(ORT_FAIL, function, ": shape has more bytes than can be counted", NULL);
  }
  *count = (size_t)elements;
  *bytes = size;
  return NULL;
}
