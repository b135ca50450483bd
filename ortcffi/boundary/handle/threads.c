/* SPDX-License-Identifier: MIT */
#include "boundary/handle/threads.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>
#include <unwind.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t in_op; /* not a thread-local variable: a library has room for few of them */

static void make_key(void) { pthread_key_create(&in_op, NULL); }

int ortcffi_is_in_op(void) {
  pthread_once(&once, make_key);
  return pthread_getspecific(in_op) != NULL;
}

int ortcffi_set_in_op(int is_in_op) {
  int before = ortcffi_is_in_op();
  pthread_setspecific(in_op, is_in_op ? &in_op : NULL);
  return before;
}

int ortcffi_start_thread(void* (*function)(void*), void* argument) {
  pthread_t thread;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int error = pthread_create(&thread, NULL, function, argument);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (error == 0) {
    pthread_detach(thread);
  }
  return error;
}

/* With DWARF unwinding, the unwinder calls the personality routine of each frame that it reaches
 * (platform/catching.h). This one stops pthread_exit here, before it unwinds the frames above. */
_Unwind_Reason_Code ortcffi_wait_personality(int version, _Unwind_Action actions,
                                             _Unwind_Exception_Class kind,
                                             struct _Unwind_Exception* header,
                                             struct _Unwind_Context* context);

__attribute__((used)) _Unwind_Reason_Code
ortcffi_wait_personality(int version, _Unwind_Action actions, _Unwind_Exception_Class kind,
                         struct _Unwind_Exception* header, struct _Unwind_Context* context) {
  while ((actions & _UA_FORCE_UNWIND) != 0) {
    pause();
  }
  return _URC_CONTINUE_UNWIND;
}

/* The directive .cfi_personality sets the routine of the enclosing function, which therefore must
 * not be inlined, nor end in a jump. 0x1b: the routine's address is relative to the field; 0x9b:
 * the same, through a pointer. */
__attribute__((noinline)) void call_or_wait(void (*function)(void* argument), void* argument) {
#if defined(__APPLE__)
  __asm__ volatile(".cfi_personality 0x9b, _ortcffi_wait_personality");
#else
  __asm__ volatile(".cfi_personality 0x1b, ortcffi_wait_personality");
#endif
  function(argument);
  __asm__ volatile("");
}
