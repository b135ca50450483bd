/* SPDX-License-Identifier: MIT */
/*
 * The owner of an object of the C API.
 *
 *   Owner(type, release, api, address=0, before=None, after=None)
 *       Calls `release(api, cast(type, address))` when its last reference goes. `type` is the name
 *       of a pointer type. `before()` and `after()` are called before and after that, again if a
 *       KeyboardInterrupt struck in them: they must bear that.
 *   Owner.out
 *       The address of the pointer, for a C function to write to: the owner exists before the
 *       object does, so that no interrupt in between can lose the object.
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

#include <stdint.h>

#include "onnxruntime_c_api.h"
#include "boundary/platform/owner.h"

/* ffi.cast */
static PyObject* cast;

static PyObject* owner_new(PyTypeObject* kind, PyObject* arguments, PyObject* keywords) {
  (void)keywords;
  PyObject *type, *release, *api, *before = Py_None, *after = Py_None;
  unsigned long long address = 0;
  if (!PyArg_ParseTuple(arguments, "OOO|KOO", &type, &release, &api, &address, &before, &after)) {
    return NULL;
  }
  struct owner* owner = PyObject_GC_New(struct owner, kind);
  if (owner != NULL) {
    owner->object = (void*)(uintptr_t)address;
    owner->type = Py_NewRef(type);
    owner->release = Py_NewRef(release);
    owner->api = Py_NewRef(api);
    owner->before = Py_NewRef(before);
    owner->after = Py_NewRef(after);
    owner->refers_to = NULL;
    PyObject_GC_Track(owner);
  }
  return (PyObject*)owner;
}

#define MOST_INTERRUPTS 100

/* Calls `before` or `after`; true if it was interrupted. */
static int call_whole(PyObject* function) {
  int interrupts = 0;
  if (function == Py_None) {
    return 0;
  }
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

static void release(const struct owner* owner) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  int is_interrupted = call_whole(owner->before);
  unsigned long long address = (uintptr_t)owner->object;
  PyObject* object = PyObject_CallFunction(cast, "OK", owner->type, address);
  PyObject* answer = object == NULL
                         ? NULL
                         : PyObject_CallFunctionObjArgs(owner->release, owner->api, object, NULL);
  if (answer == NULL) {
    PyErr_WriteUnraisable(owner->release);
  }
  Py_XDECREF(answer);
  Py_XDECREF(object);
  if (call_whole(owner->after) || is_interrupted) {
    PyErr_SetInterrupt(); /* out here somebody can catch it */
  }
  PyErr_Restore(type, value, traceback);
}

static void owner_dealloc(PyObject* self) {
  struct owner* owner = (struct owner*)self;
  PyTypeObject* kind = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  if (owner->object != NULL) {
    release(owner);
  }
  Py_DECREF(owner->type);
  Py_DECREF(owner->release);
  Py_DECREF(owner->api);
  Py_DECREF(owner->before);
  Py_DECREF(owner->after);
  PyObject_GC_Del(self);
  Py_DECREF(kind);
}

static int owner_traverse(PyObject* self, visitproc visit, void* arg) {
  const struct owner* owner = (const struct owner*)self;
  Py_VISIT(Py_TYPE(self));
  /* Not `release`: it is called when the owner goes, and must not have been cleared by then, as a
   * partial that only the cycle refers to would have been. */
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
  return PyLong_FromUnsignedLongLong((uintptr_t)&((struct owner*)self)->object);
}

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
  return (ortcffi_object*)PyType_FromSpec(&owner_spec);
}

ortcffi_object* ortcffi_object_at(void* address) {
  return (ortcffi_object*)Py_NewRef((PyObject*)address);
}
