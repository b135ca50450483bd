/* SPDX-License-Identifier: MIT */
/* The core's adaptors (core/src/memory/adaptor.h says what each function does), and NumPy's memory.
 */
#ifndef ORTCFFI_BOUNDARY_ADAPTORS_H_
#define ORTCFFI_BOUNDARY_ADAPTORS_H_

#include "onnxruntime_c_api.h"
#include "memory/tracking_figures.h"

OrtStatus* ortcffi_aligned(OrtAllocator* inner, size_t alignment, OrtAllocator** out);
OrtStatus* ortcffi_limiting(OrtAllocator* inner, size_t limit, OrtAllocator** out);
OrtStatus* ortcffi_failing(OrtAllocator* inner, size_t after, OrtAllocator** out);
void ortcffi_failing_reset(OrtAllocator* allocator, size_t after);
size_t ortcffi_failing_refused(OrtAllocator* allocator);
OrtStatus* ortcffi_tracking(OrtAllocator* inner, OrtAllocator** out);
void ortcffi_tracking_read(OrtAllocator* allocator, core_tracking_figures* out);
int64_t ortcffi_tracking_take_window(OrtAllocator* allocator);
void ortcffi_tracking_record(OrtAllocator* allocator, int on);
size_t ortcffi_tracking_blocks(OrtAllocator* allocator, uint64_t since, core_tracked_block* out,
                               size_t capacity);
/* Makes ortcffi_python_site the source of places for blocks that are recorded. */
void ortcffi_use_python_sites(void);
/* Tells ortcffi_python_observe of each call; `context` is handed to it. */
OrtStatus* ortcffi_observing(OrtAllocator* inner, void* context, OrtAllocator** out);
/* An allocator whose functions are ortcffi_python_alloc and its kin. */
OrtStatus* ortcffi_python_allocator(const OrtMemoryInfo* info, void* context, OrtAllocator** out);
void ortcffi_release_adaptor(OrtAllocator* allocator);

/* A handler for NumPy's memory (NEP 49) over an allocator: a new reference to a capsule, as an
 * opaque pointer, or NULL without memory. Arrays made with it keep the capsule, and the capsule
 * keeps `owner`, a PyObject, alive. */
void* ortcffi_numpy_handler(OrtAllocator* allocator, void* owner);
/* Makes a handler the one that NumPy uses in the current context. Returns a new reference to the
 * one before; NULL if NumPy has no such function. */
void* ortcffi_numpy_swap(void* handler);
/* Gives a reference back. */
void ortcffi_python_release(void* object);

#endif /* ORTCFFI_BOUNDARY_ADAPTORS_H_ */
