/* SPDX-License-Identifier: MIT */
/* Reference counts of allocators, as core/src/memory/references.h has them, for Python as well. */

#ifndef ORTCFFI_BOUNDARY_REFERENCES_H_
#define ORTCFFI_BOUNDARY_REFERENCES_H_

#include "onnxruntime_c_api.h"
#include "boundary/platform/objects.h"

/* Add and drop a reference, for an object that will call the allocator later. Both need the GIL. */
void ortcffi_retain_allocator(OrtAllocator* allocator);
void ortcffi_release_allocator(OrtAllocator* allocator);

/* Reserve of an allocator that has it; NULL also for what it throws. */
void* ortcffi_reserve(OrtAllocator* allocator, size_t size);

/* To be called before the first allocator is made. */
void ortcffi_references_begin(void);

/* To be called with the handle of a new adaptor: references to the adaptor hold the handle. */
void ortcffi_adaptor_made(ortcffi_object* handle);

/* To be called with the handle of a new adaptor around an allocator of another library, whose
 * statuses are that library's. `api` must stay as long as the adaptor. */
void ortcffi_adaptor_reads(ortcffi_object* handle, const OrtApi* api);

#endif /* ORTCFFI_BOUNDARY_REFERENCES_H_ */
