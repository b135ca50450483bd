/* SPDX-License-Identifier: MIT */
/* Python.h, limited to the stable ABI of CPython 3.11, as the whole extension is; a Python without
 * the GIL has no such ABI. Include it first: it defines _GNU_SOURCE, with which system headers
 * declare more. */
#ifndef ORTCFFI_BOUNDARY_LIMITED_API_H_
#define ORTCFFI_BOUNDARY_LIMITED_API_H_

#include <pyconfig.h>
#if !defined(Py_LIMITED_API) && !defined(Py_GIL_DISABLED)
#define Py_LIMITED_API 0x030b0000
#endif
#include <Python.h>
#include <string.h>

/* A function with another signature than PyCFunction's, for a PyMethodDef whose flags name it. */
#define ORTCFFI_METHOD(function) ((PyCFunction)(void (*)(void))(function))

/* A str of text in UTF-8; what is none becomes replacement characters. */
static inline PyObject* ortcffi_text(const char* text) {
  return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

/* Put a new item, whose reference they take, into a tuple or list that is being made; where the
 * item is NULL, so is the tuple or list from then on. */
static inline void ortcffi_put_in_tuple(PyObject** tuple, size_t i, PyObject* item) {
  if (item == NULL) {
    Py_CLEAR(*tuple);
  } else {
    PyTuple_SetItem(*tuple, (Py_ssize_t)i, item);
  }
}

static inline void ortcffi_put_in_list(PyObject** list, size_t i, PyObject* item) {
  if (item == NULL) {
    Py_CLEAR(*list);
  } else {
    PyList_SetItem(*list, (Py_ssize_t)i, item);
  }
}

/* Ends a tp_dealloc of a type with Py_TPFLAGS_HAVE_GC. */
static inline void ortcffi_free_object(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

/* The PyType_Spec of a type with a name, the struct of its objects, flags beside the usual ones,
 * and slots. */
#define ORTCFFI_TYPE(full_name, type, more, type_slots) \
  {.name = (full_name),                                 \
   .basicsize = sizeof(type),                           \
   .flags = Py_TPFLAGS_DEFAULT | (more),                \
   .slots = (type_slots)}

#endif /* ORTCFFI_BOUNDARY_LIMITED_API_H_ */
