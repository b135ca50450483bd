/* SPDX-License-Identifier: MIT */
/* Values as Python objects: their handles as CFFI has them. See values.h. */
#include "boundary/limited_api.h"

#include "boundary/values/values.h"

static PyTypeObject* use_type;
static PyObject* ffi_gc;
static PyObject* sample_handle; /* any cdata of OrtValue* */

/* What the cdata of a handle calls when it is destroyed, which does nothing, and what keeps the
 * value until then. */
struct use {
  PyObject base;
  struct value* value;
};

static void use_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject* value = (PyObject*)((struct use*)self)->value;
  Py_XDECREF(ortcffi_value_take_back(value, NULL));
  Py_DECREF(value);
  PyObject_Free(self);
  Py_DECREF(type);
}

static PyObject* use_call(PyObject* self, PyObject* arguments, PyObject* keywords) {
  (void)self;
  (void)arguments;
  (void)keywords;
  Py_RETURN_NONE;
}

PyObject* ortcffi_value_handle(PyObject* self, void* unused) {
  (void)unused;
  struct value* value = (struct value*)self;
  if (ortcffi_value_open(value) < 0) {
    return NULL;
  }
  struct use* use = PyObject_New(struct use, use_type);
  if (use == NULL) {
    return NULL;
  }
  use->value = (struct value*)Py_NewRef(self);
  value->uses++;
  PyObject* plain = ortcffi_pointer_cdata((char*)value->handle, sample_handle);
  PyObject* handle =
      plain == NULL ? NULL : PyObject_CallFunctionObjArgs(ffi_gc, plain, (PyObject*)use, NULL);
  Py_XDECREF(plain);
  Py_DECREF(use);
  return handle;
}

static PyType_Slot use_slots[] = {
    {Py_tp_dealloc, (void*)use_dealloc},
    {Py_tp_call, (void*)use_call},
    {0, NULL},
};

static PyType_Spec use_spec = {
    .name = "ortcffi._ort.Use",
    .basicsize = sizeof(struct use),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = use_slots,
};

int ortcffi_value_handles_init(PyObject* gc, PyObject* sample) {
  ffi_gc = Py_NewRef(gc);
  sample_handle = Py_NewRef(sample);
  use_type = (PyTypeObject*)PyType_FromSpec(&use_spec);
  return use_type == NULL ? -1 : 0;
}
