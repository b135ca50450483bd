/* SPDX-License-Identifier: MIT */
/* Converts sequences and maps to Python's objects. See contents.h. */
#include "boundary/values/contents.h"

#include <string.h>

#include "boundary/memory/numpy_arrays.h"

/* A tensor of up to so many bytes is copied, which takes less time than an array that keeps it. */
#define SMALL 4096

/* What counts as the bytes of a member, and of those that may take long to be freed. */
#define MEMBER 256
#define MANY ((uint64_t)1 << 40)

/* --- tensors -----------------------------------------------------------------------------------*/

/* Whether NumPy itself has the element type, or the elements are strings. */
static int is_of_numpys(const struct value* tensor) {
  return tensor->element <= ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX128;
}

/* Converts a member in Python, or makes an array that keeps it. Takes the member over. */
static PyObject* convert_value(struct contents* how, OrtValue* member, int is_of_numpy) {
  PyObject* value = (PyObject*)ortcffi_new_value(how->type, how->maker, member, NULL);
  PyObject* result = NULL;
  how->bytes += MANY;
  if (value != NULL && is_of_numpy) {
    result = ortcffi_value_numpy(value, NULL, 0, NULL);
  } else if (value != NULL) {
    result = how->function == NULL ? PyObject_CallMethod(value, "to_python", NULL)
                                   : PyObject_CallFunctionObjArgs(how->function, value, NULL);
  }
  Py_XDECREF(value);
  return result;
}

/* Reads the next number, of one of the types that are frequent in containers. */
static PyObject* next_number(int element, const char** data) {
  const void* number = *data;
  switch (element) {
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT:
      *data += sizeof(float);
      return PyFloat_FromDouble(*(const float*)number);
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE:
      *data += sizeof(double);
      return PyFloat_FromDouble(*(const double*)number);
    default:
      *data += sizeof(int64_t);
      return PyLong_FromLongLong(*(const int64_t*)number);
  }
}

/* Nested lists of such numbers; one number where there are no dimensions. */
static PyObject* lists_of(int element, const char** data, const int64_t* shape, size_t rank) {
  if (rank == 0) {
    return next_number(element, data);
  }
  PyObject* list = PyList_New((Py_ssize_t)shape[0]);
  for (int64_t i = 0; list != NULL && i < shape[0]; i++) {
    ortcffi_put_in_list(&list, i, lists_of(element, data, shape + 1, rank - 1));
  }
  return list;
}

static PyObject* copy_of_tensor(struct contents* how, struct value* tensor) {
  int is_list = how->function == NULL;
  int element = tensor->element;
  int is_text = element == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING;
  const char* data = is_text || ortcffi_value_data(tensor) < 0 ? NULL : tensor->data;
  if (data == NULL && !is_text) {
    return NULL;
  }
  how->bytes += is_text ? MANY : ortcffi_value_bytes(tensor);
  if (is_list && (element == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT ||
                  element == ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE ||
                  element == ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64)) {
    return lists_of(element, &data, tensor->shape, tensor->rank);
  }
  PyObject* array =
      is_text ? ortcffi_value_string_array(tensor, !is_list) : ortcffi_copy_of_value(tensor);
  if (array == NULL || !is_list) {
    return array;
  }
  PyObject* list = PyObject_CallMethod(array, "tolist", NULL);
  Py_DECREF(array);
  return list;
}

/* Takes the member over. */
static PyObject* contents_of_tensor(struct contents* how, OrtValue* member) {
  struct value tensor = {.maker = how->maker, .is_on_cpu = 1};
  tensor.life.object = member;
  PyObject* result = NULL;
  int answer = ortcffi_value_shape(&tensor);
  if (answer == 0) {
    int is_of_numpy = is_of_numpys(&tensor);
    int is_large = how->function != NULL && ortcffi_value_bytes(&tensor) > SMALL;
    if (!is_of_numpy || is_large) {
      result = convert_value(how, member, is_of_numpy);
      member = NULL;
    } else {
      result = copy_of_tensor(how, &tensor);
    }
  }
  PyMem_Free(tensor.shape_copy);
  how->maker->api->ReleaseValue(member);
  return result;
}

/* --- read in place -----------------------------------------------------------------------------*/

/* A copy of a tensor in a sequence that is read in place; NULL without an exception if the tensor
 * must be got by GetValue. */
static PyObject* copy_of_member(struct contents* how, const struct members* members, size_t place) {
  struct value tensor = {.maker = how->maker};
  tensor.life.object = (void*)(uintptr_t)(members->tensors + place * ORTCFFI_VALUE_SIZE);
  int answer = ortcffi_value_shape(&tensor);
  PyObject* copy = answer == 0 && is_of_numpys(&tensor) ? copy_of_tensor(how, &tensor) : NULL;
  PyMem_Free(tensor.shape_copy);
  return copy;
}

static PyObject* key_of(const struct members* members, const struct node* node) {
  if (!members->has_texts) {
    return PyLong_FromLongLong(((const struct int_node*)node)->key);
  }
  const struct text* text = &((const struct text_node*)node)->key;
  return PyUnicode_DecodeUTF8(text->data, (Py_ssize_t)text->size, "replace");
}

static int have_same_key(const struct members* members, const struct node* a,
                         const struct node* b) {
  if (!members->has_texts) {
    return ((const struct int_node*)a)->key == ((const struct int_node*)b)->key;
  }
  const struct text *first = &((const struct text_node*)a)->key,
                    *second = &((const struct text_node*)b)->key;
  return first->size == second->size && memcmp(first->data, second->data, first->size) == 0;
}

static float number_of(const struct members* members, const struct node* node) {
  return members->has_texts ? ((const struct text_node*)node)->value
                            : ((const struct int_node*)node)->value;
}

/* The key of a pair: most often the key of the same pair in the map before. */
static PyObject* shared_key(const struct members* members, const struct node* node,
                            const struct node* before, PyObject* keys, Py_ssize_t place) {
  if (before != NULL && have_same_key(members, node, before)) {
    return Py_NewRef(PyList_GetItem(keys, place));
  }
  PyObject* key = key_of(members, node);
  if (key == NULL || (place < PyList_Size(keys) ? PyList_SetItem(keys, place, Py_NewRef(key))
                                                : PyList_Append(keys, key)) < 0) {
    Py_XDECREF(key);
    return NULL;
  }
  return key;
}

/* A dict of a map. `keys` has those of the map before, if there is one. */
static PyObject* dict_of_map(const struct members* members, const struct map* map,
                             const struct map* before, PyObject* keys) {
  PyObject* dict = PyDict_New();
  size_t known = before == NULL ? 0 : before->count;
  const struct node *node = NULL, *other = NULL;
  for (size_t i = 0; dict != NULL && i < map->count; i++) {
    node = i == 0 ? ortcffi_first_node(map) : ortcffi_next_node(node);
    if (i < known) {
      other = i == 0 ? ortcffi_first_node(before) : ortcffi_next_node(other);
    }
    PyObject* key = shared_key(members, node, i < known ? other : NULL, keys, (Py_ssize_t)i);
    PyObject* number = key == NULL ? NULL : PyFloat_FromDouble(number_of(members, node));
    if (number == NULL || PyDict_SetItem(dict, key, number) < 0) {
      Py_CLEAR(dict);
    }
    Py_XDECREF(key);
    Py_XDECREF(number);
  }
  return dict;
}

static PyObject* list_of_maps(struct contents* how, const struct members* members) {
  PyObject* keys = PyList_New(0);
  PyObject* list = keys == NULL ? NULL : PyList_New((Py_ssize_t)members->count);
  for (size_t i = 0; list != NULL && i < members->count; i++) {
    const struct map* map = &members->maps[i];
    how->bytes += map->count * sizeof(struct text_node);
    ortcffi_put_in_list(&list, i, dict_of_map(members, map, i == 0 ? NULL : map - 1, keys));
  }
  Py_XDECREF(keys);
  return list;
}

/* --- sequences and maps ------------------------------------------------------------------------*/

static PyObject* contents_of_map(struct contents* how, const OrtValue* map);

/* A member of a sequence, or the keys or values of a map. `kind` is UNKNOWN before the first: all
 * are of one kind, which takes as long to ask for as a member. */
static PyObject* contents_of_member(struct contents* how, const OrtValue* value, size_t place,
                                    ONNXType* kind) {
  const struct maker* maker = how->maker;
  OrtValue* member = NULL;
  const char* function = "GetValue";
  OrtStatus* status = maker->api->GetValue(value, (int)place, maker->allocator, &member);
  if (status == NULL && *kind == ONNX_TYPE_UNKNOWN) {
    function = "GetValueType";
    status = maker->api->GetValueType(member, kind);
  }
  if (status != NULL) {
    maker->api->ReleaseValue(member);
    return ortcffi_value_fail(maker, status, function);
  }
  if (*kind == ONNX_TYPE_TENSOR) {
    return contents_of_tensor(how, member);
  }
  if (*kind != ONNX_TYPE_MAP) {
    return convert_value(how, member, 0);
  }
  PyObject* result = contents_of_map(how, member);
  maker->api->ReleaseValue(member);
  return result;
}

static PyObject* dict_of(PyObject* keys, PyObject* values) {
  Py_ssize_t count = PyList_Check(keys) && PyList_Check(values) ? PyList_Size(keys) : -1;
  if (count < 0 || PyList_Size(values) != count) {
    PyErr_SetString(PyExc_ValueError, "the library returned a map without a value for each key");
    return NULL;
  }
  PyObject* dict = PyDict_New();
  for (Py_ssize_t i = 0; dict != NULL && i < count; i++) {
    if (PyDict_SetItem(dict, PyList_GetItem(keys, i), PyList_GetItem(values, i)) < 0) {
      Py_CLEAR(dict);
    }
  }
  return dict;
}

static PyObject* contents_of_map(struct contents* how, const OrtValue* map) {
  ONNXType kind = ONNX_TYPE_TENSOR;
  struct contents lists = *how;
  lists.function = NULL;
  PyObject* keys = contents_of_member(&lists, map, 0, &kind);
  PyObject* values = keys == NULL ? NULL : contents_of_member(&lists, map, 1, &kind);
  PyObject* dict = values == NULL ? NULL : dict_of(keys, values);
  how->bytes = lists.bytes;
  Py_XDECREF(keys);
  Py_XDECREF(values);
  return dict;
}

static PyObject* contents_of_sequence(struct contents* how, const OrtValue* sequence) {
  size_t count;
  OrtStatus* status = how->maker->api->GetValueCount(sequence, &count);
  if (status != NULL) {
    return ortcffi_value_fail(how->maker, status, "GetValueCount");
  }
  struct members members;
  int is_in_place =
      count > 0 && ortcffi_members(how->maker, sequence, count, how->member, &members);
  if (is_in_place && members.maps != NULL) {
    return list_of_maps(how, &members);
  }
  ONNXType kind = (ONNXType)how->member;
  PyObject* list = PyList_New((Py_ssize_t)count);
  how->bytes += count * MEMBER;
  for (size_t i = 0; list != NULL && i < count; i++) {
    PyObject* member = is_in_place ? copy_of_member(how, &members, i) : NULL;
    if (member == NULL && !PyErr_Occurred()) {
      member = contents_of_member(how, sequence, i, &kind);
      is_in_place = i == 0 && ortcffi_members(how->maker, sequence, count, kind, &members);
    }
    ortcffi_put_in_list(&list, i, member);
  }
  return list;
}

PyObject* ortcffi_contents(struct contents* how, const OrtValue* value, int kind) {
  return kind == ONNX_TYPE_MAP ? contents_of_map(how, value) : contents_of_sequence(how, value);
}

PyObject* ortcffi_value_contents(PyObject* self, PyObject* function) {
  struct value* value = (struct value*)self;
  if (ortcffi_value_open(value) < 0 || handle_begin(&value->life) < 0) {
    return NULL;
  }
  struct contents how = {.maker = value->maker,
                         .type = Py_TYPE(self),
                         .function = function == Py_None ? NULL : function};
  int kind = ortcffi_value_kind(value);
  PyObject* result = kind < 0 ? NULL : ortcffi_contents(&how, ortcffi_value_object(value), kind);
  handle_end(&value->life);
  return result;
}
