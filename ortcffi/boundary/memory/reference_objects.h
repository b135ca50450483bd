/* SPDX-License-Identifier: MIT */
/* The Python objects whose handles count references to allocators; references.c explains them. */
#ifndef ORTCFFI_BOUNDARY_REFERENCE_OBJECTS_H_
#define ORTCFFI_BOUNDARY_REFERENCE_OBJECTS_H_

#include "boundary/platform/handle.h"

/* What a Python Allocator is; see blocks.c. */
struct allocator {
  struct handle handle;
  struct allocator* next;      /* in the list of those that are not adaptors */
  size_t references;           /* counted there; others began before this object did */
  const OrtAllocator* address; /* the place in the list, also after the release */
  char is_listed;
  char may_block; /* or call back, so that the GIL is released */
};

/* The handle that counts references to an allocator, borrowed; NULL for none. */
struct handle* ortcffi_handle_of(const OrtAllocator* allocator);

/* For tp_traverse: the object to which an adaptor has a reference, for the allocator inside. */
PyObject* ortcffi_object_inside(const struct allocator* self);

/* Lists an allocator that may end, so that references to it hold its handle. Adaptors that Python
 * makes have the handle in their counter, which is set after this. A borrowed one gets a reference
 * of its own. */
void ortcffi_list_allocator(struct allocator* self);
void ortcffi_unlist_allocator(struct allocator* self);

/* Add the type Blocks, and the functions for Python, to the module. */
int ortcffi_add_blocks(PyObject* module);
int ortcffi_add_references(PyObject* module);

#endif /* ORTCFFI_BOUNDARY_REFERENCE_OBJECTS_H_ */
