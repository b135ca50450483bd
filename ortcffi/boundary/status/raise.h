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
 * The same function as one of CFFI's module that a row of OrtApi stands for, which raises the
 * exception for a failing status itself. No interrupt can come between the status and the
 * exception. `name` is the name of the function.
 */
ortcffi_object* ortcffi_checked(ortcffi_object* function, ortcffi_object* name);

/*
 * Calls any function that answers a status. Where it fails, `fail(api, status, name)` is called,
 * which is ortcffi_fail, before an interrupt can come in between. `arguments` is a tuple.
 */
ortcffi_object* ortcffi_call(ortcffi_object* fail, ortcffi_object* api, ortcffi_object* name,
                             ortcffi_object* function, ortcffi_object* arguments);

#ifndef ORTCFFI_CDEF
/* The table whose function answered the last failing status. Needs the GIL. */
extern const void* ortcffi_failed_table;

/* What a function of CFFI's gives Python for a status: a cdata of `type`, CFFI's OrtStatus*, or for
 * a failing one the exception, where `self` is the function's name. */
ortcffi_object* ortcffi_status_result(OrtStatus* status, ortcffi_object* type,
                                      ortcffi_object* self);
#endif

/* Whether a message is that of an arena of ONNX Runtime at its bound. The code of such a status is
 * ORT_FAIL, or ORT_RUNTIME_EXCEPTION in older releases. */
int ortcffi_is_refusal_of_arena(const char* message);

/* CreateStatus, whose answer is written before an interrupt can come. */
void ortcffi_create_status(const OrtApi* api, OrtErrorCode code, const char* message,
                           OrtStatus** out);

#endif /* ORTCFFI_BOUNDARY_RAISE_H_ */
