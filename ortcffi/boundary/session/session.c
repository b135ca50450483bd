/* SPDX-License-Identifier: MIT */
/* Sessions as Python objects: their life, and the type. See session.h. */
#include "boundary/session/session.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "boundary/gil.h"
#include "boundary/platform/owner.h"
#include "boundary/session/jobs.h"

/* Need the types of the header above. */
#include "boundary/session/session_docs.h"
#include "boundary/session/session_types.h"

PyTypeObject* ortcffi_session_type;

static int64_t live_sessions;

int64_t ortcffi_live_sessions(void) { return live_sessions; }

int ortcffi_session_ready(const struct session* session) {
  if (session->maker != NULL && !session->is_ready) {
    PyErr_SetString(PyExc_ValueError, "no library has made this Session yet");
    return -1;
  }
  return 0;
}

int ortcffi_session_open(const struct session* session) {
  if (ortcffi_session_ready(session) < 0) {
    return -1;
  }
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

void ortcffi_session_refuse(struct session* session, const char* why, PyObject* what) {
  PyObject* done = what == NULL ? NULL : ASK_RULES(session, "refuse", "sN", why, what);
  if (done != NULL) {
    PyErr_Format(PyExc_SystemError, "the rules of a Session let pass what they must refuse: %s",
                 why);
    Py_DECREF(done);
  }
}

/* --- life --------------------------------------------------------------------------------------*/

static PyObject* session_new(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  (void)arguments;
  (void)keywords;
  return PyType_GenericAlloc(type, 0); /* zeroed */
}

/* _begin(maker, value_type, rules, keep, strings, has_threads, calls_python, holds_gil, borrowed):
 * what is known of a session before the library has made it, which then goes to `_out`. The session
 * becomes its owner, unless it is borrowed. */
static PyObject* begin_session(PyObject* self, PyObject* arguments) {
  struct session* session = (struct session*)self;
  struct maker* maker;
  unsigned long long strings;
  PyObject *type, *rules, *keep;
  int has_threads, calls_python, holds_gil, borrowed;
  if (!PyArg_ParseTuple(arguments, "O!O!OOKpppp", ortcffi_maker_type, &maker, &PyType_Type, &type,
                        &rules, &keep, &strings, &has_threads, &calls_python, &holds_gil,
                        &borrowed)) {
    return NULL;
  }
  if (session->maker != NULL) {
    PyErr_SetString(PyExc_RuntimeError, "this Session was made before");
    return NULL;
  }
  session->maker = (struct maker*)Py_NewRef((PyObject*)maker);
  session->strings = (OrtAllocator*)(uintptr_t)strings;
  session->value_type = (PyTypeObject*)Py_NewRef(type);
  session->rules = Py_NewRef(rules);
  session->keep = Py_NewRef(keep);
  session->has_threads = (char)has_threads;
  session->calls_python = (char)calls_python;
  session->holds_gil = (char)holds_gil;
  session->is_borrowed = (char)borrowed;
  session->generation = ortcffi_generation;
  Py_RETURN_NONE;
}

/* _read_ports(): reads what the model wants and gives, once the library has made the session. */
static PyObject* read_session(PyObject* self, PyObject* unused) {
  (void)unused;
  struct session* session = (struct session*)self;
  if (session->handle == NULL) {
    PyErr_SetString(PyExc_ValueError, "the library has made no session");
    return NULL;
  }
  session->is_counted = 1;
  live_sessions++;
  ortcffi_session_use(session);
  int answer = session->is_closed ? 0 : ortcffi_read_ports(session);
  session->is_ready = 1;
  if (answer < 0 || ortcffi_session_open(session) < 0) { /* another thread may have closed it */
    session->is_closed = 1;
    answer = -1;
  }
  ortcffi_session_end_use(session);
  return answer < 0 ? NULL : Py_NewRef(Py_None);
}

/* What the library holds, and what it borrows for that. */
struct parts {
  const OrtApi* api;
  OrtSession* handle;
  OrtRunOptions* spare;
  PyObject* keep;
};

static atomic_int pending_releases;

int ortcffi_pending_releases(void) { return atomic_load(&pending_releases); }

void ortcffi_forget_releases(void) { atomic_store(&pending_releases, 0); }

/* Without the GIL, for which the library's threads may wait. */
static void release_in_library(const struct parts* parts) {
  parts->api->ReleaseRunOptions(parts->spare);
  parts->api->ReleaseSession(parts->handle);
}

static void* release_later(void* argument) {
  struct parts* parts = argument;
  release_in_library(parts);
  if (parts->keep != NULL) {
    call_with_gil(drop_reference, parts->keep);
  }
  free(parts);
  atomic_fetch_sub(&pending_releases, 1);
  return NULL;
}

/* Has a new thread release the parts: the library joins the session's threads, and none of them
 * can wait for itself. -1 if there is no such thread. */
static int release_on_new_thread(const struct parts* parts) {
  struct parts* copy = malloc(sizeof *copy);
  if (copy == NULL) {
    return -1;
  }
  *copy = *parts;
  atomic_fetch_add(&pending_releases, 1);
  if (ortcffi_start_thread(release_later, copy) != 0) {
    atomic_fetch_sub(&pending_releases, 1);
    free(copy);
    return -1;
  }
  return 0;
}

/* Releases what the library holds. Its allocators run Python, which must not see an exception on
 * its way past us. */
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
    /* The child of a fork would wait for threads that it has not. */
    int is_lost = session->has_threads && session->generation != ortcffi_generation;
    const struct parts parts = {session->maker->api,
                                is_lost || session->is_borrowed ? NULL : handle, spare, keep};
    int may_be_own_thread = (ortcffi_thread_duties() & CALLS_BACK) != 0;
    int is_handed_over = may_be_own_thread && release_on_new_thread(&parts) == 0;
    if (!is_handed_over) {
      Py_BEGIN_ALLOW_THREADS;
      release_in_library(&parts);
      Py_END_ALLOW_THREADS;
    }
    live_sessions -= session->is_counted;
    session->is_counted = 0;
    if (!is_handed_over) {
      Py_XDECREF(keep);
    }
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

static void close_if(struct session* session, int may_release) {
  session->is_closed = 1;
  if (session->uses == 0 && may_release) {
    release_parts(session);
  }
}

/* The library may be making a session that a callback or another thread closes: its parts stay. */
static PyObject* close_session(PyObject* self, PyObject* unused) {
  (void)unused;
  close_if((struct session*)self, ((struct session*)self)->is_ready);
  Py_RETURN_NONE;
}

static int session_traverse(PyObject* self, visitproc visit, void* arg) {
  struct session* session = (struct session*)self;
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(session->maker);
  Py_VISIT(session->value_type);
  Py_VISIT(session->rules);
  Py_VISIT(session->keep);
  return 0;
}

/* The cyclic collector clears objects in any order, what the library borrows among them, but calls
 * all finalizers before. */
static void session_finalize(PyObject* self) {
  close_if((struct session*)self, ((struct session*)self)->handle != NULL);
}

static int session_clear(PyObject* self) {
  close_if((struct session*)self, 1);
  return 0;
}

static void session_dealloc(PyObject* self) {
  struct session* session = (struct session*)self;
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  release_parts(session);
  ortcffi_free_ports(session, &session->inputs);
  ortcffi_free_ports(session, &session->outputs);
  Py_XDECREF((PyObject*)session->maker);
  Py_XDECREF((PyObject*)session->value_type);
  Py_XDECREF(session->rules);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

/* --- small methods -----------------------------------------------------------------------------*/

/* _hand_out(owner): gives an Owner the OrtSession, which stays until _take_back(), its release. */
static PyObject* hand_out(PyObject* self, PyObject* owner) {
  struct session* session = (struct session*)self;
  if (ortcffi_session_open(session) < 0) {
    return NULL;
  }
  ortcffi_session_use(session);
  ((struct owner*)owner)->object = session->handle;
  Py_RETURN_NONE;
}

static PyObject* take_back(PyObject* self, PyObject* handle) {
  (void)handle;
  ortcffi_session_end_use((struct session*)self);
  Py_RETURN_NONE;
}

/* _ask_options(on): whether runs that have no options ask the rules for them. */
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
  return PyBool_FromLong(session->is_closed || session->handle == NULL || !session->is_ready);
}

static PyObject* get_running(PyObject* self, void* unused) {
  (void)unused;
  Py_ssize_t count = 0;
  for (struct run* run = ortcffi_runs; run != NULL; run = run->next) {
    count += run->session == (struct session*)self && !atomic_load(&run->is_done);
  }
  return PyLong_FromSsize_t(count);
}

/* Where a function of C is to write the OrtSession. */
static PyObject* get_out(PyObject* self, void* unused) {
  (void)unused;
  return PyLong_FromVoidPtr(&((struct session*)self)->handle);
}

static PyGetSetDef session_members[] = {
    {"api", get_api, NULL, NULL, NULL},
    {"closed", get_closed, NULL, NULL, NULL},
    {"running", get_running, NULL, NULL, NULL},
    {"_out", get_out, NULL, NULL, NULL},
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
    {"_read_ports", read_session, METH_NOARGS, NULL},
    {"_ports", ortcffi_session_ports, METH_O, NULL},
    {"_hand_out", hand_out, METH_O, NULL},
    {"_take_back", take_back, METH_O, NULL},
    {"_ask_options", ask_options, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot session_slots[] = {
    {Py_tp_new, (void*)session_new},         {Py_tp_finalize, (void*)session_finalize},
    {Py_tp_dealloc, (void*)session_dealloc}, {Py_tp_traverse, (void*)session_traverse},
    {Py_tp_clear, (void*)session_clear},     {Py_tp_methods, session_methods},
    {Py_tp_getset, session_members},         {0, NULL},
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
