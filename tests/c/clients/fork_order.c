/* SPDX-License-Identifier: MIT */
/*
 *     fork_order LIBRARY
 *
 * A fork takes the locks of the core in the order of their places, whatever registered first, and
 * gives them back in the opposite order, in both processes. Linked with the core's objects.
 */
#include <sys/wait.h>

#include "platform/platform.h"
#include "client.h"

enum { BEFORE = 100, IN_PARENT = 200, IN_CHILD = 300 };

static int noted[3 * CORE_FORK_PLACES];
static size_t count;

static void note(int what) {
  CHECK(count < CORE_COUNT_OF(noted));
  noted[count++] = what;
}

/* Handlers have no argument, so each place has its own. */
#define EACH_PLACE(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10)
#define HANDLERS(place)                                         \
  static void before_##place(void) { note(BEFORE + place); }    \
  static void parent_##place(void) { note(IN_PARENT + place); } \
  static void child_##place(void) { note(IN_CHILD + place); }
EACH_PLACE(HANDLERS)
#define ROW(place) {before_##place, parent_##place, child_##place},
static void (*const handlers[][3])(void) = {EACH_PLACE(ROW)};
_Static_assert(CORE_COUNT_OF(handlers) == CORE_FORK_PLACES, "one row for each place");

/* Whether the handlers ran from the first place to the last, and back. */
static int is_in_order(int after) {
  int good = count == 2 * CORE_FORK_PLACES;
  for (int i = 0; i < CORE_FORK_PLACES; i++) {
    good = good && noted[i] == BEFORE + i;
    good = good && noted[2 * CORE_FORK_PLACES - 1 - i] == after + i;
  }
  return good;
}

int main(void) {
  for (int i = 0; i < CORE_FORK_PLACES; i++) {
    enum core_fork_place place = (enum core_fork_place)(i * 7 % CORE_FORK_PLACES);
    CHECK(core_at_fork(place, handlers[place][0], handlers[place][1], handlers[place][2]));
  }
  pid_t child = fork();
  if (child == 0) {
    _exit(is_in_order(IN_CHILD) ? 0 : 1);
  }
  int result = -1;
  CHECK(waitpid(child, &result, 0) == child && result == 0);
  CHECK(is_in_order(IN_PARENT));
  puts("ok");
  return 0;
}
