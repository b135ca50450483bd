/* SPDX-License-Identifier: MIT */
/* Recognizes stacks of Python code that were seen before, without running Python code. */
#ifndef ORTCFFI_BOUNDARY_STACKS_H_
#define ORTCFFI_BOUNDARY_STACKS_H_

#include <stdint.h>

#include "boundary/platform/objects.h"

/* Whose the code of a frame is. */
enum { ORTCFFI_CODE_OF_THIS_PACKAGE = 1, ORTCFFI_CODE_INSTALLED = 2, ORTCFFI_CODE_OWN = 3 };

/* Sets two dicts that Python fills: from the address of a code object to one of the numbers above,
 * and from a stack to its number. A stack is the bytes of its lines, the innermost first and the
 * program's own last; a line is the address of its code and its instruction's offset, 8 bytes each.
 */
ortcffi_object* ortcffi_stacks_begin(ortcffi_object* owners, ortcffi_object* numbers);

/* The number of the stack of this thread, with up to `depth` lines; 0 for a thread without a frame,
 * -1 if it has not been seen. Needs the GIL. */
int64_t ortcffi_known_stack(int depth);

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
