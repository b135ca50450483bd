/* SPDX-License-Identifier: MIT */
/* Runs that keep the GIL. See session.h. */
#include "boundary/session/session.h"

#include <sched.h>
#include <stdatomic.h>

#include "boundary/session/session_types.h"

/* A run that keeps the GIL and takes longer is slow, in seconds. To give the GIL away and take it
 * back costs about as much where another thread waits for it. */
#define QUICK_RUN 1e-5
/* The same for one that releases it: it may have waited, with the processor's caches cold. */
#define QUICK_COLD_RUN 1e-4
/* After so many quick runs that release the GIL, one keeps it; after slow ones that did, more. */
#define ENOUGH_QUICK 8
#define MOST_QUICK 1024
/* Slow runs that may keep the GIL, less those in between that were quick. */
#define FEW_SLOW 3
/* After so many quick runs that kept it, slow ones are forgotten. */
#define MANY_KEPT 100

/* The run that keeps the GIL, of which there is one at most: its number, and in the lowest two bits
 * what it is doing. The run below is valid while it does something. */
enum { NOTHING, RUNNING, BEING_ENDED, ENDED };
static atomic_ulong keeper;
static struct run* keeping_run;
static int64_t kept_runs; /* to their end; guarded by the GIL */

static atomic_int is_checked; /* the thread of watch.c looks at `keeper` every so often */
static unsigned long seen;    /* what it saw; that thread's own, as is the next */
static int idle_checks;

/* Between two looks, in milliseconds: Python's default switch interval. */
#define CHECK_INTERVAL 5
#define MANY_IDLE_CHECKS 20

int64_t ortcffi_kept_runs(void) { return kept_runs; }

static unsigned enough_quick(const struct habit* habit) {
  return habit->enough_quick > 0 ? habit->enough_quick : ENOUGH_QUICK;
}

void ortcffi_learn_quick(struct habit* habit, const struct run* run, double seconds) {
  if (seconds > QUICK_COLD_RUN || run->has_other_bytes) {
    habit->quick_runs = 0;
    return;
  }
  habit->quick_bytes = run->bytes > habit->quick_bytes ? run->bytes : habit->quick_bytes;
  habit->quick_runs += habit->quick_runs < MOST_QUICK;
}

static void learn_not_to_keep(struct habit* habit) {
  unsigned more = enough_quick(habit) * 2;
  habit->enough_quick = more < MOST_QUICK ? more : MOST_QUICK;
  habit->quick_runs = habit->kept_runs = habit->slow_runs = 0;
}

/* Notes how long the library took for a run that kept the GIL. */
static void learn_kept(struct habit* habit, double seconds) {
  if (seconds > QUICK_RUN) {
    if (++habit->slow_runs >= FEW_SLOW) {
      learn_not_to_keep(habit);
    }
    return;
  }
  habit->slow_runs -= habit->slow_runs > 0;
  if (++habit->kept_runs >= MANY_KEPT) {
    habit->kept_runs = 0;
    habit->enough_quick = 0;
  }
}

int ortcffi_may_keep_gil(const struct run* run, const struct habit* habit) {
  return run->session->may_keep_gil && habit->quick_runs >= enough_quick(habit) &&
         run->bytes <= habit->quick_bytes && !run->has_other_bytes && run->deadline == 0 &&
         run->options_holder == NULL && !run->writes_to_inputs &&
         (atomic_load(&keeper) & 3) == NOTHING && ortcffi_watches();
}

OrtStatus* ortcffi_run_keeping_gil(struct run* run, struct habit* habit, int* is_cut) {
  unsigned long number = (atomic_load(&keeper) | 3) + 1;
  keeping_run = run;
  atomic_store(&keeper, number | RUNNING);
  if (!atomic_load(&is_checked)) {
    atomic_store(&is_checked, 1);
    ortcffi_wake_watch();
  }
  double began = ortcffi_now();
  OrtStatus* status = ortcffi_call_run(run);
  learn_kept(habit, ortcffi_now() - began);
  unsigned long expected = number | RUNNING;
  if (atomic_compare_exchange_strong(&keeper, &expected, number | NOTHING)) {
    *is_cut = 0;
    kept_runs++;
    return status;
  }
  while (atomic_load(&keeper) != (number | ENDED)) {
    sched_yield();
  }
  atomic_store(&keeper, number | NOTHING);
  ortcffi_set_terminate(run->session, run->options, 0);
  learn_not_to_keep(habit);
  ortcffi_learn_long(habit, run);
  *is_cut = status != NULL;
  if (*is_cut) {
    run->session->maker->api->ReleaseStatus(status);
  }
  return NULL;
}

/* Ends the run that was there at the last look and still is. */
static void end_if_long(unsigned long now) {
  if ((now & 3) == RUNNING && now == seen &&
      atomic_compare_exchange_strong(&keeper, &now, (now & ~3UL) | BEING_ENDED)) {
    ortcffi_set_terminate(keeping_run->session, keeping_run->options, 1);
    atomic_store(&keeper, now | ENDED);
  }
}

void ortcffi_check_keeper(void) {
  unsigned long now = atomic_load(&keeper);
  end_if_long(now);
  idle_checks = now == seen ? idle_checks + 1 : 0;
  seen = now;
  if (idle_checks > MANY_IDLE_CHECKS && (now & 3) == NOTHING) {
    idle_checks = 0;
    atomic_store(&is_checked, 0);
    if (atomic_load(&keeper) != now) { /* a run that did not wake this thread */
      atomic_store(&is_checked, 1);
    }
  }
}

int ortcffi_check_interval(void) { return atomic_load(&is_checked) ? CHECK_INTERVAL : -1; }

void ortcffi_forget_keeper(void) {
  atomic_store(&keeper, NOTHING);
  atomic_store(&is_checked, 0);
}
