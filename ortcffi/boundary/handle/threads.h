/* SPDX-License-Identifier: MIT */
/* Threads: those that this package starts, and such that are ended while they call Python. */
#ifndef ORTCFFI_BOUNDARY_THREADS_H_
#define ORTCFFI_BOUNDARY_THREADS_H_

/* Starts a thread with all signals blocked, so that they go to threads of the program. Nobody joins
 * it. 0, or the number of an error. */
int ortcffi_start_thread(void* (*function)(void*), void* argument);

/* What one thread waits for, and others, and handlers of signals, wake it with; the process has
 * one. It begins with 0, or an error. The child of a fork ends its copy. */
int ortcffi_waker_begin(void);
void ortcffi_waker_end(void);
/* Milliseconds; -1 to wait without end. It may return earlier. */
void ortcffi_waker_wait(int milliseconds);
/* Does nothing where there is no waker. */
void ortcffi_wake(void);

/* Whether the calling thread runs an op written in Python. The second function sets that, and
 * returns what it was. */
int ortcffi_is_in_op(void);
int ortcffi_set_in_op(int is_in_op);

/* Calls `function`. A thread that `function` would end by pthread_exit waits for ever instead:
 * CPython before 3.14 so ends a thread that takes the GIL while the interpreter ends. pthread_exit
 * unwinds all frames of its thread, and one that is `noexcept`, as in C++ libraries that call back,
 * would end the process. */
void call_or_wait(void (*function)(void* argument), void* argument);

#endif /* ORTCFFI_BOUNDARY_THREADS_H_ */
