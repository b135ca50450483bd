/* SPDX-License-Identifier: MIT */
/*
 * The owner of an object of the C API, or of several of one type.
 *
 *   Owner(type, release, api, address=0, before=None, after=None, keeps=None, count=1)
 *       Calls `release(api, cast(type, address))` for each object when its last reference goes, or
 *       without the first argument if that is None. `type` is the name of a pointer type.
 * `before()` and `after()` are called before and after that, again if a KeyboardInterrupt struck in
 * them: they must bear that. `keeps` is what the objects need: it stays until they are released.
 *       With None for `release` the objects are another's: the owner only has `keeps` stay.
 *   Owner.out
 *       The address of the pointer, or of the array of `count` pointers, for a C function to write
 *       to: the owner exists before the object does, so that no interrupt in between can lose the
 *       object. An object whose pointer C sets to NULL is no longer owned.
 *   Owner.give(function, *arguments)
 *       Calls a function that takes the object over where it answers NULL, which is no status.
 *   Owner.move(address, place=0)
 *       Writes a pointer to an address, which owns the object from then on.
 *   Owner.keep_forever()
 *       Has the owner, and so the objects, outlive the interpreter.
 *   Owner.end()
 *       Releases the objects now.
 *   Owner.type
 *
 * Its buffer begins at the object. So `from_buffer(type, owner)` is a cdata of the object that
 * keeps the owner alive, as gc() makes one. But the cyclic collector calls all finalizers of a
 * cycle before it clears any object in it, and CFFI's destructors are finalizers: they would
 * release objects that others in the cycle still use. This type has no finalizer and nothing to
 * clear: an owner ends with its last reference, and what uses an object has a reference to its
 * owner.
 */
#include "boundary/limited_api.h"

#include <limits.h>
#include <stdint.h>

#include "onnxruntime_c_api.h"
#include "boundary/platform/owner.h"

/* ffi.cast */
static PyObject* cast;

PyTypeObject* ortcffi_owner_kind;

static PyObject* owner_new(PyTypeObject* kind, PyObject* arguments, PyObject* keywords) {
  (void)keywords;
  PyObject *type, *release, *api, *before = Py_None, *after = Py_None, *keeps = Py_None;
  unsigned long long address = 0;
  Py_ssize_t count = 1;
  if (!PyArg_ParseTuple(arguments, "OOO|KOOOn", &type, &release, &api, &address, &before, &after,
                        &keeps, &count)) {
    return NULL;
  }
  if (count < 0) {
    PyErr_SetString(PyExc_ValueError, "count must not be negative");
    return NULL;
  }
  void** several = count == 1 ? NULL : PyMem_Calloc((size_t)count + 1, sizeof *several);
  if (count != 1 && several == NULL) {
    return PyErr_NoMemory();
  }
  struct owner* owner = PyObject_GC_New(struct owner, kind);
  if (owner == NULL) {
    PyMem_Free(several);
  } else {
    owner->object = (void*)(uintptr_t)address;
    owner->several = several;
    owner->count = (size_t)count;
    owner->type = Py_NewRef(type);
    owner->release = Py_NewRef(release);
    owner->api = Py_NewRef(api);
    owner->before = Py_NewRef(before);
    owner->after = Py_NewRef(after);
    owner->keeps = Py_NewRef(keeps);
    owner->refers_to = NULL;
    owner->is_forever = 0;
    PyObject_GC_Track(owner);
  }
  return (PyObject*)owner;
}

/* How many calls deeper than the limit of recursion a release may go: an object that goes where the
 * limit is near must not stay for that. All threads have the room, and CPython 3.11 ends a process
 * in which a thread is 50 calls deeper than a limit that was lowered. */
#define ROOM 40

/* The limit of the program, what it is raised to, and how many releases need that. The GIL guards
 * these. A limit that the program sets meanwhile stays. */
static int limit, raised_limit, in_need;

static void add_room(void) {
  int found = Py_GetRecursionLimit();
  if (in_need++ == 0 || found != raised_limit) {
    limit = found;
    raised_limit = found > INT_MAX - ROOM ? found : found + ROOM;
    Py_SetRecursionLimit(raised_limit);
  }
}

static void take_room(void) {
  if (--in_need == 0 && Py_GetRecursionLimit() == raised_limit) {
    Py_SetRecursionLimit(limit);
  }
}

#define MOST_INTERRUPTS 100

static int call_interrupted(PyObject* function) {
  int interrupts = 0;
  PyObject* answer = PyObject_CallNoArgs(function);
  while (answer == NULL && PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) &&
         interrupts++ < MOST_INTERRUPTS) {
    PyErr_Clear();
    answer = PyObject_CallNoArgs(function);
  }
  if (answer == NULL) {
    PyErr_WriteUnraisable(function);
  }
  Py_XDECREF(answer);
  return interrupts > 0;
}

/* Calls `before` or `after`; true if it was interrupted. */
static int call_whole(PyObject* function) {
  if (function == Py_None) {
    return 0;
  }
  add_room();
  int is_interrupted = call_interrupted(function);
  take_room();
  return is_interrupted;
}

static void** objects_of(struct owner* owner) {
  return owner->several == NULL ? &owner->object : owner->several;
}

static PyObject* call_release(const struct owner* owner, void* pointer) {
  unsigned long long address = (uintptr_t)pointer;
  PyObject* object = PyObject_CallFunction(cast, "OK", owner->type, address);
  if (object == NULL) {
    return NULL;
  }
  PyObject* first = owner->api == Py_None ? object : owner->api;
  PyObject* second = owner->api == Py_None ? NULL : object;
  PyObject* answer = PyObject_CallFunctionObjArgs(owner->release, first, second, NULL);
  Py_DECREF(object);
  return answer;
}

static void release_object(const struct owner* owner, void* pointer) {
  if (owner->release == Py_None) {
    return;
  }
  /* A function of C fails for the limit before it begins, and may be called again. One of Python
   * may fail in the middle, so that it gets the room at once. */
  int has_room = !PyCFunction_Check(owner->release);
  if (has_room) {
    add_room();
  }
  PyObject* answer = call_release(owner, pointer);
  if (answer == NULL && !has_room && PyErr_ExceptionMatches(PyExc_RecursionError)) {
    PyErr_Clear();
    has_room = 1;
    add_room();
    answer = call_release(owner, pointer);
  }
  if (answer == NULL) {
    PyErr_WriteUnraisable(owner->release);
  }
  Py_XDECREF(answer);
  if (has_room) {
    take_room();
  }
}

static void release(struct owner* owner) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  int is_interrupted = call_whole(owner->before);
  for (size_t i = 0; i < owner->count; i++) {
    void* object = objects_of(owner)[i];
    objects_of(owner)[i] = NULL;
    if (object != NULL) {
      release_object(owner, object);
    }
  }
  if (call_whole(owner->after) || is_interrupted) {
    PyErr_SetInterrupt(); /* out here somebody can catch it */
  }
  PyErr_Restore(type, value, traceback);
}

static void owner_dealloc(PyObject* self) {
  struct owner* owner = (struct owner*)self;
  PyTypeObject* kind = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  if (owner->object != NULL || owner->several != NULL) {
    release(owner);
  }
  PyMem_Free(owner->several);
  Py_DECREF(owner->type);
  Py_DECREF(owner->release);
  Py_DECREF(owner->api);
  Py_DECREF(owner->before);
  Py_DECREF(owner->after);
  Py_DECREF(owner->keeps);
  PyObject_GC_Del(self);
  Py_DECREF(kind);
}

static int owner_traverse(PyObject* self, visitproc visit, void* arg) {
  const struct owner* owner = (const struct owner*)self;
  Py_VISIT(Py_TYPE(self));
  /* Neither `release` nor `keeps`: when the owner goes, they must not have been cleared, as a
   * partial that only the cycle refers to would have been. */
  if (owner->release == Py_None) {
    Py_VISIT(owner->keeps);
  }
  Py_VISIT(owner->type);
  Py_VISIT(owner->api);
  if (owner->object != NULL && owner->refers_to != NULL) {
    Py_VISIT(owner->refers_to(owner->object));
  }
  return 0;
}

static int owner_getbuffer(PyObject* self, Py_buffer* view, int flags) {
  const struct owner* owner = (const struct owner*)self;
  if (owner->object == NULL) {
    PyErr_SetString(PyExc_BufferError, "this owner has no object yet");
    return -1;
  }
  /* CFFI compares the length with the size of the type; nothing else looks at it. */
  return PyBuffer_FillInfo(view, self, owner->object, PY_SSIZE_T_MAX, 0, flags);
}

static PyObject* owner_out(PyObject* self, void* closure) {
  (void)closure;
  return PyLong_FromUnsignedLongLong((uintptr_t)objects_of((struct owner*)self));
}

static PyObject* owner_give(PyObject* self, PyObject* arguments) {
  struct owner* owner = (struct owner*)self;
  Py_ssize_t count = PyTuple_Size(arguments);
  if (count < 1) {
    PyErr_SetString(PyExc_TypeError, "give() needs a function");
    return NULL;
  }
  PyObject* rest = PyTuple_GetSlice(arguments, 1, count);
  PyObject* status = rest == NULL ? NULL : PyObject_CallObject(PyTuple_GetItem(arguments, 0), rest);
  Py_XDECREF(rest);
  if (status != NULL && PyObject_Not(status) == 1) {
    owner->object = NULL;
  }
  return status;
}

static PyObject* owner_move(PyObject* self, PyObject* arguments) {
  struct owner* owner = (struct owner*)self;
  unsigned long long address;
  Py_ssize_t place = 0;
  if (!PyArg_ParseTuple(arguments, "K|n", &address, &place)) {
    return NULL;
  }
  if (place < 0 || (size_t)place >= owner->count) {
    PyErr_SetString(PyExc_IndexError, "this owner has fewer objects");
    return NULL;
  }
  void** from = &objects_of(owner)[place];
  *(void**)(uintptr_t)address = *from;
  *from = NULL;
  Py_RETURN_NONE;
}

static PyObject* owner_keep_forever(PyObject* self, PyObject* unused) {
  (void)unused;
  struct owner* owner = (struct owner*)self;
  if (!owner->is_forever) {
    owner->is_forever = 1;
    Py_INCREF(self);
  }
  Py_RETURN_NONE;
}

static PyObject* owner_end(PyObject* self, PyObject* unused) {
  (void)unused;
  struct owner* owner = (struct owner*)self;
  if (owner->object != NULL || owner->several != NULL) {
    release(owner);
  }
  Py_RETURN_NONE;
}

void* ortcffi_take_from(PyObject* owner) {
  void* object = ((struct owner*)owner)->object;
  ((struct owner*)owner)->object = NULL;
  return object;
}

static PyMethodDef owner_methods[] = {
    {"give", owner_give, METH_VARARGS, NULL},
    {"keep_forever", owner_keep_forever, METH_NOARGS, NULL},
    {"end", owner_end, METH_NOARGS, NULL},
    {"move", owner_move, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyObject* owner_type(PyObject* self, void* closure) {
  (void)closure;
  return Py_NewRef(((struct owner*)self)->type);
}

static PyGetSetDef owner_getters[] = {
    {"out", owner_out, NULL, NULL, NULL},
    {"type", owner_type, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot owner_slots[] = {
    {Py_tp_new, (void*)owner_new},
    {Py_tp_dealloc, (void*)owner_dealloc},
    {Py_tp_traverse, (void*)owner_traverse},
    {Py_tp_methods, owner_methods},
    {Py_tp_getset, (void*)owner_getters},
    {Py_bf_getbuffer, (void*)owner_getbuffer},
    {0, NULL},
};

static PyType_Spec owner_spec = {
    .name = "ortcffi._ort.Owner",
    .basicsize = sizeof(struct owner),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = owner_slots,
};

ortcffi_object* ortcffi_owner_type(ortcffi_object* ffi_cast) {
  cast = Py_NewRef((PyObject*)ffi_cast);
  ortcffi_owner_kind = (PyTypeObject*)PyType_FromSpec(&owner_spec);
  return (ortcffi_object*)Py_XNewRef((PyObject*)ortcffi_owner_kind);
}
