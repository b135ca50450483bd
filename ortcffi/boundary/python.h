/* SPDX-License-Identifier: MIT */
/* Python functions that C calls; ortcffi/callbacks/from_c.py defines them. */
#ifndef ORTCFFI_BOUNDARY_PYTHON_H_
#define ORTCFFI_BOUNDARY_PYTHON_H_

#include "onnxruntime_c_api.h"
#include "adaptors/scopes.h"
#include "boundary/callbacks/from_libraries.h"

/* How CFFI declares a function that Python defines; for C it is an ordinary declaration. */
#ifdef ORTCFFI_CDEF
#define CALLED_FROM_C extern "Python+C"
#else
#define CALLED_FROM_C extern
#endif

CALLED_FROM_C void ortcffi_python_excess(void* context, size_t size);
CALLED_FROM_C void* ortcffi_python_alloc(void* context, size_t size);
CALLED_FROM_C void ortcffi_python_free(void* context, void* block);
CALLED_FROM_C OrtStatus* ortcffi_python_stats(void* context, OrtKeyValuePairs** out);
CALLED_FROM_C OrtStatus* ortcffi_python_shrink(void* context);
/* The number of this thread's stack. */
CALLED_FROM_C uint32_t ortcffi_python_stack(int depth);
CALLED_FROM_C void ortcffi_python_log(void* context, int severity, const char* category,
                                      const char* logid, const char* code_location,
                                      const char* message);
CALLED_FROM_C OrtStatus* ortcffi_python_select(void* context, const OrtEpDevice** devices,
                                               size_t count, const OrtKeyValuePairs* model,
                                               const OrtKeyValuePairs* runtime,
                                               const OrtEpDevice** selected, size_t room,
                                               size_t* out);
CALLED_FROM_C OrtStatus* ortcffi_python_write(void* context, const void* bytes, size_t size);
CALLED_FROM_C OrtStatus* ortcffi_python_locate(void* context, const char* name,
                                               const OrtValue* value,
                                               const OrtExternalInitializerInfo* stored,
                                               OrtExternalInitializerInfo** out);
CALLED_FROM_C OrtStatus* ortcffi_python_write_named(void* context, const char* name,
                                                    const void* bytes, size_t size);
CALLED_FROM_C OrtStatus* ortcffi_python_read_named(void* context, const char* name,
                                                   OrtAllocator* allocator, void** buffer,
                                                   size_t* size);

#undef CALLED_FROM_C

#endif /* ORTCFFI_BOUNDARY_PYTHON_H_ */
