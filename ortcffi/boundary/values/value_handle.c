/* SPDX-License-Identifier: MIT */
/* Values as Python objects: their handles as CFFI has them. See values.h. */
#include "boundary/limited_api.h"

#include "boundary/values/values.h"

static PyObject* sample_handle; /* any cdata of OrtValue* */

PyObject* ortcffi_value_handle(PyObject* self, void* unused) {
  (void)unused;
  struct value* value = (struct value*)self;
  if (ortcffi_value_open(value) < 0) {
    return NULL;
  }
  if (value->cdata == NULL) {
    value->cdata = ortcffi_pointer_cdata((char*)value->handle, sample_handle);
  }
  return Py_XNewRef(value->cdata);
}

/* --- handles that outlive their value ----------------------------------------------------------*/

/* Called with an heir when the cdata is destroyed, which was the last use of the OrtValue. */
static PyObject* end_heir(PyObject* heir, PyObject* reference) {
  (void)reference; /* which the heir owns until it is destroyed itself */
  ortcffi_value_release((struct value*)heir);
  Py_RETURN_NONE;
}

static PyMethodDef end_heir_method = {"end", end_heir, METH_O, NULL};

/* A weak reference to the cdata, which calls end_heir: its owner, and so the heir's, is C alone. */
static PyObject* refer(PyObject* cdata, struct value* heir) {
  PyObject* callback = PyCFunction_New(&end_heir_method, (PyObject*)heir);
  PyObject* reference = callback == NULL ? NULL : PyWeakref_NewRef(cdata, callback);
  Py_XDECREF(callback);
  return reference;
}

/* An heir of a value whose cdata somebody has; NULL without memory for it. */
static struct value* heir_of(PyObject* cdata, struct maker* maker) {
  struct value* heir = ortcffi_blank_value(ortcffi_tensor_type, maker, NULL, NULL);
  if (heir != NULL) {
    heir->is_heir = 1;
    heir->cdata = refer(cdata, heir);
  }
  if (heir != NULL && heir->cdata == NULL) {
    Py_CLEAR(heir);
  }
  return heir;
}

int ortcffi_value_leave_handle(struct value* value) {
  if (value->is_heir || value->cdata == NULL || Py_REFCNT(value->cdata) == 1) {
    return 0;
  }
  PyObject *type, *error, *traceback;
  PyErr_Fetch(&type, &error, &traceback);
  /* To make the heir may start the collector, which may have Python close the value again. */
  PyObject *cdata = value->cdata, *lender = value->lender;
  struct handle* allocator = value->allocator;
  OrtValue* handle = value->handle;
  value->handle = NULL;
  value->allocator = NULL;
  value->cdata = value->lender = NULL;
  struct value* heir = heir_of(cdata, value->maker);
  if (heir != NULL) { /* else what the value owned stays for ever */
    heir->handle = handle;
    heir->lender = lender;
    heir->allocator = allocator;
    heir->is_owned = value->is_owned;
    heir->is_borrowed = value->is_borrowed;
    heir->is_small = value->is_small;
    Py_DECREF((PyObject*)heir); /* the callback keeps it */
  }
  Py_DECREF(cdata);
  PyErr_Restore(type, error, traceback);
  return 1;
}

void ortcffi_value_handles_init(PyObject* sample) { sample_handle = Py_NewRef(sample); }
