/* SPDX-License-Identifier: MIT */
/* Compares the fields of an array with what Python says of it. See numpy_layout.h. */
#include "boundary/memory/numpy_layout.h"

#include <stdbool.h>
#include <string.h>

#include "boundary/memory/numpy_arrays.h"
#include "boundary/memory/numpy_table.h"

#define KNOWN "; this package knows NumPy 1.26 to 2"

/* Whether the first function of NumPy's table returns the ABI version of NumPy 1 or NumPy 2. */
static bool has_known_version(void** functions) {
  unsigned (*version_of_abi)(void);
  memcpy(&version_of_abi, functions, sizeof version_of_abi);
  unsigned version = version_of_abi();
  if (version != 0x01000009 && version != 0x02000000) {
    PyErr_Format(PyExc_ImportError, "NumPy's ABI has the version 0x%x" KNOWN, version);
    return false;
  }
  return true;
}

/* The name of a field of a new array that differs from what Python says of it; NULL if none does.
 */
static const char* different_field(const struct array* array, const Py_buffer* view,
                                   PyObject* dtype) {
  const struct descriptor* descriptor = array->descriptor;
  const int flags = ALIGNED | WRITEABLE | C_CONTIGUOUS;
  return array->data != view->buf                                                ? "data"
         : array->rank != view->ndim                                             ? "rank"
         : memcmp(array->shape, view->shape, 2 * sizeof *view->shape) != 0       ? "shape"
         : memcmp(array->strides, view->strides, 2 * sizeof *view->strides) != 0 ? "strides"
         : array->owner != NULL                                                  ? "base"
         : (const PyObject*)descriptor != dtype                                  ? "dtype"
         : (array->flags & flags) != flags                                       ? "flags"
         : descriptor->kind != 'f' || descriptor->type != 'd' || descriptor->number != 12
             ? "dtype.num"
             : NULL;
}

static int check_array(PyObject* array) {
  Py_buffer view;
  PyObject* dtype = PyObject_GetAttrString(array, "dtype");
  if (dtype == NULL || PyObject_GetBuffer(array, &view, PyBUF_STRIDES) < 0) {
    Py_XDECREF(dtype);
    return -1;
  }
  const char* field = different_field((const struct array*)array, &view, dtype);
  PyBuffer_Release(&view);
  Py_DECREF(dtype);
  if (field != NULL) {
    PyErr_Format(PyExc_ImportError, "NumPy lays out `%s` of its arrays differently" KNOWN, field);
    return -1;
  }
  return 0;
}

int ortcffi_check_numpy(void** functions) {
  if (!has_known_version(functions)) {
    return -1;
  }
  PyObject* array = PyObject_CallFunction(functions[NUMPY_ARRAY_TYPE], "((ii))", 2, 3);
  if (array == NULL) {
    return -1;
  }
  int checked = check_array(array);
  Py_DECREF(array);
  return checked;
}
