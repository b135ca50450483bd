/* SPDX-License-Identifier: MIT */
#include "boundary/platform/handle.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <structmember.h>

#include "boundary/gil.h"
#include "boundary/platform/threads.h"

PyTypeObject* ortcffi_handle_type;
unsigned ortcffi_process = 1;

static PyTypeObject* hold_type;
static PyObject* from_buffer; /* ffi.from_buffer */

static struct handle* as_handle(PyObject* object) {
  return PyObject_TypeCheck(object, ortcffi_handle_type) ? (struct handle*)object : NULL;
}

/* Raises an exception whose text has the name of the handle's class in the place of %U. */
static int refuse(const struct handle* self, PyObject* kind, const char* text) {
  PyObject* name = PyType_GetName(Py_TYPE((PyObject*)self));
  if (name != NULL) {
    PyErr_Format(kind, text, name);
    Py_DECREF(name);
  }
  return -1;
}

/* --- release -----------------------------------------------------------------------------------*/

/* What is left of a handle when its object goes. */
struct remains {
  const OrtApi* api;
  void* object;
  handle_release release;
  PyObject* parents;
};

static atomic_int pending_releases;

int handle_pending_releases(void) { return atomic_load(&pending_releases); }

static Py_ssize_t count_of(PyObject* parents) {
  return parents == NULL ? 0 : PyTuple_Check(parents) ? PyTuple_Size(parents) : 1;
}

/* Whether there are no handles among the parents, as where an array is the only one: handles and
 * tuples take part in garbage collection, and arrays do not. */
static int are_plain(PyObject* parents) {
  return parents == NULL || !(PyType_GetFlags(Py_TYPE(parents)) & Py_TPFLAGS_HAVE_GC);
}

/* One of the parents; NULL if it is no handle. */
static struct handle* parent_at(PyObject* parents, Py_ssize_t place) {
  return as_handle(PyTuple_Check(parents) ? PyTuple_GetItem(parents, place) : parents);
}

/* From the end, so that what was named first goes last. */
static void drop_parents(PyObject* parents) {
  for (Py_ssize_t i = are_plain(parents) ? 0 : count_of(parents); i-- > 0;) {
    struct handle* parent = parent_at(parents, i);
    if (parent != NULL) {
      handle_let_go(parent);
    }
  }
  Py_XDECREF(parents);
}

static void release_with_gil(void* argument) {
  const struct remains* remains = argument;
  if (remains->object != NULL && remains->release != NULL && remains->api != NULL) {
    remains->release(remains->api, remains->object);
  } else if (remains->object != NULL && remains->release != NULL) {
    Py_BEGIN_ALLOW_THREADS;
    ((void (*)(void*))(void (*)(void))remains->release)(remains->object);
    Py_END_ALLOW_THREADS;
  }
  drop_parents(remains->parents);
}

static void* release_on_thread(void* remains) {
  call_with_gil(release_with_gil, remains);
  free(remains);
  atomic_fetch_sub(&pending_releases, 1);
  return NULL;
}

/* A library joins the threads of an object that it releases, and none can wait for itself: another
 * thread does it. 0 where there is none. */
static int release_elsewhere(const struct remains* remains) {
  struct remains* copy = malloc(sizeof *copy);
  if (copy == NULL) {
    return 0;
  }
  *copy = *remains;
  atomic_fetch_add(&pending_releases, 1);
  if (ortcffi_start_thread(release_on_thread, copy) != 0) {
    atomic_fetch_sub(&pending_releases, 1);
    free(copy);
    return 0;
  }
  return 1;
}

static struct remains leave(struct handle* self) {
  struct remains remains = {self->api, self->object, self->release, self->parents};
  self->state = HANDLE_RELEASED;
  self->object = NULL;
  self->parents = NULL;
  return remains;
}

static void release(struct handle* self) {
  int is_of_parent = self->process != 0 && self->process != ortcffi_process;
  struct remains remains = leave(self);
  if (is_of_parent) {
    return; /* its parents stay for ever, as it does */
  }
  PyObject *type, *error, *traceback;
  PyErr_Fetch(&type, &error, &traceback);
  int may_be_its_thread = self->process != 0 && (ortcffi_thread_duties() & CALLS_BACK) != 0;
  if (!may_be_its_thread || !release_elsewhere(&remains)) {
    release_with_gil(&remains);
  }
  PyErr_Restore(type, error, traceback);
}

static void release_if_due(struct handle* self) {
  if (self->state == HANDLE_CLOSED && self->uses == 0 && self->holds == 0) {
    release(self);
  }
}

/* --- life --------------------------------------------------------------------------------------*/

static int hold_parents(PyObject* parents) {
  Py_ssize_t count = are_plain(parents) ? 0 : count_of(parents);
  for (Py_ssize_t i = 0; i < count; i++) {
    const struct handle* parent = parent_at(parents, i);
    if (parent != NULL && parent->state == HANDLE_RELEASED) {
      return refuse(parent, PyExc_ValueError, "this %U is closed");
    }
  }
  for (Py_ssize_t i = 0; i < count; i++) {
    struct handle* parent = parent_at(parents, i);
    if (parent != NULL) {
      handle_hold(parent);
    }
  }
  return 0;
}

int handle_make(struct handle* self, const OrtApi* api, PyObject* type, handle_release release,
                PyObject* parents) {
  if (self->type != NULL) {
    return refuse(self, PyExc_RuntimeError, "this %U was made before");
  }
  if (self->state != HANDLE_MAKING) {
    return refuse(self, PyExc_ValueError, "this %U is closed");
  }
  if (hold_parents(parents) < 0) {
    return -1;
  }
  self->api = api;
  self->type = Py_NewRef(type);
  self->release = release;
  self->parents = Py_XNewRef(parents);
  handle_hold(self); /* until it is made: whoever closes it before must not lose what C writes */
  return 0;
}

void handle_set_table(struct handle* self, PyObject* table) {
  Py_XDECREF(self->table);
  self->table = Py_NewRef(table);
}

void handle_made(struct handle* self) {
  if (self->is_made) {
    return;
  }
  self->is_made = 1;
  if (self->state == HANDLE_MAKING) {
    self->state = HANDLE_OPEN;
  }
  handle_let_go(self);
}

void handle_set_parents(struct handle* self, PyObject* parents) {
  PyObject* before = self->parents;
  (void)hold_parents(parents);
  self->parents = Py_NewRef(parents);
  drop_parents(before);
}

int handle_check(const struct handle* self) {
  if (self->state == HANDLE_MAKING) {
    return refuse(self, PyExc_ValueError, "no library has made this %U yet");
  }
  if (self->state != HANDLE_OPEN) {
    return refuse(self, PyExc_ValueError, "this %U is closed");
  }
  if (self->process != 0 && self->process != ortcffi_process) {
    return refuse(self, PyExc_RuntimeError,
                  "this %U was made before a fork, which took its threads away: make "
                  "sessions in the child, pass them by pickle, or use intra_op_threads=1");
  }
  return 0;
}

static int begin(struct handle* self, int is_exclusive) {
  if (handle_check(self) < 0) {
    return -1;
  }
  if (self->is_exclusive || (is_exclusive && self->uses > 0)) {
    return refuse(self, PyExc_RuntimeError, "this %U is in use on another thread");
  }
  self->is_exclusive = (char)is_exclusive;
  self->uses++;
  Py_INCREF((PyObject*)self);
  return 0;
}

int handle_begin(struct handle* self) { return begin(self, 0); }

int handle_begin_write(struct handle* self) { return begin(self, 1); }

void handle_end(struct handle* self) {
  self->uses--;
  self->is_exclusive = 0;
  release_if_due(self);
  Py_DECREF((PyObject*)self);
}

void handle_hold(struct handle* self) { self->holds++; }

void handle_let_go(struct handle* self) {
  self->holds--;
  release_if_due(self);
}

void handle_close(struct handle* self) {
  if (self->state < HANDLE_CLOSED) {
    self->state = HANDLE_CLOSED;
    release_if_due(self);
  }
}

void* handle_take(struct handle* self) {
  struct remains remains = leave(self);
  drop_parents(remains.parents);
  return remains.object;
}

int handle_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(((struct handle*)self)->parents);
  Py_VISIT(((struct handle*)self)->table);
  return 0;
}

/* The collector calls this for each object of a cycle before it clears any, so that what a release
 * calls is still whole. */
void handle_finalize(PyObject* self) {
  struct handle* handle = (struct handle*)self;
  if (handle->type != NULL) {
    handle_made(handle);
  }
  handle_close(handle);
}

void handle_clear(struct handle* self) {
  if (self->weak_references != NULL) {
    PyObject_ClearWeakRefs((PyObject*)self);
  }
  if (self->state != HANDLE_RELEASED) {
    release(self);
  }
  Py_CLEAR(self->type);
  Py_CLEAR(self->table);
}

static void handle_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  handle_clear((struct handle*)self);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

/* --- cdata -------------------------------------------------------------------------------------*/

/* What a cdata keeps: its buffer begins at the object. Or a call under way, which end() ends. */
struct hold {
  PyObject base;
  struct handle* handle; /* NULL once it has ended */
  char is_use;
};

static int hold_getbuffer(PyObject* self, Py_buffer* view, int flags) {
  /* CFFI compares the length with the size of the type; nothing else looks at it. */
  void* object = ((struct hold*)self)->handle->object;
  return PyBuffer_FillInfo(view, self, object, PY_SSIZE_T_MAX, 0, flags);
}

static int hold_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT((PyObject*)((struct hold*)self)->handle);
  return 0;
}

static void end_hold(struct hold* hold) {
  struct handle* handle = hold->handle;
  hold->handle = NULL;
  if (handle != NULL && hold->is_use) {
    handle_end(handle);
  } else if (handle != NULL) {
    handle_let_go(handle);
    Py_DECREF((PyObject*)handle);
  }
}

static void hold_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  end_hold((struct hold*)self);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

/* end(): of a use, which would end with its last reference otherwise. */
static PyObject* hold_end(PyObject* self, PyObject* unused) {
  (void)unused;
  if (((struct hold*)self)->is_use) {
    end_hold((struct hold*)self);
  }
  Py_RETURN_NONE;
}

static struct hold* new_hold(struct handle* self, int is_use) {
  struct hold* hold = PyObject_GC_New(struct hold, hold_type);
  if (hold != NULL) {
    hold->handle = self;
    hold->is_use = (char)is_use;
    PyObject_GC_Track(hold);
  }
  return hold;
}

PyObject* handle_use_object(struct handle* self) {
  struct hold* use = new_hold(self, 1);
  if (use == NULL) {
    handle_end(self);
  }
  return (PyObject*)use;
}

PyObject* handle_cdata(struct handle* self) {
  struct hold* hold = new_hold(self, 0);
  if (hold == NULL) {
    return NULL;
  }
  handle_hold(self);
  Py_INCREF((PyObject*)self);
  PyObject* cdata = PyObject_CallFunctionObjArgs(from_buffer, self->type, (PyObject*)hold, NULL);
  Py_DECREF(hold);
  return cdata;
}

static PyMethodDef hold_methods[] = {
    {"end", hold_end, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot hold_slots[] = {
    {Py_tp_methods, hold_methods},
    {Py_tp_dealloc, (void*)hold_dealloc},
    {Py_tp_traverse, (void*)hold_traverse},
    {Py_bf_getbuffer, (void*)hold_getbuffer},
    {0, NULL},
};

static PyType_Spec hold_spec = {
    .name = "ortcffi._ort.Hold",
    .basicsize = sizeof(struct hold),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = hold_slots,
};

/* --- for Python --------------------------------------------------------------------------------*/

static PyObject* none_or_error(int answer) { return answer < 0 ? NULL : Py_NewRef(Py_None); }

/* _open_handle(): the library has written the object. */
static PyObject* made(PyObject* self, PyObject* unused) {
  (void)unused;
  handle_made((struct handle*)self);
  Py_RETURN_NONE;
}

/* _adopt_handle(address): the same for an object that is there already. */
static PyObject* adopt(PyObject* self, PyObject* address) {
  struct handle* handle = (struct handle*)self;
  unsigned long long object = PyLong_AsUnsignedLongLong(address);
  if (PyErr_Occurred()) {
    return NULL;
  }
  if (handle->state == HANDLE_MAKING && handle->object == NULL) {
    handle->object = (void*)(uintptr_t)object;
    handle_made(handle);
  }
  Py_RETURN_NONE;
}

/* _take_handle(other): becomes what another handle was, which is released with nothing to release.
 */
static PyObject* take(PyObject* self, PyObject* other) {
  struct handle* to = (struct handle*)self;
  struct handle* from = as_handle(other);
  if (from == NULL || from == to) {
    PyErr_SetString(PyExc_TypeError, "not another handle");
    return NULL;
  }
  if (to->type != NULL) {
    return none_or_error(refuse(to, PyExc_RuntimeError, "this %U was made before"));
  }
  if (to->state != HANDLE_MAKING) {
    return none_or_error(refuse(to, PyExc_ValueError, "this %U is closed"));
  }
  handle_made(from);
  if (from->state >= HANDLE_CLOSED || from->uses > 0 || from->holds > 0) {
    return none_or_error(refuse(from, PyExc_ValueError, "this %U is in use, or closed"));
  }
  struct remains remains = leave(from);
  to->api = remains.api;
  to->object = remains.object;
  to->release = remains.release;
  to->parents = remains.parents;
  to->process = from->process;
  to->type = Py_NewRef(from->type);
  to->is_made = 1;
  to->state = HANDLE_OPEN;
  Py_RETURN_NONE;
}

/* _replace_handle(other): exchanges the object with that of another handle, which keeps the old
 * one. Where somebody uses that, the other handle becomes a parent. */
static PyObject* replace(PyObject* self, PyObject* other) {
  struct handle* to = (struct handle*)self;
  struct handle* from = as_handle(other);
  if (from == NULL || from == to || from->state != HANDLE_OPEN || from->release != to->release) {
    PyErr_SetString(PyExc_TypeError, "not another handle of the same type");
    return NULL;
  }
  if (handle_check(to) < 0) {
    return NULL;
  }
  if (to->uses > 0 || to->holds > 0) {
    PyObject* added = PyTuple_Pack(1, other);
    PyObject* parents = added == NULL ? NULL : PySequence_Concat(to->parents, added);
    Py_XDECREF(added);
    if (parents == NULL) {
      return NULL;
    }
    handle_hold(from);
    PyObject* old = to->parents;
    to->parents = parents;
    Py_DECREF(old);
  }
  void* object = to->object;
  to->object = from->object;
  from->object = object;
  Py_RETURN_NONE;
}

/* _give_handle(function, *arguments): calls a function that takes the object over where it answers
 * NULL, which is no status. */
static PyObject* give(PyObject* self, PyObject* arguments) {
  Py_ssize_t count = PyTuple_Size(arguments);
  PyObject* rest = PyTuple_GetSlice(arguments, 1, count);
  PyObject* status = rest == NULL ? NULL : PyObject_CallObject(PyTuple_GetItem(arguments, 0), rest);
  Py_XDECREF(rest);
  if (status != NULL && PyObject_Not(status) == 1) {
    (void)handle_take((struct handle*)self);
  }
  return status;
}

/* _move_handle(address): writes the object to an address, which owns it from then on. */
static PyObject* move(PyObject* self, PyObject* address) {
  unsigned long long to = PyLong_AsUnsignedLongLong(address);
  if (PyErr_Occurred()) {
    return NULL;
  }
  *(void**)(uintptr_t)to = handle_take((struct handle*)self);
  Py_RETURN_NONE;
}

/* Calls function(api, cdata, *rest) for (function, api, *rest). The call keeps the object. */
static PyObject* call_with(struct handle* self, PyObject* arguments) {
  Py_ssize_t count = PyTuple_Size(arguments);
  PyObject* given = PyTuple_New(count);
  PyObject* cdata = given == NULL ? NULL : ortcffi_pointer_cdata(self->object, self->type);
  PyObject* answer = NULL;
  if (cdata != NULL) {
    for (Py_ssize_t i = 1; i < count; i++) {
      PyTuple_SetItem(given, i == 1 ? 0 : i, Py_NewRef(PyTuple_GetItem(arguments, i)));
    }
    PyTuple_SetItem(given, 1, cdata);
    answer = PyObject_CallObject(PyTuple_GetItem(arguments, 0), given);
  }
  Py_XDECREF(given);
  return answer;
}

static PyObject* call(PyObject* self, PyObject* arguments, int is_exclusive) {
  struct handle* handle = (struct handle*)self;
  if (PyTuple_Size(arguments) < 2) {
    PyErr_SetString(PyExc_TypeError, "needs a function and a table");
    return NULL;
  }
  if (begin(handle, is_exclusive) < 0) {
    return NULL;
  }
  PyObject* answer = call_with(handle, arguments);
  handle_end(handle);
  return answer;
}

/* _read_handle(function, api, *arguments): calls function(api, object, *arguments). */
static PyObject* call_to_read(PyObject* self, PyObject* arguments) {
  return call(self, arguments, 0);
}

/* _write_handle(function, api, *arguments): the same with the exclusive use. */
static PyObject* call_to_write(PyObject* self, PyObject* arguments) {
  return call(self, arguments, 1);
}

/* _keep_forever(): the object outlives the interpreter. */
static PyObject* keep_forever(PyObject* self, PyObject* unused) {
  (void)unused;
  handle_hold((struct handle*)self);
  Py_INCREF(self);
  Py_RETURN_NONE;
}

PyObject* handle_close_method(PyObject* self, PyObject* unused) {
  (void)unused;
  handle_close((struct handle*)self);
  Py_RETURN_NONE;
}

static PyObject* get_api(PyObject* self, void* unused) {
  (void)unused;
  const struct handle* handle = (const struct handle*)self;
  if (handle->table == NULL) {
    PyErr_SetString(PyExc_AttributeError, "no library has made this object yet");
  }
  return Py_XNewRef(handle->table);
}

/* _set_api(api): tells which Api `api` is. */
static PyObject* set_api(PyObject* self, PyObject* table) {
  handle_set_table((struct handle*)self, table);
  Py_RETURN_NONE;
}

static PyObject* get_address(PyObject* self, void* unused) {
  (void)unused;
  return PyLong_FromUnsignedLongLong((uintptr_t)((struct handle*)self)->object);
}

static PyObject* get_out(PyObject* self, void* unused) {
  (void)unused;
  return PyLong_FromUnsignedLongLong((uintptr_t)&((struct handle*)self)->object);
}

static PyObject* get_type(PyObject* self, void* unused) {
  (void)unused;
  PyObject* type = ((struct handle*)self)->type;
  return Py_NewRef(type == NULL ? Py_None : type);
}

static PyObject* get_parents(PyObject* self, void* unused) {
  (void)unused;
  PyObject* parents = ((struct handle*)self)->parents;
  if (parents != NULL && !PyTuple_Check(parents)) {
    return PyTuple_Pack(1, parents);
  }
  return parents == NULL ? PyTuple_New(0) : Py_NewRef(parents);
}

static PyObject* get_owned(PyObject* self, void* unused) {
  (void)unused;
  return PyBool_FromLong(((struct handle*)self)->release != NULL);
}

static PyObject* get_closed(PyObject* self, void* unused) {
  (void)unused;
  return PyBool_FromLong(((struct handle*)self)->state >= HANDLE_CLOSED);
}

static PyObject* get_handle(PyObject* self, void* unused) {
  (void)unused;
  struct handle* handle = (struct handle*)self;
  return handle_check(handle) < 0 ? NULL : handle_cdata(handle);
}

static PyMethodDef handle_methods[] = {
    {"_open_handle", made, METH_NOARGS, NULL},
    {"_adopt_handle", adopt, METH_O, NULL},
    {"_take_handle", take, METH_O, NULL},
    {"_replace_handle", replace, METH_O, NULL},
    {"_give_handle", give, METH_VARARGS, NULL},
    {"_move_handle", move, METH_O, NULL},
    {"_read_handle", call_to_read, METH_VARARGS, NULL},
    {"_write_handle", call_to_write, METH_VARARGS, NULL},
    {"_set_api", set_api, METH_O, NULL},
    {"_keep_forever", keep_forever, METH_NOARGS, NULL},
    {"close", handle_close_method, METH_NOARGS,
     "close()\n--\n\n"
     "Release what is owned, let go of what is borrowed. Any further use raises `ValueError`.\n\n"
     "Closing again does nothing. Calls under way go on: the object is released after them."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef handle_getters[] = {
    {"handle", get_handle, NULL,
     "The cdata to pass to functions of ``lib``; `ValueError` after `close`.\n\n"
     "The object stays as long as somebody has the cdata.",
     NULL},
    {"closed", get_closed, NULL, "Whether `close` was called.", NULL},
    {"api", get_api, NULL, "The table that the object belongs to. No other table may be given it.",
     NULL},
    {"_handle_address", get_address, NULL, NULL, NULL},
    {"_owned", get_owned, NULL, NULL, NULL},
    {"_handle_out", get_out, NULL, NULL, NULL},
    {"_handle_type", get_type, NULL, NULL, NULL},
    {"_handle_parents", get_parents, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static struct PyMemberDef handle_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(struct handle, weak_references), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot handle_slots[] = {
    {Py_tp_members, handle_members},
    {Py_tp_dealloc, (void*)handle_dealloc},
    {Py_tp_traverse, (void*)handle_traverse},
    {Py_tp_finalize, (void*)handle_finalize},
    {Py_tp_methods, handle_methods},
    {Py_tp_getset, handle_getters},
    {0, NULL},
};

static PyType_Spec handle_spec = {
    .name = "ortcffi._ort.Owner",
    .basicsize = sizeof(struct handle),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = handle_slots,
};

/* --- arrays ------------------------------------------------------------------------------------*/

struct ortcffi_list {
  ortcffi_release* release;
  size_t count;
  void* items[];
};

int ortcffi_new_list(ortcffi_release* release, size_t count, ortcffi_list** out) {
  size_t most = (PY_SSIZE_T_MAX - sizeof(ortcffi_list)) / sizeof(void*);
  ortcffi_list* array =
      count > most ? NULL : calloc(1, sizeof *array + count * sizeof array->items[0]);
  if (array == NULL) {
    return 0;
  }
  array->release = release;
  array->count = count;
  *out = array;
  return 1;
}

void ortcffi_release_list(const OrtApi* api, ortcffi_list* array) {
  for (size_t i = 0; i < array->count; i++) {
    if (array->items[i] != NULL) {
      array->release(api, array->items[i]);
    }
  }
  free(array);
}

void** ortcffi_list_items(ortcffi_list* array) { return array->items; }

void ortcffi_list_move(ortcffi_list* array, size_t place, void** out) {
  *out = array->items[place];
  array->items[place] = NULL;
}

/* --- the module --------------------------------------------------------------------------------*/

ortcffi_object* ortcffi_make_handle(ortcffi_object* handle, const void* api, ortcffi_object* type,
                                    void* release, ortcffi_object* parents) {
  struct handle* self = as_handle((PyObject*)handle);
  int answer = handle_make(self, (const OrtApi*)api, (PyObject*)type,
                           (handle_release)(uintptr_t)release, (PyObject*)parents);
  return (ortcffi_object*)none_or_error(answer);
}

ortcffi_object* ortcffi_object_at(void* address) {
  return (ortcffi_object*)Py_NewRef((PyObject*)address);
}

void ortcffi_new_process(void) {
  ortcffi_process++;
  atomic_store(&pending_releases, 0);
}

void ortcffi_handles_begin(ortcffi_object* function) {
  from_buffer = Py_NewRef((PyObject*)function);
}

ortcffi_object* ortcffi_new_handle_type(void) {
  hold_type = (PyTypeObject*)PyType_FromSpec(&hold_spec);
  ortcffi_handle_type = hold_type == NULL ? NULL : (PyTypeObject*)PyType_FromSpec(&handle_spec);
  return (ortcffi_object*)Py_XNewRef((PyObject*)ortcffi_handle_type);
}
