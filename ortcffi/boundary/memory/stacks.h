/* SPDX-License-Identifier: MIT */
/* Recognizes stacks of Python code that were seen before, without running Python code. */
#ifndef ORTCFFI_BOUNDARY_STACKS_H_
#define ORTCFFI_BOUNDARY_STACKS_H_

#include <stdint.h>

/* Whose the code of a frame is. */
enum { ORTCFFI_CODE_OF_THIS_PACKAGE = 1, ORTCFFI_CODE_INSTALLED = 2, ORTCFFI_CODE_OWN = 3 };

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

#ifndef ORTCFFI_CDEF
#include "boundary/limited_api.h"

/* The number of the stack of this thread, with up to `depth` lines; 0 for a thread without a frame,
 * -1 if it has not been seen. Needs the GIL. */
int64_t ortcffi_known_stack(int depth);

/* Adds the functions for Python to the module. */
int ortcffi_add_stacks(PyObject* module);
#endif

#endif /* ORTCFFI_BOUNDARY_STACKS_H_ */
