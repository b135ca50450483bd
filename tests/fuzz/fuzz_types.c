/* SPDX-License-Identifier: MIT */
/* Shape infos, and types made of them and of one another. */
#include "model.h"

#define INFOS 4
#define TYPES 6
#define RANK 6
#define NAME 5

static struct info {
  OrtTensorTypeAndShapeInfo* handle;
  ONNXTensorElementDataType type;
  int has_shape;
  size_t rank;
  int64_t dims[RANK];
  char names[RANK][NAME + 1];
} infos[INFOS];

static struct type {
  OrtTypeInfo* handle;
  /* From the outermost kind inwards, each with the key of a map; the last is a tensor's. */
  enum ONNXType kinds[8];
  int keys[8];
  size_t depth;
  struct info shape;
} types[TYPES];

static void check_info(const OrtTensorTypeAndShapeInfo* handle, const struct info* info) {
  ONNXTensorElementDataType type;
  size_t rank = 0;
  int64_t dims[RANK];
  const char* names[RANK];
  CHECK(api->GetTensorElementType(handle, &type) == NULL && type == info->type);
  CHECK(api->GetDimensionsCount(handle, &rank) == NULL && rank == info->rank);
  CHECK(api->TensorTypeAndShape_HasShape(handle) == info->has_shape);
  CHECK(api->GetDimensions(handle, dims, rank) == NULL);
  CHECK(api->GetSymbolicDimensions(handle, names, rank) == NULL);
  for (size_t i = 0; i < rank; i++) {
    CHECK(dims[i] == info->dims[i] && strcmp(names[i], info->names[i]) == 0);
  }
}

static void resize(struct info* info, size_t rank) {
  for (size_t i = info->rank; i < rank; i++) {
    info->dims[i] = -1;
    info->names[i][0] = '\0';
  }
  info->rank = rank;
}

static void set_dims(struct info* info) {
  int64_t dims[RANK];
  size_t rank = next_byte() % (RANK + 1);
  int can = 1;
  for (size_t i = 0; i < rank; i++) {
    unsigned what = next_byte();
    dims[i] = what >= 250 ? -2 : (int64_t)what - 1;
    can = can && dims[i] >= -1;
  }
  if (succeeded(api->SetDimensions(info->handle, dims, rank), can, ORT_INVALID_ARGUMENT,
                ORT_INVALID_ARGUMENT)) {
    resize(info, rank);
    memcpy(info->dims, dims, rank * sizeof *dims);
    info->has_shape = 1;
  }
}

static void set_names(struct info* info) {
  char names[RANK][NAME + 1];
  const char* pointers[RANK];
  size_t count = next_byte() % (RANK + 1);
  for (size_t i = 0; i < count; i++) {
    next_string(names[i], NAME);
    pointers[i] = names[i];
  }
  if (succeeded(api->SetSymbolicDimensions(info->handle, pointers, count), 1, ORT_FAIL, ORT_FAIL)) {
    resize(info, count > info->rank ? count : info->rank);
    for (size_t i = 0; i < info->rank; i++) {
      strcpy(info->names[i], i < count ? names[i] : "");
    }
    info->has_shape = 1;
  }
}

static void count_elements(const struct info* info) {
  size_t count = 0;
  int64_t wanted = info->has_shape;
  int can = 1;
  for (size_t i = 0; i < info->rank; i++) {
    can = can && info->dims[i] >= 0 && !__builtin_mul_overflow(wanted, info->dims[i], &wanted);
  }
  if (succeeded(api->GetTensorShapeElementCount(info->handle, &count), can, ORT_FAIL, ORT_FAIL)) {
    CHECK(count == (size_t)wanted);
  }
}

static void use_info(struct info* info, unsigned what) {
  if (info->handle == NULL) {
    OrtTensorTypeAndShapeInfo* made = NULL;
    if (succeeded(api->CreateTensorTypeAndShapeInfo(&made), 1, ORT_FAIL, ORT_FAIL)) {
      *info = (struct info){.handle = made, .type = FLOAT};
    }
  } else if (what % 8 == 0) {
    info->type = (ONNXTensorElementDataType)(what % 27);
    CHECK(api->SetTensorElementType(info->handle, info->type) == NULL);
  } else if (what % 8 == 1) {
    api->ReleaseTensorTypeAndShapeInfo(info->handle);
    info->handle = NULL;
  } else if (what % 8 < 4) {
    set_dims(info);
  } else if (what % 8 < 6) {
    set_names(info);
  } else {
    count_elements(info);
  }
  if (info->handle != NULL) {
    check_info(info->handle, info);
  }
}

/* The type inside, which the caller releases; NULL where memory lacks. */
static OrtTypeInfo* inside(const OrtTypeInfo* type, enum ONNXType kind, int key) {
  OrtTypeInfo* inner = NULL;
  OrtStatus* status;
  if (kind == ONNX_TYPE_MAP) {
    const OrtMapTypeInfo* map = NULL;
    ONNXTensorElementDataType got;
    CHECK(api->CastTypeInfoToMapTypeInfo(type, &map) == NULL);
    CHECK(api->GetMapKeyType(map, &got) == NULL && (int)got == key);
    status = api->GetMapValueType(map, &inner);
  } else if (kind == ONNX_TYPE_SEQUENCE) {
    const OrtSequenceTypeInfo* sequence = NULL;
    CHECK(api->CastTypeInfoToSequenceTypeInfo(type, &sequence) == NULL);
    status = api->GetSequenceElementType(sequence, &inner);
  } else {
    const OrtOptionalTypeInfo* optional = NULL;
    CHECK(api->CastTypeInfoToOptionalTypeInfo(type, &optional) == NULL);
    status = api->GetOptionalContainedTypeInfo(optional, &inner);
  }
  CHECK((status == NULL) == (inner != NULL));
  return succeeded(status, 1, ORT_FAIL, ORT_FAIL) ? inner : NULL;
}

static void check_type(const struct type* type) {
  OrtTypeInfo* borrowed = type->handle;
  OrtTypeInfo* owned = NULL;
  for (size_t i = 0; borrowed != NULL; i++) {
    enum ONNXType kind;
    CHECK(api->GetOnnxTypeFromTypeInfo(borrowed, &kind) == NULL && kind == type->kinds[i]);
    if (i + 1 == type->depth) {
      const OrtTensorTypeAndShapeInfo* shape = NULL;
      CHECK(api->CastTypeInfoToTensorInfo(borrowed, &shape) == NULL);
      check_info(shape, &type->shape);
      break;
    }
    OrtTypeInfo* inner = inside(borrowed, kind, type->keys[i]);
    api->ReleaseTypeInfo(owned);
    borrowed = owned = inner;
  }
  api->ReleaseTypeInfo(owned);
}

static void make_tensor_type(struct type* type, const struct info* info, int is_sparse) {
  const OrtModelEditorApi* editor = api->GetModelEditorApi();
  OrtTypeInfo* made = NULL;
  OrtStatus* status = is_sparse ? editor->CreateSparseTensorTypeInfo(info->handle, &made)
                                : editor->CreateTensorTypeInfo(info->handle, &made);
  if (succeeded(status, 1, ORT_FAIL, ORT_FAIL)) {
    *type = (struct type){.handle = made, .depth = 1, .shape = *info};
    type->kinds[0] = is_sparse ? ONNX_TYPE_SPARSETENSOR : ONNX_TYPE_TENSOR;
  }
}

static void wrap(struct type* type, const struct type* inner, unsigned what) {
  const OrtModelEditorApi* editor = api->GetModelEditorApi();
  static const enum ONNXType kinds[] = {ONNX_TYPE_MAP, ONNX_TYPE_SEQUENCE, ONNX_TYPE_OPTIONAL};
  enum ONNXType kind = kinds[what % 3];
  OrtTypeInfo* made = NULL;
  OrtStatus* status = kind == ONNX_TYPE_MAP ? editor->CreateMapTypeInfo(INT64, inner->handle, &made)
                      : kind == ONNX_TYPE_SEQUENCE
                          ? editor->CreateSequenceTypeInfo(inner->handle, &made)
                          : editor->CreateOptionalTypeInfo(inner->handle, &made);
  if (succeeded(status, 1, ORT_FAIL, ORT_FAIL)) {
    *type = *inner;
    memmove(&type->kinds[1], &inner->kinds[0], sizeof inner->kinds - sizeof *inner->kinds);
    memmove(&type->keys[1], &inner->keys[0], sizeof inner->keys - sizeof *inner->keys);
    type->handle = made;
    type->kinds[0] = kind;
    type->keys[0] = INT64;
    type->depth++;
  }
}

/* Whether a type is what a value's model says. */
static void check_against(const OrtTypeInfo* type, const struct model* model) {
  enum ONNXType kind;
  const OrtTensorTypeAndShapeInfo* shape = NULL;
  OrtTypeInfo* inner = NULL;
  CHECK(api->GetOnnxTypeFromTypeInfo(type, &kind) == NULL && kind == model->kind);
  CHECK(api->CastTypeInfoToTensorInfo(type, &shape) == NULL);
  if (shape != NULL) {
    ONNXTensorElementDataType element;
    int64_t dims[MOST_DIMS];
    size_t rank = 0;
    CHECK(api->GetTensorElementType(shape, &element) == NULL && element == model->type);
    CHECK(api->GetDimensionsCount(shape, &rank) == NULL && rank == model->rank);
    CHECK(api->GetDimensions(shape, dims, rank) == NULL);
    CHECK(memcmp(dims, model->dims, rank * sizeof *dims) == 0);
  } else if (kind == ONNX_TYPE_MAP) {
    inner = inside(type, kind, (int)model->children[0]->type);
  } else {
    inner = inside(type, kind, 0);
    CHECK(inner == NULL || api->GetOnnxTypeFromTypeInfo(inner, &kind) == NULL);
    CHECK(inner == NULL || kind == model->children[0]->kind);
  }
  api->ReleaseTypeInfo(inner);
}

static void type_of_value(const struct value* value) {
  OrtTypeInfo* type = NULL;
  OrtTensorTypeAndShapeInfo* shape = NULL;
  enum ONNXType kind = value->model->kind;
  int is = 0;
  CHECK(api->IsTensor(value->handle, &is) == NULL && is == (kind == ONNX_TYPE_TENSOR));
  CHECK(api->IsSparseTensor(value->handle, &is) == NULL && is == (kind == ONNX_TYPE_SPARSETENSOR));
  CHECK(api->HasValue(value->handle, &is) == NULL && is);
  if (succeeded(api->GetTypeInfo(value->handle, &type), 1, ORT_FAIL, ORT_FAIL)) {
    check_against(type, value->model);
    api->ReleaseTypeInfo(type);
  }
  if (succeeded(api->GetTensorTypeAndShape(value->handle, &shape),
                kind == ONNX_TYPE_TENSOR || kind == ONNX_TYPE_SPARSETENSOR, ORT_FAIL, ORT_FAIL)) {
    api->ReleaseTensorTypeAndShapeInfo(shape);
  }
}

static void use_type(struct type* type, unsigned what) {
  const struct info* info = &infos[what % INFOS];
  const struct type* inner = &types[what / 7 % TYPES];
  if (type->handle != NULL) {
    check_type(type);
    if (what % 2 == 0) {
      api->ReleaseTypeInfo(type->handle);
      type->handle = NULL;
    }
  } else if (inner->handle != NULL && inner->depth < CORE_COUNT_OF(inner->kinds)) {
    wrap(type, inner, what);
  } else if (info->handle != NULL) {
    make_tensor_type(type, info, what % 5 == 0);
  }
}

void use_types(void) {
  unsigned which = next_byte();
  struct value* value = which >= 192 ? next_value() : NULL;
  if (value != NULL) {
    type_of_value(value);
  } else if (which % 2 == 0) {
    use_info(&infos[which / 2 % INFOS], next_byte());
  } else {
    use_type(&types[which / 2 % TYPES], next_byte());
  }
}

void end_types(void) {
  for (size_t i = 0; i < INFOS; i++) {
    api->ReleaseTensorTypeAndShapeInfo(infos[i].handle);
    infos[i].handle = NULL;
  }
  for (size_t i = 0; i < TYPES; i++) {
    if (types[i].handle != NULL) {
      check_type(&types[i]);
      api->ReleaseTypeInfo(types[i].handle);
      types[i].handle = NULL;
    }
  }
}
