/* SPDX-License-Identifier: MIT */
/* CFFI's private struct that this package reads, and a check of its layout. */
#ifndef ORTCFFI_BOUNDARY_PLATFORM_LAYOUTS_H_
#define ORTCFFI_BOUNDARY_PLATFORM_LAYOUTS_H_

#include <stdint.h>

#include "boundary/platform/objects.h"

#ifndef ORTCFFI_CDEF
#include "boundary/limited_api.h"

/* The beginning of a cdata, as CFFI 1.17 to 2.1 lay it out. */
struct cdata {
  PyObject base;
  struct _cffi_ctypedescr* type;
  char* pointer;
};
#endif

/* Whether cdata have that layout: `one` and `same` are of one type, `other` of another, and `one`
 * points to the address. */
int ortcffi_knows_cdata(ortcffi_object* one, ortcffi_object* same, ortcffi_object* other,
                        uintptr_t address);

#endif /* ORTCFFI_BOUNDARY_PLATFORM_LAYOUTS_H_ */
