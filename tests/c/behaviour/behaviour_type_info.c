/* SPDX-License-Identifier: MIT */
/* Types of values, of the values' own and as the model editor makes them. */
#include <pthread.h>

#include "behaviour_values.h"

static OrtTypeInfo* type_info_type_of(const OrtValue* value) {
  return NEW(OrtTypeInfo, api->GetTypeInfo(value, &new_));
}
static OrtTypeInfo* tensor_type(void) { return type_info_type_of(TENSOR(FLOAT, 2, 3)); }
static OrtValue* type_info_sequence(void) { return SEQUENCE(FLOATS(1), FLOATS(1, 2)); }
static OrtValue* type_info_map(void) { return MAP(INT64S(1), FLOATS(1)); }

static void describe(const OrtTypeInfo* type);

static void describe_tensor(const OrtTypeInfo* type) {
  ONNXTensorElementDataType element;
  size_t rank = 0;
  const OrtTensorTypeAndShapeInfo* info =
      NEW(const OrtTensorTypeAndShapeInfo, api->CastTypeInfoToTensorInfo(type, &new_));
  CHECK(api->GetTensorElementType(info, &element) == NULL);
  CHECK(api->GetDimensionsCount(info, &rank) == NULL);
  say("tensor type=%d rank=%zu HasShape=%d", (int)element, rank,
      (int)api->TensorTypeAndShape_HasShape(info));
}
static void describe_map(const OrtTypeInfo* type) {
  ONNXTensorElementDataType key;
  const OrtMapTypeInfo* info =
      NEW(const OrtMapTypeInfo, api->CastTypeInfoToMapTypeInfo(type, &new_));
  CHECK(api->GetMapKeyType(info, &key) == NULL);
  OrtTypeInfo* value = NEW(OrtTypeInfo, api->GetMapValueType(info, &new_));
  say("map key=%d", (int)key);
  describe(value);
  api->ReleaseTypeInfo(value);
}
static void describe_sequence(const OrtTypeInfo* type) {
  const OrtSequenceTypeInfo* info =
      NEW(const OrtSequenceTypeInfo, api->CastTypeInfoToSequenceTypeInfo(type, &new_));
  OrtTypeInfo* element = NEW(OrtTypeInfo, api->GetSequenceElementType(info, &new_));
  say("sequence");
  describe(element);
  api->ReleaseTypeInfo(element);
}
static void describe_optional(const OrtTypeInfo* type) {
  const OrtOptionalTypeInfo* info =
      NEW(const OrtOptionalTypeInfo, api->CastTypeInfoToOptionalTypeInfo(type, &new_));
  OrtTypeInfo* contained = NEW(OrtTypeInfo, api->GetOptionalContainedTypeInfo(info, &new_));
  say("optional");
  describe(contained);
  api->ReleaseTypeInfo(contained);
}
static void describe(const OrtTypeInfo* type) {
  enum ONNXType kind = ONNX_TYPE_UNKNOWN;
  CHECK(api->GetOnnxTypeFromTypeInfo(type, &kind) == NULL);
  if (kind == ONNX_TYPE_MAP) {
    describe_map(type);
  } else if (kind == ONNX_TYPE_SEQUENCE) {
    describe_sequence(type);
  } else if (kind == ONNX_TYPE_OPTIONAL) {
    describe_optional(type);
  } else {
    say("kind %d", (int)kind);
    describe_tensor(type);
  }
}

static void type_info(const OrtValue* value) {
  OrtTypeInfo* type = UNTOUCHED;
  if (say_status(api->GetTypeInfo(value, &type))) {
    describe(type);
    api->ReleaseTypeInfo(type);
  } else {
    say_out(type, UNTOUCHED);
  }
}
CALL("GetTypeInfo(tensor)") { type_info(TENSOR(INT64, 2, 3)); }
CALL("GetTypeInfo(sequence)") { type_info(type_info_sequence()); }
CALL("GetTypeInfo(map of strings)") { type_info(MAP(STRINGS("a"), STRINGS("b"))); }

static void kind_of(const OrtTypeInfo* type) {
  enum ONNXType kind = (enum ONNXType)99;
  say_status(api->GetOnnxTypeFromTypeInfo(type, &kind));
  say("%d", (int)kind);
}
CALL("GetOnnxTypeFromTypeInfo(tensor)") { kind_of(tensor_type()); }

CALL("GetDenotationFromTypeInfo(i)") {
  const char* denotation = UNTOUCHED;
  size_t length = 99;
  say_status(api->GetDenotationFromTypeInfo(tensor_type(), &denotation, &length));
  say("\"%s\" %zu", denotation, length);
}

#define CAST(slot, kind)                                                  \
  CALL(#slot "(tensor type)") {                                           \
    const kind* out = UNTOUCHED;                                          \
    say_status(api->slot(tensor_type(), &out));                           \
    say_out(out, UNTOUCHED);                                              \
  }                                                                       \
  CALL(#slot "(sequence type)") {                                         \
    const kind* out = UNTOUCHED;                                          \
    say_status(api->slot(type_info_type_of(type_info_sequence()), &out)); \
    say_out(out, UNTOUCHED);                                              \
  }
CAST(CastTypeInfoToTensorInfo, OrtTensorTypeAndShapeInfo)
CAST(CastTypeInfoToMapTypeInfo, OrtMapTypeInfo)
CAST(CastTypeInfoToSequenceTypeInfo, OrtSequenceTypeInfo)
CAST(CastTypeInfoToOptionalTypeInfo, OrtOptionalTypeInfo)

#define INNER(slot)
INNER(GetMapValueType)
INNER(GetSequenceElementType)
INNER(GetOptionalContainedTypeInfo)
CALL("GetMapKeyType(map of strings)") {
  ONNXTensorElementDataType type;
  const OrtMapTypeInfo* info = NEW(
      const OrtMapTypeInfo,
      api->CastTypeInfoToMapTypeInfo(type_info_type_of(MAP(STRINGS("a"), STRINGS("b"))), &new_));
  say_status(api->GetMapKeyType(info, &type));
  say("%d", (int)type);
}
CALL("GetMapValueType(map)") {
  OrtTypeInfo* value = NULL;
  const OrtMapTypeInfo* info =
      NEW(const OrtMapTypeInfo,
          api->CastTypeInfoToMapTypeInfo(type_info_type_of(type_info_map()), &new_));
  say_status(api->GetMapValueType(info, &value));
  describe(value);
}
CALL("GetSequenceElementType(sequence)") {
  OrtTypeInfo* element = NULL;
  const OrtSequenceTypeInfo* info =
      NEW(const OrtSequenceTypeInfo,
          api->CastTypeInfoToSequenceTypeInfo(type_info_type_of(type_info_sequence()), &new_));
  say_status(api->GetSequenceElementType(info, &element));
  describe(element);
}

static OrtTensorTypeAndShapeInfo* type_info_shape(void) {
  OrtTensorTypeAndShapeInfo* info =
      NEW(OrtTensorTypeAndShapeInfo, api->CreateTensorTypeAndShapeInfo(&new_));
  CHECK(api->SetDimensions(info, DIMS(-1, 3)) == NULL);
  return info;
}
#define CREATES(slot, text, ...)                         \
  CALL(#slot "(" text ")") {                             \
    OrtTypeInfo* out = UNTOUCHED;                        \
    if (say_status(editor()->slot(__VA_ARGS__, &out))) { \
      describe(out);                                     \
      api->ReleaseTypeInfo(out);                         \
    } else {                                             \
      say_out(out, UNTOUCHED);                           \
    }                                                    \
  }
CREATES(CreateTensorTypeInfo, "shape", type_info_shape())
CREATES(CreateSparseTensorTypeInfo, "shape", type_info_shape())
CREATES(CreateSequenceTypeInfo, "tensor", tensor_type())
CREATES(CreateMapTypeInfo, "int64, tensor", INT64, tensor_type())
CREATES(CreateMapTypeInfo, "float, tensor", FLOAT, tensor_type())
CREATES(CreateOptionalTypeInfo, "sequence", type_info_type_of(type_info_sequence()))
static void* nest(void* depth) {
  /* aarch64 has no stack of less than 128 KiB, and each level copies all within it. */
  volatile char taken[84 << 10] = {0};
  CHECK(taken[0] == 0);
  OrtTypeInfo* type = tensor_type();
  for (int i = 0; i < *(int*)depth; i++) {
    OrtTypeInfo* outer = NEW(OrtTypeInfo, editor()->CreateSequenceTypeInfo(type, &new_));
    api->ReleaseTypeInfo(type);
    type = outer;
  }
  api->ReleaseTypeInfo(type);
  say("released");
  return NULL;
}
CALL("CreateSequenceTypeInfo of 1000 levels, on a small stack") {
  pthread_attr_t small;
  pthread_t thread;
  int depth = 1000;
  CHECK(pthread_attr_init(&small) == 0 && pthread_attr_setstacksize(&small, 128 << 10) == 0);
  CHECK(pthread_create(&thread, &small, nest, &depth) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
}
CALL("CreateOptionalTypeInfo of all levels") {
  OrtTypeInfo* of_map = NULL;
  OrtTypeInfo* of_sequence = NULL;
  OrtTypeInfo* of_optional = NULL;
  OrtTypeInfo* tensor = tensor_type();
  say_status(editor()->CreateMapTypeInfo(STRING, tensor, &of_map));
  say_status(editor()->CreateSequenceTypeInfo(of_map, &of_sequence));
  say_status(editor()->CreateOptionalTypeInfo(of_sequence, &of_optional));
  api->ReleaseTypeInfo(tensor);
  api->ReleaseTypeInfo(of_map);
  api->ReleaseTypeInfo(of_sequence);
  describe(of_optional);
  api->ReleaseTypeInfo(of_optional);
}
