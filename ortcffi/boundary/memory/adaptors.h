/* SPDX-License-Identifier: MIT */
/* Arenas and those of the core's adaptors that call Python. */
#ifndef ORTCFFI_BOUNDARY_ADAPTORS_H_
#define ORTCFFI_BOUNDARY_ADAPTORS_H_

#include "onnxruntime_c_api.h"
#include "adaptors/scopes.h"

/* Calls ortcffi_python_excess with the address of `callee`; NULL for no calls. ortcffi_adaptor_made
 * must say that references count on it. */
OrtStatus* ortcffi_soft_limiting(OrtAllocator* inner, size_t limit, void* callee,
                                 OrtAllocator** out);
/* Opens a scope, and sets the site source of the core to ortcffi_python_stack. */
OrtStatus* ortcffi_open_scope(OrtAllocator* tracking, int depth, core_scope** out);
/* `api` is what an owner passes, and not used. */
void ortcffi_release_scope(const OrtApi* api, core_scope* scope);
/* An allocator whose functions are ortcffi_python_alloc and its kin, which get the address of
 * `allocator`; the same holds for it. `info` must stay as long as `allocator`. */
OrtStatus* ortcffi_python_allocator(const OrtMemoryInfo* info, void* allocator, OrtAllocator** out);
/* An arena, as core/src/arena/arena.h describes it. `cfg` is of the core's CreateArenaCfg or
 * CreateArenaCfgV2; NULL for defaults. */
OrtStatus* ortcffi_arena(OrtAllocator* inner, const OrtArenaCfg* cfg, OrtAllocator** out);
/* Drops the creator's reference. `api` is what an owner passes, and not used. */
void ortcffi_release_adaptor(const OrtApi* api, OrtAllocator* allocator);

#endif /* ORTCFFI_BOUNDARY_ADAPTORS_H_ */
