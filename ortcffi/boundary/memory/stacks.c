/* SPDX-License-Identifier: MIT */
#include "boundary/memory/stacks.h"

#include <pthread.h>
#include <stddef.h>

/* Not a thread-local variable: a library that is loaded late has little room for those. */
static pthread_key_t worked_for;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int has_key;

static void make_key(void) { has_key = pthread_key_create(&worked_for, NULL) == 0; }

void ortcffi_work_for(const ortcffi_origin* origin) {
  pthread_once(&once, make_key);
  if (has_key) {
    pthread_setspecific(worked_for, origin);
  }
}

ortcffi_origin ortcffi_works_for(void) {
  pthread_once(&once, make_key);
  const ortcffi_origin* origin = has_key ? pthread_getspecific(worked_for) : NULL;
  return origin != NULL ? *origin : (ortcffi_origin){0, 0};
}
