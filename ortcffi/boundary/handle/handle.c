/* SPDX-License-Identifier: MIT */
/* The life of a handle; its rules stand in handle.h. */
#include "boundary/handle/handle.h"

PyTypeObject* ortcffi_handle_type;
unsigned ortcffi_process = 1;

struct handle* handle_of(PyObject* object) {
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

/* What a release needs of a handle, copied because the handle may end first. */
struct remains {
  const OrtApi* api;
  void* object;
  ortcffi_release* release;
  PyObject* parents;
  char is_quick;
};

static Py_ssize_t count_of(PyObject* parents) {
  return parents == NULL ? 0 : PyTuple_Check(parents) ? PyTuple_Size(parents) : 1;
}

/* Whether there can be no handles among the parents: a single parent that takes no part in garbage
 * collection, such as an array, is neither a handle nor a tuple. */
static int are_plain(PyObject* parents) {
  return parents == NULL || !(PyType_GetFlags(Py_TYPE(parents)) & Py_TPFLAGS_HAVE_GC);
}

/* One of the parents; NULL if it is no handle. */
static struct handle* parent_at(PyObject* parents, Py_ssize_t place) {
  return handle_of(PyTuple_Check(parents) ? PyTuple_GetItem(parents, place) : parents);
}

/* In reverse: the first parent is dropped last. */
static void drop_parents(PyObject* parents) {
  for (Py_ssize_t i = are_plain(parents) ? 0 : count_of(parents); i-- > 0;) {
    struct handle* parent = parent_at(parents, i);
    if (parent != NULL) {
      handle_drop(parent);
    }
  }
  Py_XDECREF(parents);
}

static void release_object(const struct remains* remains) {
  if (remains->api != NULL) {
    remains->release(remains->api, remains->object);
  } else {
    ((void (*)(void*))(void (*)(void))remains->release)(remains->object);
  }
}

static void release_remains(const struct remains* remains) {
  if (remains->object != NULL && remains->release != NULL) {
    if (remains->is_quick) {
      release_object(remains);
    } else {
      Py_BEGIN_ALLOW_THREADS;
      release_object(remains);
      Py_END_ALLOW_THREADS;
    }
  }
  drop_parents(remains->parents);
}

static struct remains take_remains(struct handle* self) {
  struct remains remains = {self->api, self->object, self->release, self->parents, self->is_quick};
  self->state = HANDLE_RELEASED;
  self->object = NULL;
  self->parents = NULL;
  return remains;
}

static void release(struct handle* self) {
  int is_of_parent = self->process != 0 && self->process != ortcffi_process;
  struct remains remains = take_remains(self);
  if (is_of_parent) {
    return; /* the object stays for ever, and so do its parents */
  }
  PyObject *type, *error, *traceback;
  PyErr_Fetch(&type, &error, &traceback);
  release_remains(&remains);
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

/* 0 if the handle has no object yet; otherwise -1 with an exception. */
static int check_new(const struct handle* self) {
  if (self->type != NULL) {
    return refuse(self, PyExc_RuntimeError, "this %U was made before");
  }
  return self->state == HANDLE_MAKING ? 0 : refuse(self, PyExc_ValueError, "this %U is closed");
}

int handle_make(struct handle* self, const OrtApi* api, PyObject* type, ortcffi_release* release,
                PyObject* parents) {
  if (check_new(self) < 0 || hold_parents(parents) < 0) {
    return -1;
  }
  self->api = api;
  self->type = Py_NewRef(type);
  self->release = release;
  self->parents = Py_XNewRef(parents);
  handle_hold(self); /* until it is made: a close before that must not lose what C writes */
  return 0;
}

void handle_made(struct handle* self) {
  if (self->is_made || self->type == NULL) { /* nothing has begun to make a new one */
    return;
  }
  self->is_made = 1;
  if (self->state == HANDLE_MAKING) {
    self->state = HANDLE_OPEN;
  }
  handle_drop(self);
}

int handle_check(struct handle* self) {
  if (self->state == HANDLE_MAKING) {
    return refuse(self, PyExc_ValueError, "no library has made this %U yet");
  }
  if (self->state != HANDLE_OPEN) {
    return refuse(self, PyExc_ValueError, "this %U is closed");
  }
  if (self->process == 0 || self->process == ortcffi_process) {
    return 0;
  }
  if (self->renew == NULL) {
    return refuse(self, PyExc_RuntimeError,
                  "this %U was made before a fork, which took its threads away: make sessions and "
                  "bindings in the child, pass sessions by pickle, or use intra_op_threads=1 or "
                  "after_fork='remake'");
  }
  return self->renew(self);
}

struct handle* handle_open(PyObject* object) {
  struct handle* handle = handle_of(object);
  if (handle == NULL) {
    PyErr_SetString(PyExc_TypeError, "not a handle");
  }
  return handle == NULL || handle_check(handle) < 0 ? NULL : handle;
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

void handle_drop(struct handle* self) {
  self->holds--;
  release_if_due(self);
}

void handle_close(struct handle* self) {
  if (self->state < HANDLE_CLOSED) {
    self->state = HANDLE_CLOSED;
    release_if_due(self);
  }
}

int handle_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(((struct handle*)self)->parents);
  Py_VISIT(((struct handle*)self)->table);
  return 0;
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
