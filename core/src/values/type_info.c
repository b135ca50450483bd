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

/* The field with the inner type; NULL for tensors. Clients may nest types to any depth, so the
 * functions here loop instead of recursing. */
static OrtTypeInfo** inner_of(const OrtTypeInfo* type) {
  OrtTypeInfo* outer = (OrtTypeInfo*)type;
  switch (type->kind) {
    case ONNX_TYPE_MAP:
      return &outer->map.value;
    case ONNX_TYPE_SEQUENCE:
      return &outer->sequence.element;
    case ONNX_TYPE_OPTIONAL:
      return &outer->optional.contained;
    default:
      return NULL;
  }
}

/* Copies a type without its inner type. */
static OrtStatus* copy_outer(const OrtTypeInfo* from, OrtTypeInfo** out) {
  if (inner_of(from) == NULL) {
    return core_new_tensor_type(from->kind, from->tensor, out);
  }
  CORE_TRY(new_type(from->kind, out));
  if (from->kind == ONNX_TYPE_MAP) {
    (*out)->map.key = from->map.key;
  }
  return NULL;
}

OrtStatus* core_copy_type_info(const OrtTypeInfo* from, OrtTypeInfo** out) {
  OrtTypeInfo* type = NULL;
  OrtTypeInfo** place = &type;
  OrtStatus* status = copy_outer(from, place);
  for (; status == NULL && inner_of(from) != NULL; status = copy_outer(from, place)) {
    place = inner_of(*place);
    from = *inner_of(from);
  }
  return hand_out(status, type, out);
}

OrtStatus* core_wrap_type(enum ONNXType kind, ONNXTensorElementDataType key, OrtTypeInfo* inner,
                          OrtTypeInfo** out) {
  CORE_TRY_OR(new_type(kind, out), ort_ReleaseTypeInfo(inner));
  if (kind == ONNX_TYPE_MAP) {
    (*out)->map.key = key;
  }
  *inner_of(*out) = inner;
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
  OrtTypeInfo* type = NULL;
  CORE_TRY(new_type(ONNX_TYPE_MAP, &type));
  type->map.key = map->keys->shape.type;
  return hand_out(type_of_element(map->values->shape.type, &type->map.value), type, out);
}

static OrtStatus* type_of_sequence(const struct core_sequence* sequence, OrtTypeInfo** out) {
  OrtTypeInfo* type = NULL;
  CORE_TRY(new_type(ONNX_TYPE_SEQUENCE, &type));
  OrtStatus* status =
      sequence->type == ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED
          ? type_of_map((const struct core_map*)sequence->elements[0], &type->sequence.element)
          : type_of_element(sequence->type, &type->sequence.element);
  return hand_out(status, type, out);
}

/* Whether tensors of an element type are of a type. */
static bool is_tensor_type(const OrtTypeInfo* type, ONNXTensorElementDataType element) {
  return (type->kind == ONNX_TYPE_TENSOR || type->kind == ONNX_TYPE_SPARSETENSOR) &&
         (type->tensor->type == 0 || type->tensor->type == element);
}

static bool is_map_type(const OrtTypeInfo* type, const struct core_map* map) {
  return type->kind == ONNX_TYPE_MAP && type->map.key == map->keys->shape.type &&
         is_tensor_type(type->map.value, map->values->shape.type);
}

bool core_is_of_type(const OrtValue* value, const OrtTypeInfo* type) {
  if (type != NULL && type->kind == ONNX_TYPE_OPTIONAL && core_type_of(value) != type->kind) {
    type = type->optional.contained;
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
    const OrtTypeInfo* element = type->sequence.element;
    return sequence->type == ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED
               ? is_map_type(element, (const struct core_map*)sequence->elements[0])
               : is_tensor_type(element, sequence->type);
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

CORE_SLOT(ort_CastTypeInfoToTensorInfo, const OrtTypeInfo* type_info,
          const OrtTensorTypeAndShapeInfo** out) {
  bool is_tensor = type_info->kind == ONNX_TYPE_TENSOR || type_info->kind == ONNX_TYPE_SPARSETENSOR;
  *out = is_tensor ? type_info->tensor : NULL;
  return NULL;
}

CORE_GETTER(ort_CastTypeInfoToMapTypeInfo, const OrtMapTypeInfo*,
            type_info->kind == ONNX_TYPE_MAP ? &type_info->map : NULL, const OrtTypeInfo* type_info)
CORE_GETTER(ort_CastTypeInfoToSequenceTypeInfo, const OrtSequenceTypeInfo*,
            type_info->kind == ONNX_TYPE_SEQUENCE ? &type_info->sequence : NULL,
            const OrtTypeInfo* type_info)
CORE_GETTER(ort_CastTypeInfoToOptionalTypeInfo, const OrtOptionalTypeInfo*,
            type_info->kind == ONNX_TYPE_OPTIONAL ? &type_info->optional : NULL,
            const OrtTypeInfo* type_info)
CORE_GETTER(ort_GetMapKeyType, enum ONNXTensorElementDataType, map_type_info->key,
            const OrtMapTypeInfo* map_type_info)

CORE_SLOT(ort_GetMapValueType, const OrtMapTypeInfo* map_type_info, OrtTypeInfo** type_info) {
  return core_copy_type_info(map_type_info->value, type_info);
}

CORE_SLOT(ort_GetSequenceElementType, const OrtSequenceTypeInfo* sequence_type_info,
          OrtTypeInfo** type_info) {
  return core_copy_type_info(sequence_type_info->element, type_info);
}

CORE_SLOT(ort_GetOptionalContainedTypeInfo, const OrtOptionalTypeInfo* optional_type_info,
          OrtTypeInfo** out) {
  return core_copy_type_info(optional_type_info->contained, out);
}

CORE_SLOT(ort_model_editor_CreateTensorTypeInfo, const OrtTensorTypeAndShapeInfo* tensor_info,
          OrtTypeInfo** type_info) {
  return core_new_tensor_type(ONNX_TYPE_TENSOR, tensor_info, type_info);
}

CORE_SLOT(ort_model_editor_CreateSparseTensorTypeInfo, const OrtTensorTypeAndShapeInfo* tensor_info,
          OrtTypeInfo** type_info) {
  return core_new_tensor_type(ONNX_TYPE_SPARSETENSOR, tensor_info, type_info);
}

CORE_SLOT(ort_model_editor_CreateMapTypeInfo, ONNXTensorElementDataType map_key_type,
          const OrtTypeInfo* map_value_type, OrtTypeInfo** type_info) {
  return wrap(ONNX_TYPE_MAP, map_key_type, map_value_type, type_info);
}

CORE_SLOT(ort_model_editor_CreateSequenceTypeInfo, const OrtTypeInfo* sequence_type,
          OrtTypeInfo** type_info) {
  return wrap(ONNX_TYPE_SEQUENCE, NO_KEY, sequence_type, type_info);
}

CORE_SLOT(ort_model_editor_CreateOptionalTypeInfo, const OrtTypeInfo* contained_type,
          OrtTypeInfo** type_info) {
  return wrap(ONNX_TYPE_OPTIONAL, NO_KEY, contained_type, type_info);
}

void ORT_API_CALL ort_ReleaseMapTypeInfo(OrtMapTypeInfo* input) NO_EXCEPTION {
  /* It is part of the type that it was cast from. */
}

void ORT_API_CALL ort_ReleaseSequenceTypeInfo(OrtSequenceTypeInfo* input) NO_EXCEPTION {
  /* It is part of the type that it was cast from. */
}

void ORT_API_CALL ort_ReleaseTypeInfo(OrtTypeInfo* input) NO_EXCEPTION {
  while (input != NULL) {
    OrtTypeInfo** inner = inner_of(input);
    OrtTypeInfo* next = inner != NULL ? *inner : NULL;
    if (inner == NULL) {
      ort_ReleaseTensorTypeAndShapeInfo(input->tensor);
    }
    core_drop(input);
    input = next;
  }
}
