/* SPDX-License-Identifier: MIT */
/* Values as Python objects: tensors of strings, from and to arrays of str. See values.h. */
#include <string.h>

#include "boundary/values/arrays.h"
#include "boundary/values/values.h"
#include "platform/short_texts.h"

/* The UTF-8 texts of an array of str, which the objects own; 0 if one is no str, or contains a
 * zero. */
static int texts_of(PyObject** objects, size_t count, const char** texts) {
  for (size_t i = 0; i < count; i++) {
    Py_ssize_t length;
    if (objects[i] == NULL || !PyUnicode_Check(objects[i])) {
      return 0;
    }
    texts[i] = PyUnicode_AsUTF8AndSize(objects[i], &length);
    if (texts[i] == NULL) {
      PyErr_Clear(); /* the slow path raises for what is wrong */
      return 0;
    }
    if (core_text_length(texts[i]) != (size_t)length) {
      return 0;
    }
  }
  return 1;
}

/* Writes a character as UTF-8 and returns the end; NULL for a number that is no character. */
static char* put_character(char* to, uint32_t c) {
  if (c < 0x80) {
    *to++ = (char)c;
  } else if (c < 0x800) {
    *to++ = (char)(0xC0 | c >> 6);
    *to++ = (char)(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    if (c >= 0xD800 && c < 0xE000) {
      return NULL; /* a surrogate */
    }
    *to++ = (char)(0xE0 | c >> 12);
    *to++ = (char)(0x80 | (c >> 6 & 0x3F));
    *to++ = (char)(0x80 | (c & 0x3F));
  } else if (c < 0x110000) {
    *to++ = (char)(0xF0 | c >> 18);
    *to++ = (char)(0x80 | (c >> 12 & 0x3F));
    *to++ = (char)(0x80 | (c >> 6 & 0x3F));
    *to++ = (char)(0x80 | (c & 0x3F));
  } else {
    return NULL;
  }
  return to;
}

/* Writes the texts of an array of str, whose elements are padded with zeros, as UTF-8 with a zero
 * at the end; 0 if one has a zero inside, or no character. UTF-8 takes no more bytes than UTF-32.
 */
static int encode_texts(const struct plain_array* array, size_t count, const char** texts,
                        char* to) {
  size_t length = array->text_bytes / sizeof(uint32_t);
  const uint32_t* from = array->data;
  for (size_t i = 0; i < count; i++, from += length) {
    size_t used = length;
    while (used > 0 && from[used - 1] == 0) {
      used--;
    }
    texts[i] = to;
    for (size_t j = 0; j < used; j++) {
      to = from[j] == 0 ? NULL : put_character(to, from[j]);
      if (to == NULL) {
        return 0;
      }
    }
    *to++ = 0;
  }
  return 1;
}

int ortcffi_value_of_texts(const struct maker* maker, const int64_t* shape, size_t rank,
                           const char* const* texts, size_t count, OrtValue** out) {
  const char* function = "CreateTensorAsOrtValue";
  OrtValue* made = NULL;
  OrtStatus* status = maker->api->CreateTensorAsOrtValue(
      maker->allocator, shape, rank, ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING, &made);
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

/* ortcffi_strings_from_array for an array of str; makes room for its texts. */
static int strings_from_texts(const struct maker* maker, const struct plain_array* array,
                              size_t count, const char** texts, OrtValue** out) {
  char few[512];
  size_t size = array->bytes + count; /* the array is in memory, so the sum does not overflow */
  char* room = size <= sizeof few ? few : PyMem_Malloc(size);
  if (room == NULL) {
    PyErr_NoMemory();
    return -1;
  }
  int answer = encode_texts(array, count, texts, room);
  if (answer == 1) {
    answer = ortcffi_value_of_texts(maker, array->shape, array->rank, texts, count, out);
  }
  if (room != few) {
    PyMem_Free(room);
  }
  return answer;
}

int ortcffi_strings_from_array(const struct maker* maker, const struct plain_array* array,
                               OrtValue** out) {
  const char* few[16];
  int is_text = array->text_bytes > 0;
  size_t count = array->bytes / (is_text ? array->text_bytes : sizeof(PyObject*));
  const char** texts = few;
  if (count > sizeof few / sizeof *few) {
    texts = PyMem_Malloc(count * sizeof *texts);
  }
  if (texts == NULL) {
    PyErr_NoMemory();
    return -1;
  }
  int answer;
  if (is_text) {
    answer = strings_from_texts(maker, array, count, texts, out);
  } else {
    answer = texts_of(array->data, count, texts);
    if (answer == 1) {
      answer = ortcffi_value_of_texts(maker, array->shape, array->rank, texts, count, out);
    }
  }
  if (texts != few) {
    PyMem_Free(texts);
  }
  return answer;
}

/* A value of an array that C can read; NULL without an exception if it cannot. */
static PyObject* strings_as_they_are(PyObject* type, struct maker* maker, PyObject* x) {
  struct plain_array array;
  OrtValue* made = NULL;
  if (!ortcffi_text_array(x, &array)) {
    return NULL;
  }
  if (ortcffi_strings_from_array(maker, &array, &made) != 1) {
    return NULL;
  }
  return (PyObject*)ortcffi_new_value((PyTypeObject*)type, maker, made, NULL);
}

PyObject* ortcffi_strings_of_array(PyObject* type, struct maker* maker, PyObject* x) {
  PyObject* made = strings_as_they_are(type, maker, x);
  if (made != NULL || PyErr_Occurred()) {
    return made;
  }
  PyArrayObject* array = (PyArrayObject*)x;
  int64_t shape[MOST_DIMENSIONS]; /* a copy: another thread may give the array another shape */
  size_t rank = (size_t)PyArray_NDIM(array);
  if (rank > MOST_DIMENSIONS) {
    return NULL;
  }
  memcpy(shape, PyArray_DIMS(array), rank * sizeof *shape);
  PyObject* flat = rank == 1 ? Py_NewRef(x) : PyObject_CallMethod(x, "ravel", NULL);
  PyObject* list = flat == NULL ? NULL : PyObject_CallMethod(flat, "tolist", NULL);
  PyObject* value = list == NULL ? NULL : ortcffi_new_strings(type, maker, list, shape, rank);
  if (value == NULL &&
      (PyErr_ExceptionMatches(PyExc_TypeError) || PyErr_ExceptionMatches(PyExc_ValueError))) {
    PyErr_Clear();
  }
  Py_XDECREF(flat);
  Py_XDECREF(list);
  return value;
}

/* Sets the elements of a new array; -1 with an exception. */
static int set_objects(PyObject** objects, size_t count, const char* content, size_t size,
                       const size_t* offsets, const char* errors) {
  for (size_t i = 0; i < count; i++) {
    size_t end = i + 1 < count ? offsets[i + 1] : size;
    PyObject* text =
        PyUnicode_DecodeUTF8(content + offsets[i], (Py_ssize_t)(end - offsets[i]), errors);
    if (text == NULL) {
      return -1;
    }
    Py_XDECREF(objects[i]); /* NumPy may fill a new array with None */
    objects[i] = text;
  }
  return 0;
}

static PyObject* array_of_strings(struct value* value, size_t count, char* content, size_t size,
                                  size_t* offsets, int is_strict) {
  OrtStatus* status = value->maker->api->GetStringTensorContent(ortcffi_value_object(value),
                                                                content, size, offsets, count);
  if (status != NULL) {
    return ortcffi_value_fail(value->maker, status, "GetStringTensorContent");
  }
  PyObject** objects;
  PyObject* array = ortcffi_new_object_array(value->shape, value->rank, &objects);
  if (array != NULL &&
      set_objects(objects, count, content, size, offsets, is_strict ? NULL : "replace") < 0) {
    Py_CLEAR(array);
  }
  return array;
}

PyObject* ortcffi_value_string_array(struct value* value, int is_strict) {
  char few[512];
  size_t few_offsets[16];
  size_t size, count = ortcffi_value_count(value);
  OrtStatus* status =
      value->maker->api->GetStringTensorDataLength(ortcffi_value_object(value), &size);
  if (status != NULL) {
    return ortcffi_value_fail(value->maker, status, "GetStringTensorDataLength");
  }
  char* content = size <= sizeof few ? few : PyMem_Malloc(size);
  size_t* offsets = count < 16 ? few_offsets : PyMem_Malloc(count * sizeof *offsets);
  PyObject* array = content != NULL && offsets != NULL
                        ? array_of_strings(value, count, content, size, offsets, is_strict)
                        : PyErr_NoMemory();
  if (content != few) {
    PyMem_Free(content);
  }
  if (offsets != few_offsets) {
    PyMem_Free(offsets);
  }
  return array;
}
