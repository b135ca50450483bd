/* SPDX-License-Identifier: MIT */
/* A cdata that keeps a handle's object. */
#include "boundary/handle/handle.h"
#include "boundary/module.h"

static PyObject *from_buffer, *cast, *address_of; /* of ffi, and of ortcffi._native */

/* A hold of a cdata, whose buffer begins at the object. */
struct hold {
  PyObject base;
  struct handle* handle;
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

static void hold_dealloc(PyObject* self) {
  struct handle* handle = ((struct hold*)self)->handle;
  PyObject_GC_UnTrack(self);
  ortcffi_free_object(self);
  handle_drop(handle);
  Py_DECREF((PyObject*)handle);
}

PyObject* handle_cdata(struct handle* self) {
  if (!handle_try_hold(self)) {
    (void)handle_check(self);
    return NULL;
  }
  struct hold* hold = PyObject_GC_New(struct hold, ortcffi_hold_type);
  if (hold == NULL) {
    handle_drop(self);
    return NULL;
  }
  hold->handle = (struct handle*)Py_NewRef((PyObject*)self);
  PyObject_GC_Track(hold);
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

static PyType_Slot hold_slots[] = {
    {Py_tp_dealloc, (void*)hold_dealloc},
    {Py_tp_traverse, (void*)hold_traverse},
    {Py_bf_getbuffer, (void*)hold_getbuffer},
    {0, NULL},
};

PyType_Spec ortcffi_hold_spec =
    ORTCFFI_TYPE("ortcffi._compiled.Hold", struct hold,
                 Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, hold_slots);

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

PyMethodDef ortcffi_cdata_functions[] = {
    {"use_cffi", use_cffi, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
