/* SPDX-License-Identifier: MIT */
/*
 * Takes the GIL, on any thread, before a callback calls Python.
 *
 * C may call back while an exception is being raised, as when an array is freed then. The pending
 * exception is saved and restored, so that the callback's Python code does not see it. After the
 * interpreter has ended, Python must not be called at all.
 */
#ifndef ORTCFFI_BOUNDARY_GIL_H_
#define ORTCFFI_BOUNDARY_GIL_H_

#include "boundary/limited_api.h"
#include "platform/catching.h"

struct gil {
  PyGILState_STATE state;
  PyObject *type, *value, *traceback;
};

static inline void ensure_gil(void* gil) { ((struct gil*)gil)->state = PyGILState_Ensure(); }

/* Takes the GIL; release_gil() must follow. 0 if the interpreter has ended. While it ends, only the
 * thread that ends it gets the GIL. */
static inline int take_gil(struct gil* gil) {
  if (!Py_IsInitialized()) {
    return 0;
  }
  core_call_or_wait(ensure_gil, gil);
  PyErr_Fetch(&gil->type, &gil->value, &gil->traceback);
  return 1;
}

static inline void release_gil(struct gil* gil) {
  PyErr_Restore(gil->type, gil->value, gil->traceback);
  PyGILState_Release(gil->state);
}

#endif /* ORTCFFI_BOUNDARY_GIL_H_ */
