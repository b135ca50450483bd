/* SPDX-License-Identifier: MIT */
/* Reference counts of allocators, as core/src/memory/references.h has them, for Python as well. */

#ifndef ORTCFFI_BOUNDARY_REFERENCES_H_
#define ORTCFFI_BOUNDARY_REFERENCES_H_

#include "onnxruntime_c_api.h"
#include "boundary/platform/objects.h"

/* What keeps an allocator to call it later holds a reference. Both need the GIL. */
void ortcffi_retain_allocator(OrtAllocator* allocator);
void ortcffi_release_allocator(OrtAllocator* allocator);

/* Reserve of an allocator that has it; NULL also for what it throws. */
void* ortcffi_reserve(OrtAllocator* allocator, size_t size);

/* To be called with the Owner of a new adaptor. From now on references to the adaptor are
 * references to `object`, the Owner itself or the object behind the adaptor's functions. `shows`:
 * the cyclic collector is to see the reference to the allocator inside, which only adaptors may
 * show that do not call it when they end. */
void ortcffi_adaptor_made(ortcffi_object* owner, ortcffi_object* object, int shows);

/* To be called with the Owner of a new adaptor around an allocator of another library, whose
 * statuses are that library's. `api` must stay as long as the adaptor. */
void ortcffi_adaptor_reads(ortcffi_object* owner, const OrtApi* api);

/* A new type Keeper; see references.c. */
ortcffi_object* ortcffi_keeper_type(void);

#endif /* ORTCFFI_BOUNDARY_REFERENCES_H_ */
