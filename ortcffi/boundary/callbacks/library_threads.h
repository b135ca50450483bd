/* SPDX-License-Identifier: MIT */
/*
 * The work for which a library wants a thread that Python makes.
 *
 * Python's threads can be joined before their work has ended: at the end of the interpreter, which
 * forgets them, and where `create` gives the work to a thread of another kind. But a library frees
 * what the work uses once it has joined the thread. So C knows whether the work goes on.
 */
#ifndef ORTCFFI_BOUNDARY_LIBRARY_THREADS_H_
#define ORTCFFI_BOUNDARY_LIBRARY_THREADS_H_

#include "onnxruntime_c_api.h"

typedef struct ortcffi_work ortcffi_work;

/* Does the work, unless that was begun before, or nobody waits for it any more. 0 where an
 * exception of C++ ended it, whose text is in `text`, cut to `room` bytes. Releases the GIL. */
int ortcffi_perform_work(ortcffi_work* work, char* text, size_t room);
/* Drops a reference. */
void ortcffi_release_work(ortcffi_work* work);

#endif /* ORTCFFI_BOUNDARY_LIBRARY_THREADS_H_ */
