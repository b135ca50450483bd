/* SPDX-License-Identifier: MIT */
/* The Python objects that count references to allocators: references.c explains them. */
#ifndef ORTCFFI_BOUNDARY_REFERENCE_OBJECTS_H_
#define ORTCFFI_BOUNDARY_REFERENCE_OBJECTS_H_

#include "boundary/limited_api.h"

#include "memory/references.h"

/* The object on which references to an allocator are counted, borrowed; NULL for none. For a
 * tp_traverse: no reference counts change here. */
PyObject* ortcffi_object_of(const OrtAllocator* allocator);

#endif /* ORTCFFI_BOUNDARY_REFERENCE_OBJECTS_H_ */
