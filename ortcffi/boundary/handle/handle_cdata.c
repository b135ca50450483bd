/* SPDX-License-Identifier: MIT */
/* Python objects that keep a handle's object: a cdata of it, and a call under way. */
#include "boundary/handle/handle.h"

static PyTypeObject* hold_type;
static PyObject *from_buffer, *cast, *address_of; /* of ffi, and of ortcffi._native */

/* A hold of a cdata, whose buffer begins at the object; or a call under way, which end() ends. */
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
    handle_drop(handle);
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

/* end(): ends the call now instead of with the last reference. */
static PyObject* hold_end(PyObject* self, PyObject* unused) {
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
  /* A tuple, as CFFI takes its arguments: PyObject_CallFunctionObjArgs makes it in more steps. */
  PyObject* arguments = PyTuple_Pack(2, self->type, (PyObject*)hold);
  Py_DECREF(hold);
  PyObject* cdata = arguments == NULL ? NULL : PyObject_CallObject(from_buffer, arguments);
  Py_XDECREF(arguments);
  return cdata;
}

PyObject* handle_pointer_cdata(const void* pointer, PyObject* type) {
  PyObject* address = PyLong_FromVoidPtr((void*)(uintptr_t)pointer);
  PyObject* arguments = address == NULL ? NULL : PyTuple_Pack(2, type, address);
  PyObject* cdata = arguments == NULL ? NULL : PyObject_CallObject(cast, arguments);
  Py_XDECREF(arguments);
  Py_XDECREF(address);
  return cdata;
}

PyObject* handle_address_in(PyObject* cdata) {
  return PyObject_CallFunctionObjArgs(address_of, cdata, NULL);
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
    .name = "ortcffi._compiled.Hold",
    .basicsize = sizeof(struct hold),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = hold_slots,
};

/* use_cffi(from_buffer, cast, address_of): gives the functions that make and read cdata. */
static PyObject* use_cffi(PyObject* module, PyObject* arguments) {
  if (!PyArg_UnpackTuple(arguments, "use_cffi", 3, 3, &from_buffer, &cast, &address_of)) {
    return NULL;
  }
  Py_INCREF(from_buffer);
  Py_INCREF(cast);
  Py_INCREF(address_of);
  Py_RETURN_NONE;
}

static PyMethodDef cdata_functions[] = {
    {"use_cffi", use_cffi, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

int ortcffi_add_cdata(PyObject* module) {
  hold_type = (PyTypeObject*)PyType_FromSpec(&hold_spec);
  return hold_type == NULL ? -1 : PyModule_AddFunctions(module, cdata_functions);
}
