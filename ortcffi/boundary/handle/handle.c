/* SPDX-License-Identifier: MIT */
/* The life of a handle; its rules stand in handle.h. */
#include "boundary/handle/handle.h"
#include "boundary/module.h"

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
  self->object = NULL;
  self->parents = NULL;
  return remains;
}

/* To be called by who has set the state RELEASED. */
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

/* The word that is to follow: RELEASED instead of CLOSED with no use and no hold. */
static uint64_t after(uint64_t word) {
  int is_due = word < HANDLE_USE && (word & HANDLE_STATE) == HANDLE_CLOSED;
  return is_due ? word | HANDLE_RELEASED : word;
}

_Static_assert((HANDLE_CLOSED | HANDLE_RELEASED) == HANDLE_RELEASED, "see after()");

/* Takes a part away from the word, and a flag; then releases the object if that is due. */
static void take_away(struct handle* self, uint64_t part, uint64_t flag) {
  uint64_t seen = read_word(&self->word), next;
  do {
    next = after((seen - part) & ~flag);
  } while (!change_word(&self->word, &seen, next));
  if ((next & HANDLE_STATE) == HANDLE_RELEASED && (seen & HANDLE_STATE) != HANDLE_RELEASED) {
    release(self);
  }
}

/* --- life --------------------------------------------------------------------------------------*/

/* Holds the parents; -1 with an exception, and none is held. */
static int hold_parents(PyObject* parents) {
  Py_ssize_t count = are_plain(parents) ? 0 : count_of(parents);
  for (Py_ssize_t i = 0; i < count; i++) {
    struct handle* parent = parent_at(parents, i);
    if (parent != NULL && !handle_try_hold(parent)) {
      while (i-- > 0) {
        struct handle* held = parent_at(parents, i);
        if (held != NULL) {
          handle_drop(held);
        }
      }
      return refuse(parent, PyExc_ValueError, "this %U is closed");
    }
  }
  return 0;
}

/* Has the handle hold itself until it is made: a close before that must not lose what C writes. -1
 * with an exception if it was made before. */
static int begin_making(struct handle* self) {
  uint64_t seen = read_word(&self->word);
  do {
    if (seen & HANDLE_BEGUN) {
      return refuse(self, PyExc_RuntimeError, "this %U was made before");
    }
    if ((seen & HANDLE_STATE) != HANDLE_MAKING) {
      return refuse(self, PyExc_ValueError, "this %U is closed");
    }
  } while (!change_word(&self->word, &seen, (seen | HANDLE_BEGUN) + HANDLE_HOLD));
  return 0;
}

int handle_make(struct handle* self, const OrtApi* api, PyObject* type, ortcffi_release* release,
                PyObject* parents) {
  if (begin_making(self) < 0) {
    return -1;
  }
  if (hold_parents(parents) < 0) {
    take_away(self, HANDLE_HOLD, HANDLE_BEGUN);
    return -1;
  }
  self->api = api;
  self->type = Py_NewRef(type);
  self->release = release;
  self->parents = Py_XNewRef(parents);
  return 0;
}

void handle_made(struct handle* self) {
  uint64_t seen = read_word(&self->word), next;
  do {
    if ((seen & (HANDLE_BEGUN | HANDLE_MADE)) != HANDLE_BEGUN) {
      return; /* nothing has begun to make a new one */
    }
    next = seen | HANDLE_MADE;
    next += (seen & HANDLE_STATE) == HANDLE_MAKING ? HANDLE_OPEN : 0;
  } while (!change_word(&self->word, &seen, next));
  handle_drop(self);
}

int handle_check(struct handle* self) {
  enum handle_state state = handle_state(self);
  if (state == HANDLE_MAKING) {
    return refuse(self, PyExc_ValueError, "no library has made this %U yet");
  }
  if (state != HANDLE_OPEN) {
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

static int begin(struct handle* self, uint64_t refused, uint64_t part) {
  if (handle_check(self) < 0) {
    return -1;
  }
  uint64_t seen = read_word(&self->word);
  do {
    if (seen & refused) {
      return refuse(self, PyExc_RuntimeError, "this %U is in use on another thread");
    }
    if ((seen & HANDLE_STATE) != HANDLE_OPEN) { /* since the check */
      return refuse(self, PyExc_ValueError, "this %U is closed");
    }
  } while (!change_word(&self->word, &seen, seen + part));
  Py_INCREF((PyObject*)self);
  return 0;
}

int handle_begin(struct handle* self) { return begin(self, HANDLE_EXCLUSIVE, HANDLE_USE); }

int handle_begin_write(struct handle* self) {
  return begin(self, HANDLE_EXCLUSIVE | HANDLE_USES, HANDLE_USE | HANDLE_EXCLUSIVE);
}

void handle_end(struct handle* self) {
  take_away(self, HANDLE_USE, HANDLE_EXCLUSIVE);
  Py_DECREF((PyObject*)self);
}

int handle_try_hold(struct handle* self) {
  uint64_t seen = read_word(&self->word);
  do {
    if ((seen & HANDLE_STATE) == HANDLE_RELEASED) {
      return 0;
    }
  } while (!change_word(&self->word, &seen, seen + HANDLE_HOLD));
  return 1;
}

void handle_hold(struct handle* self) {
  uint64_t seen = read_word(&self->word);
  while (!change_word(&self->word, &seen, seen + HANDLE_HOLD)) {
  }
}

void handle_drop(struct handle* self) { take_away(self, HANDLE_HOLD, 0); }

void handle_close(struct handle* self) {
  uint64_t seen = read_word(&self->word), next;
  do {
    if ((seen & HANDLE_STATE) >= HANDLE_CLOSED) {
      return;
    }
    next = after((seen & ~HANDLE_STATE) | HANDLE_CLOSED);
  } while (!change_word(&self->word, &seen, next));
  if ((next & HANDLE_STATE) == HANDLE_RELEASED) {
    release(self);
  }
}

int handle_enlist(struct handle* self) {
#ifdef Py_GIL_DISABLED
  self->weak = PyWeakref_NewRef((PyObject*)self, NULL);
  return self->weak == NULL ? -1 : 0;
#else
  return 0;
#endif
}

PyObject* handle_found(struct handle* self) {
#ifdef Py_GIL_DISABLED
  PyObject* object = NULL; /* the object's last reference may go on another thread */
  (void)PyWeakref_GetRef(self->weak, &object);
  return object;
#else
  return Py_NewRef((PyObject*)self);
#endif
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
  if (handle_state(self) != HANDLE_RELEASED) {
    self->word |= HANDLE_RELEASED; /* nobody else has the object any more */
    release(self);
  }
#ifdef Py_GIL_DISABLED
  Py_CLEAR(self->weak);
#endif
  Py_CLEAR(self->type);
  Py_CLEAR(self->table);
}
