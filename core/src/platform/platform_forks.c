/* SPDX-License-Identifier: MIT */
/* The locks of the core, and what a fork does with them. There is one handler for all, because the
 * system would call several in the opposite order of their registration, which depends on what a
 * program uses first. */
#include "platform/platform.h"

core_mutex core_locks[] = {
#define CORE_LOCK(name, place) [CORE_LOCK_##name] = CORE_MUTEX_INIT,
#include "platform/locks.def"
};

/* What stops and starts more than a lock. Each is written and read under its lock, so that a fork
 * calls it before and after, or not at all. */
static void (*extensions[CORE_LOCKS])(enum core_fork);

static core_once once = CORE_ONCE_INIT;
static int is_registered;
int core_locks_are_ready;

#if defined(_WIN32)
static void register_handlers(void) { is_registered = 1; }
#else
static void before_fork(void) {
  for (size_t i = 0; i < CORE_LOCKS; i++) {
    core_mutex_lock(&core_locks[i]);
    if (extensions[i] != NULL) {
      extensions[i](CORE_BEFORE_FORK);
    }
  }
}

static void after_fork(enum core_fork step) {
  for (size_t i = CORE_LOCKS; i-- > 0;) {
    if (extensions[i] != NULL) {
      extensions[i](step);
    }
    core_mutex_unlock(&core_locks[i]);
  }
}

static void in_parent(void) { after_fork(CORE_IN_PARENT); }
static void in_child(void) { after_fork(CORE_IN_CHILD); }

static void register_handlers(void) {
  is_registered = pthread_atfork(before_fork, in_parent, in_child) == 0;
}
#endif

int core_locks_begin(void) {
  core_run_once(&once, register_handlers);
  __atomic_store_n(&core_locks_are_ready, 1, __ATOMIC_RELEASE);
  return is_registered;
}

void core_at_fork(enum core_lock_name lock, void (*extension)(enum core_fork step)) {
  core_lock(lock);
  extensions[lock] = extension;
  core_unlock(lock);
}
