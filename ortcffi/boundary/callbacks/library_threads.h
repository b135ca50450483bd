/* SPDX-License-Identifier: MIT */
/*
 * The work for which a library wants a thread that Python makes.
 *
 * A join in Python can return before the work has ended: at the end of the interpreter, and if
 * `create` passes the work to another thread. But a library frees the memory of the work when it
 * has joined the thread. So C itself records whether the work has ended.
 */
#ifndef ORTCFFI_BOUNDARY_LIBRARY_THREADS_H_
#define ORTCFFI_BOUNDARY_LIBRARY_THREADS_H_

#include "onnxruntime_c_api.h"

typedef struct ortcffi_work ortcffi_work;

/* Does the work, unless it has begun before or was cancelled. 0 if an exception of C++ ended it,
 * whose text is then in `text`, cut to `room` bytes. */
int ortcffi_perform_work(ortcffi_work* work, char* text, size_t room);
/* Drops a reference. */
void ortcffi_release_work(ortcffi_work* work);

#endif /* ORTCFFI_BOUNDARY_LIBRARY_THREADS_H_ */
