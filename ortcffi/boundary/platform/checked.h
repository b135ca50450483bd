/* SPDX-License-Identifier: MIT */
/* Functions of CFFI's that raise the exception for a failing status: see status/raise.c. */
#ifndef ORTCFFI_BOUNDARY_CHECKED_H_
#define ORTCFFI_BOUNDARY_CHECKED_H_

#include "boundary/platform/objects.h"

/*
 * Makes a copy of a function of CFFI's module, one that stands for a row of OrtApi. The copy raises
 * the exception for a failing status itself, so that no interrupt can come in between. `name` is
 * the name of the function.
 */
ortcffi_object* ortcffi_checked(ortcffi_object* function, ortcffi_object* name);

#ifndef ORTCFFI_CDEF
#include "boundary/limited_api.h"

/* Calls any function with a tuple of arguments; one that ortcffi_checked made without another. */
PyObject* ortcffi_call_tuple(PyObject* function, PyObject* tuple);
#endif

#endif /* ORTCFFI_BOUNDARY_CHECKED_H_ */
