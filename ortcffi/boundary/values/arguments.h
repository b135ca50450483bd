/* SPDX-License-Identifier: MIT */
/*
 * Arguments of runs and of kernels: what Python gives, as values for one call of a library.
 *
 * A value that was made for the call has no holder, and is released after it. One that Python has
 * is held: its Value is the holder, which another thread may close meanwhile.
 */
#ifndef ORTCFFI_BOUNDARY_VALUES_ARGUMENTS_H_
#define ORTCFFI_BOUNDARY_VALUES_ARGUMENTS_H_

#include "boundary/values/values.h"

/* 1 and the facts of an ndarray that ortcffi_value_of_array takes: ortcffi_plain_array or
 * ortcffi_text_array says so. */
int ortcffi_argument_array(PyObject* x, struct plain_array* out);
/* A tensor over the memory of such an array, or, if it is of text, of strings that `strings` gives
 * memory to. 1 with the value; 0 where Python has to convert the strings; -1 with an exception. */
int ortcffi_value_of_array(const struct maker* maker, OrtAllocator* strings,
                           const struct plain_array* array, OrtValue** out);
/* Holds an open Value; -1 with an exception. */
int ortcffi_hold_value(PyObject* x, OrtValue** out, PyObject** holder);
/* Calls a method `method(place, x)`, which returns a Value, and holds that; -1 with an exception.
 */
int ortcffi_convert_argument(PyObject* self, const char* method, size_t place, PyObject* x,
                             OrtValue** out, PyObject** holder);
/* After the call. Either may be NULL. A holder that is no Value keeps something else. */
void ortcffi_drop_argument(const struct maker* maker, OrtValue* value, PyObject* holder);

#endif
