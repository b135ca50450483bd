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

/* The places of parents. The first is the session; the others have the inputs and the outputs that
 * are bound, as dicts of tuples whose first item is a Value or None. */
enum { INPUTS = 1, OUTPUTS = 2 };

static PyObject* new_parents(struct session* session) {
  PyObject* inputs = PyDict_New();
  PyObject* outputs = PyDict_New();
  PyObject* parents =
      inputs == NULL || outputs == NULL ? NULL : PyTuple_Pack(3, session, inputs, outputs);
  Py_XDECREF(inputs);
  Py_XDECREF(outputs);
  return parents;
}

/* A new reference to one of the dicts; to an empty one after the release. */
static PyObject* bound_of(const struct binding* binding, Py_ssize_t place) {
  struct handle* life = (struct handle*)(uintptr_t)&binding->life;
  if (!handle_try_hold(life)) {
    return PyDict_New();
  }
  PyObject* parents = life->parents;
  PyObject* bound = parents == NULL ? PyDict_New() : Py_NewRef(PyTuple_GetItem(parents, place));
  handle_drop(life);
  return bound;
}

/* _begin(type, session): makes the library's binding. */
static PyObject* begin_binding(PyObject* self, PyObject* arguments) {
  struct binding* binding = (struct binding*)self;
  struct session* session;
  PyObject* pointer;
  if (!PyArg_ParseTuple(arguments, "OO!", &pointer, ortcffi_session_type, &session) ||
      handle_check(&session->life) < 0) {
    return NULL;
  }
  const OrtApi* api = session->maker->api;
  PyObject* parents = new_parents(session);
  int answer =
      parents == NULL ? -1 : handle_make(&binding->life, api, pointer, release_binding, parents);
  Py_XDECREF(parents);
  if (answer < 0) {
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

/* Makes a list of Values, which own the OrtValues; if this fails, all are released. */
static PyObject* values_of(struct maker* maker, PyTypeObject* type, OrtValue** handles,
                           size_t count, PyObject* parent) {
  PyObject* values = PyList_New(0);
  for (size_t i = 0; i < count; i++) {
    PyObject* value =
        values == NULL ? NULL : (PyObject*)ortcffi_new_value(type, maker, handles[i], parent);
    if (values == NULL) {
      maker->api->ReleaseValue(handles[i]);
    } else if (value == NULL || PyList_Append(values, value) < 0) {
      Py_CLEAR(values);
    }
    Py_XDECREF(value);
  }
  return values;
}

/* Gets the bound outputs, each with a reference for the caller; -1 with an exception. */
static int take_outputs(const struct binding* binding, OrtValue*** handles, size_t* count) {
  const struct maker* maker = binding->session->maker;
  OrtStatus* status = maker->api->GetBoundOutputValues((OrtIoBinding*)binding->life.object,
                                                       maker->allocator, handles, count);
  if (status != NULL) {
    ortcffi_value_fail(maker, status, "GetBoundOutputValues");
    return -1;
  }
  return 0;
}

static void free_array(const struct binding* binding, OrtValue** handles) {
  const struct maker* maker = binding->session->maker;
  if (handles != NULL) {
    maker->api->ReleaseStatus(maker->api->AllocatorFree(maker->allocator, handles));
  }
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

/* Binds a name in the library to a Value, or, if `value` is NULL, to memory that runs allocate. */
static int call_bind(struct binding* binding, const char* name, struct value* value,
                     const OrtMemoryInfo* info, int is_input) {
  struct maker* maker = binding->session->maker;
  OrtIoBinding* object = (OrtIoBinding*)binding->life.object;
  OrtValue* handle = value == NULL ? NULL : ortcffi_value_object(value);
  const char* function = value == NULL ? "BindOutputToDevice"
                         : is_input    ? "BindInput"
                                       : "BindOutput";
  OrtStatus* status;
  Py_BEGIN_ALLOW_THREADS;
  status = value == NULL ? maker->api->BindOutputToDevice(object, name, info)
           : is_input    ? maker->api->BindInput(object, name, handle)
                         : maker->api->BindOutput(object, name, handle);
  Py_END_ALLOW_THREADS;
  if (status != NULL) {
    ortcffi_value_fail(maker, status, function);
    return -1;
  }
  return 0;
}

/* Puts an entry into the dict of inputs or outputs, and restores the former one if the library
 * refuses. */
static int bind_entry(struct binding* binding, PyObject* name, PyObject* entry, struct value* value,
                      const OrtMemoryInfo* info, int is_input) {
  const char* text = PyUnicode_AsUTF8AndSize(name, NULL);
  PyObject* bound = bound_of(binding, is_input ? INPUTS : OUTPUTS);
  PyObject* old = bound == NULL ? NULL : item_of_dict(bound, name);
  int answer =
      text == NULL || bound == NULL || PyErr_Occurred() ? -1 : PyDict_SetItem(bound, name, entry);
  if (answer == 0 && call_bind(binding, text, value, info, is_input) < 0) {
    PyObject *type, *error, *trace;
    PyErr_Fetch(&type, &error, &trace);
    answer = -1;
    if ((old == NULL ? PyDict_DelItem(bound, name) : PyDict_SetItem(bound, name, old)) < 0) {
      PyErr_Clear(); /* then it keeps more than it has to */
    }
    PyErr_Restore(type, error, trace);
  }
  Py_XDECREF(bound);
  Py_XDECREF(old);
  return answer;
}

/* _bind(name, to, entry, is_input): binds a name to a Value; or an output to memory that a
 * MemoryInfo describes, by default that of the CPU. The dict of its side gets the entry. */
static PyObject* bind_name(PyObject* self, PyObject* arguments) {
  struct binding* binding = (struct binding*)self;
  PyObject *name, *to, *entry;
  int is_input;
  if (!PyArg_ParseTuple(arguments, "UOOp", &name, &to, &entry, &is_input)) {
    return NULL;
  }
  struct value* value = PyObject_TypeCheck(to, ortcffi_tensor_type) ? (struct value*)to : NULL;
  struct handle* info = value == NULL && to != Py_None ? handle_of(to) : NULL;
  if ((value != NULL && ortcffi_value_open(value) < 0) ||
      (info != NULL && handle_begin(info) < 0)) {
    return NULL;
  }
  int answer = begin_use(binding);
  if (answer == 0) {
    if (value != NULL) {
      ortcffi_value_hold(value); /* to close it does not take its memory from the binding */
    }
    const OrtMemoryInfo* memory =
        info == NULL ? binding->session->maker->info : (const OrtMemoryInfo*)info->object;
    binding->is_complete = 0;
    answer = bind_entry(binding, name, entry, value, memory, is_input);
    handle_end(&binding->life);
  }
  if (info != NULL) {
    handle_end(info);
  }
  return answer < 0 ? NULL : Py_NewRef(Py_None);
}

/* _output_values(value_type, parent): the bound outputs; `parent` keeps the memory that they may
 * share. */
static PyObject* output_values(PyObject* self, PyObject* arguments) {
  struct binding* binding = (struct binding*)self;
  PyTypeObject* type;
  PyObject* parent;
  if (!PyArg_ParseTuple(arguments, "O!O", &PyType_Type, &type, &parent) || begin_use(binding) < 0) {
    return NULL;
  }
  OrtValue** handles = NULL;
  size_t count = 0;
  PyObject* values = take_outputs(binding, &handles, &count) < 0
                         ? NULL
                         : values_of(binding->session->maker, type, handles, count, parent);
  free_array(binding, handles);
  handle_end(&binding->life);
  return values;
}

static PyObject* get_inputs(PyObject* self, void* unused) {
  return bound_of((const struct binding*)self, INPUTS);
}

static PyObject* get_outputs(PyObject* self, void* unused) {
  return bound_of((const struct binding*)self, OUTPUTS);
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
    {"_bind", bind_name, METH_VARARGS, NULL},
    {"_output_values", output_values, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef binding_members[] = {
    {"_inputs", get_inputs, NULL, NULL, NULL},
    {"_outputs", get_outputs, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef binding_fields[] = {
    {"_is_complete", T_BOOL, offsetof(struct binding, is_complete), 0, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot binding_slots[] = {
    {Py_tp_members, binding_fields},           {Py_tp_dealloc, (void*)binding_dealloc},
    {Py_tp_traverse, (void*)binding_traverse}, {Py_tp_methods, binding_methods},
    {Py_tp_getset, binding_members},           {0, NULL},
};

PyType_Spec ortcffi_binding_spec =
    ORTCFFI_TYPE("ortcffi._compiled.Binder", struct binding,
                 Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE, binding_slots);
