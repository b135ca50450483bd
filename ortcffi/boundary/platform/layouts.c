/* SPDX-License-Identifier: MIT */
/* Checks the layout of CFFI's cdata once, when the package is imported. */
#include "boundary/platform/layouts.h"

PyTypeObject* ortcffi_cdata_types[ORTCFFI_CDATA_TYPES];

int ortcffi_knows_cdata(unsigned place, ortcffi_object* object, ortcffi_object* type,
                        uintptr_t address) {
  const struct cdata* cdata = (const struct cdata*)object;
  int is_known = (PyObject*)cdata->type == (PyObject*)type && (uintptr_t)cdata->pointer == address;
  if (is_known && place < ORTCFFI_CDATA_TYPES) {
    ortcffi_cdata_types[place] = Py_TYPE((PyObject*)object);
  }
  return is_known;
}
