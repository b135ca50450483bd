/* SPDX-License-Identifier: MIT */
/* Allocators for Python: their references (core/src/memory/references.h), those for other
 * libraries, and those for results. */
#ifndef ORTCFFI_BOUNDARY_ALLOCATORS_H_
#define ORTCFFI_BOUNDARY_ALLOCATORS_H_

#include "onnxruntime_c_api.h"

/* Reserve of an allocator that has it; NULL also for what it throws. */
void* ortcffi_reserve(OrtAllocator* allocator, size_t size);

/* To be called before the first allocator is made. */
void ortcffi_references_begin(void);

/*
 * Allocators for another library.
 *
 * The functions of an allocator return not only memory, but also a memory info, statistics and
 * statuses: objects of the allocator's own library, which another library would read as its own. A
 * foreign allocator wraps one, and returns objects of the library that is to use it.
 */

/* A new allocator, for ortcffi_release_adaptor, around `inner`, to which it holds a reference.
 * `source` is the table of the library that `inner` is of, `target` that of the other. `info` is an
 * object of the other library; `kept`, a Python object, keeps it alive, and the allocator keeps
 * that. Without `figures`, where one of the tables has no key-value pairs, it has neither
 * statistics nor anything to shrink. */
OrtStatus* ortcffi_foreign_allocator(OrtAllocator* inner, const OrtApi* source,
                                     const OrtApi* target, const OrtMemoryInfo* info, void* kept,
                                     int figures, OrtAllocator** out);

/* An allocator for functions of a library that return their result in an allocator's memory. */

/* Makes an allocator whose blocks are all freed by ortcffi_release_scratch, so that the caller need
 * not own each. `info` is an object of the library that uses it, and must live as long. 0 where
 * there is no memory. */
int ortcffi_new_scratch(const OrtMemoryInfo* info, OrtAllocator** out);
void ortcffi_release_scratch(OrtAllocator* scratch);

#ifndef ORTCFFI_CDEF
#include "boundary/handle/handle.h"

/* The Python objects whose handles count references to allocators; references.c explains them. */

/* What a Python Allocator is; see blocks.c. */
struct allocator {
  struct handle handle;
  struct allocator* next;      /* in the list of those that are not adaptors */
  size_t references;           /* counted there; others began before this object did */
  const OrtAllocator* address; /* the place in the list, also after the release */
  char is_listed;
  char may_block; /* or call back, so that the GIL is released */
};

/* A new reference to the handle that counts references to an allocator; NULL for none. */
PyObject* ortcffi_handle_of(const OrtAllocator* allocator);

/* For tp_traverse: the object to which an adaptor has a reference, for the allocator inside. */
PyObject* ortcffi_object_inside(const struct allocator* self);

/* Lists an allocator that may end, so that references to it hold its handle. Adaptors that Python
 * makes have the handle in their counter, which is set after this. A borrowed one gets a reference
 * of its own. -1 with an exception. */
int ortcffi_list_allocator(struct allocator* self);
void ortcffi_unlist_allocator(struct allocator* self);
#endif

#endif /* ORTCFFI_BOUNDARY_ALLOCATORS_H_ */
