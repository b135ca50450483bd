/* SPDX-License-Identifier: MIT */
#include "boundary/platform/call_or_wait.h"

#include <unistd.h>
#include <unwind.h>

/* With DWARF unwinding, the unwinder calls the personality routine of each frame that it reaches
 * (platform/catching.h). This one stops pthread_exit here, before it unwinds the frames above. */
_Unwind_Reason_Code ortcffi_wait_personality(int version, _Unwind_Action actions,
                                             _Unwind_Exception_Class kind,
                                             struct _Unwind_Exception* header,
                                             struct _Unwind_Context* context);

__attribute__((used)) _Unwind_Reason_Code
ortcffi_wait_personality(int version, _Unwind_Action actions, _Unwind_Exception_Class kind,
                         struct _Unwind_Exception* header, struct _Unwind_Context* context) {
  (void)version, (void)kind, (void)header, (void)context;
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
