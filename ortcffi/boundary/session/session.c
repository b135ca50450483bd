/* SPDX-License-Identifier: MIT */
/* Sessions as Python objects: their life, and the type. See session.h. */
#include "boundary/session/session.h"

#include <string.h>

/* Need the types of the header above. */
#include "boundary/session/session_docs.h"
#include "boundary/session/session_types.h"

PyTypeObject* ortcffi_session_type;

static int64_t live_sessions;

int64_t ortcffi_live_sessions(void) { return live_sessions; }

int ortcffi_session_open(const struct session* session) {
  if (session->is_closed || session->handle == NULL) {
    PyErr_SetString(PyExc_ValueError, "this Session is closed");
    return -1;
  }
  if (session->has_threads && session->generation != ortcffi_generation) {
    PyErr_SetString(PyExc_RuntimeError,
                    "this Session was made before a fork, which took its threads away: make "
                    "sessions in the child, pass them by pickle, or use intra_op_threads=1");
    return -1;
  }
  return 0;
}

/* --- inputs and outputs ------------------------------------------------------------------------*/

static void free_ports(struct ports* ports) {
  for (size_t i = 0; i < ports->count; i++) {
    Py_XDECREF(ports->items[i].name);
    PyMem_Free(ports->items[i].shape);
  }
  PyMem_Free(ports->items);
  Py_XDECREF(ports->places);
  memset(ports, 0, sizeof *ports);
}

static int read_shape(struct port* port, PyObject* shape) {
  if (shape == Py_None) {
    port->rank = -1;
    return 0;
  }
  if (!PyTuple_Check(shape)) {
    PyErr_SetString(PyExc_TypeError, "a shape must be a tuple or None");
    return -1;
  }
  port->rank = PyTuple_Size(shape);
  port->shape = PyMem_Malloc(((size_t)port->rank + 1) * sizeof *port->shape);
  if (port->shape == NULL) {
    PyErr_NoMemory();
    return -1;
  }
  for (Py_ssize_t i = 0; i < port->rank; i++) {
    port->shape[i] = PyLong_AsLongLong(PyTuple_GetItem(shape, i));
    if (port->shape[i] == -1 && PyErr_Occurred()) {
      return -1;
    }
  }
  return 0;
}

/* One port of (name, kind, element, shape, is_on_cpu). */
static int read_port(struct port* port, PyObject* facts, PyObject* places, size_t place) {
  PyObject *name, *shape;
  if (!PyArg_ParseTuple(facts, "UiiOp", &name, &port->kind, &port->element, &shape,
                        &port->is_on_cpu)) {
    return -1;
  }
  port->name = Py_NewRef(name);
  PyUnicode_InternInPlace(&port->name);
  port->text = PyUnicode_AsUTF8AndSize(port->name, NULL);
  if (port->text == NULL || read_shape(port, shape) < 0) {
    return -1;
  }
  PyObject* number = PyLong_FromSize_t(place);
  int answer = number == NULL ? -1 : PyDict_SetItem(places, port->name, number);
  Py_XDECREF(number);
  return answer;
}

static int read_ports(struct ports* ports, PyObject* all) {
  size_t count = (size_t)PyTuple_Size(all);
  ports->items = PyMem_Calloc(count + 1, sizeof *ports->items);
  ports->places = PyDict_New();
  if (ports->items == NULL || ports->places == NULL) {
    PyErr_NoMemory();
    return -1;
  }
  ports->count = count;
  for (size_t i = 0; i < count; i++) {
    PyObject* facts = PyTuple_GetItem(all, (Py_ssize_t)i);
    if (read_port(&ports->items[i], facts, ports->places, i) < 0) {
      return -1;
    }
  }
  return 0;
}

Py_ssize_t ortcffi_find_port(const struct ports* ports, PyObject* name, size_t guess) {
  if (guess < ports->count && ports->items[guess].name == name) {
    return (Py_ssize_t)guess;
  }
  PyObject* place = PyDict_GetItemWithError(ports->places, name);
  if (place == NULL) {
    PyErr_Clear(); /* what cannot be hashed is no name either */
    return -1;
  }
  return PyLong_AsSsize_t(place);
}

/* --- life --------------------------------------------------------------------------------------*/

static PyObject* session_new(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  (void)arguments;
  (void)keywords;
  return PyType_GenericAlloc(type, 0); /* zeroed */
}

/* _begin(maker, handle, value_type, keep, strings, inputs, outputs, required, has_threads,
 * borrowed=False):
 * the session becomes the owner of the handle, also where this fails, unless that is
 * borrowed. */
static PyObject* begin_session(PyObject* self, PyObject* arguments) {
  struct session* session = (struct session*)self;
  struct maker* maker;
  unsigned long long handle, strings;
  PyObject *type, *keep, *inputs, *outputs;
  Py_ssize_t required;
  int has_threads, borrowed = 0;
  if (!PyArg_ParseTuple(arguments, "O!KO!OKO!O!np|p", ortcffi_maker_type, &maker, &handle,
                        &PyType_Type, &type, &keep, &strings, &PyTuple_Type, &inputs, &PyTuple_Type,
                        &outputs, &required, &has_threads, &borrowed)) {
    return NULL;
  }
  if (session->maker != NULL) {
    maker->api->ReleaseSession(borrowed ? NULL : (OrtSession*)(uintptr_t)handle);
    PyErr_SetString(PyExc_RuntimeError, "this Session was made before");
    return NULL;
  }
  session->maker = (struct maker*)Py_NewRef((PyObject*)maker);
  session->handle = (OrtSession*)(uintptr_t)handle;
  session->strings = (OrtAllocator*)(uintptr_t)strings;
  session->value_type = (PyTypeObject*)Py_NewRef(type);
  session->keep = Py_NewRef(keep);
  session->has_threads = (char)has_threads;
  session->is_borrowed = (char)borrowed;
  session->generation = ortcffi_generation;
  live_sessions++;
  if (read_ports(&session->inputs, inputs) < 0 || read_ports(&session->outputs, outputs) < 0) {
    return NULL;
  }
  session->required = (size_t)required;
  for (size_t i = 0; i < session->outputs.count; i++) {
    PyObject* name = session->outputs.items[i].name;
    session->passes_inputs |= PyDict_Contains(session->inputs.places, name) > 0;
    session->gives_optional |= session->outputs.items[i].kind == ONNX_TYPE_OPTIONAL;
  }
  Py_RETURN_NONE;
}

/* Releases what the library holds. Its threads may wait for the GIL, and its allocators run
 * Python, which must not see an exception on its way past us. */
static void release_parts(struct session* session) {
  OrtSession* handle = session->handle;
  OrtRunOptions* spare = session->spare;
  PyObject* keep = session->keep;
  session->handle = NULL;
  session->spare = NULL;
  session->keep = NULL;
  if (handle != NULL) {
    PyObject *type, *error, *traceback;
    PyErr_Fetch(&type, &error, &traceback);
    const OrtApi* api = session->maker->api;
    /* The child of a fork would wait for threads that it has not. */
    int is_lost = session->has_threads && session->generation != ortcffi_generation;
    Py_BEGIN_ALLOW_THREADS;
    api->ReleaseRunOptions(spare);
    api->ReleaseSession(is_lost || session->is_borrowed ? NULL : handle);
    Py_END_ALLOW_THREADS;
    live_sessions--;
    Py_XDECREF(keep);
    PyErr_Restore(type, error, traceback);
  } else {
    Py_XDECREF(keep);
  }
}

void ortcffi_session_use(struct session* session) {
  Py_INCREF((PyObject*)session);
  session->uses++;
}

void ortcffi_session_end_use(struct session* session) {
  session->uses--;
  if (session->is_closed && session->uses == 0) {
    release_parts(session);
  }
  Py_DECREF((PyObject*)session);
}

static PyObject* close_session(PyObject* self, PyObject* unused) {
  (void)unused;
  struct session* session = (struct session*)self;
  session->is_closed = 1;
  if (session->uses == 0) {
    release_parts(session);
  }
  Py_RETURN_NONE;
}

static int session_traverse(PyObject* self, visitproc visit, void* arg) {
  struct session* session = (struct session*)self;
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(session->maker);
  Py_VISIT(session->value_type);
  Py_VISIT(session->keep);
  return 0;
}

static int session_clear(PyObject* self) {
  Py_DECREF(close_session(self, NULL));
  return 0;
}

static void session_dealloc(PyObject* self) {
  struct session* session = (struct session*)self;
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  release_parts(session);
  free_ports(&session->inputs);
  free_ports(&session->outputs);
  Py_XDECREF((PyObject*)session->maker);
  Py_XDECREF((PyObject*)session->value_type);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

/* --- small methods -----------------------------------------------------------------------------*/

/* _hand_out(): the address of the OrtSession, which stays until _take_back(). */
static PyObject* hand_out(PyObject* self, PyObject* unused) {
  (void)unused;
  struct session* session = (struct session*)self;
  if (ortcffi_session_open(session) < 0) {
    return NULL;
  }
  ortcffi_session_use(session);
  return PyLong_FromVoidPtr(session->handle);
}

static PyObject* take_back(PyObject* self, PyObject* unused) {
  (void)unused;
  ortcffi_session_end_use((struct session*)self);
  Py_RETURN_NONE;
}

/* _ask_options(on): whether runs that have no options ask _run_options(None) for them. */
static PyObject* ask_options(PyObject* self, PyObject* on) {
  ((struct session*)self)->asks_options = on == Py_True;
  Py_RETURN_NONE;
}

static PyObject* cancel(PyObject* self, PyObject* unused) {
  (void)unused;
  return PyLong_FromSsize_t(ortcffi_stop_all((struct session*)self));
}

static PyObject* get_api(PyObject* self, void* unused) {
  (void)unused;
  struct session* session = (struct session*)self;
  if (session->maker == NULL) {
    PyErr_SetString(PyExc_ValueError, "this Session was never made");
    return NULL;
  }
  return Py_NewRef(session->maker->owner);
}

static PyObject* get_closed(PyObject* self, void* unused) {
  (void)unused;
  const struct session* session = (struct session*)self;
  return PyBool_FromLong(session->is_closed || session->handle == NULL);
}

static PyObject* get_running(PyObject* self, void* unused) {
  (void)unused;
  Py_ssize_t count = 0;
  for (struct run* run = ortcffi_runs; run != NULL; run = run->next) {
    count += run->session == (struct session*)self && !atomic_load(&run->is_done);
  }
  return PyLong_FromSsize_t(count);
}

static PyGetSetDef session_members[] = {
    {"api", get_api, NULL, NULL, NULL},
    {"closed", get_closed, NULL, NULL, NULL},
    {"running", get_running, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

#define FUNCTION(name) ((PyCFunction)(void (*)(void))(name))

static PyMethodDef session_methods[] = {
    {"run", FUNCTION(ortcffi_session_run), METH_FASTCALL | METH_KEYWORDS, RUN_DOC},
    {"run_values", FUNCTION(ortcffi_session_run_values), METH_FASTCALL | METH_KEYWORDS,
     RUN_VALUES_DOC},
    {"_submit", FUNCTION(ortcffi_session_submit), METH_FASTCALL | METH_KEYWORDS, NULL},
    {"cancel", cancel, METH_NOARGS, CANCEL_DOC},
    {"close", close_session, METH_NOARGS, SESSION_CLOSE_DOC},
    {"_begin", begin_session, METH_VARARGS, NULL},
    {"_hand_out", hand_out, METH_NOARGS, NULL},
    {"_take_back", take_back, METH_O, NULL},
    {"_ask_options", ask_options, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot session_slots[] = {
    {Py_tp_new, (void*)session_new},
    {Py_tp_dealloc, (void*)session_dealloc},
    {Py_tp_traverse, (void*)session_traverse},
    {Py_tp_clear, (void*)session_clear},
    {Py_tp_methods, session_methods},
    {Py_tp_getset, session_members},
    {0, NULL},
};

/* Not final: a subtype is what users see. */
PyType_Spec ortcffi_session_spec = {
    .name = "ortcffi._ort.Engine",
    .basicsize = sizeof(struct session),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    .slots = session_slots,
};

ortcffi_object* ortcffi_session_types(void) {
  ortcffi_session_type = (PyTypeObject*)PyType_FromSpec(&ortcffi_session_spec);
  ortcffi_job_type = (PyTypeObject*)PyType_FromSpec(&ortcffi_job_spec);
  ortcffi_mailbox_type = (PyTypeObject*)PyType_FromSpec(&ortcffi_mailbox_spec);
  PyObject* binding_type = PyType_FromSpec(&ortcffi_binding_spec);
  if (ortcffi_session_type == NULL || ortcffi_job_type == NULL || ortcffi_mailbox_type == NULL ||
      binding_type == NULL) {
    return NULL;
  }
  return (ortcffi_object*)PyTuple_Pack(4, ortcffi_session_type, binding_type, ortcffi_job_type,
                                       ortcffi_mailbox_type);
}
