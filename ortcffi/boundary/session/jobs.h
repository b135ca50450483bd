/* SPDX-License-Identifier: MIT */
/* Runs that nobody waits for: what jobs.c, workers.c and callers.c share. */
#ifndef ORTCFFI_BOUNDARY_JOBS_H_
#define ORTCFFI_BOUNDARY_JOBS_H_

#include "boundary/memory/stacks.h"
#include "boundary/platform/threads.h"
#include "boundary/session/session.h"

#include <pthread.h>

struct job {
  PyObject base;
  struct run run;
  OrtStatus* status; /* of the run, once that has ended */
  PyObject* notify;
  PyObject* owner;
  struct job* next;      /* in a mailbox, or in the queue of the workers */
  ortcffi_origin origin; /* of its blocks: only a thread of ours can note it */
  char as_values;
};

/* Takes the status of a run that has ended: a RunAsyncCallbackFn, whose context is the job. On any
 * thread, without the GIL. */
void ortcffi_job_ended(void* context, OrtValue** outputs, size_t count, OrtStatus* status);

/* Has a thread of ours run the job; -1 where there is none and none can be made. */
int ortcffi_worker_start(struct job* job);

/* Makes sure that there is a thread that calls back; -1 where none can be made. */
int ortcffi_callers_start(void);

/* Has such a thread call ortcffi_job_call_back. Without the GIL. */
void ortcffi_call_back_later(struct job* job);

/* Calls what waits for a job that has ended, and drops the reference to the job. Without the GIL.
 */
void ortcffi_job_call_back(struct job* job);

/* Whether there are calls that have not begun. */
int ortcffi_are_callbacks_due(void);

/* Forget threads and jobs, which the child of a fork has not. */
void ortcffi_workers_forget(void);
void ortcffi_callers_forget(void);

#endif /* ORTCFFI_BOUNDARY_JOBS_H_ */
