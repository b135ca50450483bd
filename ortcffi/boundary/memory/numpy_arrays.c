/* SPDX-License-Identifier: MIT */
/* NumPy's arrays, made with its C API. See numpy_arrays.h. */
#include "boundary/memory/numpy_arrays.h"

#include <string.h>

#include "boundary/memory/numpy_layout.h"
#include "boundary/memory/numpy_table.h"

/* Places in NumPy's table of functions. */
enum { NEW_FROM_DESCRIPTOR = 94, AS_DESCRIPTOR = 174, SET_BASE = 282 };

PyTypeObject* ortcffi_array_type;
static PyObject* (*new_array)(PyTypeObject*, PyObject*, int, const Py_ssize_t*, const Py_ssize_t*,
                              void*, int, PyObject*);
static int (*as_descriptor)(PyObject*, PyObject**);
static int (*set_base)(PyObject*, PyObject*);

int ortcffi_arrays_begin(void) {
  if (ortcffi_array_type != NULL) {
    return 0;
  }
  void** functions = ortcffi_numpy_functions();
  if (functions == NULL) {
    PyErr_SetString(PyExc_ImportError, "this NumPy does not export its functions");
    return -1;
  }
  if (ortcffi_check_numpy(functions) < 0) {
    return -1;
  }
  memcpy(&new_array, &functions[NEW_FROM_DESCRIPTOR], sizeof new_array);
  memcpy(&as_descriptor, &functions[AS_DESCRIPTOR], sizeof as_descriptor);
  memcpy(&set_base, &functions[SET_BASE], sizeof set_base);
  ortcffi_array_type = functions[NUMPY_ARRAY_TYPE];
  return 0;
}

PyObject* ortcffi_as_dtype(PyObject* given) {
  PyObject* dtype = NULL;
  return as_descriptor(given, &dtype) ? dtype : NULL;
}

PyObject* ortcffi_make_array(void* data, const Py_ssize_t* shape, size_t rank, PyObject* dtype,
                             int flags) {
  return new_array(ortcffi_array_type, Py_NewRef(dtype), (int)rank, shape, NULL, data, flags, NULL);
}

int ortcffi_array_keep(PyObject* array, PyObject* owner) {
  return set_base(array, Py_NewRef(owner));
}
