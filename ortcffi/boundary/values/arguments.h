/* SPDX-License-Identifier: MIT */
/*
 * Arguments of runs and of kernels: Python's objects as values for one call of a library.
 *
 * A value that was made for the call has no holder, and is released after it. A value that belongs
 * to a Value is held: the Value is the holder, which another thread may close meanwhile.
 */
#ifndef ORTCFFI_BOUNDARY_VALUES_ARGUMENTS_H_
#define ORTCFFI_BOUNDARY_VALUES_ARGUMENTS_H_

#include "boundary/values/values.h"

/* Describes an ndarray that ortcffi_value_of_array takes, by ortcffi_plain_array or
 * ortcffi_text_array; 0 for any other object. */
int ortcffi_argument_array(PyObject* x, struct plain_array* out);
/* Makes a tensor over the memory of such an array, or, of an array of str, a tensor of strings. 1
 * with the value; 0 if Python must convert the strings; -1 with an exception. */
int ortcffi_value_of_array(const struct maker* maker, const struct plain_array* array,
                           OrtValue** out);
/* Holds an open Value; -1 with an exception. */
int ortcffi_hold_value(PyObject* x, OrtValue** out, PyObject** holder);
/* Calls a method `method(place, x)`, which returns a Value, and holds that; -1 with an exception.
 */
int ortcffi_convert_argument(PyObject* self, const char* method, size_t place, PyObject* x,
                             OrtValue** out, PyObject** holder);
/* Releases value and holder after the call. Either may be NULL. A holder that is no Value keeps the
 * memory of the value. */
void ortcffi_drop_argument(const struct maker* maker, OrtValue* value, PyObject* holder);

#endif
