/* SPDX-License-Identifier: MIT */
/* OrtOpAttr: attributes of nodes. */

#include "custom_ops/custom_op.h"
#include "memory/allocator.h"
#include "object/keyed_list.h"
#include "values/value.h"

static void* value_of(const OrtOpAttr* attr) { return (void*)(attr + 1); }

static void end_attr(void* block) {
  OrtOpAttr* attr = block;
  if (attr->type == ORT_OP_ATTR_TENSOR) {
    core_drop((OrtValue*)core_op_attr_tensor(attr));
  }
}

static const struct core_class attr_class = {.kind = CORE_OP_ATTR, .end = end_attr};

/* An attribute with room for its value and a copy of the name. */
static OrtStatus* new_attr(const char* name, OrtOpAttrType type, size_t size, OrtOpAttr** out) {
  size_t name_size = strlen(name) + 1;
  OrtOpAttr* attr = heap_alloc(sizeof *attr + size + name_size);
  CORE_NEED_MEMORY(attr, sizeof *attr + size + name_size);
  *attr = (OrtOpAttr){.type = type, .size = size, .name = (char*)value_of(attr) + size};
  memcpy((char*)value_of(attr) + size, name, name_size);
  core_begin(&attr->object, &attr_class, 0);
  *out = attr;
  return NULL;
}

/* Bytes that the value needs; SIZE_MAX where one of the strings is NULL. */
static size_t measure(const void* data, size_t length, OrtOpAttrType type) {
  switch (type) {
    case ORT_OP_ATTR_INT:
      return sizeof(int64_t);
    case ORT_OP_ATTR_INTS:
      return length * sizeof(int64_t);
    case ORT_OP_ATTR_FLOAT:
      return sizeof(float);
    case ORT_OP_ATTR_FLOATS:
      return length * sizeof(float);
    case ORT_OP_ATTR_STRING:
      return length;
    default:
      break;
  }
  return core_texts_size(data, length);
}

/* Checks the arguments; `*length` is then the number of elements or bytes, 0 for a negative len. */
static OrtStatus* check_arguments(const char* name, const void* data, int len, OrtOpAttrType type,
                                  size_t* length) {
  CORE_FAIL_IF(type < ORT_OP_ATTR_INT || type > ORT_OP_ATTR_STRINGS, ORT_FAIL,
               "CreateOpAttr: type must be INT, INTS, FLOAT, FLOATS, STRING or STRINGS");
  CORE_FAIL_IF(name == NULL, ORT_RUNTIME_EXCEPTION, "CreateOpAttr: name must not be NULL");
  CORE_FAIL_IF(type == ORT_OP_ATTR_STRING && len < 0, ORT_RUNTIME_EXCEPTION,
               "CreateOpAttr: len must not be negative for a string");
  int is_single = type == ORT_OP_ATTR_INT || type == ORT_OP_ATTR_FLOAT;
  CORE_REQUIRE_IF(is_single || len > 0, CreateOpAttr, data);
  *length = len < 0 ? 0 : (size_t)len;
  return NULL;
}

CORE_SLOT(ort_CreateOpAttr, const char* name, const void* data, int len, OrtOpAttrType type,
          OrtOpAttr** op_attr) {
  size_t length = 0;
  CORE_TRY(check_arguments(name, data, len, type, &length));
  size_t size = measure(data, length, type);
  CORE_FAIL_IF(size == SIZE_MAX, ORT_RUNTIME_EXCEPTION,
               "CreateOpAttr: none of the strings may be NULL");
  OrtOpAttr* attr = NULL;
  CORE_TRY(new_attr(name, type, size, &attr));
  if (type == ORT_OP_ATTR_STRINGS) {
    core_copy_texts(data, length, value_of(attr), NULL);
  } else if (size > 0) {
    memcpy(value_of(attr), data, size);
  }
  *op_attr = attr;
  return NULL;
}

OrtStatus* ORT_API_CALL core_tensor_attribute(const char* name, const OrtValue* tensor,
                                              OrtOpAttr** out) {
  CORE_REQUIRE(ortcore_tensor_attribute, name, tensor, out);
  CORE_FAIL_IF(!core_is_tensor(tensor), ORT_INVALID_ARGUMENT,
               "ortcore_tensor_attribute: tensor must be a dense tensor");
  CORE_FAIL_IF(core_lacks_data(core_tensor_of(tensor)), ORT_INVALID_ARGUMENT,
               "ortcore_tensor_attribute: tensor must have data");
  OrtOpAttr* attr = NULL;
  CORE_TRY(core_named("ortcore_tensor_attribute",
                      new_attr(name, ORT_OP_ATTR_TENSOR, sizeof tensor, &attr)));
  *(OrtValue**)value_of(attr) = core_retain_value(tensor);
  *out = attr;
  return NULL;
}

OrtStatus* core_copy_op_attr(const OrtOpAttr* from, OrtOpAttr** out) {
  OrtOpAttr* attr = NULL;
  CORE_TRY(new_attr(from->name, from->type, from->size, &attr));
  memcpy(value_of(attr), value_of(from), from->size);
  if (attr->type == ORT_OP_ATTR_TENSOR) {
    core_retain_value(core_op_attr_tensor(attr));
  }
  *out = attr;
  return NULL;
}

CORE_RELEASER(ort_ReleaseOpAttr, OrtOpAttr)

/* Bytes that reading the attribute as `type` returns. Read as an array or a string of another type
 * than its own, it is empty, as in ONNX Runtime. */
static size_t readable(const OrtOpAttr* attr, OrtOpAttrType type) {
  switch (type) {
    case ORT_OP_ATTR_INT:
      return sizeof(int64_t);
    case ORT_OP_ATTR_FLOAT:
      return sizeof(float);
    default:
      return attr->type == type ? attr->size : 0;
  }
}

ORT_API_STATUS_IMPL(ort_ReadOpAttr, const OrtOpAttr* op_attr, OrtOpAttrType type, void* data,
                    size_t len, size_t* out) {
  CORE_REQUIRE(ReadOpAttr, op_attr, out);
  if (type < ORT_OP_ATTR_INT || type > ORT_OP_ATTR_STRINGS) {
    *out = 0;
    CORE_FAIL(ORT_INVALID_ARGUMENT,
              "ReadOpAttr: type must be INT, INTS, FLOAT, FLOATS, STRING or STRINGS");
  }
  size_t size = readable(op_attr, type);
  *out = size;
  CORE_FAIL_IF(len < size, ORT_INVALID_ARGUMENT,
               "ReadOpAttr: len is less than the bytes of the value");
  CORE_FAIL_IF((type == ORT_OP_ATTR_INT || type == ORT_OP_ATTR_FLOAT) && op_attr->type != type,
               ORT_INVALID_ARGUMENT, "ReadOpAttr: the attribute is of another type");
  if (size > 0) {
    CORE_REQUIRE(ReadOpAttr, data);
    memcpy(data, value_of(op_attr), size);
  }
  return NULL;
}

ORT_API_STATUS_IMPL(ort_OpAttr_GetType, const OrtOpAttr* attribute, OrtOpAttrType* type) {
  CORE_REQUIRE(OpAttr_GetType, attribute, type);
  CORE_FAIL_IF(attribute->type == ORT_OP_ATTR_UNDEFINED, ORT_INVALID_ARGUMENT,
               "OpAttr_GetType: the API has no such type of attributes");
  *type = attribute->type;
  return NULL;
}

CORE_QUICK_GETTER(ort_OpAttr_GetName, OpAttr_GetName, const char*, name, attribute->name,
                  const OrtOpAttr*, attribute)

CORE_SLOT(ort_OpAttr_GetTensorAttributeAsOrtValue, const OrtOpAttr* attribute,
          OrtValue** attr_tensor) {
  if (attribute->type == ORT_OP_ATTR_TENSOR) {
    return core_copy_tensor((const struct core_tensor*)core_op_attr_tensor(attribute),
                            CORE_DEFAULT_ALLOCATOR, (struct core_tensor**)attr_tensor);
  }
  CORE_FAIL(ORT_INVALID_ARGUMENT,
            "OpAttr_GetTensorAttributeAsOrtValue: attribute is not of the type TENSOR");
}
