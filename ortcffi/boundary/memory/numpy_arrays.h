/* SPDX-License-Identifier: MIT */
/*
 * NumPy's arrays as C sees them: read and made without NumPy's header.
 *
 * The structs begin as NumPy's ABI says, in all its versions. All functions need the GIL, and may
 * be called once ortcffi_arrays_begin has found NumPy.
 */
#ifndef ORTCFFI_BOUNDARY_MEMORY_NUMPY_ARRAYS_H_
#define ORTCFFI_BOUNDARY_MEMORY_NUMPY_ARRAYS_H_

#include "boundary/limited_api.h"

#include <stdint.h>

struct descriptor {
  PyObject base;
  PyTypeObject* scalar;
  char kind, type, byte_order, flags;
  int number;
};

enum { MOST_DIMENSIONS = 64 }; /* of an array */

struct array {
  PyObject base;
  char* data;
  int rank;
  Py_ssize_t* shape;
  Py_ssize_t* strides;
  PyObject* owner;
  struct descriptor* descriptor;
  int flags;
};

enum { C_CONTIGUOUS = 0x1, F_CONTIGUOUS = 0x2, ALIGNED = 0x100, WRITEABLE = 0x400 };

/* numpy.ndarray. The structs hold for it alone, not for its subtypes. */
extern PyTypeObject* ortcffi_array_type;

/* Finds NumPy, once, and checks that the structs are laid out as above: if not, an ImportError
 * names the difference. -1 with an exception. */
int ortcffi_arrays_begin(void);

/* The functions and types that NumPy exports in a capsule, in the order of its ABI, which is the
 * same in all versions; NULL if there are none. May be called before that. */
void** ortcffi_numpy_functions(void);

/* The dtype that numpy.dtype makes of an object. NULL with an exception. */
PyObject* ortcffi_as_dtype(PyObject* given);

/* An array over memory that the caller keeps valid, or gives a base; with NULL for `data` NumPy
 * allocates it. NULL with an exception. */
PyObject* ortcffi_make_array(void* data, const Py_ssize_t* shape, size_t rank, PyObject* dtype,
                             int flags);

/* Sets the base of an array; takes the reference to `owner`. -1 with an exception. */
int ortcffi_array_keep(PyObject* array, PyObject* owner);

/* A new tuple of numbers, such as a shape; NULL with an exception. Needs no NumPy. */
PyObject* ortcffi_tuple_of_numbers(const int64_t* numbers, size_t count);

#endif
