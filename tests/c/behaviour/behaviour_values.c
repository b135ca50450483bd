/* SPDX-License-Identifier: MIT */
#include "behaviour_values.h"

#include <stdarg.h>

/* A line of text that grows. */
struct text {
  char bytes[2000];
  size_t length;
};

static void values_add(struct text* text, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  text->length += (size_t)vsnprintf(text->bytes + text->length, sizeof text->bytes - text->length,
                                    format, arguments);
  va_end(arguments);
}

static void add_strings(struct text* text, const OrtValue* value, size_t count) {
  for (size_t i = 0; i < count; i++) {
    size_t length = 0;
    char string[100];
    CHECK(api->GetStringTensorElementLength(value, i, &length) == NULL && length < sizeof string);
    CHECK(api->GetStringTensorElement(value, sizeof string, i, string) == NULL);
    values_add(text, "%s%.*s", i > 0 ? "," : "", (int)length, string);
  }
}

static void add_numbers(struct text* text, OrtValue* value, ONNXTensorElementDataType type,
                        size_t count) {
  void* data = NULL;
  size_t bytes = 0;
  CHECK(api->GetTensorMutableData(value, &data) == NULL);
  CHECK(api->GetTensorSizeInBytes(value, &bytes) == NULL);
  bool is_number = type == FLOAT || type == DOUBLE || type == INT64;
  for (size_t i = 0; i < (is_number ? count : bytes); i++) {
    values_add(text, i > 0 ? "," : "");
    if (type == FLOAT) { /* the data of a model may be at any address */
      float number;
      memcpy(&number, (char*)data + i * sizeof number, sizeof number);
      values_add(text, "%g", (double)number);
    } else if (type == DOUBLE) {
      double number;
      memcpy(&number, (char*)data + i * sizeof number, sizeof number);
      values_add(text, "%g", number);
    } else if (type == INT64) {
      int64_t number;
      memcpy(&number, (char*)data + i * sizeof number, sizeof number);
      values_add(text, "%" PRId64, number);
    } else {
      values_add(text, "%d", ((uint8_t*)data)[i]);
    }
  }
}

void say_tensor(const OrtValue* value) {
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  size_t rank = 0;
  size_t count = 0;
  int64_t dims[8];
  OrtTensorTypeAndShapeInfo* info =
      NEW(OrtTensorTypeAndShapeInfo, api->GetTensorTypeAndShape(value, &new_));
  CHECK(api->GetTensorElementType(info, &type) == NULL);
  CHECK(api->GetDimensionsCount(info, &rank) == NULL && rank <= 8);
  CHECK(api->GetDimensions(info, dims, rank) == NULL);
  CHECK(api->GetTensorShapeElementCount(info, &count) == NULL);
  api->ReleaseTensorTypeAndShapeInfo(info);
  struct text text = {"", 0};
  values_add(&text, "type=%d {", (int)type);
  for (size_t i = 0; i < rank; i++) {
    values_add(&text, "%s%" PRId64, i > 0 ? "," : "", dims[i]);
  }
  values_add(&text, "} ");
  if (type == STRING) {
    add_strings(&text, value, count);
  } else {
    add_numbers(&text, (OrtValue*)value, type, count);
  }
  say("%s", text.bytes);
}
