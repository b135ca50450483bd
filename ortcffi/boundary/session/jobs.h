/* SPDX-License-Identifier: MIT */
/* Runs that nobody waits for: what jobs.c and workers.c share. */
#ifndef ORTCFFI_BOUNDARY_JOBS_H_
#define ORTCFFI_BOUNDARY_JOBS_H_

#include "boundary/session/session.h"

#include <pthread.h>

struct job {
  PyObject base;
  struct run run;
  OrtStatus* status; /* of the run, once that has ended */
  PyObject* notify;
  PyObject* owner;
  struct job* next; /* in a mailbox, or in the queue of the workers */
  char as_values;
};

/* Takes the status of a run that has ended: a RunAsyncCallbackFn, whose context is the job. On any
 * thread, without the GIL. */
void ortcffi_job_ended(void* context, OrtValue** outputs, size_t count, OrtStatus* status);

/* Starts a thread with all signals blocked, so that they go to threads of the program. Nobody joins
 * it. 0, or the number of an error. */
int ortcffi_start_thread(void* (*function)(void*), void* argument);

/* What the calling thread is at: it is one of ours that run jobs; and the library calls back at the
 * end of a run, so that it may be one of the session's own. */
enum { RUNS_JOBS = 1, CALLS_BACK = 2 };
unsigned ortcffi_thread_duties(void);
void ortcffi_set_thread_duties(unsigned all);

/* Has a thread of ours run the job; -1 where there is none and none can be made. */
int ortcffi_worker_start(struct job* job);

/* Forgets threads and jobs, which the child of a fork has not. */
void ortcffi_workers_forget(void);

#endif /* ORTCFFI_BOUNDARY_JOBS_H_ */
