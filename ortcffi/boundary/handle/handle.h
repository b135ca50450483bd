/* SPDX-License-Identifier: MIT */
/*
 * The handle: the one way in which a Python object owns an object of the C API.
 *
 * `struct handle` is the first member of every Python type that has such an object. All questions
 * of its life are answered here, and hold for every kind:
 *
 *   1. The object is released exactly when the handle is CLOSED and nobody uses it any more. A use
 *      is a call under way (`uses`), or something that may call later (`holds`): a cdata that
 *      somebody has, a child, an array in its memory.
 *   2. To release calls `release`, a C function and never Python, with the pending exception saved
 *      and the GIL released, unless `is_quick`. The parents go after it.
 *   3. `parents` is all that must outlive the object, one object or a tuple, and the only thing
 *      that the collector visits. A parent that is a handle is held: closed before the child, it
 *      waits for it. So the collector may close the handles of a cycle in any order.
 *   4. To write needs the exclusive use: RuntimeError while any call is under way, and calls are
 *      refused during the write.
 *   5. An object with threads belongs to its process. In the child of a fork, where the threads do
 *      not exist, it is not released, and its use is refused unless `renew` makes another object.
 *   6. A Python object is made once: a second `__init__` is refused.
 *
 *   7. The state and the numbers of uses and holds are one word, changed in one step. Who brings it
 *      to CLOSED without any of them releases the object.
 *
 * All functions need the GIL, or in a Python without it an attached thread.
 */
#ifndef ORTCFFI_BOUNDARY_HANDLE_H_
#define ORTCFFI_BOUNDARY_HANDLE_H_

#include "boundary/limited_api.h"

#include "onnxruntime_c_api.h"
#include "boundary/handle/list.h"
#include "boundary/handle/unlocked.h"

enum handle_state {
  HANDLE_MAKING, /* C may be about to write the object; only its maker uses it */
  HANDLE_OPEN,
  HANDLE_CLOSED,   /* calls under way go on, new ones are refused */
  HANDLE_RELEASED, /* the object is gone, or was given away */
};

/* The parts of a handle's word. */
#define HANDLE_STATE ((uint64_t)3)          /* a handle_state, which only grows */
#define HANDLE_BEGUN ((uint64_t)1 << 2)     /* handle_make was called: it holds the handle */
#define HANDLE_MADE ((uint64_t)1 << 3)      /* C has written the object, or will not: no longer */
#define HANDLE_EXCLUSIVE ((uint64_t)1 << 4) /* the one call under way writes */
/* One call under way, which has a reference to the Python object; and one of what needs the object
 * also when it is closed: cdata, children, arrays. */
#define HANDLE_USE ((uint64_t)1 << 8)
#define HANDLE_HOLD ((uint64_t)1 << 32)
#define HANDLE_USES (HANDLE_HOLD - HANDLE_USE)

struct handle {
  PyObject base;
  /* Set by handle_make, and constant until the release: */
  const OrtApi* api;        /* what `release` gets; NULL: it gets the object alone */
  ortcffi_release* release; /* NULL: another object owns it, which is among the parents */
  PyObject* type;           /* CFFI's type of pointers to the object; NULL before handle_make */
  PyObject* parents;        /* held, if they are handles; a list or dict among them may grow */
  PyObject* table;          /* the Api, which stays after the release; or NULL */
  /* Written by C, while MAKING, by any thread and without the GIL; NULL after the release. */
  void* object;
  uint64_t word;    /* see HANDLE_STATE */
  unsigned process; /* 0, or the process whose threads the object has: ortcffi_process */
  /* Makes the object anew in the child of a fork; -1 with an exception. Or NULL. */
  int (*renew)(struct handle* self);
  char is_quick; /* `release` returns at once and calls nobody back, so it keeps the GIL */
  PyObject* weak_references; /* CPython's */
#ifdef Py_GIL_DISABLED
  PyObject* weak; /* a weak reference to the object, if C finds it in a list; see handle_found */
#endif
};

static inline enum handle_state handle_state(const struct handle* self) {
  return (enum handle_state)(read_word(&self->word) & HANDLE_STATE);
}

/* The handle that a Python object is; NULL if it is none. */
struct handle* handle_of(PyObject* object);

/* Counts processes: 1 in the one that imported the package, 1 more in each child of a fork. */
extern unsigned ortcffi_process;

/* Begins to make an object: sets what is known before C makes it. `parents` may be NULL. -1 with an
 * exception: the handle was made before, or a parent is closed. */
int handle_make(struct handle* self, const OrtApi* api, PyObject* type, ortcffi_release* release,
                PyObject* parents);
/* To be called when C has written the object: the handle is OPEN, or, if it was closed meanwhile,
 * the object is released. */
void handle_made(struct handle* self);

/* Begin and end a call. During it the object and the Python object stay. -1 with an exception if
 * the handle is not open, or is in exclusive use. */
int handle_begin(struct handle* self);
int handle_begin_write(struct handle* self);
void handle_end(struct handle* self);

/* 0 if a call could begin; otherwise -1 with the exception. */
int handle_check(struct handle* self);
/* The handle that a Python object is, if a call could begin; otherwise NULL with an exception. */
struct handle* handle_open(PyObject* object);

/* Add and drop a hold: the object is not released while there is one, also if it is closed. */
void handle_hold(struct handle* self);
void handle_drop(struct handle* self);
/* Adds a hold unless the object was released: whether that was so. */
int handle_try_hold(struct handle* self);

/* To be called before a handle goes into a list, from which C may take it on any thread; -1 with an
 * exception. */
int handle_enlist(struct handle* self);
/* A new reference to an object in a list, whose lock the caller has; NULL if the object ends. */
PyObject* handle_found(struct handle* self);

/* Closes the handle: calls are refused from now on. Closing again does nothing. */
void handle_close(struct handle* self);

/* A new cdata of the object, which holds it; NULL with an exception, also if it was released. */
PyObject* handle_cdata(struct handle* self);

/* A cdata of any pointer, which holds nothing, and the address in a cdata as an int. */
PyObject* handle_pointer_cdata(const void* pointer, PyObject* type);
PyObject* handle_address_in(PyObject* cdata);

/* For types that begin with the struct: parts of tp_traverse and tp_dealloc. The other one releases
 * the object, before the type frees its own fields. */
int handle_traverse(PyObject* self, visitproc visit, void* arg);
void handle_clear(struct handle* self);

#endif /* ORTCFFI_BOUNDARY_HANDLE_H_ */
