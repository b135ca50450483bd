/* SPDX-License-Identifier: MIT */
/* Asynchronous runs: shared by jobs.c, workers.c and callers.c. */
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
  struct job* next;    /* in a mailbox, or in a queue of the workers */
  struct job** link;   /* the pointer to this job in such a queue; NULL elsewhere */
  struct queue* queue; /* that queue, of the process with this number */
  unsigned process;
  ortcffi_origin origin; /* of its blocks; only threads of this package can set it */
  char as_values;
};

/* Takes the status of a run that has ended: a RunAsyncCallbackFn, whose context is the job. On any
 * thread, without the GIL. */
void ortcffi_job_ended(void* context, OrtValue** outputs, size_t count, OrtStatus* status);

/* Queues the job for a worker thread; -1 if there is none and none can be made. */
int ortcffi_worker_start(struct job* job);

/* Takes a job out of its queue, if it has not begun; whether it was there. */
int ortcffi_worker_drop(struct job* job);

/* Makes sure that there is a thread for callbacks; -1 if none can be made. */
int ortcffi_callers_start(void);

/* Queues a call of ortcffi_job_call_back for such a thread. Without the GIL. */
void ortcffi_call_back_later(struct job* job);

/* Calls `notify` of a job that has ended, and drops the reference to the job. Without the GIL. */
void ortcffi_job_call_back(struct job* job);

/* Whether there are calls that have not begun. */
int ortcffi_are_callbacks_due(void);

/* In the child of a fork: forget threads and jobs, which exist in the parent only. */
void ortcffi_workers_forget(void);
void ortcffi_callers_forget(void);

#endif /* ORTCFFI_BOUNDARY_JOBS_H_ */
