/* SPDX-License-Identifier: MIT */
/* Fork handlers in one order for the whole core. The system would call them in the opposite order
 * of their registration, which depends on what a program uses first. */
#include "platform/platform.h"

struct handlers {
  void (*before)(void);
  void (*in_parent)(void);
  void (*in_child)(void);
};

/* Held during a fork, so that the places that are registered do not change. */
static core_mutex lock = CORE_MUTEX_INIT;
static core_once once = CORE_ONCE_INIT;
static int is_registered;
static struct handlers places[CORE_FORK_PLACES];

static void before_fork(void) {
  core_mutex_lock(&lock);
  for (size_t i = 0; i < CORE_FORK_PLACES; i++) {
    if (places[i].before != NULL) {
      places[i].before();
    }
  }
}

static void in_parent(void) {
  for (size_t i = CORE_FORK_PLACES; i-- > 0;) {
    if (places[i].in_parent != NULL) {
      places[i].in_parent();
    }
  }
  core_mutex_unlock(&lock);
}

static void in_child(void) {
  for (size_t i = CORE_FORK_PLACES; i-- > 0;) {
    if (places[i].in_child != NULL) {
      places[i].in_child();
    }
  }
  core_mutex_unlock(&lock);
}

static void register_all(void) {
  is_registered = pthread_atfork(before_fork, in_parent, in_child) == 0;
}

int core_at_fork(enum core_fork_place place, void (*before)(void), void (*parent)(void),
                 void (*child)(void)) {
  core_run_once(&once, register_all);
  core_mutex_lock(&lock);
  places[place] = (struct handlers){before, parent, child};
  core_mutex_unlock(&lock);
  return is_registered;
}
