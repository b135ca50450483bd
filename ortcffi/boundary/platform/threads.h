/* SPDX-License-Identifier: MIT */
/* Threads of our own, and what a thread is at. */
#ifndef ORTCFFI_BOUNDARY_THREADS_H_
#define ORTCFFI_BOUNDARY_THREADS_H_

/* Starts a thread with all signals blocked, so that they go to threads of the program. Nobody joins
 * it. 0, or the number of an error. */
int ortcffi_start_thread(void* (*function)(void*), void* argument);

/* What the calling thread is at: it is one of ours that run jobs; and the library calls back at the
 * end of a run, so that it may be one of the session's own. */
enum { RUNS_JOBS = 1, CALLS_BACK = 2 };
unsigned ortcffi_thread_duties(void);
void ortcffi_set_thread_duties(unsigned all);

#endif /* ORTCFFI_BOUNDARY_THREADS_H_ */
