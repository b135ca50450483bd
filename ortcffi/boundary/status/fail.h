/* SPDX-License-Identifier: MIT */
/* Failing statuses as exceptions. */
#ifndef ORTCFFI_BOUNDARY_STATUS_FAIL_H_
#define ORTCFFI_BOUNDARY_STATUS_FAIL_H_

#include "onnxruntime_c_api.h"

/* Whether a message is that of an arena of ONNX Runtime that has reached its limit. The code of
 * such a status is ORT_FAIL, or ORT_RUNTIME_EXCEPTION in older releases. */
int ortcffi_is_refusal_of_arena(const char* message);

/* Calls CreateStatus, and writes the status before an interrupt can come. */
void ortcffi_create_status(const OrtApi* api, OrtErrorCode code, const char* message,
                           OrtStatus** out);

/* Whether a status says that there was no memory, whatever its code: ONNX Runtime's arenas and
 * allocators of devices say so in the message only. */
int ortcffi_says_no_memory(int code, const char* message);

#ifndef ORTCFFI_CDEF
#include <stdbool.h>

#include "boundary/limited_api.h"

/* The same of a call in which a callback raised `cause`, or NULL: its words count only if it is a
 * MemoryError. */
bool ortcffi_is_no_memory(int code, const char* message, PyObject* cause);

/* Raises the exception for a status that is not NULL, and releases the status; -1. `function` is
 * the function that answered; NULL for the one of this thread that failed with this status. What is
 * not UTF-8 becomes replacement characters. */
int ortcffi_fail(const OrtApi* api, OrtStatus* status, const char* function);

/* The same of a call in which a callback raised `cause`, which is taken, or NULL. */
int ortcffi_fail_because(const OrtApi* api, OrtStatus* status, const char* function,
                         PyObject* cause);

/* Leaves an exception that a callback raised with the current call of this thread; 0 if there is
 * none. */
int ortcffi_keep_error(PyObject* error);

/* Makes an exception, which is taken, the cause of the pending one; raises it itself if it is no
 * Exception, as KeyboardInterrupt is. NULL does nothing. */
void ortcffi_add_cause(PyObject* cause);

/* Makes a status of the pending exception, which the current call keeps. */
OrtStatus* ortcffi_status_of_exception(const OrtApi* api);
#endif

#endif /* ORTCFFI_BOUNDARY_STATUS_FAIL_H_ */
