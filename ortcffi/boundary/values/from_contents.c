/* SPDX-License-Identifier: MIT */
/* Makes sequences and maps of Python's objects. See contents.h. */
#include <math.h>
#include <string.h>

#include "boundary/values/arguments.h"
#include "boundary/values/arrays.h"
#include "boundary/values/contents.h"
#include "platform/short_texts.h"

/* --- types -------------------------------------------------------------------------------------*/

/* The element type of a tensor's type; 0 for another. Releases the type. */
static int take_element(const OrtApi* api, OrtTypeInfo* info) {
  const OrtTensorTypeAndShapeInfo* tensor = NULL;
  ONNXTensorElementDataType element = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  OrtStatus* status = info == NULL ? NULL : api->CastTypeInfoToTensorInfo(info, &tensor);
  if (status == NULL && tensor != NULL) {
    status = api->GetTensorElementType(tensor, &element);
  }
  api->ReleaseStatus(status);
  api->ReleaseTypeInfo(info);
  return (int)element;
}

static void read_map(const OrtApi* api, const OrtTypeInfo* info, struct content_type* out) {
  const OrtMapTypeInfo* map = NULL;
  OrtTypeInfo* values = NULL;
  ONNXTensorElementDataType key = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  OrtStatus* status = api->CastTypeInfoToMapTypeInfo(info, &map);
  if (status == NULL && map != NULL) {
    status = api->GetMapKeyType(map, &key);
  }
  if (status == NULL && map != NULL) {
    status = api->GetMapValueType(map, &values);
  }
  api->ReleaseStatus(status);
  out->key = (int)key;
  out->element = take_element(api, values);
}

static void read_sequence(const OrtApi* api, const OrtTypeInfo* info, struct content_type* out) {
  const OrtSequenceTypeInfo* sequence = NULL;
  OrtTypeInfo* member = NULL;
  enum ONNXType kind = ONNX_TYPE_UNKNOWN;
  OrtStatus* status = api->CastTypeInfoToSequenceTypeInfo(info, &sequence);
  if (status == NULL && sequence != NULL) {
    status = api->GetSequenceElementType(sequence, &member);
  }
  if (status == NULL && member != NULL) {
    status = api->GetOnnxTypeFromTypeInfo(member, &kind);
  }
  api->ReleaseStatus(status);
  out->member = (int)kind;
  if (kind == ONNX_TYPE_TENSOR) {
    out->element = take_element(api, member);
    return;
  }
  if (kind == ONNX_TYPE_MAP) {
    read_map(api, member, out);
  }
  api->ReleaseTypeInfo(member);
}

void ortcffi_read_content_type(const OrtApi* api, const OrtTypeInfo* info,
                               struct content_type* out) {
  enum ONNXType kind = ONNX_TYPE_UNKNOWN;
  memset(out, 0, sizeof *out);
  api->ReleaseStatus(api->GetOnnxTypeFromTypeInfo(info, &kind));
  out->kind = (int)kind;
  if (kind == ONNX_TYPE_MAP) {
    read_map(api, info, out);
  } else if (kind == ONNX_TYPE_SEQUENCE) {
    read_sequence(api, info, out);
  } else {
    out->kind = ONNX_TYPE_UNKNOWN;
  }
}

/* --- numbers and texts -------------------------------------------------------------------------*/

/* Integers up to this are exact as double. */
#define EXACT ((int64_t)1 << 53)

/* Reads an int; 0 if it is no int, or too large. */
static int read_integer(PyObject* x, int64_t* out) {
  int overflow = 1;
  if (PyLong_CheckExact(x)) {
    *out = PyLong_AsLongLongAndOverflow(x, &overflow);
  }
  return overflow == 0;
}

/* Reads a float or an int; 0 if it is neither, or an int that is not exact as double. */
static int read_double(PyObject* x, double* out) {
  int64_t integer;
  if (PyFloat_CheckExact(x)) {
    *out = PyFloat_AsDouble(x);
    return 1;
  }
  if (!read_integer(x, &integer) || integer > EXACT || integer < -EXACT) {
    return 0;
  }
  *out = (double)integer;
  return 1;
}

/* Reads a number of NumPy's type float32, such as an element of an array; 0 if it is none. */
static int read_single(PyObject* x, double* out) {
  PyObject* dtype = ortcffi_dtype_of(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT);
  if (dtype == NULL) {
    PyErr_Clear();
    return 0;
  }
  if (!Py_IS_TYPE(x, ((PyArray_Descr*)dtype)->typeobj)) {
    return 0;
  }
  *out = PyFloat_AsDouble(x);
  return 1;
}

/* Writes a number to the place of an element; 0 if the element type cannot hold it exactly. */
static int write_number(PyObject* x, int element, void* to) {
  double number;
  int64_t integer;
  switch (element) {
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT:
      if (!read_double(x, &number) && !read_single(x, &number)) {
        return 0;
      }
      *(float*)to = (float)number;
      return isfinite(number) == isfinite(*(float*)to);
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE:
      return read_double(x, to);
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64:
      return read_integer(x, to);
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32:
      if (!read_integer(x, &integer) || integer != (int32_t)integer) {
        return 0;
      }
      *(int32_t*)to = (int32_t)integer;
      return 1;
    default:
      return 0;
  }
}

/* A text that ends with its only zero; NULL for anything else. */
static const char* read_text(PyObject* x) {
  Py_ssize_t length;
  const char* text = PyUnicode_CheckExact(x) ? PyUnicode_AsUTF8AndSize(x, &length) : NULL;
  if (text == NULL) {
    PyErr_Clear();
    return NULL;
  }
  return core_text_length(text) == (size_t)length ? text : NULL;
}

/* Writes a number, or the address of a text. */
static int write_element(PyObject* x, int element, void* to) {
  if (element != ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING) {
    return write_number(x, element, to);
  }
  *(const char**)to = read_text(x);
  return *(const char**)to != NULL;
}

/* The bytes of what write_element writes; 0 for elements that it does not know. */
static size_t written_size(int element) {
  switch (element) {
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT:
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32:
      return 4;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE:
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64:
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING:
      return 8;
    default:
      return 0;
  }
}

_Static_assert(sizeof(char*) <= 8, "the address of a text has room where a number has");

/* --- maps --------------------------------------------------------------------------------------*/

/* Makes a sequence or a map of values, which are released. */
static int contain(const struct maker* maker, OrtValue** members, size_t count, ONNXType kind,
                   OrtValue** out) {
  OrtStatus* status = maker->api->CreateValue((const OrtValue* const*)members, count, kind, out);
  for (size_t i = 0; i < count; i++) {
    maker->api->ReleaseValue(members[i]);
  }
  if (status != NULL) {
    ortcffi_value_fail(maker, status, "CreateValue");
    return -1;
  }
  return 1;
}

/* A tensor over what write_element has written. */
static int tensor_of_written(struct making* making, void* data, size_t count, int element,
                             OrtValue** out) {
  int64_t shape = (int64_t)count;
  if (element == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING) {
    return ortcffi_value_of_texts(making->maker, &shape, 1, data, count, out);
  }
  struct plain_array array = {.data = data,
                              .shape = &shape,
                              .rank = 1,
                              .bytes = count * written_size(element),
                              .element = element};
  return ortcffi_value_of_array(making->maker, &array, out);
}

/* Writes the keys and values of a dict; 0 where one does not fit. */
static int write_pairs(PyObject* dict, const struct content_type* type, char* keys, char* values) {
  PyObject *key, *value;
  Py_ssize_t place = 0;
  while (PyDict_Next(dict, &place, &key, &value)) {
    if (!write_element(key, type->key, keys) || !write_element(value, type->element, values)) {
      return 0;
    }
    keys += written_size(type->key);
    values += written_size(type->element);
  }
  return 1;
}

static int map_of_pairs(struct making* making, char* keys, char* values, size_t count,
                        OrtValue** out) {
  OrtValue* members[2];
  int answer = tensor_of_written(making, keys, count, making->type->key, &members[0]);
  if (answer != 1) {
    return answer;
  }
  answer = tensor_of_written(making, values, count, making->type->element, &members[1]);
  if (answer != 1) {
    making->maker->api->ReleaseValue(members[0]);
    return answer;
  }
  return contain(making->maker, members, 2, ONNX_TYPE_MAP, out);
}

/* As ortcffi_value_of_contents, for a map: it copies everything, so no object must outlive it. */
static int map_of_dict(struct making* making, PyObject* dict, OrtValue** out) {
  int64_t few[64]; /* of which the values have the second half */
  if (making->type->element == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT &&
      ortcffi_dtype_of(making->type->element) == NULL) {
    return -1; /* its first call runs Python, which must not change the dict as it is read */
  }
  size_t count = PyDict_CheckExact(dict) ? (size_t)PyDict_Size(dict) : 0;
  if (count == 0 || written_size(making->type->key) != 8 ||
      written_size(making->type->element) == 0) {
    return 0;
  }
  int64_t* room = count <= 32 ? few : PyMem_Malloc(count * 2 * sizeof *room);
  if (room == NULL) {
    PyErr_NoMemory();
    return -1;
  }
  char *keys = (char*)room, *values = (char*)(room + count);
  int answer = write_pairs(dict, making->type, keys, values);
  if (answer == 1) {
    answer = map_of_pairs(making, keys, values, count, out);
  }
  if (room != few) {
    PyMem_Free(room);
  }
  return answer;
}

/* --- sequences ---------------------------------------------------------------------------------*/

/* As ortcffi_value_of_contents, for an array of a sequence, which the caller keeps. */
static int tensor_of_member(struct making* making, PyObject* x, OrtValue** out) {
  struct plain_array array;
  if (!ortcffi_argument_array(x, &array) || array.element != making->type->element) {
    return 0;
  }
  return ortcffi_value_of_array(making->maker, &array, out);
}

/* `members` is a tuple, and `made` has room for as many. */
static int sequence_of(struct making* making, PyObject* members, OrtValue** made, OrtValue** out) {
  size_t count = (size_t)PyTuple_Size(members);
  for (size_t i = 0; i < count; i++) {
    PyObject* x = PyTuple_GetItem(members, (Py_ssize_t)i);
    int answer = making->type->member == ONNX_TYPE_MAP ? map_of_dict(making, x, &made[i])
                                                       : tensor_of_member(making, x, &made[i]);
    if (answer != 1) {
      while (i-- > 0) {
        making->maker->api->ReleaseValue(made[i]);
      }
      return answer;
    }
  }
  return contain(making->maker, made, count, ONNX_TYPE_SEQUENCE, out);
}

static int sequence_of_list(struct making* making, PyObject* list, OrtValue** out,
                            PyObject** holder) {
  OrtValue* few[16];
  if (!PyList_CheckExact(list) || PyList_Size(list) == 0 ||
      (making->type->member != ONNX_TYPE_MAP && making->type->member != ONNX_TYPE_TENSOR)) {
    return 0;
  }
  PyObject* members = PyList_AsTuple(list); /* which keeps the arrays, as the list need not */
  if (members == NULL) {
    return -1;
  }
  size_t count = (size_t)PyTuple_Size(members);
  OrtValue** made =
      count <= sizeof few / sizeof *few ? few : PyMem_Malloc(count * sizeof(OrtValue*));
  int answer = -1;
  if (made == NULL) {
    PyErr_NoMemory();
  } else {
    answer = sequence_of(making, members, made, out);
  }
  if (made != few) {
    PyMem_Free(made);
  }
  if (answer == 1) {
    *holder = members;
  } else {
    Py_DECREF(members);
  }
  return answer;
}

int ortcffi_value_of_contents(struct making* making, PyObject* x, OrtValue** out,
                              PyObject** holder) {
  if (making->type->kind == ONNX_TYPE_SEQUENCE) {
    return sequence_of_list(making, x, out, holder);
  }
  int answer = making->type->kind == ONNX_TYPE_MAP ? map_of_dict(making, x, out) : 0;
  if (answer == 1) {
    *holder = Py_NewRef(x);
  }
  return answer;
}

/* --- arrays ------------------------------------------------------------------------------------*/

enum { MOST_NESTED = 8 };

/* Whether nested lists have a shape. */
static int have_shape(PyObject* x, const int64_t* shape, size_t rank) {
  int answer = PyList_CheckExact(x) && PyList_Size(x) == shape[0];
  for (Py_ssize_t i = 0; rank > 1 && answer && i < shape[0]; i++) {
    answer = have_shape(PyList_GetItem(x, i), shape + 1, rank - 1);
  }
  return answer;
}

/* Writes an element of an array. */
static int write_to_array(PyObject* x, int element, char* to) {
  if (element != ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING) {
    return write_number(x, element, to);
  }
  PyObject** object = (PyObject**)(void*)to;
  Py_XDECREF(*object); /* NumPy may fill a new array with None */
  *object = PyUnicode_CheckExact(x) ? Py_NewRef(x) : NULL;
  return *object != NULL;
}

/* Writes the elements of nested lists, which go on at `to`; 0 where one does not fit, or a list has
 * changed: to make the array may have run Python. */
static int write_lists(PyObject* x, const int64_t* shape, size_t rank, int element, char** to) {
  if (!PyList_CheckExact(x) || PyList_Size(x) != shape[0]) {
    return 0;
  }
  for (Py_ssize_t i = 0; i < shape[0]; i++) {
    PyObject* item = PyList_GetItem(x, i);
    if (rank > 1) {
      if (!write_lists(item, shape + 1, rank - 1, element, to)) {
        return 0;
      }
      continue;
    }
    if (!write_to_array(item, element, *to)) {
      return 0;
    }
    *to += written_size(element);
  }
  return 1;
}

static PyObject* empty_array(const int64_t* shape, size_t rank, int element) {
  PyObject** objects;
  if (element == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING) {
    return ortcffi_new_object_array(shape, rank, &objects);
  }
  PyObject* dtype = ortcffi_dtype_of(element);
  return dtype == NULL ? NULL : ortcffi_make_array(NULL, shape, rank, dtype, 0);
}

PyObject* ortcffi_array_of_list(PyObject* list, int element) {
  int64_t shape[MOST_NESTED];
  size_t rank = 0;
  PyObject* x = list;
  for (; PyList_CheckExact(x); x = PyList_GetItem(x, 0)) {
    if (rank == MOST_NESTED || PyList_Size(x) == 0) {
      return NULL;
    }
    shape[rank++] = PyList_Size(x);
  }
  if (written_size(element) == 0 || !have_shape(list, shape, rank)) {
    return NULL;
  }
  PyObject* array = empty_array(shape, rank, element);
  char* to = array == NULL ? NULL : PyArray_BYTES((PyArrayObject*)array);
  if (array != NULL && !write_lists(list, shape, rank, element, &to)) {
    Py_CLEAR(array);
  }
  return array;
}
