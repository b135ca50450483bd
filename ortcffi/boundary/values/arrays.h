/* SPDX-License-Identifier: MIT */
/*
 * Arrays of the elements that values have. All functions need the GIL, and may be called once
 * ortcffi_value_arrays_init has found NumPy.
 */
#ifndef ORTCFFI_BOUNDARY_VALUES_ARRAYS_H_
#define ORTCFFI_BOUNDARY_VALUES_ARRAYS_H_

#include "boundary/limited_api.h"

#include <stdint.h>

#include "boundary/memory/numpy_arrays.h"

/* The dtype of an element type, borrowed; NULL with an exception. */
PyObject* ortcffi_dtype_of(int element);

/* An array over memory that the caller keeps valid, or gives a base. NULL with an exception. */
PyObject* ortcffi_new_array(void* data, const int64_t* shape, size_t rank, PyObject* dtype,
                            int is_readonly);

#endif
