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

PyTypeObject* ortcffi_session_type;

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

static PyObject* session_new(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  struct session* session = (struct session*)PyType_GenericAlloc(type, 0); /* zeroed */
  if (session != NULL) {
    session->options = Py_NewRef(Py_None);
    session->source = Py_NewRef(Py_None);
    session->specs = Py_NewRef(Py_None);
    session->arena = Py_NewRef(Py_None);
  }
  return (PyObject*)session;
}

/* _begin(type, maker, value_type, rules, parents, options, calls_python, has_threads, borrowed):
 * what is known of a session before the library has made it, which then goes to its handle. */
static PyObject* begin_session(PyObject* self, PyObject* arguments) {
  struct session* session = (struct session*)self;
  struct maker* maker;
  PyObject *pointer, *type, *all_rules, *parents, *options;
  int calls_python, has_threads, borrowed;
  struct rules rules;
  if (!PyArg_ParseTuple(arguments, "OO!O!O!O!Oppp", &pointer, ortcffi_maker_type, &maker,
                        &PyType_Type, &type, &PyTuple_Type, &all_rules, &PyTuple_Type, &parents,
                        &options, &calls_python, &has_threads, &borrowed) ||
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
  session->maker = (struct maker*)Py_NewRef((PyObject*)maker);
  session->value_type = (PyTypeObject*)Py_NewRef(type);
  session->all_rules = Py_NewRef(all_rules);
  session->rules = rules;
  Py_DECREF(session->options);
  session->options = Py_NewRef(options);
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
  Py_VISIT(session->options);
  Py_VISIT(session->source);
  Py_VISIT(session->specs);
  Py_VISIT(session->arena);
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
  Py_XDECREF(session->options);
  Py_XDECREF(session->source);
  Py_XDECREF(session->specs);
  Py_XDECREF(session->arena);
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

static PyObject* get_api(PyObject* self, void* unused) {
  struct session* session = (struct session*)self;
  if (session->maker == NULL) {
    PyErr_SetString(PyExc_ValueError, "this Session was never made");
    return NULL;
  }
  return Py_NewRef(session->maker->owner);
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
    {"_number", T_ULONGLONG, offsetof(struct session, number), 0, NULL},
    {"_options", T_OBJECT, offsetof(struct session, options), 0, NULL},
    {"_source", T_OBJECT, offsetof(struct session, source), 0, NULL},
    {"_specs", T_OBJECT, offsetof(struct session, specs), 0, NULL},
    {"_arena", T_OBJECT, offsetof(struct session, arena), 0, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef session_getters[] = {
    {"api", get_api, NULL, NULL, NULL},
    {"running", get_running, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyObject* place_of(const struct ports* ports, PyObject* name) {
  Py_ssize_t place = ortcffi_find_port(ports, name, ports->count);
  return place < 0 ? Py_NewRef(Py_None) : PyLong_FromSsize_t(place);
}

/* _place_of_input(name): among the inputs and then the overridable initializers; or None. */
static PyObject* place_of_input(PyObject* self, PyObject* name) {
  return place_of(&((struct session*)self)->inputs, name);
}

static PyObject* place_of_output(PyObject* self, PyObject* name) {
  return place_of(&((struct session*)self)->outputs, name);
}

static PyMethodDef session_methods[] = {
    {"run", ORTCFFI_METHOD(ortcffi_session_run), METH_FASTCALL | METH_KEYWORDS, RUN_DOC},
    {"run_values", ORTCFFI_METHOD(ortcffi_session_run_values), METH_FASTCALL | METH_KEYWORDS,
     RUN_VALUES_DOC},
    {"_submit", ORTCFFI_METHOD(ortcffi_session_submit), METH_FASTCALL | METH_KEYWORDS, NULL},
    {"cancel", cancel, METH_NOARGS, CANCEL_DOC},
    {"_begin", begin_session, METH_VARARGS, NULL},
    {"_read_ports", read_session, METH_NOARGS, NULL},
    {"_ports", ORTCFFI_LOCKED(ortcffi_session_ports), METH_O, NULL},
    {"_required", ortcffi_session_required, METH_NOARGS, NULL},
    {"_check_bound", ortcffi_session_check_bound, METH_VARARGS, NULL},
    {"_place_of_input", place_of_input, METH_O, NULL},
    {"_place_of_output", place_of_output, METH_O, NULL},
    {"_remakes", set_renew, METH_NOARGS, NULL},
    {"_is_here", is_here, METH_NOARGS, NULL},
    {"_renew", ORTCFFI_LOCKED(renew_by), METH_O, NULL},
    {"_counts", ortcffi_session_counts, METH_NOARGS, NULL},
    {"_count", ortcffi_session_count, METH_VARARGS, NULL},
    {"_count_into", ortcffi_count_into, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot session_slots[] = {
    {Py_tp_new, (void*)session_new},
    {Py_tp_dealloc, (void*)session_dealloc},
    {Py_tp_traverse, (void*)session_traverse},
    {Py_tp_methods, session_methods},
    {Py_tp_members, session_members},
    {Py_tp_getset, session_getters},
    {0, NULL},
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

static PyMethodDef session_functions[] = {
    {"runs_after_fork", runs_after_fork, METH_NOARGS, NULL},
    {"end_runs", end_runs, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

int ortcffi_add_sessions(PyObject* module) {
  PyObject* base = (PyObject*)ortcffi_handle_type;
  ortcffi_session_type = (PyTypeObject*)PyType_FromSpecWithBases(&ortcffi_session_spec, base);
  ortcffi_job_type = (PyTypeObject*)PyType_FromSpec(&ortcffi_job_spec);
  ortcffi_mailbox_type = (PyTypeObject*)PyType_FromSpec(&ortcffi_mailbox_spec);
  PyTypeObject* binding = (PyTypeObject*)PyType_FromSpecWithBases(&ortcffi_binding_spec, base);
  PyTypeObject* types[] = {ortcffi_session_type, binding, ortcffi_job_type, ortcffi_mailbox_type};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    if (types[i] == NULL || PyModule_AddType(module, types[i]) < 0) {
      return -1;
    }
  }
  return PyModule_AddFunctions(module, session_functions);
}
