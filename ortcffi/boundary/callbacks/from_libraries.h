/* SPDX-License-Identifier: MIT */
/* Calls from libraries into Python. */
#ifndef ORTCFFI_BOUNDARY_FROM_LIBRARIES_H_
#define ORTCFFI_BOUNDARY_FROM_LIBRARIES_H_

#include <stdint.h>

#include "onnxruntime_c_api.h"

/*
 * Functions that a library calls. Each calls the Python object behind its context argument, a
 * number that ortcffi/callbacks/from_c.py assigned. If that object was deleted, nothing is called.
 *
 * Each may be called on any thread, also on one that Python did not start. After the interpreter
 * has ended they do nothing and return NULL. If the interpreter ends during a call on another
 * thread, that thread waits for ever: it may have frames of C++, which must not be unwound.
 */

/* A number that no other call of this process returns: 1, 2 and so on. Any thread may ask. */
int64_t ortcffi_next_number(void);

/* An OrtLoggingFunction. */
void ortcffi_log(void* context, OrtLoggingLevel severity, const char* category, const char* logid,
                 const char* code_location, const char* message);
/* An EpSelectionDelegate. */
OrtStatus* ortcffi_select_devices(const OrtEpDevice** devices, size_t count,
                                  const OrtKeyValuePairs* model, const OrtKeyValuePairs* runtime,
                                  const OrtEpDevice** selected, size_t room, size_t* out,
                                  void* context);
/* An OrtWriteBufferFunc. */
OrtStatus* ortcffi_write(void* context, const void* bytes, size_t size);
/* An OrtGetInitializerLocationFunc. */
OrtStatus* ortcffi_locate(void* context, const char* name, const OrtValue* value,
                          const OrtExternalInitializerInfo* stored,
                          OrtExternalInitializerInfo** out);
/* An OrtWriteNamedBufferFunc. */
OrtStatus* ortcffi_write_named(void* context, const char* name, const void* bytes, size_t size);
/* An OrtReadNamedBufferFunc. */
OrtStatus* ortcffi_read_named(void* context, const char* name, OrtAllocator* allocator,
                              void** buffer, size_t* size);

#endif /* ORTCFFI_BOUNDARY_FROM_LIBRARIES_H_ */
