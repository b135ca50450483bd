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

/* The types in Python of plain cdata, of those that own what they point to, and of those that keep
 * a buffer's object alive, as handles do. */
#define ORTCFFI_CDATA_TYPES 3
extern PyTypeObject* ortcffi_cdata_types[ORTCFFI_CDATA_TYPES];
#endif

/* Whether a cdata has that layout: it is of the type, CFFI's, and points to the address. Cdata of
 * its type in Python are read so from now on; `place` is that in the list above. */
int ortcffi_knows_cdata(unsigned place, ortcffi_object* object, ortcffi_object* type,
                        uintptr_t address);

#endif /* ORTCFFI_BOUNDARY_PLATFORM_LAYOUTS_H_ */
