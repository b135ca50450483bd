/* SPDX-License-Identifier: MIT */
/*
 * The way into Python, for threads that may not be Python's.
 *
 * What C calls may come while an exception is on its way, as when an array is freed: Python code
 * must not run into that exception. And once the interpreter has ended there is no Python.
 *
 * Needs Python.h.
 */
#ifndef ORTCFFI_VISIT_H
#define ORTCFFI_VISIT_H

struct visit {
  PyGILState_STATE state;
  PyObject *type, *value, *traceback;
};

/* 0 if there is no Python to enter; otherwise leave() has to follow. */
static inline int enter(struct visit* visit) {
  if (!Py_IsInitialized()) {
    return 0;
  }
  visit->state = PyGILState_Ensure();
  PyErr_Fetch(&visit->type, &visit->value, &visit->traceback);
  return 1;
}

static inline void leave(struct visit* visit) {
  PyErr_Restore(visit->type, visit->value, visit->traceback);
  PyGILState_Release(visit->state);
}

#endif
