/* SPDX-License-Identifier: MIT */
/* What a run with sequences cannot do without: the library's run, and the objects of Python that
 * are its results. Each function returns the nanoseconds that `count` rounds take, -1 for an error.
 * Called with the GIL. */
#include <Python.h>

#include <time.h>

#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <numpy/arrayobject.h>

#include "onnxruntime_c_api.h"

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

/* Runs a session with one input, and releases its outputs, of which there are two at most. */
long long run_session(const OrtApi* api, OrtSession* session, const char* input, const OrtValue* x,
                      const char* const* outputs, size_t output_count, long count) {
  long long began = now();
  for (long i = 0; i < count; i++) {
    OrtValue* results[2] = {NULL, NULL};
    if (api->Run(session, NULL, &input, &x, 1, outputs, output_count, results) != NULL) {
      return -1;
    }
    api->ReleaseValue(results[0]);
    api->ReleaseValue(results[1]);
  }
  return now() - began;
}

/* A dict of numbers; the keys are shared. */
static PyObject* new_dict(PyObject* const* keys, long size) {
  PyObject* dict = PyDict_New();
  for (long i = 0; dict != NULL && i < size; i++) {
    PyObject* number = PyFloat_FromDouble((double)i);
    if (number == NULL || PyDict_SetItem(dict, keys[i], number) < 0) {
      Py_CLEAR(dict);
    }
    Py_XDECREF(number);
  }
  return dict;
}

/* An array of floats; the descriptor is NumPy's own. */
static PyObject* new_array(long size) {
  npy_intp shape[] = {1, size};
  PyObject* array = PyArray_SimpleNew(2, shape, NPY_FLOAT);
  if (array != NULL) {
    memset(PyArray_DATA((PyArrayObject*)array), 0, (size_t)size * sizeof(float));
  }
  return array;
}

/* Makes and destroys lists of `items` dicts of `size` numbers, or arrays of as many floats. */
static long long make_lists(long items, long size, long count, int are_dicts) {
  PyObject* keys[16];
  if (PyArray_API == NULL && _import_array() < 0) {
    return -1;
  }
  for (long i = 0; i < size; i++) {
    keys[i] = PyLong_FromLong(i); /* CPython has these already */
  }
  long long began = now();
  for (long n = 0; n < count; n++) {
    PyObject* list = PyList_New(items);
    for (long i = 0; list != NULL && i < items; i++) {
      PyObject* item = are_dicts ? new_dict(keys, size) : new_array(size);
      if (item == NULL) {
        return -1;
      }
      PyList_SET_ITEM(list, i, item);
    }
    Py_XDECREF(list);
  }
  return now() - began;
}

long long make_dicts(long items, long size, long count) {
  return make_lists(items, size, count, 1);
}

long long make_arrays(long items, long size, long count) {
  return make_lists(items, size, count, 0);
}
