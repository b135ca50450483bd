/* SPDX-License-Identifier: MIT */
/* The handle as a Python type: Owner, on which all others are built. */
#include "boundary/handle/handle.h"

#include <stddef.h>
#include <stdint.h>

#include <structmember.h>

#include "boundary/module.h"

/* _open_handle(): the library has written the object. */
static PyObject* made(PyObject* self, PyObject* unused) {
  handle_made((struct handle*)self);
  Py_RETURN_NONE;
}

/* Calls function(api, cdata, *rest) for (function, api, *rest). The call keeps the object. */
static PyObject* call_with(struct handle* self, PyObject* arguments) {
  Py_ssize_t count = PyTuple_Size(arguments);
  PyObject* given = PyTuple_New(count);
  PyObject* cdata = given == NULL ? NULL : handle_pointer_cdata(self->object, self->type);
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
  if ((is_exclusive ? handle_begin_write : handle_begin)(handle) < 0) {
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

static PyObject* close_handle(PyObject* self, PyObject* unused) {
  handle_close((struct handle*)self);
  Py_RETURN_NONE;
}

static PyObject* get_api(PyObject* self, void* unused) {
  const struct handle* handle = (const struct handle*)self;
  if (handle->table == NULL) {
    PyErr_SetString(PyExc_AttributeError, "no library has made this object yet");
  }
  return Py_XNewRef(handle->table);
}

static PyObject* get_parents(PyObject* self, void* unused) {
  struct handle* handle = (struct handle*)self;
  if (!handle_try_hold(handle)) {
    return PyTuple_New(0);
  }
  PyObject* parents = handle->parents;
  PyObject* all = parents == NULL          ? PyTuple_New(0)
                  : PyTuple_Check(parents) ? Py_NewRef(parents)
                                           : PyTuple_Pack(1, parents);
  handle_drop(handle);
  return all;
}

static PyObject* get_owned(PyObject* self, void* unused) {
  return PyBool_FromLong(((struct handle*)self)->release != NULL);
}

static PyObject* get_closed(PyObject* self, void* unused) {
  return PyBool_FromLong(handle_state((struct handle*)self) != HANDLE_OPEN);
}

static PyObject* get_handle(PyObject* self, void* unused) {
  struct handle* handle = (struct handle*)self;
  return handle_check(handle) < 0 ? NULL : handle_cdata(handle);
}

ORTCFFI_LOCKED_METHOD(close_handle)

static PyMethodDef handle_methods[] = {
    {"_open_handle", made, METH_NOARGS, NULL},
    {"_read_handle", call_to_read, METH_VARARGS, NULL},
    {"_write_handle", call_to_write, METH_VARARGS, NULL},
    {"close", ORTCFFI_LOCKED(close_handle), METH_NOARGS,
     "close()\n--\n\n"
     "Release an owned object, or end a borrow. Any further use raises `ValueError`.\n\n"
     "Closing again does nothing. Calls under way go on: the object is released after them."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef handle_getters[] = {
    {"handle", get_handle, NULL,
     "The cdata to pass to functions of ``lib``; `ValueError` after `close`.\n\n"
     "The object stays as long as the cdata lives.",
     NULL},
    {"closed", get_closed, NULL, "Whether it cannot be used: it was closed, or never made.", NULL},
    {"api", get_api, NULL, "The table that the object belongs to. No other table may be given it.",
     NULL},
    {"_owned", get_owned, NULL, NULL, NULL},
    {"_handle_parents", get_parents, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

/* The collector calls this for each object of a cycle before it clears any: so the objects that a
 * release calls are still intact. */
static void finalize(PyObject* self) {
  struct handle* handle = (struct handle*)self;
  handle_made(handle);
  handle_close(handle);
}

static void handle_dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  handle_clear((struct handle*)self);
  ortcffi_free_object(self);
}

_Static_assert(sizeof(void*) == sizeof(unsigned long long), "an address is read as a number");

static struct PyMemberDef handle_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(struct handle, weak_references), READONLY, NULL},
    {"_handle_address", T_ULONGLONG, offsetof(struct handle, object), READONLY, NULL},
    {"_handle_type", T_OBJECT, offsetof(struct handle, type), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot handle_slots[] = {
    {Py_tp_members, handle_members},
    {Py_tp_dealloc, (void*)handle_dealloc},
    {Py_tp_traverse, (void*)handle_traverse},
    {Py_tp_finalize, (void*)finalize},
    {Py_tp_methods, handle_methods},
    {Py_tp_getset, handle_getters},
    {0, NULL},
};

PyType_Spec ortcffi_handle_spec =
    ORTCFFI_TYPE("ortcffi._compiled.Owner", struct handle, Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
                 handle_slots);

/* --- functions of the module -------------------------------------------------------------------*/

/* make_handle(handle, table, api, type, release, parents, object): see handle_make. `table` is an
 * Api or None, `type` is CFFI's type of the pointer; `api`, `release` and `object` are addresses.
 * An object that is not 0 exists already, so that the handle is open. */
static PyObject* make(PyObject* module, PyObject* arguments) {
  PyObject *owner, *table, *type, *parents;
  unsigned long long api, release, object;
  if (!PyArg_ParseTuple(arguments, "O!OKOKOK", ortcffi_handle_type, &owner, &table, &api, &type,
                        &release, &parents, &object)) {
    return NULL;
  }
  struct handle* handle = (struct handle*)owner;
  if (handle_make(handle, (const OrtApi*)(uintptr_t)api, type, (ortcffi_release*)(uintptr_t)release,
                  parents) < 0) {
    return NULL;
  }
  handle->table = table == Py_None ? NULL : Py_NewRef(table);
  if (object != 0) {
    handle->object = (void*)(uintptr_t)object;
    handle_made(handle);
  }
  Py_RETURN_NONE;
}

/* handle_out(handle, type): a cdata of `type`, CFFI's type of pointers to the object's pointer:
 * where C is to write the object to. Valid as long as the handle. */
static PyObject* handle_out(PyObject* module, PyObject* arguments) {
  PyObject *handle, *type;
  if (!PyArg_ParseTuple(arguments, "O!O", ortcffi_handle_type, &handle, &type)) {
    return NULL;
  }
  return handle_pointer_cdata(&((struct handle*)handle)->object, type);
}

/* object_at(address): the object at an address, which must be alive: C passes such addresses as
 * contexts of callbacks. */
static PyObject* object_at(PyObject* module, PyObject* address) {
  void* object = PyLong_AsVoidPtr(address);
  return object == NULL ? NULL : Py_NewRef((PyObject*)object);
}

/* keep_forever(object): the object outlives the interpreter. */
static PyObject* keep_forever(PyObject* module, PyObject* object) {
  Py_INCREF(object);
  Py_RETURN_NONE;
}

#ifdef Py_GIL_DISABLED
PyMutex ortcffi_list_locks[LIST_NAMES];

/* The threads that have locks do not exist in the child of a fork. CPython stops all threads for
 * the fork, where they call Python, and so between two changes of a list. */
static void free_locks(void) { memset(ortcffi_list_locks, 0, sizeof ortcffi_list_locks); }
#else
static void free_locks(void) {}
#endif

/* new_process(): in the child of a fork, objects with threads belong to another process. */
static PyObject* new_process(PyObject* module, PyObject* unused) {
  ortcffi_process++;
  free_locks();
  Py_RETURN_NONE;
}

PyMethodDef ortcffi_handle_functions[] = {
    {"make_handle", make, METH_VARARGS, NULL},       {"handle_out", handle_out, METH_VARARGS, NULL},
    {"object_at", object_at, METH_O, NULL},          {"keep_forever", keep_forever, METH_O, NULL},
    {"new_process", new_process, METH_NOARGS, NULL}, {NULL, NULL, 0, NULL},
};
