/* SPDX-License-Identifier: MIT */
/* Stacks of Python code that were seen before, found without Python code. */
#ifndef ORTCFFI_BOUNDARY_STACKS_H_
#define ORTCFFI_BOUNDARY_STACKS_H_

#include <stdint.h>

#include "boundary/platform/objects.h"

/* Whose the code of a frame is. */
enum { ORTCFFI_CODE_OF_THIS_PACKAGE = 1, ORTCFFI_CODE_INSTALLED = 2, ORTCFFI_CODE_OWN = 3 };

/* Gives two dicts, which Python fills: from the address of a code object to whose it is, and from a
 * stack to its number. A stack is the bytes of its lines, the innermost first and the program's own
 * last; a line is the address of its code and its instruction's offset, 8 bytes each. */
ortcffi_object* ortcffi_stacks_begin(ortcffi_object* owners, ortcffi_object* numbers);

/* The number of the stack of this thread, with up to `depth` lines; 0 for a thread without a frame,
 * -1 if it has not been seen. Needs the GIL. */
int64_t ortcffi_known_stack(int depth);

#endif /* ORTCFFI_BOUNDARY_STACKS_H_ */
