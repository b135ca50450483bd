/* SPDX-License-Identifier: MIT */
/* The calls into a library that are under way on a thread, and which function failed last there.
 * Nothing here needs the GIL. */
#ifndef ORTCFFI_BOUNDARY_STATUS_CALLS_H_
#define ORTCFFI_BOUNDARY_STATUS_CALLS_H_

#include "boundary/limited_api.h"

#include "core.h"

/* One call, on the stack of the C function that makes it. */
struct ortcffi_call {
  struct ortcffi_call* outer; /* that in whose callback this one is made */
};

/* The function of this thread that failed last, and its status, which may be released by now. */
struct ortcffi_failure {
  const OrtStatus* status;
  const char* function;
};

extern __thread struct ortcffi_call* ortcffi_current_call CORE_TLS;
extern __thread struct ortcffi_failure ortcffi_last_failure CORE_TLS;

static inline void ortcffi_call_begin(struct ortcffi_call* call) {
  call->outer = ortcffi_current_call;
  ortcffi_current_call = call;
}

/* Returns the status, and notes the function if it has failed. */
static inline OrtStatus* ortcffi_call_end(const struct ortcffi_call* call, OrtStatus* status,
                                          const char* function) {
  ortcffi_current_call = call->outer;
  if (status != NULL) {
    ortcffi_last_failure = (struct ortcffi_failure){status, function};
  }
  return status;
}

#endif /* ORTCFFI_BOUNDARY_STATUS_CALLS_H_ */
