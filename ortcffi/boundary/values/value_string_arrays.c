/* SPDX-License-Identifier: MIT */
/* Values as Python objects: tensors of strings, from an array of str and as one. See values.h. */
#include <string.h>

#include "boundary/values/values.h"

/* The texts of an array of str, which own them; 0 where there is another object or a zero. */
static int texts_of(PyObject** objects, size_t count, const char** texts) {
  for (size_t i = 0; i < count; i++) {
    Py_ssize_t length;
    if (objects[i] == NULL || !PyUnicode_Check(objects[i])) {
      return 0;
    }
    texts[i] = PyUnicode_AsUTF8AndSize(objects[i], &length);
    if (texts[i] == NULL) {
      PyErr_Clear(); /* the slow way tells what is wrong */
      return 0;
    }
    if (memchr(texts[i], 0, (size_t)length) != NULL) {
      return 0;
    }
  }
  return 1;
}

static int make_strings(const struct maker* maker, OrtAllocator* allocator,
                        const struct plain_array* array, const char* const* texts, size_t count,
                        OrtValue** out) {
  const char* function = "CreateTensorAsOrtValue";
  OrtValue* made = NULL;
  OrtStatus* status = maker->api->CreateTensorAsOrtValue(
      allocator, array->shape, array->rank, ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING, &made);
  if (status == NULL) {
    function = "FillStringTensor";
    status = maker->api->FillStringTensor(made, texts, count);
  }
  if (status != NULL) {
    maker->api->ReleaseValue(made);
    ortcffi_value_fail(maker, status, function);
    return -1;
  }
  *out = made;
  return 1;
}

int ortcffi_strings_from_array(const struct maker* maker, OrtAllocator* allocator,
                               const struct plain_array* array, OrtValue** out) {
  const char* few[16];
  size_t count = array->bytes / sizeof(PyObject*);
  const char** texts = few;
  if (count > sizeof few / sizeof *few) {
    texts = PyMem_Malloc(count * sizeof *texts);
  }
  if (texts == NULL) {
    PyErr_NoMemory();
    return -1;
  }
  int answer = texts_of(array->data, count, texts);
  if (answer == 1) {
    answer = make_strings(maker, allocator, array, texts, count, out);
  }
  if (texts != few) {
    PyMem_Free(texts);
  }
  return answer;
}

/* Sets the elements of a new array; -1 with an exception. */
static int set_objects(PyObject** objects, size_t count, const char* content, size_t size,
                       const size_t* offsets) {
  for (size_t i = 0; i < count; i++) {
    size_t end = i + 1 < count ? offsets[i + 1] : size;
    PyObject* text =
        PyUnicode_DecodeUTF8(content + offsets[i], (Py_ssize_t)(end - offsets[i]), "replace");
    if (text == NULL) {
      return -1;
    }
    Py_XDECREF(objects[i]); /* NumPy may fill a new array with None */
    objects[i] = text;
  }
  return 0;
}

static PyObject* array_of_strings(struct value* value, size_t count, char* content, size_t size,
                                  size_t* offsets) {
  OrtStatus* status =
      value->maker->api->GetStringTensorContent(value->handle, content, size, offsets, count);
  if (status != NULL) {
    return ortcffi_value_fail(value->maker, status, "GetStringTensorContent");
  }
  PyObject** objects;
  PyObject* array = ortcffi_new_object_array(value->shape, value->rank, &objects);
  if (array != NULL && set_objects(objects, count, content, size, offsets) < 0) {
    Py_CLEAR(array);
  }
  return array;
}

PyObject* ortcffi_value_string_array(struct value* value) {
  char few[512];
  size_t few_offsets[16];
  size_t size, count = ortcffi_value_count(value);
  OrtStatus* status = value->maker->api->GetStringTensorDataLength(value->handle, &size);
  if (status != NULL) {
    return ortcffi_value_fail(value->maker, status, "GetStringTensorDataLength");
  }
  char* content = size <= sizeof few ? few : PyMem_Malloc(size);
  size_t* offsets = count < 16 ? few_offsets : PyMem_Malloc(count * sizeof *offsets);
  PyObject* array = content != NULL && offsets != NULL
                        ? array_of_strings(value, count, content, size, offsets)
                        : PyErr_NoMemory();
  if (content != few) {
    PyMem_Free(content);
  }
  if (offsets != few_offsets) {
    PyMem_Free(offsets);
  }
  return array;
}
