/* SPDX-License-Identifier: MIT */
/*
 * NumPy's C API, through its own header, and what is made with it.
 *
 * All of it needs the GIL, and may be used once ortcffi_arrays_begin has imported NumPy. It is
 * compiled with NumPy 2 and runs with 1.26 and newer, as NumPy promises.
 */
#ifndef ORTCFFI_BOUNDARY_MEMORY_NUMPY_ARRAYS_H_
#define ORTCFFI_BOUNDARY_MEMORY_NUMPY_ARRAYS_H_

#include "boundary/limited_api.h"

#include <stdint.h>

#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#define NPY_TARGET_VERSION NPY_1_25_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL ortcffi_numpy
#ifndef ORTCFFI_DEFINES_NUMPY /* by the one file that has NumPy's table of functions */
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

_Static_assert(sizeof(npy_intp) == sizeof(int64_t), "shapes are passed on as they are");

enum { MOST_DIMENSIONS = 64 }; /* of an array */

/* Imports NumPy's functions, once. -1 with an exception. */
int ortcffi_arrays_begin(void);

/* An array over memory that the caller keeps valid, or gives a base; with NULL for `data` NumPy
 * allocates it. NULL with an exception. */
PyObject* ortcffi_make_array(void* data, const int64_t* shape, size_t rank, PyObject* dtype,
                             int flags);

/* The dtype of an element type of tensors, borrowed; NULL with an exception. */
PyObject* ortcffi_dtype_of(int element);

/* A new tuple of numbers, such as a shape; NULL with an exception. Needs no NumPy. */
PyObject* ortcffi_tuple_of_numbers(const int64_t* numbers, size_t count);

#endif
