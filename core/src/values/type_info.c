/* SPDX-License-Identifier: MIT */
/* OrtTypeInfo: the kind of a value and the types of its parts. */
#include "values/type_info.h"

#define NO_KEY ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED

/* Types within a type are released one after the other, see ort_ReleaseTypeInfo. */
static const struct core_class type_class = {.kind = CORE_TYPE_INFO};

static OrtStatus* new_type(enum ONNXType kind, OrtTypeInfo** out) {
  CORE_NEW(OrtTypeInfo, type, &type_class);
  type->kind = kind;
  *out = type;
  return NULL;
}

/* Sets `*out` to the type if `status` is NULL; otherwise frees the type. */
static OrtStatus* hand_out(OrtStatus* status, OrtTypeInfo* type, OrtTypeInfo** out) {
  CORE_TRY_OR(status, ort_ReleaseTypeInfo(type));
  *out = type;
  return NULL;
}

OrtStatus* core_new_tensor_type(enum ONNXType kind, const OrtTensorTypeAndShapeInfo* info,
                                OrtTypeInfo** out) {
  OrtTypeInfo* type = NULL;
  CORE_TRY(new_type(kind, &type));
  return hand_out(core_copy_shape_info(info, &type->tensor), type, out);
}

OrtStatus* core_copy_type_info(const OrtTypeInfo* from, OrtTypeInfo** out) {
  OrtTypeInfo *type = NULL, **place = &type;
  OrtStatus* status = NULL;
  for (; status == NULL && from->inner != NULL; from = from->inner) {
    status = core_wrap_type(from->kind, from->key, NULL, place);
    place = status == NULL ? &(*place)->inner : place;
  }
  CORE_THEN(status, core_new_tensor_type(from->kind, from->tensor, place));
  return hand_out(status, type, out);
}

OrtStatus* core_wrap_type(enum ONNXType kind, ONNXTensorElementDataType key, OrtTypeInfo* inner,
                          OrtTypeInfo** out) {
  CORE_TRY_OR(new_type(kind, out), ort_ReleaseTypeInfo(inner));
  (*out)->key = key;
  (*out)->inner = inner;
  return NULL;
}

/* Makes a type with a copy of its inner type. */
static OrtStatus* wrap(enum ONNXType kind, ONNXTensorElementDataType key, const OrtTypeInfo* inner,
                       OrtTypeInfo** out) {
  OrtTypeInfo* copy = NULL;
  CORE_TRY(core_copy_type_info(inner, &copy));
  return core_wrap_type(kind, key, copy, out);
}

/* The type of a dense or sparse tensor. */
static OrtStatus* type_of_tensor(const OrtValue* value, OrtTypeInfo** out) {
  const struct core_shape* shape = core_shape_of(value);
  OrtTypeInfo* type = NULL;
  CORE_REFUSE_IF(shape == NULL, ORT_INVALID_ARGUMENT, "value %s",
                 core_type_of(value) == ONNX_TYPE_OPTIONAL
                     ? "is an optional that holds nothing, of which no type is known"
                     : "is used after the call that it was valid for");
  CORE_TRY(new_type(core_type_of(value), &type));
  return hand_out(core_new_shape_info(shape, &type->tensor), type, out);
}

/* Tensors in a container share the element type, but not the shape. */
static OrtStatus* type_of_element(ONNXTensorElementDataType type, OrtTypeInfo** out) {
  const OrtTensorTypeAndShapeInfo info = {.type = type};
  return core_new_tensor_type(ONNX_TYPE_TENSOR, &info, out);
}

static OrtStatus* type_of_map(const struct core_map* map, OrtTypeInfo** out) {
  OrtTypeInfo* inner = NULL;
  CORE_TRY(type_of_element(map->values->shape.type, &inner));
  return core_wrap_type(ONNX_TYPE_MAP, map->keys->shape.type, inner, out);
}

static OrtStatus* type_of_sequence(const struct core_sequence* sequence, OrtTypeInfo** out) {
  OrtTypeInfo* inner = NULL;
  CORE_TRY(sequence->type == ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED
               ? type_of_map((const struct core_map*)sequence->elements[0], &inner)
               : type_of_element(sequence->type, &inner));
  return core_wrap_type(ONNX_TYPE_SEQUENCE, NO_KEY, inner, out);
}

/* Whether tensors of an element type are of a type. */
static bool is_tensor_type(const OrtTypeInfo* type, ONNXTensorElementDataType element) {
  return (type->kind == ONNX_TYPE_TENSOR || type->kind == ONNX_TYPE_SPARSETENSOR) &&
         (type->tensor->type == 0 || type->tensor->type == element);
}

static bool is_map_type(const OrtTypeInfo* type, const struct core_map* map) {
  return type->kind == ONNX_TYPE_MAP && type->key == map->keys->shape.type &&
         is_tensor_type(type->inner, map->values->shape.type);
}

bool core_is_of_type(const OrtValue* value, const OrtTypeInfo* type) {
  if (type != NULL && type->kind == ONNX_TYPE_OPTIONAL && core_type_of(value) != type->kind) {
    type = type->inner;
  }
  if (type == NULL) {
    return true;
  }
  if (core_type_of(value) != type->kind) {
    return false;
  }
  if (type->kind == ONNX_TYPE_MAP) {
    return is_map_type(type, (const struct core_map*)core_target(value));
  }
  if (type->kind == ONNX_TYPE_SEQUENCE) {
    const struct core_sequence* sequence = (const struct core_sequence*)core_target(value);
    return sequence->type == ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED
               ? is_map_type(type->inner, (const struct core_map*)sequence->elements[0])
               : is_tensor_type(type->inner, sequence->type);
  }
  const struct core_shape* shape = core_shape_of(value);
  return shape == NULL || is_tensor_type(type, shape->type);
}

CORE_SLOT(ort_GetTypeInfo, const OrtValue* value, OrtTypeInfo** out) {
  switch (core_type_of(value)) {
    case ONNX_TYPE_MAP:
      return type_of_map((const struct core_map*)core_target(value), out);
    case ONNX_TYPE_SEQUENCE:
      return type_of_sequence((const struct core_sequence*)core_target(value), out);
    default:
      return type_of_tensor(value, out);
  }
}

CORE_GETTER(ort_GetOnnxTypeFromTypeInfo, enum ONNXType, type_info->kind,
            const OrtTypeInfo* type_info)

CORE_SLOT(ort_GetDenotationFromTypeInfo, const OrtTypeInfo* type_info,
          const char** const denotation, size_t* len) {
  /* Only models have denotations. */
  *denotation = "";
  *len = 0;
  return NULL;
}

CORE_GETTER(ort_CastTypeInfoToTensorInfo, const OrtTensorTypeAndShapeInfo*, type_info->tensor,
            const OrtTypeInfo* type_info)

/* The slot that casts a type around another one, and the one that copies the inner type. */
#define CAST(NAME, its_kind, type)                                                            \
  CORE_GETTER(NAME, const type*, type_info->kind == its_kind ? (const type*)type_info : NULL, \
              const OrtTypeInfo* type_info)
#define INNER(NAME, type)                                                \
  CORE_SLOT(NAME, const type* outer, OrtTypeInfo** out) {                \
    return core_copy_type_info(((const OrtTypeInfo*)outer)->inner, out); \
  }
CAST(ort_CastTypeInfoToMapTypeInfo, ONNX_TYPE_MAP, OrtMapTypeInfo)
INNER(ort_GetMapValueType, OrtMapTypeInfo)
CAST(ort_CastTypeInfoToSequenceTypeInfo, ONNX_TYPE_SEQUENCE, OrtSequenceTypeInfo)
INNER(ort_GetSequenceElementType, OrtSequenceTypeInfo)
CAST(ort_CastTypeInfoToOptionalTypeInfo, ONNX_TYPE_OPTIONAL, OrtOptionalTypeInfo)
INNER(ort_GetOptionalContainedTypeInfo, OrtOptionalTypeInfo)
CORE_GETTER(ort_GetMapKeyType, enum ONNXTensorElementDataType,
            ((const OrtTypeInfo*)map_type_info)->key, const OrtMapTypeInfo* map_type_info)

/* The slot that makes a type of a kind, with a copy of what it is given. */
#define CREATOR(NAME, make, kind, type) \
  CORE_SLOT(NAME, const type* of, OrtTypeInfo** out) { return make(kind, of, out); }
#define WRAP(kind, inner, out) wrap(kind, NO_KEY, inner, out)
CREATOR(ort_model_editor_CreateTensorTypeInfo, core_new_tensor_type, ONNX_TYPE_TENSOR,
        OrtTensorTypeAndShapeInfo)
CREATOR(ort_model_editor_CreateSparseTensorTypeInfo, core_new_tensor_type, ONNX_TYPE_SPARSETENSOR,
        OrtTensorTypeAndShapeInfo)
CREATOR(ort_model_editor_CreateSequenceTypeInfo, WRAP, ONNX_TYPE_SEQUENCE, OrtTypeInfo)
CREATOR(ort_model_editor_CreateOptionalTypeInfo, WRAP, ONNX_TYPE_OPTIONAL, OrtTypeInfo)

CORE_SLOT(ort_model_editor_CreateMapTypeInfo, ONNXTensorElementDataType map_key_type,
          const OrtTypeInfo* map_value_type, OrtTypeInfo** type_info) {
  return wrap(ONNX_TYPE_MAP, map_key_type, map_value_type, type_info);
}

/* These are the type that they were cast from. */
void ORT_API_CALL ort_ReleaseMapTypeInfo(OrtMapTypeInfo* input) NO_EXCEPTION {}
void ORT_API_CALL ort_ReleaseSequenceTypeInfo(OrtSequenceTypeInfo* input) NO_EXCEPTION {}

void ORT_API_CALL ort_ReleaseTypeInfo(OrtTypeInfo* input) NO_EXCEPTION {
  while (input != NULL) {
    OrtTypeInfo* inner = input->inner;
    ort_ReleaseTensorTypeAndShapeInfo(input->tensor);
    core_drop(input);
    input = inner;
  }
}
