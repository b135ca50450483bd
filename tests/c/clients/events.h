/* SPDX-License-Identifier: MIT */
/* What a library was asked to do, as words for the tests to read. */
#ifndef ORTCFFI_TESTS_EVENTS_H_
#define ORTCFFI_TESTS_EVENTS_H_

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static char events[4096];
static pthread_mutex_t events_lock = PTHREAD_MUTEX_INITIALIZER;

static void note(const char* event) {
  pthread_mutex_lock(&events_lock);
  size_t length = strlen(events);
  snprintf(events + length, sizeof events - length, "%s%s", length == 0 ? "" : " ", event);
  pthread_mutex_unlock(&events_lock);
}

/* Answers the events since the last time. */
static const char* take_events(void) {
  static char answer[sizeof events];
  pthread_mutex_lock(&events_lock);
  memcpy(answer, events, sizeof answer);
  events[0] = 0;
  pthread_mutex_unlock(&events_lock);
  return answer;
}

#endif /* ORTCFFI_TESTS_EVENTS_H_ */
