/* SPDX-License-Identifier: MIT */
/* Values as Python objects: tensors of strings, from and to lists and arrays. See values.h. */
#include <stdio.h>
#include <string.h>

#include "boundary/memory/numpy_arrays.h"
#include "boundary/values/values.h"

/* Has the pending UnicodeEncodeError say which string cannot be encoded. */
static void name_place(Py_ssize_t place) {
  PyObject *type, *error, *traceback;
  char reason[64];
  snprintf(reason, sizeof reason, "string %zd has a lone surrogate", place);
  PyErr_Fetch(&type, &error, &traceback);
  PyErr_NormalizeException(&type, &error, &traceback);
  PyUnicodeEncodeError_SetReason(error, reason);
  PyErr_Restore(type, error, traceback);
}

/* A str or bytes as UTF-8 that the object owns; NULL with an exception that names its place. */
static const char* text_of(PyObject* item, Py_ssize_t place, Py_ssize_t* length) {
  char* bytes;
  if (PyBytes_Check(item)) {
    return PyBytes_AsStringAndSize(item, &bytes, length) < 0 ? NULL : bytes;
  }
  if (!PyUnicode_Check(item)) {
    PyObject* name = PyType_GetName(Py_TYPE(item));
    if (name != NULL) {
      bool is_missing = item == Py_None || PyFloat_Check(item) ||
                        PyUnicode_CompareWithASCIIString(name, "NAType") == 0; /* of pandas */
      PyErr_Format(PyExc_TypeError, "string %zd must be a str or bytes, not %U%s", place, name,
                   is_missing ? ": fill what is missing, as from_strings(x, fill='') does" : "");
      Py_DECREF(name);
    }
    return NULL;
  }
  const char* text = PyUnicode_AsUTF8AndSize(item, length);
  if (text == NULL && PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) {
    name_place(place);
  }
  return text;
}

/* Sets strings that contain a zero, at which the C string would end too early. */
static int fill_long_ones(const struct maker* maker, OrtValue* value, PyObject* strings,
                          const char* const* texts) {
  Py_ssize_t count = PyList_Size(strings);
  for (Py_ssize_t i = 0; i < count; i++) {
    Py_ssize_t length;
    const char* text = text_of(PyList_GetItem(strings, i), i, &length);
    if (text == NULL) {
      return -1;
    }
    if (strlen(texts[i]) == (size_t)length) {
      continue;
    }
    char* buffer;
    OrtStatus* status =
        maker->api->GetResizedStringTensorElementBuffer(value, (size_t)i, (size_t)length, &buffer);
    if (status != NULL) {
      return ortcffi_fail(maker->api, status, "GetResizedStringTensorElementBuffer");
    }
    memcpy(buffer, text, (size_t)length);
  }
  return 0;
}

static int fill_texts(const struct maker* maker, OrtValue* value, PyObject* strings,
                      const char** texts) {
  Py_ssize_t count = PyList_Size(strings);
  int has_zeros = 0;
  for (Py_ssize_t i = 0; i < count; i++) {
    Py_ssize_t length;
    texts[i] = text_of(PyList_GetItem(strings, i), i, &length);
    if (texts[i] == NULL) {
      return -1;
    }
    has_zeros |= memchr(texts[i], 0, (size_t)length) != NULL;
  }
  /* The texts belong to objects of the list, which nobody changes. */
  OrtStatus* status = maker->api->FillStringTensor(value, texts, (size_t)count);
  if (status != NULL) {
    return ortcffi_fail(maker->api, status, "FillStringTensor");
  }
  return has_zeros ? fill_long_ones(maker, value, strings, texts) : 0;
}

/* Sets all elements, in the order of the memory; -1 with an exception. */
static int fill_strings(const struct maker* maker, OrtValue* value, PyObject* strings) {
  const char** texts = PyMem_Malloc(((size_t)PyList_Size(strings) + 1) * sizeof *texts);
  if (texts == NULL) {
    PyErr_NoMemory();
    return -1;
  }
  int answer = fill_texts(maker, value, strings, texts);
  PyMem_Free(texts);
  return answer;
}

/* _fill_strings(list): sets all elements. */
PyObject* ortcffi_value_fill_strings(PyObject* self, PyObject* strings) {
  struct value* value = (struct value*)self;
  if (!PyList_CheckExact(strings)) {
    PyErr_SetString(PyExc_TypeError, "_fill_strings takes a list");
    return NULL;
  }
  if (ortcffi_value_open(value) < 0 || handle_begin(&value->life) < 0) {
    return NULL;
  }
  PyObject* own = own_list(strings);
  int answer = own == NULL ? -1 : fill_strings(value->maker, ortcffi_value_object(value), own);
  Py_XDECREF(own);
  handle_end(&value->life);
  return answer < 0 ? NULL : Py_NewRef(Py_None);
}

/* Whether all are str. What becomes of others is left to Python: the drop-in has its own rule. */
static bool are_texts(PyObject* list) {
  for (Py_ssize_t i = 0, count = PyList_Size(list); i < count; i++) {
    if (!PyUnicode_Check(PyList_GetItem(list, i))) {
      return false;
    }
  }
  return true;
}

int ortcffi_strings_from_array(const struct maker* maker, const struct plain_array* array,
                               OrtValue** out) {
  int64_t shape[MOST_DIMENSIONS]; /* a copy: another thread may give the array another shape */
  size_t rank = array->rank;
  memcpy(shape, array->shape, rank * sizeof *shape);
  PyObject* flat = PyObject_CallMethod(array->object, "ravel", NULL);
  PyObject* list = flat == NULL ? NULL : PyObject_CallMethod(flat, "tolist", NULL);
  int answer = list == NULL ? -1 : 0;
  OrtStatus* status = NULL;
  if (list != NULL && are_texts(list)) {
    status = maker->api->CreateTensorAsOrtValue(maker->allocator, shape, rank,
                                                ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING, out);
    answer = status == NULL ? fill_strings(maker, *out, list)
                            : ortcffi_fail(maker->api, status, "CreateTensorAsOrtValue");
    answer = answer == 0 ? 1 : answer;
  }
  if (answer < 0 && status == NULL && list != NULL) {
    maker->api->ReleaseValue(*out);
    *out = NULL;
    if (PyErr_ExceptionMatches(PyExc_TypeError) || PyErr_ExceptionMatches(PyExc_ValueError)) {
      PyErr_Clear(); /* Python says why in its own words */
      answer = 0;
    }
  }
  Py_XDECREF(flat);
  Py_XDECREF(list);
  return answer;
}

/* How strings are read: as bytes, or as str with what is not UTF-8 refused or replaced. */
enum how { AS_BYTES, STRICT, REPLACED };

static PyObject* decode(const char* text, size_t length, enum how how) {
  return how == AS_BYTES
             ? PyBytes_FromStringAndSize(text, (Py_ssize_t)length)
             : PyUnicode_DecodeUTF8(text, (Py_ssize_t)length, how == STRICT ? NULL : "replace");
}

static PyObject* list_of(const char* content, size_t size, const size_t* offsets, size_t count,
                         enum how how) {
  PyObject* list = PyList_New((Py_ssize_t)count);
  for (size_t i = 0; list != NULL && i < count; i++) {
    size_t end = i + 1 < count ? offsets[i + 1] : size;
    ortcffi_put_in_list(&list, i, decode(content + offsets[i], end - offsets[i], how));
  }
  return list;
}

/* `count` elements, in the order of the memory; NULL with an exception. */
static PyObject* read_strings(struct value* value, size_t count, enum how how) {
  const OrtApi* api = value->maker->api;
  size_t size;
  OrtStatus* status = api->GetStringTensorDataLength(ortcffi_value_object(value), &size);
  if (status != NULL) {
    return ortcffi_value_fail(value->maker, status, "GetStringTensorDataLength");
  }
  char* content = PyMem_Malloc(size + 1);
  size_t* offsets = PyMem_Malloc((count + 1) * sizeof *offsets);
  PyObject* list = NULL;
  if (content == NULL || offsets == NULL) {
    PyErr_NoMemory();
  } else {
    status =
        api->GetStringTensorContent(ortcffi_value_object(value), content, size, offsets, count);
    list = status == NULL ? list_of(content, size, offsets, count, how)
                          : ortcffi_value_fail(value->maker, status, "GetStringTensorContent");
  }
  PyMem_Free(content);
  PyMem_Free(offsets);
  return list;
}

PyObject* ortcffi_value_string_array(struct value* value, int is_strict) {
  PyArray_Descr* dtype = PyArray_DescrFromType(NPY_OBJECT);
  size_t count = ortcffi_value_count(value);
  PyObject* list = read_strings(value, count, is_strict ? STRICT : REPLACED);
  PyObject* array = list == NULL
                        ? NULL
                        : ortcffi_make_array(NULL, value->shape, value->rank, (PyObject*)dtype, 0);
  PyObject** objects = array == NULL ? NULL : PyArray_DATA((PyArrayObject*)array);
  for (size_t i = 0; array != NULL && i < count; i++) {
    Py_XDECREF(objects[i]); /* NumPy may fill a new array with None */
    objects[i] = Py_NewRef(PyList_GetItem(list, (Py_ssize_t)i));
  }
  Py_XDECREF((PyObject*)dtype);
  Py_XDECREF(list);
  return array;
}

static PyObject* read_all(PyObject* self, enum how how) {
  struct value* value = (struct value*)self;
  if (ortcffi_value_open(value) < 0 || ortcffi_value_shape(value) < 0) {
    return NULL;
  }
  return read_strings(value, ortcffi_value_count(value), how);
}

PyObject* ortcffi_value_strings(PyObject* self, PyObject* unused) {
  return read_all(self, REPLACED);
}

PyObject* ortcffi_value_raw_strings(PyObject* self, PyObject* unused) {
  return read_all(self, AS_BYTES);
}

/* _sparse_strings(count): the strings that a sparse tensor stores. */
PyObject* ortcffi_value_sparse_strings(PyObject* self, PyObject* count) {
  size_t given = PyLong_AsSize_t(count);
  if (PyErr_Occurred() || ortcffi_value_open((struct value*)self) < 0) {
    return NULL;
  }
  return read_strings((struct value*)self, given, REPLACED);
}
