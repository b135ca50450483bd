/* SPDX-License-Identifier: MIT */
/* Runs of the main thread, during which Python's handlers of signals run. See session.h. */
#include <pthread.h>
#include <time.h>

#include "boundary/platform/handle.h"
#include "boundary/platform/threads.h"
#include "boundary/session/session.h"

/* How long the main thread waits before it looks for signals, in nanoseconds. */
#define PAUSE (20 * 1000 * 1000)

/* A run on another thread, which the main thread waits for. */
struct aside {
  struct run* run;
  OrtStatus* status;
  double seconds;
  int is_over; /* guarded by the lock */
};

/* For all such runs: a handler may begin another one while one is under way. */
static pthread_mutex_t aside_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t one_is_over = PTHREAD_COND_INITIALIZER;

void ortcffi_aside_forget(void) {
  pthread_mutex_init(&aside_lock, NULL);
  pthread_cond_init(&one_is_over, NULL);
}

static void* call_run(void* argument) {
  struct aside* aside = argument;
  double began = ortcffi_now();
  aside->status = ortcffi_call_run(aside->run);
  aside->seconds = ortcffi_now() - began;
  atomic_store(&aside->run->is_done, 1); /* a handler may wait for the session's runs */
  pthread_mutex_lock(&aside_lock);
  aside->is_over = 1;
  pthread_cond_broadcast(&one_is_over);
  pthread_mutex_unlock(&aside_lock);
  return NULL;
}

/* Waits for PAUSE, or the end of the run; returns whether it has ended. Without the GIL. */
static int wait_a_moment(const struct aside* aside) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += PAUSE;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  pthread_mutex_lock(&aside_lock);
  while (!aside->is_over && pthread_cond_timedwait(&one_is_over, &aside_lock, &until) == 0) {
  }
  int is_over = aside->is_over;
  pthread_mutex_unlock(&aside_lock);
  return is_over;
}

/* Waits for the end of the run, and runs Python's handlers of signals meanwhile. The first one that
 * raises ends the run: -1 with what it raised. */
static int wait_and_handle(const struct aside* aside) {
  PyObject *type = NULL, *error = NULL, *trace = NULL;
  unsigned process = ortcffi_process;
  for (;;) {
    int is_over;
    Py_BEGIN_ALLOW_THREADS;
    is_over = wait_a_moment(aside);
    Py_END_ALLOW_THREADS;
    if (is_over) {
      PyErr_Restore(type, error, trace);
      return type == NULL ? 0 : -1;
    }
    if (type == NULL && PyErr_CheckSignals() < 0) {
      PyErr_Fetch(&type, &error, &trace);
      ortcffi_run_stop(aside->run, INTERRUPTED);
    }
    if (process != ortcffi_process) {
      PyErr_Restore(type, error, trace);
      if (type == NULL) {
        PyErr_SetString(PyExc_RuntimeError,
                        "a handler of a signal has forked, and the run goes on in the parent only");
      }
      return -1;
    }
  }
}

int ortcffi_run_aside(struct run* run, OrtStatus** status, double* seconds) {
  struct aside aside = {.run = run};
  if (ortcffi_start_thread(call_run, &aside) != 0) {
    return 0;
  }
  int answer = wait_and_handle(&aside);
  *seconds = aside.seconds;
  *status = aside.status;
  return answer < 0 ? -1 : 1;
}
