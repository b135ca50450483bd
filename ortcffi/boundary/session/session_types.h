/* SPDX-License-Identifier: MIT */
/* The types that ortcffi/session is built on, and what tests count. */
#ifndef ORTCFFI_BOUNDARY_SESSION_TYPES_H_
#define ORTCFFI_BOUNDARY_SESSION_TYPES_H_

#include <stdint.h>

#include "boundary/status/raise.h"

/* The compiled types as a tuple; see session.h. To be called once, after ortcffi_value_types. */
ortcffi_object* ortcffi_session_types(void);

/* How many sessions the libraries hold for this package. */
int64_t ortcffi_live_sessions(void);

/* Whether sessions count their runs from now on. */
void ortcffi_count_runs(int is_on);

/* Says which thread is Python's main thread, and forgets runs: before the first run, and in the
 * child of a fork. */
void ortcffi_watch_init(unsigned long main_ident);

/* Ends all runs that are under way, and waits for that; 0 where it takes longer. */
int ortcffi_end_runs(double seconds);

#endif /* ORTCFFI_BOUNDARY_SESSION_TYPES_H_ */
