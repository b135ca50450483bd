/* SPDX-License-Identifier: MIT */
/* Calls from libraries into Python, and threads that libraries ask for. */
#ifndef ORTCFFI_BOUNDARY_FROM_LIBRARIES_H_
#define ORTCFFI_BOUNDARY_FROM_LIBRARIES_H_

#include "onnxruntime_c_api.h"

/*
 * Functions that a library calls. Each calls the Python object behind its context argument, a
 * number that ortcffi/callbacks/from_c.py assigned. If that object was deleted, nothing is called.
 *
 * Each may be called on any thread, also on one that Python did not start. After the interpreter
 * has ended they do nothing and return NULL. If the interpreter ends during a call on another
 * thread, that thread waits for ever: it may have frames of C++, which must not be unwound.
 */

/* An OrtLoggingFunction. */
void ortcffi_log(void* context, OrtLoggingLevel severity, const char* category, const char* logid,
                 const char* code_location, const char* message);
/* An OrtCustomCreateThreadFn. */
OrtCustomThreadHandle ortcffi_create_thread(void* context, OrtThreadWorkerFn worker,
                                            void* argument);
/* An OrtCustomJoinThreadFn, for threads of ortcffi_create_thread: returns when the work has ended,
 * even if Python no longer knows the thread. At the exit it waits for some seconds at most. */
void ortcffi_join_thread(OrtCustomThreadHandle thread);
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

/*
 * The work for which a library wants a thread that Python makes.
 *
 * A join in Python can return before the work has ended: at the end of the interpreter, and if
 * `create` passes the work to another thread. But a library frees the memory of the work when it
 * has joined the thread. So C itself records whether the work has ended.
 */

typedef struct ortcffi_work ortcffi_work;

/* Does the work, unless it has begun before or was cancelled. 0 if an exception of C++ ended it,
 * whose text is then in `text`, cut to `room` bytes. */
int ortcffi_perform_work(ortcffi_work* work, char* text, size_t room);
/* Drops a reference. */
void ortcffi_release_work(ortcffi_work* work);

#endif /* ORTCFFI_BOUNDARY_FROM_LIBRARIES_H_ */
