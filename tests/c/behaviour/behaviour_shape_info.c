/* SPDX-License-Identifier: MIT */
/* Element types and shapes. */
#include "behaviour_values.h"

static OrtTensorTypeAndShapeInfo* fresh(void) {
  return NEW(OrtTensorTypeAndShapeInfo, api->CreateTensorTypeAndShapeInfo(&new_));
}
static OrtTensorTypeAndShapeInfo* with_dims(const int64_t* dims, size_t rank) {
  OrtTensorTypeAndShapeInfo* info = fresh();
  CHECK(api->SetDimensions(info, dims, rank) == NULL);
  return info;
}
static OrtTensorTypeAndShapeInfo* of_value(const OrtValue* value) {
  return NEW(OrtTensorTypeAndShapeInfo, api->GetTensorTypeAndShape(value, &new_));
}

static void type_and_shape(const OrtValue* value) {
  OrtTensorTypeAndShapeInfo* info = UNTOUCHED;
  if (!say_status(api->GetTensorTypeAndShape(value, &info))) {
    say_out(info, UNTOUCHED);
    return;
  }
  ONNXTensorElementDataType type;
  size_t rank = 0;
  size_t count = 0;
  CHECK(api->GetTensorElementType(info, &type) == NULL);
  CHECK(api->GetDimensionsCount(info, &rank) == NULL);
  CHECK(api->GetTensorShapeElementCount(info, &count) == NULL);
  say("type=%d rank=%zu count=%zu HasShape=%d", (int)type, rank, count,
      (int)api->TensorTypeAndShape_HasShape(info));
  api->ReleaseTensorTypeAndShapeInfo(info);
}
static OrtValue* shape_info_sparse(void) {
  return NEW(OrtValue, api->CreateSparseTensorAsOrtValue(allocator(), DIMS(3, 3), FLOAT, &new_));
}
CALL("GetTensorTypeAndShape(tensor)") { type_and_shape(TENSOR(INT64, 2, 3)); }
CALL("GetTensorTypeAndShape(scalar)") { type_and_shape(tensor_of(FLOAT, NULL, 0)); }
CALL("GetTensorTypeAndShape(sequence)") { type_and_shape(SEQUENCE(FLOATS(1))); }
CALL("GetTensorTypeAndShape(map)") { type_and_shape(MAP(INT64S(1), FLOATS(1))); }
CALL("GetTensorTypeAndShape(sparse)") { type_and_shape(shape_info_sparse()); }

CALL("CreateTensorTypeAndShapeInfo: fresh") {
  OrtTensorTypeAndShapeInfo* info = fresh();
  ONNXTensorElementDataType type;
  size_t rank = 99;
  size_t count = 99;
  say_status(api->GetTensorElementType(info, &type));
  say_status(api->GetDimensionsCount(info, &rank));
  say_status(api->GetTensorShapeElementCount(info, &count));
  say("type=%d rank=%zu count=%zu HasShape=%d", (int)type, rank, count,
      (int)api->TensorTypeAndShape_HasShape(info));
}
CALL("TensorTypeAndShape_HasShape(scalar)") {
  say("%d", (int)api->TensorTypeAndShape_HasShape(with_dims(NULL, 0)));
}

CALL("SetTensorElementType(i,999)") {
  OrtTensorTypeAndShapeInfo* info = fresh();
  ONNXTensorElementDataType type;
  say_status(api->SetTensorElementType(info, (ONNXTensorElementDataType)999));
  say_status(api->GetTensorElementType(info, &type));
  say("%d", (int)type);
}

static void dims(const OrtTensorTypeAndShapeInfo* info, size_t length) {
  int64_t got[4] = {-7, -7, -7, -7};
  say_status(api->GetDimensions(info, got, length));
  say("%" PRId64 ",%" PRId64 ",%" PRId64, got[0], got[1], got[2]);
}
CALL("GetDimensions(i,buf,1) rank 2") { dims(of_value(TENSOR(FLOAT, 2, 3)), 1); }
CALL("GetDimensions(i,buf,0) rank 2") { dims(of_value(TENSOR(FLOAT, 2, 3)), 0); }
CALL("GetDimensions(i,buf,4) rank 2") { dims(of_value(TENSOR(FLOAT, 2, 3)), 4); }
ANSWER("GetDimensions(i,NULL,0)", api->GetDimensions(of_value(TENSOR(FLOAT, 2, 3)), NULL, 0))
ANSWER("GetDimensions(i,NULL,2)", api->GetDimensions(of_value(TENSOR(FLOAT, 2, 3)), NULL, 2))

static void element_count(const OrtTensorTypeAndShapeInfo* info) {
  size_t count = 99;
  say_status(api->GetTensorShapeElementCount(info, &count));
  say("%zu", count);
}
CALL("GetTensorShapeElementCount({2,3})") { element_count(with_dims(DIMS(2, 3))); }
CALL("GetTensorShapeElementCount({-1,2})") { element_count(with_dims(DIMS(-1, 2))); }
CALL("GetTensorShapeElementCount({5,0,-1})") { element_count(with_dims(DIMS(5, 0, -1))); }
CALL("GetTensorShapeElementCount({1<<62,8})") {
  element_count(with_dims(DIMS((int64_t)1 << 62, 8)));
}

static void set_dims(const int64_t* values, size_t count) {
  OrtTensorTypeAndShapeInfo* info = fresh();
  say_status(api->SetDimensions(info, values, count));
  dims(info, 4);
}
CALL("SetDimensions(i,{-1,2},2)") { set_dims(DIMS(-1, 2)); }
CALL("SetDimensions(i,{-2,2},2)") { set_dims(DIMS(-2, 2)); }
CALL("SetDimensions(i,NULL,0)") { set_dims(NULL, 0); }
CALL("SetDimensions(i,NULL,2)") { set_dims(NULL, 2); }
CALL("SetDimensions(i,d,2) where 3 were") {
  OrtTensorTypeAndShapeInfo* info = with_dims(DIMS(5, 6, 7));
  size_t rank = 99;
  say_status(api->SetDimensions(info, DIMS(2, 3)));
  CHECK(api->GetDimensionsCount(info, &rank) == NULL);
  say("%zu", rank);
}

static void shape_info_names(const OrtTensorTypeAndShapeInfo* info, size_t length) {
  const char* got[4] = {"-", "-", "-", "-"};
  say_status(api->GetSymbolicDimensions(info, got, length));
  say("%s,%s,%s,%s", got[0], got[1], got[2], got[3]);
}
#define NAMES(...) \
  (const char*[]) { __VA_ARGS__ }
CALL("GetSymbolicDimensions(value's info)") { shape_info_names(of_value(TENSOR(FLOAT, 2, 3)), 2); }
CALL("GetSymbolicDimensions(i,buf,4) rank 2") { shape_info_names(with_dims(DIMS(-1, 3)), 4); }
CALL("GetSymbolicDimensions(i,buf,1) rank 2") { shape_info_names(with_dims(DIMS(-1, 3)), 1); }
ANSWER("GetSymbolicDimensions(i,NULL,2)",
       api->GetSymbolicDimensions(with_dims(DIMS(-1, 3)), NULL, 2))
static void set_names(OrtTensorTypeAndShapeInfo* info, const char** values, size_t count) {
  if (say_status(api->SetSymbolicDimensions(info, values, count))) {
    shape_info_names(info, 4);
  }
}
CALL("SetSymbolicDimensions(i,{N,NULL},2)") {
  set_names(with_dims(DIMS(-1, 2)), NAMES("N", NULL), 2);
}
CALL("SetSymbolicDimensions(i,{N},1) rank 2") { set_names(with_dims(DIMS(-1, 2)), NAMES("N"), 1); }
CALL("SetSymbolicDimensions(i,{N,M},2) before there are dimensions") {
  set_names(fresh(), NAMES("N", "M"), 2);
}
CALL("SetSymbolicDimensions(i,{},0) before there are dimensions") {
  OrtTensorTypeAndShapeInfo* info = fresh();
  say_status(api->SetSymbolicDimensions(info, NULL, 0));
  size_t count = 99;
  say_status(api->GetTensorShapeElementCount(info, &count));
  say("count=%zu HasShape=%d", count, (int)api->TensorTypeAndShape_HasShape(info));
}
CALL("SetSymbolicDimensions(i,{M},1) where two names were") {
  OrtTensorTypeAndShapeInfo* info = with_dims(DIMS(-1, -1));
  CHECK(api->SetSymbolicDimensions(info, NAMES("A", "B"), 2) == NULL);
  set_names(info, NAMES("M"), 1);
}
CALL("SetSymbolicDimensions(i,NULL,2)") { set_names(with_dims(DIMS(-1, 2)), NULL, 2); }

CALL("SetDimensions(dim_count SIZE_MAX)") {
  OrtTensorTypeAndShapeInfo* info =
      NEW(OrtTensorTypeAndShapeInfo, api->CreateTensorTypeAndShapeInfo(&new_));
  say_status(api->SetDimensions(info, (const int64_t[]){1}, SIZE_MAX));
}
CALL("SetSymbolicDimensions(dim_params_length SIZE_MAX)") {
  const char* names[] = {"N"};
  OrtTensorTypeAndShapeInfo* info =
      NEW(OrtTensorTypeAndShapeInfo, api->CreateTensorTypeAndShapeInfo(&new_));
  say_status(api->SetSymbolicDimensions(info, names, SIZE_MAX));
}
