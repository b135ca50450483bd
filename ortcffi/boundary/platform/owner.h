/* SPDX-License-Identifier: MIT */
/* The owner of an object of the C API, for C: owner.c says what it is. */
#ifndef ORTCFFI_BOUNDARY_OWNER_H_
#define ORTCFFI_BOUNDARY_OWNER_H_

#include "boundary/limited_api.h"

#include "boundary/platform/objects.h"

struct owner {
  PyObject base;
  void* object;
  PyObject* type;
  PyObject* release;
  PyObject* api;
  PyObject* before;
  PyObject* after;
  /* Answers the Python object, if any, to which the C object has one reference that the cyclic
   * collector is to know of; NULL for none. */
  PyObject* (*refers_to)(void* object);
};

#endif /* ORTCFFI_BOUNDARY_OWNER_H_ */
