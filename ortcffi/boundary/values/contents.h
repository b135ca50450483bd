/* SPDX-License-Identifier: MIT */
/*
 * Sequences and maps as Python's objects, and of Python's objects. All functions need the GIL, but
 * ortcffi_read_content_type.
 */
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
  int member;              /* the kind of a sequence's members; UNKNOWN if that is not known */
  OrtAllocator* allocator; /* of copies; set by ortcffi_contents */
};

/* A list of a value of kind SEQUENCE, or a dict of one of MAP, which stays the caller's; NULL with
 * an exception. */
PyObject* ortcffi_contents(struct contents how, const OrtValue* value, int kind);

/* A copy of a dense tensor as an array, as in a sequence; NULL without an exception for a value
 * that is none, or whose elements NumPy has no type for. */
PyObject* ortcffi_copy_of_value(struct maker* maker, OrtValue* value);

/* What an input of a model is, as far as C makes values for it. */
struct content_type {
  int kind;    /* SEQUENCE, MAP, or UNKNOWN for others */
  int member;  /* the kind of a sequence's members: TENSOR, MAP or UNKNOWN */
  int key;     /* the element type of a map's keys */
  int element; /* that of its values, or of the tensors of a sequence */
};

/* Reads that of a type; UNKNOWN where a function fails. */
void ortcffi_read_content_type(const OrtApi* api, const OrtTypeInfo* info,
                               struct content_type* out);

/* A value that is made of Python's objects. */
struct making {
  const struct maker* maker;
  OrtAllocator* strings; /* where tensors of strings are made */
  const struct content_type* type;
  size_t bytes; /* in: 0; out: about as many as the elements have */
};

/* A new sequence of a list, or map of a dict, of what fits as it is: 1 with the value and an object
 * that must outlive it; 0 where Python has to look at it; -1 with an exception. */
int ortcffi_value_of_contents(struct making* making, PyObject* x, OrtValue** out,
                              PyObject** holder);

/* A new array of a list, nested or not, of int, float or str that fit an element type as they are.
 * NULL without an exception where Python has to look at it. */
PyObject* ortcffi_array_of_list(PyObject* list, int element);

/* _contents(function): the same as a method of Tensor; None for no function. */
PyObject* ortcffi_value_contents(PyObject* self, PyObject* function);

#endif
