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
 *   2. To release calls `release`, a C function and never Python, with the pending exception saved.
 *      The parents go after it.
 *   3. `parents` is all that must outlive the object, one object or a tuple, and the only thing
 * that the collector visits. Parents that are handles are held: closed before the child, they wait
 * for it. So it does not matter in which order the collector closes the handles of a cycle.
 *   4. To write needs the exclusive use: RuntimeError while any call is under way, and calls are
 *      refused during the write.
 *   5. An object with threads belongs to its process. In the child of a fork it is not released,
 * since its threads are not there, and it is refused, unless `renew` makes another one.
 *   6. A Python object is made once: a second `__init__` is refused.
 *
 * All functions need the GIL, which guards the fields.
 */
#ifndef ORTCFFI_BOUNDARY_HANDLE_H_
#define ORTCFFI_BOUNDARY_HANDLE_H_

#include "boundary/limited_api.h"

#include "onnxruntime_c_api.h"
#include "boundary/platform/objects.h"

enum handle_state {
  HANDLE_MAKING, /* C may be about to write the object; nobody but who makes it uses it */
  HANDLE_OPEN,
  HANDLE_CLOSED,   /* calls under way go on, new ones are refused */
  HANDLE_RELEASED, /* the object is gone, or was given away */
};

struct handle {
  PyObject base;
  const OrtApi* api;
  void* object;             /* C may write it while the handle is MAKING */
  ortcffi_release* release; /* NULL: the object is another's, which `parents` keep */
  PyObject* type; /* CFFI's type of pointers to the object; NULL before the handle is made */
  PyObject* parents;
  PyObject* table;           /* the Api, which stays after the release; or NULL */
  PyObject* weak_references; /* CPython's */
  unsigned uses;             /* calls under way */
  unsigned holds;            /* what else keeps the object from being released */
  unsigned process;          /* 0, or the process whose threads the object has: ortcffi_process */
  /* Makes the object anew in the child of a fork, by handle_renew; -1 with an exception. Or NULL.
   */
  int (*renew)(struct handle* self);
  char state;
  char is_made;      /* or was closed meanwhile */
  char is_exclusive; /* the one call under way writes */
};

/* The type, a base of all others; set by ortcffi_new_handle_type. */
extern PyTypeObject* ortcffi_handle_type;

/* The handle that a Python object is; NULL if it is none. */
struct handle* handle_of(PyObject* object);

/* Counts processes: 1 in the one that imported the package, 1 more in each child of a fork. */
extern unsigned ortcffi_process;

/* Begins to make an object: what is known before C has it. `parents` may be NULL. -1 with an
 * exception: the handle was made before, or a parent is closed. */
int handle_make(struct handle* self, const OrtApi* api, PyObject* type, ortcffi_release* release,
                PyObject* parents);
/* Sets the Api that `api` of the Python object is. */
void handle_set_table(struct handle* self, PyObject* table);
/* Ends that: the object is OPEN, or is released if it was closed meanwhile. */
void handle_made(struct handle* self);

/* A call begins and ends; it keeps the object and the Python object. -1 with an exception where the
 * object is not there for it. */
int handle_begin(struct handle* self);
int handle_begin_write(struct handle* self);
void handle_end(struct handle* self);

/* A Python object for a call that has begun: its method end() ends the call, or its last reference.
 */
PyObject* handle_use_object(struct handle* self);

/* Puts other parents in the place of those that it has. */
void handle_set_parents(struct handle* self, PyObject* parents);

/* 0 if a call could begin; otherwise -1 with the exception. */
int handle_check(struct handle* self);

/* Something else keeps the object from being released, also when it is closed. */
void handle_hold(struct handle* self);
void handle_let_go(struct handle* self);

/* Refuses calls from now on. Closing again does nothing. The other is a method, for types with
 * words of their own for it. */
void handle_close(struct handle* self);
PyObject* handle_close_method(PyObject* self, PyObject* unused);

/* A new cdata of the object, which holds it; NULL with an exception. */
PyObject* handle_cdata(struct handle* self);

/* A cdata that holds nothing; see conversions.h. */
PyObject* ortcffi_pointer_cdata(void* pointer, PyObject* type);

/* The object, which the caller owns from now on: the handle is RELEASED, its parents go. */
void* handle_take(struct handle* self);

/* Becomes, before it is made, what another handle was, which is RELEASED. -1 with an exception. */
int handle_become(struct handle* self, struct handle* other);

/* Exchanges the object with that of another handle with the same release. Where somebody uses the
 * object that was there, the other handle, which has it now, becomes a parent. -1 with an
 * exception. */
int handle_exchange(struct handle* self, struct handle* other);

/* Takes, in the child of a fork, the object and the parents of another handle, which is RELEASED.
 * What it had before stays for ever. -1 with an exception. */
int handle_renew(struct handle* self, struct handle* other);

/* For types that begin with the struct: parts of tp_traverse, tp_finalize and tp_dealloc. The last
 * releases what is left, before the type frees its own fields. */
int handle_traverse(PyObject* self, visitproc visit, void* arg);
void handle_finalize(PyObject* self);
void handle_clear(struct handle* self);

/* Makes the type of what a cdata keeps; -1 with an exception. */
int handle_new_hold_type(void);

#endif /* ORTCFFI_BOUNDARY_HANDLE_H_ */
