/* SPDX-License-Identifier: MIT */
#include "boundary/platform/threads.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t duties; /* not a thread-local variable: those of a library must be few bytes */

static void make_key(void) { pthread_key_create(&duties, NULL); }

unsigned ortcffi_thread_duties(void) {
  pthread_once(&once, make_key);
  return (unsigned)(uintptr_t)pthread_getspecific(duties);
}

void ortcffi_set_thread_duties(unsigned all) {
  pthread_once(&once, make_key);
  pthread_setspecific(duties, (void*)(uintptr_t)all);
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
