/* SPDX-License-Identifier: MIT */
/* Converts sequences and maps to Python's objects. All functions need the GIL. */
#ifndef ORTCFFI_BOUNDARY_VALUES_CONTENTS_H_
#define ORTCFFI_BOUNDARY_VALUES_CONTENTS_H_

#include "boundary/values/values.h"

/* How to convert a sequence or a map. */
struct contents {
  struct maker* maker;
  PyTypeObject* type; /* of the Values that Python converts */
  /* NULL: tensors become nested lists. Otherwise they become arrays, strings that are not UTF-8 are
   * refused, and this function converts the Value of a tensor for which NumPy has no type. */
  PyObject* function;
  int member;     /* the kind of a sequence's members; UNKNOWN if that is not known */
  uint64_t bytes; /* in: 0; out: about the bytes of all elements, if those are numbers; or many */
};

/* A list of a value of kind SEQUENCE, or a dict of one of MAP, which stays the caller's; NULL with
 * an exception. */
PyObject* ortcffi_contents(struct contents* how, const OrtValue* value, int kind);

/* _contents(function): the same as a method of Tensor; None for no function. */
PyObject* ortcffi_value_contents(PyObject* self, PyObject* function);

#endif
