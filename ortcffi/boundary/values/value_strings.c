/* SPDX-License-Identifier: MIT */
/* Values as Python objects: tensors of strings, from and to lists of str. See values.h. */
#include <stdio.h>
#include <string.h>

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
      bool is_missing = item == Py_None || PyFloat_Check(item);
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
static int fill_long_ones(struct value* value, PyObject* strings, const char* const* texts) {
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
    OrtStatus* status = value->maker->api->GetResizedStringTensorElementBuffer(
        ortcffi_value_object(value), (size_t)i, (size_t)length, &buffer);
    if (status != NULL) {
      ortcffi_value_fail(value->maker, status, "GetResizedStringTensorElementBuffer");
      return -1;
    }
    memcpy(buffer, text, (size_t)length);
  }
  return 0;
}

static int fill_strings(struct value* value, PyObject* strings, const char** texts) {
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
  /* The texts belong to objects of the list, which cannot change while the GIL is held. */
  OrtStatus* status =
      value->maker->api->FillStringTensor(ortcffi_value_object(value), texts, (size_t)count);
  if (status != NULL) {
    ortcffi_value_fail(value->maker, status, "FillStringTensor");
    return -1;
  }
  return has_zeros ? fill_long_ones(value, strings, texts) : 0;
}

/* _fill_strings(list): sets all elements, in the order of the memory. */
PyObject* ortcffi_value_fill_strings(PyObject* self, PyObject* strings) {
  struct value* value = (struct value*)self;
  if (!PyList_CheckExact(strings)) {
    PyErr_SetString(PyExc_TypeError, "_fill_strings takes a list");
    return NULL;
  }
  const char** texts = PyMem_Malloc(((size_t)PyList_Size(strings) + 1) * sizeof *texts);
  if (texts == NULL) {
    return PyErr_NoMemory();
  }
  int answer = ortcffi_value_open(value) < 0 ? -1 : fill_strings(value, strings, texts);
  PyMem_Free(texts);
  if (answer < 0) {
    return NULL;
  }
  Py_RETURN_NONE;
}

PyObject* ortcffi_new_strings(PyObject* type, struct maker* maker, PyObject* strings,
                              const int64_t* shape, size_t rank) {
  PyObject* value = ortcffi_new_tensor(type, maker, maker->allocator, shape, rank,
                                       ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING);
  PyObject* done = value == NULL ? NULL : ortcffi_value_fill_strings(value, strings);
  if (done == NULL) {
    Py_CLEAR(value);
  }
  Py_XDECREF(done);
  return value;
}

/* _from_strings(maker, list, shape): a tensor of as many strings as the shape has elements. */
PyObject* ortcffi_value_from_strings(PyObject* type, PyObject* arguments) {
  struct maker* maker;
  PyObject *strings, *shape;
  if (!PyArg_ParseTuple(arguments, "O!O!O!", ortcffi_maker_type, &maker, &PyList_Type, &strings,
                        &PyTuple_Type, &shape)) {
    return NULL;
  }
  int64_t* lengths = ortcffi_lengths_of(shape);
  if (lengths == NULL) {
    return NULL;
  }
  PyObject* value = ortcffi_new_strings(type, maker, strings, lengths, (size_t)PyTuple_Size(shape));
  PyMem_Free(lengths);
  return value;
}

static PyObject* decode(const char* text, size_t length, int as_bytes) {
  return as_bytes ? PyBytes_FromStringAndSize(text, (Py_ssize_t)length)
                  : PyUnicode_DecodeUTF8(text, (Py_ssize_t)length, "replace");
}

static PyObject* list_of(const char* content, size_t size, const size_t* offsets, size_t count,
                         int as_bytes) {
  PyObject* list = PyList_New((Py_ssize_t)count);
  for (size_t i = 0; list != NULL && i < count; i++) {
    size_t end = i + 1 < count ? offsets[i + 1] : size;
    PyObject* item = decode(content + offsets[i], end - offsets[i], as_bytes);
    if (item == NULL) {
      Py_CLEAR(list);
    } else {
      PyList_SetItem(list, (Py_ssize_t)i, item);
    }
  }
  return list;
}

/* `count` elements, in the order of the memory; NULL with an exception. */
static PyObject* read_strings(struct value* value, size_t count, int as_bytes) {
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
    list = status == NULL ? list_of(content, size, offsets, count, as_bytes)
                          : ortcffi_value_fail(value->maker, status, "GetStringTensorContent");
  }
  PyMem_Free(content);
  PyMem_Free(offsets);
  return list;
}

static PyObject* read_all(PyObject* self, int as_bytes) {
  struct value* value = (struct value*)self;
  if (ortcffi_value_open(value) < 0 || ortcffi_value_shape(value) < 0) {
    return NULL;
  }
  return read_strings(value, ortcffi_value_count(value), as_bytes);
}

PyObject* ortcffi_value_strings(PyObject* self, PyObject* unused) {
  (void)unused;
  return read_all(self, 0);
}

PyObject* ortcffi_value_raw_strings(PyObject* self, PyObject* unused) {
  (void)unused;
  return read_all(self, 1);
}

/* _sparse_strings(count): the strings that a sparse tensor stores. */
PyObject* ortcffi_value_sparse_strings(PyObject* self, PyObject* count) {
  size_t given = PyLong_AsSize_t(count);
  if (PyErr_Occurred() || ortcffi_value_open((struct value*)self) < 0) {
    return NULL;
  }
  return read_strings((struct value*)self, given, 0);
}
