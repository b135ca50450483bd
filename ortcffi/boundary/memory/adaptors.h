/* SPDX-License-Identifier: MIT */
/* Those of the core's adaptors that call Python, and NumPy's memory. */
#ifndef ORTCFFI_BOUNDARY_ADAPTORS_H_
#define ORTCFFI_BOUNDARY_ADAPTORS_H_

#include "onnxruntime_c_api.h"
#include "adaptors/scopes.h"
#include "boundary/platform/objects.h"

/* Calls ortcffi_python_excess with the address of `callee`, for which the same holds as for the
 * observer of ortcffi_observing; None for no calls. */
OrtStatus* ortcffi_soft_limiting(OrtAllocator* inner, size_t limit, ortcffi_object* callee,
                                 OrtAllocator** out);
/* Opens a scope, and sets the origin source of the core to this extension (ortcffi_python_scopes,
 * stacks.h). */
OrtStatus* ortcffi_open_scope(OrtAllocator* tracking, int selective, int depth, core_scope** out);
/* `api` is what an owner passes, and not used. */
void ortcffi_release_scope(const OrtApi* api, core_scope* scope);
/* Calls ortcffi_python_observe for each call, with the address of `observer`: ortcffi_adaptor_made
 * must say that references count on it. */
OrtStatus* ortcffi_observing(OrtAllocator* inner, ortcffi_object* observer, OrtAllocator** out);
/* An allocator whose functions are ortcffi_python_alloc and its kin, which get the address of
 * `allocator`; the same holds for it. `info` must stay as long as `allocator`. */
OrtStatus* ortcffi_python_allocator(const OrtMemoryInfo* info, ortcffi_object* allocator,
                                    OrtAllocator** out);
/* Drops the creator's reference. `api` is what an owner passes, and not used. */
void ortcffi_release_adaptor(const OrtApi* api, OrtAllocator* allocator);

/*
 * An allocator as the source of NumPy's memory (NEP 49). NumPy has its handler in a ContextVar,
 * here `handlers`. Arrays keep the handler that they were made with, and a handler keeps a
 * reference to the allocator.
 */

/* Sets NumPy's own handler in this context, so that the context has the variable. Returns None. */
ortcffi_object* ortcffi_numpy_use_default(void);
/* Sets an allocator's handler in this context, and adds the token to the tuple in `open`, a
 * ContextVar. An interrupt undoes both. Returns None. */
ortcffi_object* ortcffi_numpy_enter(OrtAllocator* allocator, ortcffi_object* handlers,
                                    ortcffi_object* open);
/* Takes the last token from that tuple, and has NumPy use the handler before it. Returns True;
 * False if the tuple is empty. */
ortcffi_object* ortcffi_numpy_leave(ortcffi_object* handlers, ortcffi_object* open);

#endif /* ORTCFFI_BOUNDARY_ADAPTORS_H_ */
