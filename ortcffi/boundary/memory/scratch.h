/* SPDX-License-Identifier: MIT */
/* An allocator for functions of a library that return their result in an allocator's memory. */
#ifndef ORTCFFI_BOUNDARY_SCRATCH_H_
#define ORTCFFI_BOUNDARY_SCRATCH_H_

#include "onnxruntime_c_api.h"

/* Makes an allocator whose blocks are all freed by ortcffi_release_scratch, so that the caller need
 * not own each. `info` is an object of the library that uses it, and must live as long. 0 where
 * there is no memory. */
int ortcffi_new_scratch(const OrtMemoryInfo* info, OrtAllocator** out);
void ortcffi_release_scratch(OrtAllocator* scratch);

#endif /* ORTCFFI_BOUNDARY_SCRATCH_H_ */
