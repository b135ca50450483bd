/* SPDX-License-Identifier: MIT */
/*
 * Bindings as Python objects: what ortcffi/session/binding.py builds its class Binding on.
 *
 * A Binder is a handle of an OrtIoBinding, whose parents are the session and what the library
 * borrows. One thread at a time may use it, since a run writes to the binding itself: others get an
 * exception.
 */
#include "boundary/session/session.h"

#include <stddef.h>

#include <structmember.h>

#include "boundary/session/session_docs.h"

struct binding {
  struct handle life;
  struct session* session;
  struct run run;   /* only its options, and its place in the list of runs under way */
  char is_complete; /* whether the rules have seen what is bound, and found all of it */
};

static int begin_use(struct binding* binding) {
  if (handle_begin_write(&binding->life) < 0) {
    return -1;
  }
  if (binding->session->life.process != 0 && handle_check(&binding->session->life) < 0) {
    handle_end(&binding->life);
    return -1;
  }
  return 0;
}

static void release_binding(const OrtApi* api, void* binding) {
  api->ReleaseIoBinding((OrtIoBinding*)binding);
}

/* _begin(type, session, parents): makes the library's binding. The parents are the session, and the
 * inputs and the outputs that are bound, as dicts of tuples whose first item is a Value or None. */
static PyObject* begin_binding(PyObject* self, PyObject* arguments) {
  struct binding* binding = (struct binding*)self;
  struct session* session;
  PyObject *pointer, *parents;
  if (!PyArg_ParseTuple(arguments, "OO!O!", &pointer, ortcffi_session_type, &session, &PyTuple_Type,
                        &parents) ||
      handle_check(&session->life) < 0) {
    return NULL;
  }
  const OrtApi* api = session->maker->api;
  if (handle_make(&binding->life, api, pointer, release_binding, parents) < 0) {
    return NULL;
  }
  binding->session = (struct session*)Py_NewRef((PyObject*)session);
  binding->life.process = session->life.process; /* a session that is made anew has none of its */
  OrtStatus* status =
      api->CreateIoBinding(ortcffi_session_object(session), (OrtIoBinding**)&binding->life.object);
  if (status != NULL) {
    binding->life.object = NULL;
    return ortcffi_value_fail(session->maker, status, "CreateIoBinding");
  }
  handle_made(&binding->life);
  Py_RETURN_NONE;
}

/* Checks by the rules that all inputs are bound; once after each change. */
static int check_inputs(struct binding* binding) {
  if (!binding->is_complete) {
    PyObject* answer = PyObject_CallFunctionObjArgs(binding->session->rules.bound, binding->session,
                                                    binding, NULL);
    binding->is_complete = answer != NULL;
    Py_XDECREF(answer);
  }
  return binding->is_complete ? 0 : -1;
}

/* run(*, options=None, timeout=None) */
static PyObject* run_bound(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                           PyObject* keywords) {
  struct binding* binding = (struct binding*)self;
  struct request request = {0};
  PyObject* named[16];
  PyObject** more = NULL;
  if (keywords != NULL || count > 0) {
    int answer = ortcffi_read_request(&request, arguments, count, keywords, named, &more);
    if (answer == 0 && (request.feed != NULL || request.outputs != NULL || request.out != NULL ||
                        ortcffi_names_inputs(&request))) {
      PyErr_SetString(PyExc_TypeError, "run of a Binding takes options and timeout only");
      answer = -1;
    }
    PyMem_Free(more);
    if (answer < 0) {
      return NULL;
    }
  }
  if (begin_use(binding) < 0) {
    return NULL;
  }
  struct run* run = &binding->run;
  if (ortcffi_run_begin_options(run, binding->session, &request) < 0 || check_inputs(binding) < 0) {
    /* with an exception */
  } else if (ortcffi_run_has_adapters(run)) {
    PyErr_SetString(PyExc_ValueError,
                    "options have adapters, which bound runs do not use: use "
                    "Session.run");
  } else {
    run->bound = (OrtIoBinding*)binding->life.object;
    ortcffi_run_perform(run, "RunWithBinding");
  }
  ortcffi_run_end(run);
  handle_end(&binding->life);
  return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

static int binding_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT((PyObject*)((struct binding*)self)->session);
  return handle_traverse(self, visit, arg);
}

static void binding_dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  handle_clear((struct handle*)self);
  Py_XDECREF((PyObject*)((struct binding*)self)->session);
  ortcffi_free_object(self);
}

static PyMethodDef binding_methods[] = {
    {"run", ORTCFFI_METHOD(run_bound), METH_FASTCALL | METH_KEYWORDS, RUN_BOUND_DOC},
    {"_begin", begin_binding, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef binding_fields[] = {
    {"_is_complete", T_BOOL, offsetof(struct binding, is_complete), 0, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot binding_slots[] = {
    {Py_tp_members, binding_fields},
    {Py_tp_dealloc, (void*)binding_dealloc},
    {Py_tp_traverse, (void*)binding_traverse},
    {Py_tp_methods, binding_methods},
    {0, NULL},
};

PyType_Spec ortcffi_binding_spec =
    ORTCFFI_TYPE("ortcffi._compiled.Binder", struct binding,
                 Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE, binding_slots);
