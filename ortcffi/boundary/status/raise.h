/* SPDX-License-Identifier: MIT */
/* Failing statuses as exceptions, and the types of values. */
#ifndef ORTCFFI_BOUNDARY_RAISE_H_
#define ORTCFFI_BOUNDARY_RAISE_H_

#include "onnxruntime_c_api.h"

#include "boundary/platform/objects.h"

/* The types Maker and Tensor as a tuple; see values.h. `scope` is the dict of ortcffi._table and
 * `pointer` CFFI's type OrtValue*. */
ortcffi_object* ortcffi_value_types(ortcffi_object* scope, ortcffi_object* pointer);

/*
 * Says how a failing status becomes an exception. `classes` is a dict of code to class, each called
 * with message and function; `other(code, message, function)` makes the exception for any other
 * code.
 */
ortcffi_object* ortcffi_set_errors(ortcffi_object* classes, ortcffi_object* other);

/* Raises the exception for a status that is not NULL, and releases the status. `function` is the
 * name of the function that answered. What is not UTF-8 becomes replacement characters. */
ortcffi_object* ortcffi_fail(const OrtApi* api, OrtStatus* status, ortcffi_object* function);

/*
 * Calls any function that returns a status. If it fails, `fail(api, status, name)`, which is
 * ortcffi_fail, is called before an interrupt can come in between. `arguments` is a tuple.
 */
ortcffi_object* ortcffi_call(ortcffi_object* fail, ortcffi_object* api, ortcffi_object* name,
                             ortcffi_object* function, ortcffi_object* arguments);

/* Passes an exception to sys.unraisablehook; `what`, a str, says where it was raised. */
void ortcffi_report(ortcffi_object* error, ortcffi_object* what);

#ifndef ORTCFFI_CDEF
/* ortcffi_fail with the name of the function as text; -1. */
int ortcffi_raise_status(const OrtApi* api, OrtStatus* status, const char* function);

/* The table whose function returned the last failing status. Needs the GIL. */
extern const void* ortcffi_failed_table;

/* The result in Python of a function that returned a status: a cdata of `type`, CFFI's OrtStatus*;
 * or the exception for a failing one, if `self` is the function's name. */
ortcffi_object* ortcffi_status_result(OrtStatus* status, ortcffi_object* type,
                                      ortcffi_object* self);
#endif

/* Whether a message is that of an arena of ONNX Runtime that has reached its limit. The code of
 * such a status is ORT_FAIL, or ORT_RUNTIME_EXCEPTION in older releases. */
int ortcffi_is_refusal_of_arena(const char* message);

/* Calls CreateStatus, and writes the status before an interrupt can come. */
void ortcffi_create_status(const OrtApi* api, OrtErrorCode code, const char* message,
                           OrtStatus** out);

#endif /* ORTCFFI_BOUNDARY_RAISE_H_ */
