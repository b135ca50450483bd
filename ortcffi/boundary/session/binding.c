/* SPDX-License-Identifier: MIT */
/*
 * Bindings as Python objects: what ortcffi/session/binding.py builds its class Binding on.
 *
 * A Binder owns an OrtIoBinding and uses its session, which is not released before it. What the
 * library borrows is released after it. One thread at a time may use it, since a run writes to the
 * binding itself: others get an exception.
 */
#include "boundary/platform/owner.h"
#include "boundary/session/session.h"
#include "boundary/session/session_docs.h"

struct binding {
  PyObject base;
  struct session* session;
  OrtIoBinding* handle;
  PyObject* keep; /* what the library borrows: a tuple, which the cyclic collector cannot empty */
  struct habit habit; /* since something was bound */
  struct run run;     /* what it needs of one: options, and a place among those under way */
  char holds_gil;
  char is_busy;
  char is_closed;
  char is_complete; /* whether all inputs were bound when it was last used for binding */
};

static int begin_use(struct binding* binding) {
  if (binding->is_closed || binding->handle == NULL) {
    PyErr_SetString(PyExc_ValueError, "this Binding is closed");
    return -1;
  }
  if (binding->is_busy) {
    PyErr_SetString(PyExc_RuntimeError, "this Binding is in use on another thread");
    return -1;
  }
  if (ortcffi_session_open(binding->session) < 0) {
    return -1;
  }
  binding->is_busy = 1;
  return 0;
}

static void release_parts(struct binding* binding) {
  struct session* session = binding->session;
  OrtIoBinding* handle = binding->handle;
  PyObject* keep = binding->keep;
  binding->session = NULL;
  binding->handle = NULL;
  binding->keep = NULL;
  if (handle != NULL) {
    PyObject *type, *error, *traceback;
    PyErr_Fetch(&type, &error, &traceback);
    const OrtApi* api = session->maker->api;
    Py_BEGIN_ALLOW_THREADS;
    api->ReleaseIoBinding(handle);
    Py_END_ALLOW_THREADS;
    Py_XDECREF(keep);
    PyErr_Restore(type, error, traceback);
  }
  if (session != NULL) {
    ortcffi_session_end_use(session);
  }
}

static void end_use(struct binding* binding) {
  binding->is_busy = 0;
  if (binding->is_closed) {
    release_parts(binding);
  }
}

/* _begin(session, hold_gil): makes the library's binding. */
static PyObject* begin_binding(PyObject* self, PyObject* arguments) {
  struct binding* binding = (struct binding*)self;
  struct session* session;
  int holds_gil;
  if (!PyArg_ParseTuple(arguments, "O!p", ortcffi_session_type, &session, &holds_gil) ||
      ortcffi_session_open(session) < 0) {
    return NULL;
  }
  if (binding->session != NULL || binding->is_closed) {
    PyErr_SetString(PyExc_RuntimeError, "this Binding was made before");
    return NULL;
  }
  OrtIoBinding* handle;
  OrtStatus* status = session->maker->api->CreateIoBinding(session->handle, &handle);
  if (status != NULL) {
    return ortcffi_value_fail(session->maker, status, "CreateIoBinding");
  }
  ortcffi_session_use(session);
  binding->session = session;
  binding->handle = handle;
  binding->holds_gil = (char)(holds_gil || session->holds_gil);
  Py_RETURN_NONE;
}

/* _keep(tuple): what the library borrows now. To be called between _hand_out and _take_back; of a
 * binding that was closed since, what was kept before stays. */
static PyObject* keep(PyObject* self, PyObject* tuple) {
  struct binding* binding = (struct binding*)self;
  if (!PyTuple_CheckExact(tuple)) {
    PyErr_SetString(PyExc_TypeError, "_keep takes a tuple");
    return NULL;
  }
  if (!binding->is_closed) {
    PyObject* before = binding->keep;
    binding->keep = Py_NewRef(tuple);
    Py_XDECREF(before);
  }
  Py_RETURN_NONE;
}

/* A list of values, which owns all of them also where this fails. */
static PyObject* values_of(struct maker* maker, PyTypeObject* type, OrtValue** handles,
                           size_t count, PyObject* lender) {
  PyObject* values = PyList_New(0);
  for (size_t i = 0; i < count; i++) {
    PyObject* value =
        values == NULL ? NULL : (PyObject*)ortcffi_new_value(type, maker, handles[i], lender);
    if (values == NULL) {
      maker->api->ReleaseValue(handles[i]);
    } else if (value == NULL || PyList_Append(values, value) < 0) {
      Py_CLEAR(values);
    }
    Py_XDECREF(value);
  }
  return values;
}

/* The bound outputs; `lender` keeps what they may be of. */
static PyObject* read_outputs(struct binding* binding, PyTypeObject* type, PyObject* lender) {
  struct maker* maker = binding->session->maker;
  OrtAllocator* allocator = binding->session->strings;
  OrtValue** handles = NULL;
  size_t count = 0;
  OrtStatus* status =
      maker->api->GetBoundOutputValues(binding->handle, allocator, &handles, &count);
  if (status != NULL) {
    return ortcffi_value_fail(maker, status, "GetBoundOutputValues");
  }
  PyObject* values = values_of(maker, type, handles, count, lender);
  if (handles != NULL) {
    maker->api->ReleaseStatus(maker->api->AllocatorFree(allocator, handles));
  }
  return values;
}

/* Has the rules refuse a binding that lacks an input, once after something was bound. */
static int check_inputs(struct binding* binding) {
  if (!binding->is_complete) {
    PyObject* answer = ASK_RULES(binding->session, "bound", "O", binding);
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
    run->bound = binding->handle;
    ortcffi_run_perform(run, &binding->habit, binding->holds_gil, "RunWithBinding");
  }
  ortcffi_run_end(run);
  end_use(binding);
  return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

/* _hand_out(owner): gives an Owner the OrtIoBinding, which nobody else uses until _take_back(), its
 * release. */
static PyObject* hand_out(PyObject* self, PyObject* owner) {
  struct binding* binding = (struct binding*)self;
  if (begin_use(binding) < 0) {
    return NULL;
  }
  binding->habit = (struct habit){0};
  binding->is_complete = 0;
  ((struct owner*)owner)->object = binding->handle;
  Py_RETURN_NONE;
}

static PyObject* take_back(PyObject* self, PyObject* handle) {
  (void)handle;
  end_use((struct binding*)self);
  Py_RETURN_NONE;
}

/* _output_values(value_type, lender): the bound outputs; `lender` keeps what they may be of. */
static PyObject* output_values(PyObject* self, PyObject* arguments) {
  struct binding* binding = (struct binding*)self;
  PyTypeObject* type;
  PyObject* lender;
  if (!PyArg_ParseTuple(arguments, "O!O", &PyType_Type, &type, &lender) || begin_use(binding) < 0) {
    return NULL;
  }
  PyObject* values = read_outputs(binding, type, lender);
  end_use(binding);
  return values;
}

static PyObject* close_binding(PyObject* self, PyObject* unused) {
  (void)unused;
  struct binding* binding = (struct binding*)self;
  binding->is_closed = 1;
  if (!binding->is_busy) {
    release_parts(binding);
  }
  Py_RETURN_NONE;
}

static PyObject* get_closed(PyObject* self, void* unused) {
  (void)unused;
  const struct binding* binding = (struct binding*)self;
  return PyBool_FromLong(binding->is_closed || binding->handle == NULL);
}

static PyObject* binding_new(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  (void)arguments;
  (void)keywords;
  return PyType_GenericAlloc(type, 0);
}

static int binding_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(((struct binding*)self)->session);
  Py_VISIT(((struct binding*)self)->keep);
  return 0;
}

/* Before the collector clears anything: see session.c. */
static void binding_finalize(PyObject* self) { Py_DECREF(close_binding(self, NULL)); }

static int binding_clear(PyObject* self) {
  Py_DECREF(close_binding(self, NULL));
  return 0;
}

static void binding_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  release_parts((struct binding*)self);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

#define FUNCTION(name) ((PyCFunction)(void (*)(void))(name))

static PyMethodDef binding_methods[] = {
    {"run", FUNCTION(run_bound), METH_FASTCALL | METH_KEYWORDS, RUN_BOUND_DOC},
    {"_close", close_binding, METH_NOARGS, NULL},
    {"_begin", begin_binding, METH_VARARGS, NULL},
    {"_output_values", output_values, METH_VARARGS, NULL},
    {"_hand_out", hand_out, METH_O, NULL},
    {"_take_back", take_back, METH_O, NULL},
    {"_keep", keep, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef binding_members[] = {
    {"closed", get_closed, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot binding_slots[] = {
    {Py_tp_new, (void*)binding_new},         {Py_tp_finalize, (void*)binding_finalize},
    {Py_tp_dealloc, (void*)binding_dealloc}, {Py_tp_traverse, (void*)binding_traverse},
    {Py_tp_clear, (void*)binding_clear},     {Py_tp_methods, binding_methods},
    {Py_tp_getset, binding_members},         {0, NULL},
};

PyType_Spec ortcffi_binding_spec = {
    .name = "ortcffi._ort.Binder",
    .basicsize = sizeof(struct binding),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    .slots = binding_slots,
};
