/* SPDX-License-Identifier: MIT */
/* Threads that this package starts, and whether a thread runs an op. */
#ifndef ORTCFFI_BOUNDARY_THREADS_H_
#define ORTCFFI_BOUNDARY_THREADS_H_

/* Starts a thread with all signals blocked, so that they go to threads of the program. Nobody joins
 * it. 0, or the number of an error. */
int ortcffi_start_thread(void* (*function)(void*), void* argument);

/* Whether the calling thread runs an op written in Python. The second function sets that, and
 * returns what it was. */
int ortcffi_is_in_op(void);
int ortcffi_set_in_op(int is_in_op);

#endif /* ORTCFFI_BOUNDARY_THREADS_H_ */
