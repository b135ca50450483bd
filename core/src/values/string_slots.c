/* SPDX-License-Identifier: MIT */
/* Tensors of strings. */

#include "values/value.h"

static OrtStatus* check_strings(const struct core_tensor* tensor) {
  return CORE_LIKELY(tensor->shape.type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING)
             ? NULL
             : core_fail(ORT_FAIL, "value must be a tensor of strings");
}

/* Returns the elements of a tensor for writing. */
static OrtStatus* strings_of(const OrtValue* value, struct core_tensor** out) {
  struct core_tensor* tensor = NULL;
  CORE_TRY(core_as_tensor(value, &tensor));
  CORE_TRY(check_strings(tensor));
  *out = tensor;
  return NULL;
}

/* Returns the elements of a dense tensor or the values of a sparse one, for reading. */
static OrtStatus* read_strings(const OrtValue* value, const struct core_strings** out) {
  const struct core_tensor* tensor = core_tensor_of(value);
  if (core_type_of(value) == ONNX_TYPE_SPARSETENSOR) {
    const struct core_sparse* sparse = (const struct core_sparse*)core_target(value);
    CORE_REFUSE_IF(sparse->format == ORT_SPARSE_UNDEFINED, ORT_INVALID_ARGUMENT,
                   "value must be filled first");
    tensor = sparse->values;
  } else if (!core_is_tensor(value)) {
    return core_fail(ORT_NOT_IMPLEMENTED, "value must be a dense or a sparse tensor");
  }
  CORE_TRY(check_strings(tensor));
  *out = &tensor->strings;
  return NULL;
}

CORE_SLOT(ort_FillStringTensor, OrtValue* value, const char* const* s, size_t s_len) {
  struct core_tensor* tensor = NULL;
  CORE_TRY(strings_of(value, &tensor));
  CORE_FAIL_IF(s_len != tensor->shape.count, ORT_INVALID_ARGUMENT,
               "FillStringTensor: s_len must be the number of elements");
  if (s_len == 0) {
    return NULL;
  }
  CORE_REQUIRE(FillStringTensor, s);
  CORE_FAIL_IF(tensor->data == NULL, ORT_INVALID_ARGUMENT,
               "FillStringTensor: value has no memory for its strings");
  return core_strings_fill(&tensor->strings, s);
}

CORE_SLOT(ort_FillStringTensorElement, OrtValue* value, const char* s, size_t index) {
  struct core_tensor* tensor = NULL;
  CORE_TRY(strings_of(value, &tensor));
  CORE_FAIL_IF(index >= tensor->strings.count, ORT_INVALID_ARGUMENT,
               "FillStringTensorElement: index is outside of the tensor");
  return core_strings_set(&tensor->strings, index, s, strlen(s));
}

CORE_SLOT(ort_GetResizedStringTensorElementBuffer, OrtValue* value, size_t index,
          size_t length_in_bytes, char** buffer) {
  struct core_tensor* tensor = NULL;
  CORE_TRY(strings_of(value, &tensor));
  CORE_FAIL_IF(index >= tensor->strings.count, ORT_INVALID_ARGUMENT,
               "GetResizedStringTensorElementBuffer: index is outside of the tensor");
  CORE_TRY(core_strings_resize(&tensor->strings, index, length_in_bytes));
  *buffer = tensor->strings.elements[index].text;
  return NULL;
}

static size_t total_length(const struct core_strings* strings) {
  size_t total = 0;
  for (size_t i = 0; i < strings->count; i++) {
    total += strings->elements[i].length;
  }
  return total;
}

CORE_SLOT(ort_GetStringTensorDataLength, const OrtValue* value, size_t* len) {
  const struct core_strings* strings = NULL;
  CORE_TRY(read_strings(value, &strings));
  *len = total_length(strings);
  return NULL;
}

CORE_SLOT(ort_GetStringTensorContent, const OrtValue* value, void* s, size_t s_len, size_t* offsets,
          size_t offsets_len) {
  const struct core_strings* strings = NULL;
  CORE_TRY(read_strings(value, &strings));
  CORE_FAIL_IF(offsets_len != strings->count, ORT_FAIL,
               "GetStringTensorContent: offsets_len must be the number of elements");
  size_t total = total_length(strings);
  CORE_FAIL_IF(
      s_len < total, ORT_FAIL,
      "GetStringTensorContent: s_len must be at least what GetStringTensorDataLength says");
  CORE_REQUIRE_IF(total > 0, GetStringTensorContent, s);
  CORE_REQUIRE_IF(offsets_len > 0, GetStringTensorContent, offsets);
  size_t at = 0;
  for (size_t i = 0; i < offsets_len; i++) {
    const struct core_string* string = &strings->elements[i];
    offsets[i] = at;
    if (string->length > 0) {
      memcpy((char*)s + at, core_string_text(string), string->length);
    }
    at += string->length;
  }
  return NULL;
}

/* Returns one element for reading. */
static OrtStatus* read_element(const OrtValue* value, size_t index,
                               const struct core_string** out) {
  const struct core_strings* strings = NULL;
  CORE_TRY(read_strings(value, &strings));
  CORE_REFUSE_IF(index >= strings->count, ORT_INVALID_ARGUMENT, "index is outside of the tensor");
  *out = &strings->elements[index];
  return NULL;
}

CORE_SLOT(ort_GetStringTensorElementLength, const OrtValue* value, size_t index, size_t* out) {
  const struct core_string* string = NULL;
  CORE_TRY(read_element(value, index, &string));
  *out = string->length;
  return NULL;
}

CORE_SLOT(ort_GetStringTensorElement, const OrtValue* value, size_t s_len, size_t index, void* s) {
  const struct core_string* string = NULL;
  CORE_TRY(read_element(value, index, &string));
  CORE_FAIL_IF(s_len < string->length, ORT_FAIL,
               "GetStringTensorElement: s_len must be at least what GetStringTensorElementLength "
               "says");
  if (string->length > 0) {
    CORE_REQUIRE(GetStringTensorElement, s);
    memcpy(s, core_string_text(string), string->length);
  }
  return NULL;
}
