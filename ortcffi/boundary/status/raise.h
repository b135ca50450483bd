/* SPDX-License-Identifier: MIT */
/*
 * Functions on Python objects, for the few places where CFFI alone takes too long.
 *
 * An argument of type ortcffi_object* takes any object, and lends it. A result is an object for the
 * caller, or NULL with an exception, which the call then raises; see conversions.h. All of them
 * need the interpreter lock, so they keep it.
 */
#ifndef ORTCFFI_BOUNDARY_RAISE_H_
#define ORTCFFI_BOUNDARY_RAISE_H_

#include "onnxruntime_c_api.h"

typedef struct ortcffi_object ortcffi_object;

/* A new type Source; see blocks.c. To be called before any function that takes an object. */
ortcffi_object* ortcffi_source_type(void);

/* The types Maker and Tensor as a tuple; see values.h. `scope` is the dict of ortcffi._table. */
ortcffi_object* ortcffi_value_types(ortcffi_object* scope);

/*
 * Says how a failing status becomes an exception. `classes` is a dict of code to class, each called
 * with message and function; `other(code, message, function)` makes the exception for any other
 * code.
 */
ortcffi_object* ortcffi_set_errors(ortcffi_object* classes, ortcffi_object* other);

/* Raises the exception for a status that is not NULL, and releases the status. `function` is the
 * name of the function that answered. What is not UTF-8 becomes replacement characters. */
ortcffi_object* ortcffi_fail(const OrtApi* api, OrtStatus* status, ortcffi_object* function);

#endif /* ORTCFFI_BOUNDARY_RAISE_H_ */
