/* SPDX-License-Identifier: MIT */
/*
 * What all parts of the provider share: its kind and its words, what it notes, and which of its
 * calls fails. provider.c says more.
 *
 * One call fails, the one at FailingEpAt, as FailingEpMode says. FailingEpCalls counts the calls;
 * FailingEpAlive the objects that the host has not released, and the runs that it has not ended;
 * FailingEpCall is the name of the call that failed.
 */
#ifndef ORTCFFI_TESTS_PROVIDER_H_
#define ORTCFFI_TESTS_PROVIDER_H_

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

#define CreateEpFactories CreateFactoriesOfGuide
#define ReleaseEpFactory ReleaseFactoryOfGuide
#include "../../../docs/guide/add_ep.c"
#undef CreateEpFactories
#undef ReleaseEpFactory

#include "../clients/plain_op.h"

enum kind { ASKED, DEVICE, KERNEL, LYING, CONTEXTS, PROFILING };
#ifndef KIND
#define KIND ASKED
#endif
#define IS(kind) (KIND == (kind))

#define VENDOR 0xBE57
enum { OWN, HOST_ACCESSIBLE, READ_ONLY, CPU, INFOS };

/* The guide's functions get it as the factory of theirs that it begins with. */
typedef struct Maker {
  Factory guide;
  char words[256];
  const char* name;
  OrtMemoryInfo* infos[INFOS];
  OrtCustomOpDomain* domain;
} Maker;

static const OrtApi* api;
static const OrtEpApi* ep_api;

/* Whether the words of a factory have one. */
static int asks(const void* factory, const char* word) {
  return strstr(((const Maker*)factory)->words, word) != NULL;
}
static Maker* maker_of(const void* provider) {
  return (Maker*)((const Provider*)provider)->factory;
}

/* What it was asked to do, as words for the tests to read. */
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

ORT_EXPORT const char* AskedEpEvents(void) { return take_events(); }
static OrtStatus* noted(const char* event) { return note(event), NULL; }

static OrtStatus* fail(const char* why) { return api->CreateStatus(ORT_EP_FAIL, why); }
static OrtStatus* fail_if(const void* factory, const char* word) {
  return asks(factory, word) ? fail(word) : NULL;
}

/* What a throw does in C++. Not all systems can link a program with it. */
static OrtStatus* throw_it(void) {
#ifndef NO_THROWS
  static __thread struct _Unwind_Exception thrown;
  memset(&thrown, 0, sizeof thrown);
  _Unwind_RaiseException(&thrown);
#endif
  return NULL;
}

/* --- calls that fail ------------------------------------------------------------------------- */

enum mode {
  /* Before it does anything. */
  FIRST,
  /* When all is done; what it made is freed, and the host has its address. */
  LATE,
  /* With an exception. */
  THROW
};

ORT_EXPORT int FailingEpAt = 0;
ORT_EXPORT int FailingEpMode = FIRST;
ORT_EXPORT int FailingEpCalls = 0;
ORT_EXPORT int FailingEpAlive = 0;
ORT_EXPORT const char* FailingEpCall = "";

static int is_failing(const char* call) {
  if (__atomic_add_fetch(&FailingEpCalls, 1, __ATOMIC_RELAXED) != FailingEpAt) return 0;
  FailingEpCall = call;
  return 1;
}

static OrtStatus* planned(const char* call) {
  char text[100];
  if (FailingEpMode == THROW) throw_it();
  snprintf(text, sizeof text, "%s fails as planned", call);
  return fail(text);
}

/* Counts an object that the host has from now on, or one that it has given back. */
static void count(int objects) { __atomic_add_fetch(&FailingEpAlive, objects, __ATOMIC_RELAXED); }

/* Ends an object that the host has given back: whoever uses it any more finds no address there. */
static void end(void* object, size_t size) {
  count(-1);
  memset(object, 0xEE, size);
  free(object);
}

/* A call that makes nothing. */
#define DO(call, expression)                                  \
  do {                                                        \
    int fails = is_failing(call);                             \
    if (fails && FailingEpMode != LATE) return planned(call); \
    OrtStatus* done = (expression);                           \
    return fails && done == NULL ? planned(call) : done;      \
  } while (0)

/* One that makes an object, which `release` frees. */
#define MAKE(call, expression, release)                       \
  do {                                                        \
    int fails = is_failing(call);                             \
    if (fails && FailingEpMode != LATE) return planned(call); \
    OrtStatus* done = (expression);                           \
    if (done != NULL) return done;                            \
    count(1);                                                 \
    if (fails) {                                              \
      release;                                                \
      return planned(call);                                   \
    }                                                         \
    return NULL;                                              \
  } while (0)

#endif /* ORTCFFI_TESTS_PROVIDER_H_ */
