/* SPDX-License-Identifier: MIT */
/*
 * Shorter ways for the two conversions that nearly every call makes, and one that CFFI lacks.
 *
 * CFFI's own are functions of its library, which its wheels carry unoptimised; they took half the
 * time of a short call.
 *
 * Pointer arguments. A cdata of the parameter's own type needs no conversion: its pointer is read
 * from its struct, whose layout is private to CFFI, and is checked at import (layouts.h).
 *
 * Statuses. boundary/status/raise.c turns a failing one into an exception.
 *
 * Python objects pass unchanged both ways where a function says ortcffi_object*.
 */
#ifndef ORTCFFI_BOUNDARY_CONVERSIONS_H_
#define ORTCFFI_BOUNDARY_CONVERSIONS_H_

#include "boundary/cffi.h"

#include "boundary/platform/layouts.h"
#include "boundary/status/raise.h"

/* CFFI's type of ortcffi_object*, known from the first result of that type. */
static struct _cffi_ctypedescr* object_type;

static Py_ssize_t pointer_argument(struct _cffi_ctypedescr* type, PyObject* value, char** out) {
  const PyTypeObject* known = Py_TYPE(value);
  if (known == ortcffi_cdata_types[0] || known == ortcffi_cdata_types[1] ||
      known == ortcffi_cdata_types[2]) {
    const struct cdata* cdata = (const struct cdata*)value;
    if (cdata->type == type) {
      *out = cdata->pointer;
      return 0;
    }
  }
  if (type == object_type) {
    *out = (char*)value;
    return 0;
  }
  return _cffi_prepare_pointer_call_argument(type, value, out);
}

static PyObject* pointer_result(char* pointer, struct _cffi_ctypedescr* type, PyObject* self) {
  (void)self;
  return _cffi_from_c_pointer(pointer, type);
}

/* A cdata of a type of CFFI's that keeps nothing alive. */
PyObject* ortcffi_pointer_cdata(void* pointer, PyObject* type);
PyObject* ortcffi_pointer_cdata(void* pointer, PyObject* type) {
  return _cffi_from_c_pointer((char*)pointer, (struct _cffi_ctypedescr*)type);
}

static PyObject* status_result(char* pointer, struct _cffi_ctypedescr* type, PyObject* self) {
  return (PyObject*)ortcffi_status_result((OrtStatus*)pointer, (ortcffi_object*)type,
                                          (ortcffi_object*)self);
}

static PyObject* object_result(char* object, struct _cffi_ctypedescr* type, PyObject* self) {
  (void)self;
  object_type = type;
  return (PyObject*)object;
}

#undef _cffi_prepare_pointer_call_argument
#define _cffi_prepare_pointer_call_argument pointer_argument
/* In the functions that CFFI generates, `result` is what the C function returned. */
#undef _cffi_from_c_pointer
/* clang-format off */
#define _cffi_from_c_pointer(pointer, type) \
  _Generic(result,                          \
           OrtStatus*: status_result,       \
           ortcffi_object*: object_result,  \
           default: pointer_result)(pointer, type, self)
/* clang-format on */

#endif /* ORTCFFI_BOUNDARY_CONVERSIONS_H_ */
