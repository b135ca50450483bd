/* SPDX-License-Identifier: MIT */
/* The dtype and the shape of a new array, as callers in Python give them. All functions need the
 * GIL, and NumPy's functions (ortcffi_arrays_begin). */
#ifndef ORTCFFI_BOUNDARY_MEMORY_EXTENTS_H_
#define ORTCFFI_BOUNDARY_MEMORY_EXTENTS_H_

#include "boundary/limited_api.h"

/* No NumPy has arrays with more dimensions. */
#define EXTENT_DIMENSIONS 64

struct extent {
  Py_ssize_t lengths[EXTENT_DIMENSIONS];
  Py_ssize_t rank;
  Py_ssize_t bytes;
};

/* The dtype that an argument stands for, and the bytes of an element. NULL with an exception, also
 * for a dtype that memory of an allocator cannot have. */
PyObject* ortcffi_read_dtype(PyObject* given, Py_ssize_t* item);

/* Reads a shape, of elements of `item` bytes; `most` is how many dimensions it may have, at most
 * EXTENT_DIMENSIONS. -1 with an exception. */
int ortcffi_read_shape(PyObject* shape, Py_ssize_t item, Py_ssize_t most, struct extent* out);

#endif
