/* SPDX-License-Identifier: MIT */
/*
 * Takes the GIL, on any thread, before a callback calls Python.
 *
 * C may call back while an exception is being raised, as when an array is freed then. The pending
 * exception is saved and restored, so that the callback's Python code does not see it. After the
 * interpreter has ended, Python must not be called at all.
 *
 * While the interpreter ends, CPython before 3.14 ends each other thread that takes the GIL, even
 * if the thread only takes it back in the middle of Python code. To unwind frames of a C++ library
 * would then end the process. So a function that a library calls runs Python in call_with_gil().
 */
#ifndef ORTCFFI_BOUNDARY_GIL_H_
#define ORTCFFI_BOUNDARY_GIL_H_

#include "boundary/limited_api.h"

#include "boundary/handle/threads.h"
#include "boundary/handle/handle.h"

struct gil {
  PyGILState_STATE state;
  int is_new;       /* whether the thread had no state of the interpreter's before */
  unsigned process; /* the process in which that state was made: ortcffi_process */
  PyObject *type, *value, *traceback;
};

static inline void ensure_gil(void* gil) {
  struct gil* self = (struct gil*)gil;
  self->is_new = PyGILState_GetThisThreadState() == NULL;
  self->process = ortcffi_process;
  self->state = PyGILState_Ensure();
}

/* The counterpart of ensure_gil(). CPython before 3.12.4 ends a thread's state twice if a
 * destructor of what is in it, such as its context, takes the GIL again (gh-119585): those run here
 * before. Not in the child of a fork that the thread made meanwhile: there the module threading has
 * made it the main thread, whose state calls a function that must be called once when it is
 * cleared. */
static inline void give_gil_back(struct gil* gil) {
  if (gil->is_new && Py_Version < 0x030c0400 && gil->process == ortcffi_process) {
    PyThreadState_Clear(PyThreadState_Get());
  }
  PyGILState_Release(gil->state);
}

/* Takes the GIL; release_gil() must follow. 0 if the interpreter has ended, or is ending on another
 * thread. */
static inline int take_gil(struct gil* gil) {
  if (!Py_IsInitialized()) {
    return 0;
  }
  call_or_wait(ensure_gil, gil);
  PyErr_Fetch(&gil->type, &gil->value, &gil->traceback);
  return 1;
}

static inline void release_gil(struct gil* gil) {
  PyErr_Restore(gil->type, gil->value, gil->traceback);
  give_gil_back(gil);
}

struct gil_call {
  void (*function)(void* argument);
  void* argument;
  int is_called;
};

static inline void run_with_gil(void* argument) {
  struct gil_call* call = (struct gil_call*)argument;
  struct gil gil;
  if (take_gil(&gil)) {
    call->function(call->argument);
    call->is_called = 1;
    release_gil(&gil);
  }
}

/* Calls a function with the GIL; 0 if it was not called, because the interpreter has ended. If the
 * interpreter ends during the call, the thread waits for ever. */
static inline int call_with_gil(void (*function)(void* argument), void* argument) {
  struct gil_call call = {function, argument, 0};
  call_or_wait(run_with_gil, &call);
  return call.is_called;
}

/* The same for a function that writes a status: that status, or one that says that the interpreter
 * has ended. */
static inline OrtStatus* call_for_status(const OrtApi* api, void (*function)(void* argument),
                                         void* argument, OrtStatus* const* status) {
  return call_with_gil(function, argument)
             ? *status
             : api->CreateStatus(ORT_FAIL, "the Python interpreter has ended");
}

/* Defines a function for call_with_gil, with a statement about its argument, a struct: `call`. */
#define ORTCFFI_IN_PYTHON(function, type, statement) \
  static void function(void* argument) {             \
    type* call = argument;                           \
    statement;                                       \
  }

static inline void drop_reference(void* object) { Py_DECREF((PyObject*)object); }

static inline void add_reference_to(void* object) { Py_INCREF((PyObject*)object); }

#endif /* ORTCFFI_BOUNDARY_GIL_H_ */
