/* SPDX-License-Identifier: MIT */
/* What sequences and maps hold, as Python's objects. All functions need the GIL. */
#ifndef ORTCFFI_BOUNDARY_VALUES_CONTENTS_H_
#define ORTCFFI_BOUNDARY_VALUES_CONTENTS_H_

#include "boundary/values/values.h"

/* Into what, and how. */
struct contents {
  struct maker* maker;
  PyTypeObject* type; /* of the Values that Python converts */
  /* NULL: everything becomes Python's own objects, tensors nested lists. Otherwise tensors become
   * arrays, strings that are not UTF-8 are refused, and this function is called with the Value of a
   * tensor that NumPy has no type for. */
  PyObject* function;
  OrtAllocator* allocator; /* of copies; set by ortcffi_contents */
};

/* A list of a value of kind SEQUENCE, or a dict of one of MAP, which stays the caller's; NULL with
 * an exception. */
PyObject* ortcffi_contents(struct contents how, const OrtValue* value, int kind);

/* _contents(function): the same as a method of Tensor; None for no function. */
PyObject* ortcffi_value_contents(PyObject* self, PyObject* function);

#endif
