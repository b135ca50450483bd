/* SPDX-License-Identifier: MIT */
/* Functions of CFFI's that know their name, and are called in fewer steps. */
#include "boundary/platform/checked.h"

#include "boundary/limited_api.h"

/* What ortcffi_checked makes. Never freed: there is one for each function of the table. */
struct checked {
  PyMethodDef definition;
  PyCFunction called; /* takes `name` as self, and a tuple */
  PyObject* name;
};

/* CPython calls a function that takes an array in fewer steps than one that takes a tuple. */
static PyObject* call_checked(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  const struct checked* checked = PyCapsule_GetPointer(self, NULL);
  PyObject* tuple = checked == NULL ? NULL : PyTuple_New(count);
  if (tuple == NULL) {
    return NULL;
  }
  for (Py_ssize_t i = 0; i < count; i++) {
    (void)PyTuple_SetItem(tuple, i, Py_NewRef(arguments[i]));
  }
  PyObject* answer = checked->called(checked->name, tuple);
  Py_DECREF(tuple);
  return answer;
}

PyObject* ortcffi_call_tuple(PyObject* function, PyObject* tuple) {
  if (!PyCFunction_CheckExact(function) ||
      PyCFunction_GetFunction(function) != ORTCFFI_METHOD(call_checked)) {
    return PyObject_CallObject(function, tuple);
  }
  const struct checked* checked = PyCapsule_GetPointer(PyCFunction_GetSelf(function), NULL);
  return checked == NULL ? NULL : checked->called(checked->name, tuple);
}

ortcffi_object* ortcffi_checked(ortcffi_object* function, ortcffi_object* name) {
  PyCFunction called = PyCFunction_GetFunction((PyObject*)function);
  int flags = PyCFunction_GetFlags((PyObject*)function);
  const char* text = PyUnicode_AsUTF8AndSize((PyObject*)name, NULL);
  if (called == NULL || flags < 0 || text == NULL) {
    return NULL;
  }
  struct checked* checked = PyMem_Malloc(sizeof *checked);
  if (checked == NULL) {
    return (ortcffi_object*)PyErr_NoMemory();
  }
  *checked = (struct checked){{text, called, flags, NULL}, called, Py_NewRef((PyObject*)name)};
  PyObject* self = NULL;
  if (flags == METH_VARARGS) {
    checked->definition.ml_meth = ORTCFFI_METHOD(call_checked);
    checked->definition.ml_flags = METH_FASTCALL;
    self = PyCapsule_New(checked, NULL, NULL);
  } else {
    self = Py_NewRef(checked->name);
  }
  PyObject* made = self == NULL ? NULL : PyCFunction_NewEx(&checked->definition, self, NULL);
  Py_XDECREF(self);
  if (made == NULL) {
    Py_DECREF(checked->name);
    PyMem_Free(checked);
  }
  return (ortcffi_object*)made;
}
