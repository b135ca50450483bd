/* SPDX-License-Identifier: MIT */
/* Runs on other threads: to whom the blocks belong that they make. */
#ifndef ORTCFFI_BOUNDARY_STACKS_H_
#define ORTCFFI_BOUNDARY_STACKS_H_

#include <stdint.h>

/* To which scopes and stack the blocks of a run belong that another thread makes: the number by
 * which Python knows the scopes, 0 for none, and the number of the stack that began the run. */
typedef struct ortcffi_origin {
  int64_t number;
  int64_t stack;
} ortcffi_origin;

/* Sets the origin of this thread's blocks from now on, for a run that another thread began; NULL
 * for the thread's own. The struct must stay until the next call. */
void ortcffi_work_for(const ortcffi_origin* origin);

/* The origin that was set for this thread; zeroes for its own. */
ortcffi_origin ortcffi_works_for(void);

#endif /* ORTCFFI_BOUNDARY_STACKS_H_ */
