/* SPDX-License-Identifier: MIT */
/* The owner of an object of the C API, for C: owner.c says what it is. */
#ifndef ORTCFFI_BOUNDARY_OWNER_H_
#define ORTCFFI_BOUNDARY_OWNER_H_

#include "boundary/limited_api.h"

#include "boundary/platform/objects.h"

struct owner {
  PyObject base;
  void* object;
  void** several; /* instead of `object` where there is not just one */
  size_t count;
  PyObject* type;
  PyObject* release;
  PyObject* api;
  PyObject* before;
  PyObject* after;
  PyObject* keeps;
  /* Answers the Python object, if any, to which the C object has one reference that the cyclic
   * collector is to know of; NULL for none. */
  PyObject* (*refers_to)(void* object);
  char is_forever; /* has a reference to itself */
};

/* The type; NULL before ortcffi_owner_type. */
extern PyTypeObject* ortcffi_owner_kind;

/* The object of an owner of one, which no longer owns it. */
void* ortcffi_take_from(PyObject* owner);

#endif /* ORTCFFI_BOUNDARY_OWNER_H_ */
