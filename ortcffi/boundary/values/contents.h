/* SPDX-License-Identifier: MIT */
/*
 * Converts sequences and maps to Python's objects, and back. All functions need the GIL, except
 * ortcffi_read_content_type.
 */
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

/* A copy of a dense tensor as an array, as in a sequence; NULL without an exception for a value
 * that is none, or whose elements NumPy has no type for. */
PyObject* ortcffi_copy_of_value(struct maker* maker, OrtValue* value);

/* The type of a model's input, as far as C makes values for it. */
struct content_type {
  int kind;    /* SEQUENCE, MAP, or UNKNOWN for others */
  int member;  /* the kind of a sequence's members: TENSOR, MAP or UNKNOWN */
  int key;     /* the element type of a map's keys */
  int element; /* that of its values, or of the tensors of a sequence */
};

/* Reads the content type of an OrtTypeInfo; UNKNOWN where a function fails. */
void ortcffi_read_content_type(const OrtApi* api, const OrtTypeInfo* info,
                               struct content_type* out);

/* The arguments for making a value of Python's objects. */
struct making {
  const struct maker* maker;
  const struct content_type* type;
};

/* Makes a sequence of a list, or a map of a dict, whose items need no conversion: 1 with the value
 * and an object that must outlive it; 0 if Python must convert them; -1 with an exception. */
int ortcffi_value_of_contents(struct making* making, PyObject* x, OrtValue** out,
                              PyObject** holder);

/* Makes an array of a list, nested or not, of int, float or str that are exact in an element type.
 * NULL without an exception if Python must convert them. */
PyObject* ortcffi_array_of_list(PyObject* list, int element);

/* _contents(function): the same as a method of Tensor; None for no function. */
PyObject* ortcffi_value_contents(PyObject* self, PyObject* function);

#endif
