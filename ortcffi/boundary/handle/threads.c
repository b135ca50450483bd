/* SPDX-License-Identifier: MIT */
#include "boundary/handle/threads.h"

#include <pthread.h>
#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#else
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>
#include <unwind.h>
#endif

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

#if defined(_WIN32)

int ortcffi_start_thread(void* (*function)(void*), void* argument) {
  pthread_t thread;
  int error = pthread_create(&thread, NULL, function, argument);
  return error != 0 ? error : pthread_detach(thread);
}

static HANDLE waker; /* an event */

int ortcffi_waker_begin(void) {
  waker = CreateEventW(NULL, FALSE, FALSE, NULL);
  return waker != NULL ? 0 : -1;
}

void ortcffi_waker_end(void) {
  CloseHandle(waker);
  waker = NULL;
}

void ortcffi_waker_wait(int milliseconds) { WaitForSingleObject(waker, (DWORD)milliseconds); }

void ortcffi_wake(void) {
  if (waker != NULL) {
    SetEvent(waker);
  }
}

/* Nothing is unwound: CPython ends threads by ExitThread. */
void call_or_wait(void (*function)(void* argument), void* argument) { function(argument); }

#else

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

static int ends[2] = {-1, -1};   /* of a pipe: where the thread reads, where others write */
static atomic_int wake_end = -1; /* the same as ends[1], for handlers of signals */

int ortcffi_waker_begin(void) {
  if (pipe(ends) < 0) {
    return -1;
  }
  for (int i = 0; i < 2; i++) {
    fcntl(ends[i], F_SETFL, O_NONBLOCK);
    fcntl(ends[i], F_SETFD, FD_CLOEXEC);
  }
  atomic_store(&wake_end, ends[1]);
  return 0;
}

void ortcffi_waker_end(void) {
  if (atomic_exchange(&wake_end, -1) >= 0) {
    close(ends[0]);
    close(ends[1]);
  }
}

void ortcffi_waker_wait(int milliseconds) {
  struct pollfd waited = {.fd = ends[0], .events = POLLIN};
  char bytes[64];
  if (poll(&waited, 1, milliseconds) > 0 && read(ends[0], bytes, sizeof bytes) < 0) {
    return; /* the caller looks anyway */
  }
}

void ortcffi_wake(void) {
  const char wake = 0;
  int fd = atomic_load(&wake_end);
  if (fd >= 0 && write(fd, &wake, 1) < 0) {
    return; /* the pipe is full, so the thread is about to look */
  }
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

#endif
