/* SPDX-License-Identifier: MIT */
/* The types on which ortcffi/session is built, and counts for tests. */
#ifndef ORTCFFI_BOUNDARY_SESSION_TYPES_H_
#define ORTCFFI_BOUNDARY_SESSION_TYPES_H_

#include <stdint.h>

#include "boundary/status/raise.h"

/* The compiled types as a tuple; see session.h. To be called once, after ortcffi_value_types. */
ortcffi_object* ortcffi_session_types(void);

/* A list of the open sessions that this package made, oldest first. */
ortcffi_object* ortcffi_open_sessions(void);

/* The number of live sessions that this package has made. */
int64_t ortcffi_live_sessions(void);

/* Whether sessions count their runs from now on. */
void ortcffi_count_runs(int is_on);

/* Sets which thread is Python's main thread. To be called before the first run. */
void ortcffi_supervise_init(unsigned long main_ident);

/* To be called in the child of a fork, whose main thread is the calling one: forgets runs and
 * threads of the parent. */
void ortcffi_runs_after_fork(void);

/* Ends all runs that are under way, and waits until they have ended; 0 if that takes longer. */
int ortcffi_end_runs(double seconds);

#endif /* ORTCFFI_BOUNDARY_SESSION_TYPES_H_ */
