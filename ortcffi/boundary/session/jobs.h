/* SPDX-License-Identifier: MIT */
/* Asynchronous runs: shared by jobs.c and workers.c. */
#ifndef ORTCFFI_BOUNDARY_JOBS_H_
#define ORTCFFI_BOUNDARY_JOBS_H_

#include "boundary/handle/threads.h"
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
  struct queue* queue; /* that queue, of the process with this number; 0: it was in none yet */
  unsigned process;
  Py_ssize_t max_waiting; /* jobs of the session that may wait before it; -1 for any number */
  char as_values;
  char is_taken;   /* the result was asked for; changes with the lock of LIST_OF_RUNS */
  char is_dropped; /* it is not to begin any more */
};

/* Tells of the end of a run, whose status the job has. On a thread that may block, without the GIL.
 */
void ortcffi_job_ended(struct job* job);

/* Whether a mailbox gets the job at its end. */
int ortcffi_is_for_mailbox(const struct job* job);

/* How many callbacks have not begun. */
extern atomic_size_t ortcffi_due_callbacks;

enum { NO_THREAD = -1, TOO_MANY_WAIT = -2 };

/* Queues the job for a thread: 0, or why not. */
int ortcffi_worker_start(struct job* job);

/* Ends a job that has not begun: whether that was so. */
int ortcffi_worker_drop(struct job* job);

/* In the child of a fork: forgets threads and jobs, which exist in the parent only. */
void ortcffi_workers_forget(void);

#endif /* ORTCFFI_BOUNDARY_JOBS_H_ */
