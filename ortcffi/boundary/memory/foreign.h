/* SPDX-License-Identifier: MIT */
/*
 * Allocators for another library.
 *
 * What an allocator's functions hand out beside memory, a memory info, statistics and statuses, are
 * objects of the library that the allocator is of: another one would read them as its own. A
 * foreign allocator wraps one, and hands out objects of the library that is to use it.
 */
#ifndef ORTCFFI_BOUNDARY_FOREIGN_H_
#define ORTCFFI_BOUNDARY_FOREIGN_H_

#include "onnxruntime_c_api.h"
#include "boundary/platform/objects.h"

/* A new allocator, for ortcffi_release_adaptor, around `inner`, to which it holds a reference.
 * `source` is the table of the library that `inner` is of, `target` that of the other. `info` is an
 * object of the other library; `kept` keeps it alive, and the allocator keeps `kept`. Without
 * `figures`, where one of the tables has no key-value pairs, it has neither statistics nor anything
 * to shrink. */
OrtStatus* ortcffi_lend(OrtAllocator* inner, const OrtApi* source, const OrtApi* target,
                        const OrtMemoryInfo* info, ortcffi_object* kept, int figures,
                        OrtAllocator** out);

#endif /* ORTCFFI_BOUNDARY_FOREIGN_H_ */
