/* SPDX-License-Identifier: MIT */
#include "boundary/limited_api.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "platform/catching.h"
#include "boundary/python.h"
#include "boundary/callbacks/from_libraries.h"
#include "boundary/gil.h"

/* A thread that waits for the GIL after the end of the interpreter waits for ever. */
#define SECONDS_AT_EXIT 5

enum state { READY, RUNS, ENDED, IS_OFF };

struct ortcffi_work {
  OrtThreadWorkerFn worker;
  void* argument;
  uintptr_t number; /* Python's, of the thread */
  unsigned process; /* where the thread is: a fork leaves it behind */
  enum state state;
  atomic_int references; /* the library's and Python's */
  pthread_mutex_t mutex; /* guards the state */
  pthread_cond_t changed;
};

static ortcffi_work* new_work(OrtThreadWorkerFn worker, void* argument) {
  ortcffi_work* work = calloc(1, sizeof *work);
  if (work != NULL) {
    work->worker = worker;
    work->argument = argument;
    work->process = ortcffi_process;
    atomic_init(&work->references, 2);
    pthread_mutex_init(&work->mutex, NULL);
    pthread_cond_init(&work->changed, NULL);
  }
  return work;
}

void ortcffi_release_work(ortcffi_work* work) {
  if (atomic_fetch_sub(&work->references, 1) == 1) {
    pthread_mutex_destroy(&work->mutex);
    pthread_cond_destroy(&work->changed);
    free(work);
  }
}

/* --- the thread's side -------------------------------------------------------------------------*/

struct performance {
  ortcffi_work* work;
  char* text;
  size_t room;
};

static void run_worker(void* argument) {
  const ortcffi_work* work = ((struct performance*)argument)->work;
  work->worker(work->argument);
}

static void note_exception(void* argument, const char* text) {
  const struct performance* performance = argument;
  (void)snprintf(performance->text, performance->room, "%s", text);
}

static void end_work(ortcffi_work* work) {
  pthread_mutex_lock(&work->mutex);
  work->state = ENDED;
  pthread_cond_broadcast(&work->changed);
  pthread_mutex_unlock(&work->mutex);
}

int ortcffi_perform_work(ortcffi_work* work, char* text, size_t room) {
  struct performance performance = {work, text, room};
  pthread_mutex_lock(&work->mutex);
  int begins = work->state == READY;
  work->state = begins ? RUNS : work->state;
  pthread_mutex_unlock(&work->mutex);
  int is_good = 1;
  if (begins) {
    is_good = core_call_catching(run_worker, &performance, note_exception);
    end_work(work); /* before this thread wants the GIL, which it may not get any more */
  }
  return is_good;
}

/* --- the library's side ------------------------------------------------------------------------*/

/* Cancels work that has not begun, and waits for work in progress; at the exit not for ever. */
static void settle(ortcffi_work* work, int is_exit) {
  static const struct timespec pause = {.tv_nsec = 1000000};
  int pauses = SECONDS_AT_EXIT * 1000;
  pthread_mutex_lock(&work->mutex);
  work->state = work->state == READY ? IS_OFF : work->state;
  while (work->process == ortcffi_process && work->state == RUNS && pauses > 0) {
    if (!is_exit) {
      pthread_cond_wait(&work->changed, &work->mutex);
      continue;
    }
    pthread_mutex_unlock(&work->mutex);
    nanosleep(&pause, NULL);
    pauses--;
    pthread_mutex_lock(&work->mutex);
  }
  pthread_mutex_unlock(&work->mutex);
}

struct create_call {
  void* context;
  ortcffi_work* work;
};

static void create_in_python(void* argument) {
  struct create_call* call = argument;
  call->work->number = (uintptr_t)ortcffi_python_create_thread(call->context, call->work);
}

OrtCustomThreadHandle ortcffi_create_thread(void* context, OrtThreadWorkerFn worker,
                                            void* argument) {
  ortcffi_work* work = new_work(worker, argument);
  if (work == NULL) {
    return NULL;
  }
  struct create_call call = {context, work};
  if (!call_with_gil(create_in_python, &call)) {
    ortcffi_release_work(work); /* Python's reference */
  }
  if (work->number == 0) {
    pthread_mutex_lock(&work->mutex);
    work->state = work->state == READY ? IS_OFF : work->state;
    pthread_mutex_unlock(&work->mutex);
    ortcffi_release_work(work);
    return NULL;
  }
  return (OrtCustomThreadHandle)work;
}

static void join_in_python(void* argument) {
  ortcffi_work* work = argument;
  int is_exit = ortcffi_python_join_thread((void*)work->number);
  Py_BEGIN_ALLOW_THREADS; /* the work may need the GIL */
  settle(work, is_exit);
  Py_END_ALLOW_THREADS;
}

void ortcffi_join_thread(OrtCustomThreadHandle thread) {
  ortcffi_work* work = (ortcffi_work*)thread;
  if (work == NULL) {
    return;
  }
  if (!call_with_gil(join_in_python, work)) {
    settle(work, 1);
  }
  ortcffi_release_work(work);
}
