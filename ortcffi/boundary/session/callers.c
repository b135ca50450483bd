/* SPDX-License-Identifier: MIT */
/*
 * Threads that call back when a run has ended. See jobs.h.
 *
 * A callback may wait for another run, of the same session even, so it must not be on a thread of
 * the library, nor on one that runs jobs. One thread calls after the other, in the order in which
 * the runs ended, and one more waits beside it. Where a call takes longer than PATIENCE, the one
 * that waits goes on with the next, and another thread waits beside it. So there are as many
 * threads as callbacks that block, and two more.
 */
#include "boundary/session/jobs.h"

#include <errno.h>
#include <time.h>

#define PATIENCE 5000000 /* nanoseconds */

static pthread_mutex_t callers_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct job* first;
static struct job* last;
static size_t idle_callers, callers;
static unsigned long latest;      /* the number of the latest call */
static int is_calling;            /* whether it is under way */
static struct timespec next_call; /* when the next may begin although it is */

/* Whether the latest call takes longer than PATIENCE. */
static int is_late(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec > next_call.tv_sec ||
         (now.tv_sec == next_call.tv_sec && now.tv_nsec >= next_call.tv_nsec);
}

static void set_next_call(void) {
  clock_gettime(CLOCK_REALTIME, &next_call);
  next_call.tv_nsec += PATIENCE;
  if (next_call.tv_nsec >= 1000000000) {
    next_call.tv_nsec -= 1000000000;
    next_call.tv_sec++;
  }
}

/* Waits for a job, and begins the call with that number. Needs the lock. */
static struct job* begin_next_call(unsigned long* number) {
  idle_callers++;
  while (first == NULL || (is_calling && !is_late())) {
    if (first == NULL) {
      pthread_cond_wait(&changed, &callers_lock);
    } else {
      (void)pthread_cond_timedwait(&changed, &callers_lock, &next_call);
    }
  }
  idle_callers--;
  struct job* job = first;
  first = job->next;
  is_calling = 1;
  set_next_call();
  *number = ++latest;
  return job;
}

static void* call_back(void* unused);

/* Needs the lock. 0, or the number of an error. */
static int add_caller(void) {
  int error = ortcffi_start_thread(call_back, NULL);
  callers += error == 0;
  return error;
}

static void* call_back(void* unused) {
  unsigned long number;
  int is_spare = 0;
  pthread_mutex_lock(&callers_lock);
  while (!is_spare) {
    struct job* job = begin_next_call(&number);
    if (idle_callers == 0) {
      (void)add_caller(); /* without one, callbacks that block delay those that follow */
    }
    pthread_mutex_unlock(&callers_lock);
    ortcffi_job_call_back(job);
    pthread_mutex_lock(&callers_lock);
    is_spare = number != latest && idle_callers > 0;
    if (number == latest) {
      is_calling = 0;
      pthread_cond_signal(&changed);
    }
  }
  callers--;
  pthread_mutex_unlock(&callers_lock);
  return unused;
}

int ortcffi_callers_start(void) {
  pthread_mutex_lock(&callers_lock);
  int error = callers == 0 ? add_caller() : 0;
  pthread_mutex_unlock(&callers_lock);
  return error == 0 ? 0 : -1;
}

void ortcffi_call_back_later(struct job* job) {
  pthread_mutex_lock(&callers_lock);
  job->next = NULL;
  *(first == NULL ? &first : &last->next) = job;
  last = job;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&callers_lock);
}

int ortcffi_are_callbacks_due(void) {
  pthread_mutex_lock(&callers_lock);
  int are_due = first != NULL;
  pthread_mutex_unlock(&callers_lock);
  return are_due;
}

void ortcffi_callers_forget(void) {
  pthread_mutex_init(&callers_lock, NULL);
  pthread_cond_init(&changed, NULL);
  first = last = NULL;
  idle_callers = callers = 0;
  is_calling = 0;
}
