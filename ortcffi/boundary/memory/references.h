/* SPDX-License-Identifier: MIT */
/* Reference counts of allocators, as core/src/memory/references.h has them, for Python as well. */

#ifndef ORTCFFI_BOUNDARY_REFERENCES_H_
#define ORTCFFI_BOUNDARY_REFERENCES_H_

#include "onnxruntime_c_api.h"

/* Add and drop a reference, for an object that will call the allocator later. */
void ortcffi_retain_allocator(OrtAllocator* allocator);
void ortcffi_release_allocator(OrtAllocator* allocator);

/* Reserve of an allocator that has it; NULL also for what it throws. */
void* ortcffi_reserve(OrtAllocator* allocator, size_t size);

/* To be called before the first allocator is made. */
void ortcffi_references_begin(void);

#endif /* ORTCFFI_BOUNDARY_REFERENCES_H_ */
