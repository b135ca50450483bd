/* SPDX-License-Identifier: MIT */
/* An allocator for what a function of a library answers in memory of an allocator. */
#ifndef ORTCFFI_BOUNDARY_SCRATCH_H_
#define ORTCFFI_BOUNDARY_SCRATCH_H_

#include "onnxruntime_c_api.h"

/* A new allocator, for ortcffi_release_scratch, which frees its blocks all at once at its end. So
 * whoever reads them need not own each. `info` is of the library that is to use it, and must stay
 * as long. 0 where there is no memory. */
int ortcffi_new_scratch(const OrtMemoryInfo* info, OrtAllocator** out);
void ortcffi_release_scratch(OrtAllocator* scratch);

#endif /* ORTCFFI_BOUNDARY_SCRATCH_H_ */
