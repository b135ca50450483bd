/* SPDX-License-Identifier: MIT */
/* NumPy's functions are found here, for all files: the header says where its table is defined. */
#define ORTCFFI_DEFINES_NUMPY
#include "boundary/memory/numpy_arrays.h"

int ortcffi_arrays_begin(void) { return PyArray_ImportNumPyAPI(); }

PyObject* ortcffi_make_array(void* data, const int64_t* shape, size_t rank, PyObject* dtype,
                             int flags) {
  return PyArray_NewFromDescr(&PyArray_Type, (PyArray_Descr*)Py_NewRef(dtype), (int)rank,
                              (const npy_intp*)shape, NULL, data, flags, NULL);
}

PyObject* ortcffi_tuple_of_numbers(const int64_t* numbers, size_t count) {
  PyObject* tuple = PyTuple_New((Py_ssize_t)count);
  for (size_t i = 0; tuple != NULL && i < count; i++) {
    ortcffi_put_in_tuple(&tuple, i, PyLong_FromLongLong(numbers[i]));
  }
  return tuple;
}
