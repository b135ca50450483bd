/* SPDX-License-Identifier: MIT */
/*
 * Allocators for another library.
 *
 * What an allocator's functions hand out beside memory, a memory info, figures and statuses, are
 * objects of the library that the allocator is of: another one would read them as its own. A lent
 * allocator hands out objects of the library that it is lent to.
 */
#ifndef ORTCFFI_BOUNDARY_FOREIGN_H_
#define ORTCFFI_BOUNDARY_FOREIGN_H_

#include "onnxruntime_c_api.h"

/* What a lent allocator needs; the caller's, to live as long as the allocator. `source` is the
 * table of the library that `inner` is of, `target` that of the other. */
typedef struct ortcffi_lent {
  OrtAllocator* inner;
  const OrtApi* source;
  const OrtApi* target;
} ortcffi_lent;

/* A new allocator, for ortcffi_release_adaptor. `info` is an object of the library that it is lent
 * to, and lives as long. Without `figures`, where one of the tables has no key-value pairs, it has
 * neither figures nor anything to shrink. */
OrtStatus* ortcffi_lend(ortcffi_lent* lent, const OrtMemoryInfo* info, int figures,
                        OrtAllocator** out);

#endif /* ORTCFFI_BOUNDARY_FOREIGN_H_ */
