/* SPDX-License-Identifier: MIT */
/*
 * Shorter ways for the two conversions that nearly every call makes, and one that CFFI lacks.
 *
 * CFFI's own are functions of its library, which its wheels carry unoptimised; they took half the
 * time of a short call.
 *
 * Pointer arguments. A cdata of the parameter's own type needs no conversion: its pointer is read
 * from its struct. The layout of the struct is private to CFFI, so it is verified: CFFI itself
 * converts the first cdata of each Python type, and only if its result is equal to what is read
 * from the struct are later cdata of that type read there.
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

/* Python types that begin like that: plain cdata, those that own what they point to, those with a
 * destructor, and those that keep a buffer's object alive, as handles do. */
#define CDATA_TYPES 4
static PyTypeObject* cdata_types[CDATA_TYPES];

static void learn_cdata_type(PyTypeObject* type) {
  int i = 0;
  while (i < CDATA_TYPES && cdata_types[i] != NULL && cdata_types[i] != type) {
    i++;
  }
  if (i < CDATA_TYPES) {
    cdata_types[i] = type;
  }
}

/* CFFI's type of ortcffi_object*, known from the first result of that type. */
static struct _cffi_ctypedescr* object_type;

static Py_ssize_t convert_argument(struct _cffi_ctypedescr* type, PyObject* value, char** out) {
  Py_ssize_t size = _cffi_prepare_pointer_call_argument(type, value, out);
  /* Otherwise it is an error, or an array that is still to be converted; NULL proves no layout. */
  if (size == 0 && *out != NULL) {
    const struct cdata* cdata = (const struct cdata*)value;
    if (cdata->type == type && cdata->pointer == *out) {
      learn_cdata_type(Py_TYPE(value));
    }
  }
  return size;
}

static Py_ssize_t pointer_argument(struct _cffi_ctypedescr* type, PyObject* value, char** out) {
  const PyTypeObject* known = Py_TYPE(value);
  if (known == cdata_types[0] || known == cdata_types[1] || known == cdata_types[2] ||
      known == cdata_types[3]) {
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
  return convert_argument(type, value, out);
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
