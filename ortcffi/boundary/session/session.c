/* SPDX-License-Identifier: MIT */
/* Sessions as Python objects: their life, and the type. See session.h. */
#include "boundary/session/session.h"

#include <stdatomic.h>
#include <stddef.h>

#include <structmember.h>

#include "boundary/session/jobs.h"

/* Need the types of the header above. */
#include "boundary/session/session_docs.h"
#include "boundary/session/session_types.h"

static int64_t live_sessions;

int64_t ortcffi_live_sessions(void) { return __atomic_load_n(&live_sessions, __ATOMIC_RELAXED); }

void ortcffi_session_refuse(struct session* session, const char* why, PyObject* what) {
  PyObject* done = what == NULL ? NULL
                                : PyObject_CallFunction(session->rules.refuse, "OsN",
                                                        (PyObject*)session, why, what);
  if (done != NULL) {
    PyErr_Format(PyExc_SystemError, "the rules of a Session let pass what they must refuse: %s",
                 why);
    Py_DECREF(done);
  }
}

/* --- life --------------------------------------------------------------------------------------*/

static void release_session(const OrtApi* api, void* session) {
  api->ReleaseSession((OrtSession*)session);
}

static void release_counted(const OrtApi* api, void* session) {
  release_session(api, session);
  __atomic_sub_fetch(&live_sessions, 1, __ATOMIC_RELAXED);
}

static void forget_counted(const OrtApi* api, void* session) {
  __atomic_sub_fetch(&live_sessions, 1, __ATOMIC_RELAXED);
}

/* --- making ------------------------------------------------------------------------------------*/

/* _begin(type, maker, value_type, rules, parents, calls_python, has_threads, borrowed): what is
 * known of a session before the library has made it, which then goes to its handle. */
static PyObject* begin_session(PyObject* self, PyObject* arguments) {
  struct session* session = (struct session*)self;
  struct maker* maker;
  PyObject *pointer, *type, *all_rules, *parents;
  int calls_python, has_threads, borrowed;
  struct rules rules;
  if (!PyArg_ParseTuple(arguments, "OO!O!O!O!ppp", &pointer, ortcffi_maker_type, &maker,
                        &PyType_Type, &type, &PyTuple_Type, &all_rules, &PyTuple_Type, &parents,
                        &calls_python, &has_threads, &borrowed) ||
      !PyArg_ParseTuple(all_rules, "OOOOOOOO", &rules.convert, &rules.options, &rules.result,
                        &rules.refuse, &rules.bound, &rules.contents, &rules.wrapper,
                        &rules.options_type)) {
    return NULL;
  }
  ortcffi_release* release = borrowed ? NULL : release_session;
  if (handle_make(&session->life, maker->api, pointer, release, parents) < 0) {
    return NULL;
  }
  session->life.process = has_threads ? ortcffi_process : 0;
  session->life.table = Py_NewRef(maker->owner);
  session->maker = (struct maker*)Py_NewRef((PyObject*)maker);
  session->value_type = (PyTypeObject*)Py_NewRef(type);
  session->all_rules = Py_NewRef(all_rules);
  session->rules = rules;
  session->calls_python = (char)calls_python;
  Py_RETURN_NONE;
}

/* _read_ports(): reads what the model wants and gives, once the library has made the session. */
static PyObject* read_session(PyObject* self, PyObject* unused) {
  struct session* session = (struct session*)self;
  if (session->life.object == NULL) {
    PyErr_SetString(PyExc_ValueError, "the library has made no session");
    return NULL;
  }
  int is_borrowed = session->life.release == NULL;
  session->life.release = is_borrowed ? forget_counted : release_counted;
  __atomic_add_fetch(&live_sessions, 1, __ATOMIC_RELAXED);
  int answer = handle_state(&session->life) == HANDLE_MAKING ? ortcffi_read_ports(session) : 0;
  handle_made(&session->life);
  if (answer < 0) {
    handle_close(&session->life);
    return NULL;
  }
  return handle_check(&session->life) < 0 ? NULL : Py_NewRef(Py_None); /* closed meanwhile? */
}

static int session_traverse(PyObject* self, visitproc visit, void* arg) {
  struct session* session = (struct session*)self;
  Py_VISIT(session->maker);
  Py_VISIT(session->value_type);
  Py_VISIT(session->all_rules);
  return handle_traverse(self, visit, arg);
}

static void session_dealloc(PyObject* self) {
  struct session* session = (struct session*)self;
  PyObject_GC_UnTrack(self);
  handle_clear(&session->life);
  ortcffi_free_ports(session, &session->inputs);
  ortcffi_free_ports(session, &session->outputs);
  if (session->spare != NULL) {
    session->maker->api->ReleaseRunOptions(session->spare);
  }
  Py_XDECREF((PyObject*)session->maker);
  Py_XDECREF((PyObject*)session->value_type);
  Py_XDECREF(session->all_rules);
  if (session->shared.buf != NULL) {
    PyBuffer_Release(&session->shared);
  }
  ortcffi_free_object(self);
}

/* --- the child of a fork -----------------------------------------------------------------------*/

static int remake_session(struct handle* self) {
  PyObject* done = PyObject_CallMethod((PyObject*)self, "_remake", NULL);
  Py_XDECREF(done);
  return done == NULL ? -1 : 0;
}

/* _remakes(): makes the session renew itself in the child of a fork, at its first use there. */
static PyObject* set_renew(PyObject* self, PyObject* unused) {
  ((struct handle*)self)->renew = remake_session;
  Py_RETURN_NONE;
}

/* _is_here(): whether the session can be used in this process as it is; in the child of a fork it
 * may have to be made anew. */
static PyObject* is_here(PyObject* self, PyObject* unused) {
  const struct handle* life = (struct handle*)self;
  return PyBool_FromLong(life->process == 0 || life->process == ortcffi_process);
}

/* _renew(other): takes over the object and the parents of another session, in the child of a fork.
 * The old object, which is the parent process's, is never released. */
static PyObject* renew_by(PyObject* self, PyObject* argument) {
  struct session* session = (struct session*)self;
  if (!PyObject_TypeCheck(argument, ortcffi_session_type)) {
    PyErr_SetString(PyExc_TypeError, "_renew takes a Session");
    return NULL;
  }
  struct handle *life = &session->life, *from = &((struct session*)argument)->life;
  if (handle_check(from) < 0) {
    return NULL;
  }
  if (life->process != ortcffi_process) { /* no other thread did it meanwhile */
    life->object = from->object;
    life->parents = from->parents;
    life->process = ortcffi_process;
    from->object = from->parents = NULL;
    from->word |= HANDLE_RELEASED;
    __atomic_sub_fetch(&live_sessions, 1,
                       __ATOMIC_RELAXED); /* the parent process counts the old one */
  }
  Py_RETURN_NONE;
}

ORTCFFI_LOCKED_METHOD(renew_by)
ORTCFFI_LOCKED_METHOD(ortcffi_session_ports)

/* --- small methods -----------------------------------------------------------------------------*/

static PyObject* cancel(PyObject* self, PyObject* unused) {
  return PyLong_FromSsize_t(ortcffi_stop_all((struct session*)self));
}

static PyObject* get_running(PyObject* self, void* unused) {
  Py_ssize_t count = 0;
  lock_list(LIST_OF_RUNS);
  for (struct run* run = ortcffi_runs; run != NULL; run = run->next) {
    count += run->session == (struct session*)self && !atomic_load(&run->is_done);
  }
  unlock_list(LIST_OF_RUNS);
  return PyLong_FromSsize_t(count);
}

static PyMemberDef session_members[] = {
    {"_input_places", T_OBJECT, offsetof(struct session, inputs.places), READONLY, NULL},
    {"_output_places", T_OBJECT, offsetof(struct session, outputs.places), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef session_getters[] = {
    {"running", get_running, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef session_methods[] = {
    {"run", ORTCFFI_METHOD(ortcffi_session_run), METH_FASTCALL | METH_KEYWORDS, RUN_DOC},
    {"run_values", ORTCFFI_METHOD(ortcffi_session_run_values), METH_FASTCALL | METH_KEYWORDS,
     RUN_VALUES_DOC},
    {"_submit", ORTCFFI_METHOD(ortcffi_session_submit), METH_FASTCALL | METH_KEYWORDS, NULL},
    {"cancel", cancel, METH_NOARGS, CANCEL_DOC},
    {"_begin", begin_session, METH_VARARGS, NULL},
    {"_read_ports", read_session, METH_NOARGS, NULL},
    {"_ports", ORTCFFI_LOCKED(ortcffi_session_ports), METH_O, NULL},
    {"_check_bound", ortcffi_session_check_bound, METH_VARARGS, NULL},
    {"_remakes", set_renew, METH_NOARGS, NULL},
    {"_is_here", is_here, METH_NOARGS, NULL},
    {"_renew", ORTCFFI_LOCKED(renew_by), METH_O, NULL},
    {"_counts", ortcffi_session_counts, METH_NOARGS, NULL},
    {"_count", ortcffi_session_count, METH_VARARGS, NULL},
    {"_count_into", ortcffi_count_into, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot session_slots[] = {
    {Py_tp_dealloc, (void*)session_dealloc}, {Py_tp_traverse, (void*)session_traverse},
    {Py_tp_methods, session_methods},        {Py_tp_members, session_members},
    {Py_tp_getset, session_getters},         {0, NULL},
};

/* Not final: a subtype is what users see. */
PyType_Spec ortcffi_session_spec =
    ORTCFFI_TYPE("ortcffi._compiled.Engine", struct session,
                 Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE, session_slots);

/* end_runs(seconds): ends all runs that are under way, and waits until they have ended; False if
 * that takes longer. */
static PyObject* end_runs(PyObject* module, PyObject* seconds) {
  double most = PyFloat_AsDouble(seconds);
  return PyErr_Occurred() ? NULL : PyBool_FromLong(ortcffi_end_runs(most));
}

/* runs_after_fork(): see ortcffi_runs_after_fork. */
static PyObject* runs_after_fork(PyObject* module, PyObject* unused) {
  ortcffi_runs_after_fork();
  Py_RETURN_NONE;
}

PyMethodDef ortcffi_session_functions[] = {
    {"runs_after_fork", runs_after_fork, METH_NOARGS, NULL},
    {"end_runs", end_runs, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};
