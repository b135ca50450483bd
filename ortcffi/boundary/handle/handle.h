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
 * All functions need the GIL, which guards the fields.
 */
#ifndef ORTCFFI_BOUNDARY_HANDLE_H_
#define ORTCFFI_BOUNDARY_HANDLE_H_

#include "boundary/limited_api.h"

#include "onnxruntime_c_api.h"
#include "boundary/handle/list.h"

enum handle_state {
  HANDLE_MAKING, /* C may be about to write the object; only its maker uses it */
  HANDLE_OPEN,
  HANDLE_CLOSED,   /* calls under way go on, new ones are refused */
  HANDLE_RELEASED, /* the object is gone, or was given away */
};

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
  unsigned uses;    /* calls under way; each has a reference to the Python object */
  unsigned holds;   /* what needs the object, also when it is closed: cdata, children, arrays */
  unsigned process; /* 0, or the process whose threads the object has: ortcffi_process */
  /* Makes the object anew in the child of a fork; -1 with an exception. Or NULL. */
  int (*renew)(struct handle* self);
  char state;        /* only grows */
  char is_made;      /* C has written the object, or will not: its maker's hold has gone */
  char is_exclusive; /* the one call under way writes */
  char is_quick;     /* `release` returns at once and calls nobody back, so it keeps the GIL */
  PyObject* weak_references; /* CPython's */
};

/* The type, a base of all others; set by ortcffi_add_handles. */
extern PyTypeObject* ortcffi_handle_type;

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

/* Closes the handle: calls are refused from now on. Closing again does nothing. */
void handle_close(struct handle* self);

/* A new cdata of the object, which holds it; NULL with an exception. */
PyObject* handle_cdata(struct handle* self);

/* A cdata of any pointer, which holds nothing, and the address in a cdata as an int. */
PyObject* handle_pointer_cdata(const void* pointer, PyObject* type);
PyObject* handle_address_in(PyObject* cdata);

/* For types that begin with the struct: parts of tp_traverse and tp_dealloc. The other one releases
 * the object, before the type frees its own fields. */
int handle_traverse(PyObject* self, visitproc visit, void* arg);
void handle_clear(struct handle* self);

/* Add the types, and the functions for Python, to the module; -1 with an exception. */
int ortcffi_add_handles(PyObject* module);
int ortcffi_add_cdata(PyObject* module);

#endif /* ORTCFFI_BOUNDARY_HANDLE_H_ */
