/* SPDX-License-Identifier: MIT */
/*
 * The calls into a library that are under way on a thread, and which function failed last there.
 *
 * A callback in Python that raises leaves the exception with the current call of its thread
 * (ortcffi_keep_error). If the call then fails, ortcffi_fail takes the exception as the cause.
 */
#ifndef ORTCFFI_BOUNDARY_STATUS_CALLS_H_
#define ORTCFFI_BOUNDARY_STATUS_CALLS_H_

#include "boundary/limited_api.h"

#include "core.h"

/* One call, on the stack of the C function that makes it. */
struct ortcffi_call {
  struct ortcffi_call* outer; /* that in whose callback this one is made */
  PyObject* error;            /* what a callback raised meanwhile, the last one; or NULL */
};

/* A function that has failed, and its status, which may be released by now. */
struct ortcffi_failure {
  const OrtStatus* status; /* NULL for no memory without a status */
  const char* function;
  PyObject* error; /* of its call */
};

extern __thread struct ortcffi_call* ortcffi_current_call CORE_TLS;

static inline void ortcffi_call_begin(struct ortcffi_call* call) {
  call->outer = ortcffi_current_call;
  call->error = NULL;
  ortcffi_current_call = call;
}

/* Notes a failure of this thread, the last one, and drops the exception of the one before. Without
 * `is_failure` it drops the call's own exception. Takes the GIL for that. */
void ortcffi_note_failure(const struct ortcffi_call* call, const OrtStatus* status,
                          const char* function, int is_failure);

/* Ends a call that has answered a status, which it returns. */
static inline OrtStatus* ortcffi_call_end(const struct ortcffi_call* call, OrtStatus* status,
                                          const char* function) {
  ortcffi_current_call = call->outer;
  if (status != NULL || call->error != NULL) {
    ortcffi_note_failure(call, status, function, status != NULL);
  }
  return status;
}

/* Ends a call that has no memory, and no status to say so. */
static inline void ortcffi_call_end_empty(const struct ortcffi_call* call, const char* function) {
  ortcffi_current_call = call->outer;
  ortcffi_note_failure(call, NULL, function, 1);
}

/* Takes what was noted of the last failure of this thread, if it has that status; otherwise all
 * fields are NULL. The caller owns the exception. */
struct ortcffi_failure ortcffi_take_failure(const OrtStatus* status);

#endif /* ORTCFFI_BOUNDARY_STATUS_CALLS_H_ */
