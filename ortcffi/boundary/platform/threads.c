/* SPDX-License-Identifier: MIT */
#include "boundary/platform/threads.h"

#include <pthread.h>
#include <signal.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t in_op; /* not a thread-local variable: a library has room for few of them */

static void make_key(void) { pthread_key_create(&in_op, NULL); }

int ortcffi_is_in_op(void) {
  pthread_once(&once, make_key);
  return pthread_getspecific(in_op) != NULL;
}

int ortcffi_set_in_op(int is_in_op) {
  int before = ortcffi_is_in_op();
  pthread_setspecific(in_op, is_in_op ? &in_op : NULL);
  return before;
}

int ortcffi_start_thread(void* (*function)(void*), void* argument) {
  pthread_t thread;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int error = pthread_create(&thread, NULL, function, argument);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (error == 0) {
    pthread_detach(thread);
  }
  return error;
}
