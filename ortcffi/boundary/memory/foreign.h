/* SPDX-License-Identifier: MIT */
/*
 * Allocators for another library.
 *
 * The functions of an allocator return not only memory, but also a memory info, statistics and
 * statuses: objects of the allocator's own library, which another library would read as its own. A
 * foreign allocator wraps one, and returns objects of the library that is to use it.
 */
#ifndef ORTCFFI_BOUNDARY_FOREIGN_H_
#define ORTCFFI_BOUNDARY_FOREIGN_H_

#include "onnxruntime_c_api.h"

/* A new allocator, for ortcffi_release_adaptor, around `inner`, to which it holds a reference.
 * `source` is the table of the library that `inner` is of, `target` that of the other. `info` is an
 * object of the other library; `kept`, a Python object, keeps it alive, and the allocator keeps
 * that. Without `figures`, where one of the tables has no key-value pairs, it has neither
 * statistics nor anything to shrink. */
OrtStatus* ortcffi_foreign_allocator(OrtAllocator* inner, const OrtApi* source,
                                     const OrtApi* target, const OrtMemoryInfo* info, void* kept,
                                     int figures, OrtAllocator** out);

#endif /* ORTCFFI_BOUNDARY_FOREIGN_H_ */
