/* SPDX-License-Identifier: MIT */
/* Trials of what tells the types of values. */
#include "faults.h"

#define FLOAT ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT
#define INT64 ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64

static const OrtModelEditorApi* editor;
static OrtTensorTypeAndShapeInfo* shape;
static OrtTypeInfo* type;
static OrtValue* value;

static OrtStatus* create_shape(void** out) {
  return api->CreateTensorTypeAndShapeInfo((OrtTensorTypeAndShapeInfo**)out);
}
static void release_shape(void* out) { api->ReleaseTensorTypeAndShapeInfo(out); }
static void with_shape(void) {
  const char* names[] = {"batch", "", "a name that is no short one"};
  CHECK(create_shape((void**)&shape) == NULL);
  CHECK(api->SetDimensions(shape, (int64_t[]){-1, 2, -1}, 3) == NULL);
  CHECK(api->SetSymbolicDimensions(shape, names, 3) == NULL);
}
/* After a change, or none: the number of dimensions, the first and its name. */
static void shape_must_be(size_t rank, int64_t first, const char* name) {
  size_t count = 0;
  int64_t dim = 0;
  const char* got = NULL;
  CHECK(api->GetDimensionsCount(shape, &count) == NULL && count == rank);
  CHECK(api->GetDimensions(shape, &dim, 1) == NULL && dim == first);
  CHECK(api->GetSymbolicDimensions(shape, &got, 1) == NULL && strcmp(got, name) == 0);
}
static OrtStatus* set_dimensions(void** out) {
  (void)out;
  OrtStatus* status = api->SetDimensions(shape, (int64_t[]){5, 6, 7, 8, 9}, 5);
  status == NULL ? shape_must_be(5, 5, "batch") : shape_must_be(3, -1, "batch");
  return status;
}
static OrtStatus* set_names(void** out) {
  (void)out;
  const char* names[] = {"one", "two", "three", "four"};
  OrtStatus* status = api->SetSymbolicDimensions(shape, names, 4);
  status == NULL ? shape_must_be(4, -1, "one") : shape_must_be(3, -1, "batch");
  return status;
}
static OrtStatus* read_shape(void** out) {
  ONNXTensorElementDataType element;
  int64_t dims[3];
  const char* names[3];
  size_t count;
  (void)out;
  CHECK(api->TensorTypeAndShape_HasShape(shape));
  CORE_TRY(api->SetTensorElementType(shape, INT64));
  CORE_TRY(api->GetTensorElementType(shape, &element));
  CORE_TRY(api->GetDimensionsCount(shape, &count));
  CORE_TRY(api->GetDimensions(shape, dims, 3));
  return api->GetSymbolicDimensions(shape, names, 3);
}
static OrtStatus* count_elements(void** out) {
  return api->GetTensorShapeElementCount(shape, (size_t*)out);
}

static void with_value(void) {
  CHECK(api->CreateTensorAsOrtValue(allocator, (int64_t[]){2, 3}, 2, FLOAT, &value) == NULL);
}
static OrtStatus* shape_of_value(void** out) {
  return api->GetTensorTypeAndShape(value, (OrtTensorTypeAndShapeInfo**)out);
}
static OrtStatus* type_of_value(void** out) { return api->GetTypeInfo(value, (OrtTypeInfo**)out); }
static void release_type(void* out) { api->ReleaseTypeInfo(out); }

static OrtStatus* create_tensor_type(void** out) {
  return editor->CreateTensorTypeInfo(shape, (OrtTypeInfo**)out);
}
static OrtStatus* create_sparse_type(void** out) {
  return editor->CreateSparseTensorTypeInfo(shape, (OrtTypeInfo**)out);
}
static void with_tensor_type(void) {
  editor = api->GetModelEditorApi();
  with_shape();
  CHECK(create_tensor_type((void**)&type) == NULL);
}
static OrtStatus* create_map_type(void** out) {
  return editor->CreateMapTypeInfo(INT64, type, (OrtTypeInfo**)out);
}
static OrtStatus* create_sequence_type(void** out) {
  return editor->CreateSequenceTypeInfo(type, (OrtTypeInfo**)out);
}
static OrtStatus* create_optional_type(void** out) {
  return editor->CreateOptionalTypeInfo(type, (OrtTypeInfo**)out);
}
/* Makes the type one that holds it. */
static void wrap(OrtStatus* (*create)(void** out)) {
  OrtTypeInfo* inner = type;
  CHECK(create((void**)&type) == NULL);
  api->ReleaseTypeInfo(inner);
}
static void with_nested_types(void) {
  with_tensor_type();
  wrap(create_map_type);
  wrap(create_sequence_type);
}
static void with_map_type(void) {
  with_nested_types();
  wrap(create_map_type);
}
static void with_sequence_type(void) {
  with_nested_types();
  wrap(create_sequence_type);
}
static void with_optional_type(void) {
  with_nested_types();
  wrap(create_optional_type);
}
static OrtStatus* read_map_type(void** out) {
  const OrtMapTypeInfo* map = NULL;
  ONNXTensorElementDataType key;
  CORE_TRY(api->CastTypeInfoToMapTypeInfo(type, &map));
  CORE_TRY(api->GetMapKeyType(map, &key));
  api->ReleaseMapTypeInfo(NULL);
  return api->GetMapValueType(map, (OrtTypeInfo**)out);
}
static OrtStatus* read_sequence_type(void** out) {
  const OrtSequenceTypeInfo* sequence = NULL;
  CORE_TRY(api->CastTypeInfoToSequenceTypeInfo(type, &sequence));
  api->ReleaseSequenceTypeInfo(NULL);
  return api->GetSequenceElementType(sequence, (OrtTypeInfo**)out);
}
static OrtStatus* read_optional_type(void** out) {
  const OrtOptionalTypeInfo* optional = NULL;
  CORE_TRY(api->CastTypeInfoToOptionalTypeInfo(type, &optional));
  return api->GetOptionalContainedTypeInfo(optional, (OrtTypeInfo**)out);
}
static OrtStatus* read_type(void** out) {
  enum ONNXType kind;
  const char* text;
  size_t length;
  const OrtTensorTypeAndShapeInfo* info;
  (void)out;
  CORE_TRY(api->GetOnnxTypeFromTypeInfo(type, &kind));
  CORE_TRY(api->GetDenotationFromTypeInfo(type, &text, &length));
  return api->CastTypeInfoToTensorInfo(type, &info);
}

static const struct trial trials[] = {
    TRIAL("CreateTensorTypeAndShapeInfo ReleaseTensorTypeAndShapeInfo", NULL, create_shape,
          release_shape),
    TRIAL("SetDimensions", with_shape, set_dimensions, NULL),
    TRIAL("SetSymbolicDimensions", with_shape, set_names, NULL),
    TRIAL("TensorTypeAndShape_HasShape SetTensorElementType GetTensorElementType "
          "GetDimensionsCount GetDimensions GetSymbolicDimensions",
          with_shape, read_shape, NULL),
    {"GetTensorShapeElementCount", with_shape, count_elements, NULL, ORT_FAIL},
    TRIAL("GetTensorTypeAndShape", with_value, shape_of_value, release_shape),
    TRIAL("GetTypeInfo ReleaseTypeInfo", with_value, type_of_value, release_type),
    TRIAL("CreateTensorTypeInfo", with_tensor_type, create_tensor_type, release_type),
    TRIAL("CreateSparseTensorTypeInfo", with_tensor_type, create_sparse_type, release_type),
    TRIAL("CreateMapTypeInfo", with_tensor_type, create_map_type, release_type),
    TRIAL("CreateSequenceTypeInfo", with_nested_types, create_sequence_type, release_type),
    TRIAL("CreateOptionalTypeInfo", with_nested_types, create_optional_type, release_type),
    TRIAL("CastTypeInfoToMapTypeInfo GetMapKeyType GetMapValueType ReleaseMapTypeInfo",
          with_map_type, read_map_type, release_type),
    TRIAL("CastTypeInfoToSequenceTypeInfo GetSequenceElementType ReleaseSequenceTypeInfo",
          with_sequence_type, read_sequence_type, release_type),
    TRIAL("CastTypeInfoToOptionalTypeInfo GetOptionalContainedTypeInfo", with_optional_type,
          read_optional_type, release_type),
    TRIAL("GetOnnxTypeFromTypeInfo GetDenotationFromTypeInfo CastTypeInfoToTensorInfo",
          with_tensor_type, read_type, NULL),
    {NULL},
};

static void clean(void) {
  api->ReleaseTensorTypeAndShapeInfo(shape);
  api->ReleaseTypeInfo(type);
  api->ReleaseValue(value);
}

const struct section types = {trials, clean};
