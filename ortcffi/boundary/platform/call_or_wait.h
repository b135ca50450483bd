/* SPDX-License-Identifier: MIT */
/* Calls of functions that may end their thread: CPython before 3.14 ends a thread that takes the
 * GIL while the interpreter ends. */
#ifndef ORTCFFI_BOUNDARY_CALL_OR_WAIT_H_
#define ORTCFFI_BOUNDARY_CALL_OR_WAIT_H_

/* Calls `function`. A thread that `function` would end by pthread_exit waits for ever instead:
 * pthread_exit unwinds all frames of its thread, and one that is `noexcept`, as in C++ libraries
 * that call back, would end the process. */
void call_or_wait(void (*function)(void* argument), void* argument);

#endif /* ORTCFFI_BOUNDARY_CALL_OR_WAIT_H_ */
