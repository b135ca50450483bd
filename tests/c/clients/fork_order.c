/* SPDX-License-Identifier: MIT */
/*
 *     fork_order LIBRARY
 *
 * A fork takes the locks of the core in the order of their list, whatever was used first, and gives
 * them back in the opposite order, in both processes. Linked with the core's objects.
 */
#include <sys/wait.h>

#include "platform/platform.h"
#include "client.h"

static int noted[3 * CORE_LOCKS];
static size_t count;

static void note(int what) {
  CHECK(count < CORE_COUNT_OF(noted));
  noted[count++] = what;
}

/* Extensions do not get their lock, so each has its own. */
#define CORE_LOCK(name, place) \
  static void at_##name(enum core_fork step) { note((int)step * 100 + CORE_LOCK_##name); }
#include "platform/locks.def"
static void (*const extensions[])(enum core_fork) = {
#define CORE_LOCK(name, place) at_##name,
#include "platform/locks.def"
};

/* Whether the extensions ran from the first lock to the last, and back, and all locks are free. */
static int is_in_order(enum core_fork after) {
  int good = count == 2 * CORE_LOCKS;
  for (int i = 0; i < CORE_LOCKS; i++) {
    good = good && noted[i] == CORE_BEFORE_FORK * 100 + i;
    good = good && noted[2 * CORE_LOCKS - 1 - i] == (int)after * 100 + i;
    core_lock((enum core_lock_name)i);
    core_unlock((enum core_lock_name)i);
  }
  return good;
}

int main(void) {
  for (int i = 0; i < CORE_LOCKS; i++) {
    enum core_lock_name lock = (enum core_lock_name)(CORE_LOCKS - 1 - i);
    core_at_fork(lock, extensions[lock]);
  }
  CHECK(core_locks_begin());
  pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(is_in_order(CORE_IN_CHILD) ? 0 : 1);
  }
  int result = -1;
  CHECK(waitpid(child, &result, 0) == child && result == 0);
  CHECK(is_in_order(CORE_IN_PARENT));
  puts("ok");
  return 0;
}
