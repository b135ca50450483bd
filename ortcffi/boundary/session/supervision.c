/* SPDX-License-Identifier: MIT */
/*
 * Runs that end early: at a deadline, and for KeyboardInterrupt. See session.h.
 *
 * One thread waits at a pipe for both. From the first run of the main thread on, Python's handlers
 * write the numbers of signals to that pipe (signal.set_wakeup_fd), and the thread hands them on to
 * the program's own descriptor. Where SIGINT has Python's own handler, the thread ends the run that
 * the main thread is in; that run raises what the handler raises.
 *
 *   SIGINT comes ...                        and KeyboardInterrupt is raised ...
 *   in Python code                          there, by Python
 *   after Python's last look for signals,   as the run begins, if `is_interrupted` is set by then;
 *   before the run                          otherwise as below
 *   in the run                              when the thread has ended it
 */
#include "boundary/session/session.h"

#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "boundary/gil.h"
#include "boundary/session/jobs.h"
#include "boundary/session/session_types.h"

static int ends[2] = {-1, -1}; /* of the pipe: where the thread reads, where others write */
static int is_started;  /* this, main_run and next_deadline change with the lock of LIST_OF_RUNS */
static int is_watching; /* whether Python has the pipe; only the main thread asks */
static unsigned long main_thread;
static struct run* main_run;         /* the main thread's, if it is in one */
static atomic_int program_fd = -1;   /* the program's own descriptor of signal.set_wakeup_fd */
static _Atomic double next_deadline; /* of all runs; INFINITY for none */
static atomic_int is_interrupted;    /* SIGINT came since a run of the main thread began */

/* Of the module signal, and the keywords of set_wakeup_fd. */
static PyObject *set_wakeup_fd, *get_signal, *default_handler, *quietly;

double ortcffi_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* --- the thread --------------------------------------------------------------------------------*/

/* So many seconds a run of the main thread goes on after SIGINT: a byte may reach the thread after
 * Python's handler has raised, when the next run has begun. */
#define GRACE 0.05

/* Whether the program left the handler of SIGINT to Python. Needs the GIL. */
static int is_default_interrupt(void) {
  PyObject* current = PyObject_CallFunction(get_signal, "i", SIGINT);
  int answer = current == default_handler;
  PyErr_Clear();
  Py_XDECREF(current);
  return answer;
}

/* Ends the runs whose time is over, and finds the next deadline. With the lock of LIST_OF_RUNS. */
static void end_late_runs(void) {
  double now = ortcffi_now(), next = INFINITY;
  for (struct run* run = ortcffi_runs; run != NULL; run = run->next) {
    if (atomic_load(&run->is_done)) {
      continue; /* a job whose result nobody has taken yet */
    }
    if (run->deadline > 0 && run->deadline <= now) {
      ortcffi_run_stop(run, TIMED_OUT);
    } else if (run->deadline > 0 && run->deadline < next) {
      next = run->deadline;
    }
  }
  atomic_store(&next_deadline, next);
}

/* Ends the runs that must end now, among them that of the main thread if SIGINT came in it. */
static void end_due_runs(int ends_main_run) {
  if (!Py_IsInitialized()) {
    return;
  }
  struct gil gil;
  ensure_gil(&gil);
  int is_interrupt = ends_main_run && atomic_load(&is_interrupted) && is_default_interrupt();
  lock_list(LIST_OF_RUNS);
  if (is_interrupt && main_run != NULL) {
    ortcffi_run_stop(main_run, INTERRUPTED);
  }
  end_late_runs();
  unlock_list(LIST_OF_RUNS);
  give_gil_back(&gil);
}

/* Reads numbers of signals and hands them on to the program. Whether one was SIGINT. */
static int read_signals(void) {
  unsigned char numbers[64];
  int found = 0;
  ssize_t count = read(ends[0], numbers, sizeof numbers);
  for (ssize_t i = 0; i < count; i++) {
    int fd = atomic_load(&program_fd);
    found |= numbers[i] == SIGINT;
    if (numbers[i] != 0 && fd >= 0 && write(fd, &numbers[i], 1) < 0) {
      continue; /* the program reads them too slowly */
    }
  }
  return found;
}

/* Makes the thread compute again how long it may wait. */
static void wake_thread(void) {
  const char wake = 0;
  if (write(ends[1], &wake, 1) < 0) {
    return; /* the pipe is full, so the thread is about to look */
  }
}

static double earlier(double a, double b) { return a < b ? a : b; }

/* Milliseconds until a moment; -1 if it is far away. */
static int wait_time(double moment) {
  double left = moment - ortcffi_now();
  if (left > 1e6) {
    return -1;
  }
  return left <= 0 ? 0 : (int)(left * 1e3) + 1;
}

static void* watch_runs(void* unused) {
  struct pollfd waited = {.fd = ends[0], .events = POLLIN};
  double interrupt = INFINITY; /* when the run of the main thread is ended for SIGINT */
  for (;;) {
    int count = poll(&waited, 1, wait_time(earlier(interrupt, atomic_load(&next_deadline))));
    double now = ortcffi_now();
    if (count > 0 && read_signals()) {
      atomic_store(&is_interrupted, 1);
      interrupt = earlier(interrupt, now + GRACE);
    }
    int is_due = interrupt <= now;
    interrupt = is_due ? INFINITY : interrupt;
    if (is_due || atomic_load(&next_deadline) <= now) {
      end_due_runs(is_due);
    }
  }
  return unused;
}

static int start_thread(void) {
  atomic_store(&next_deadline, INFINITY);
  if (pipe(ends) < 0) {
    return -1;
  }
  for (int i = 0; i < 2; i++) {
    fcntl(ends[i], F_SETFL, O_NONBLOCK);
    fcntl(ends[i], F_SETFD, FD_CLOEXEC);
  }
  if (ortcffi_start_thread(watch_runs, NULL) != 0) {
    close(ends[0]);
    close(ends[1]);
    return -1;
  }
  return 0;
}

/* Finds what is needed of the module signal; 0 if something is missing. */
static int find_signals(void) {
  PyObject* module = PyImport_ImportModule("_signal"); /* the other takes longer than a run */
  if (module != NULL && quietly == NULL) {
    set_wakeup_fd = PyObject_GetAttrString(module, "set_wakeup_fd");
    get_signal = PyObject_GetAttrString(module, "getsignal");
    default_handler = PyObject_GetAttrString(module, "default_int_handler");
    quietly = Py_BuildValue("{s:i}", "warn_on_full_buffer", 0);
  }
  PyErr_Clear();
  Py_XDECREF(module);
  return set_wakeup_fd != NULL && get_signal != NULL && default_handler != NULL && quietly != NULL;
}

/* Starts the thread if need be; whether there is one. */
static int has_thread(void) {
  if (is_started == 0) {
    int is_found = find_signals();
    lock_list(LIST_OF_RUNS);
    if (is_started == 0) { /* an __import__ in Python lets other threads come here too */
      is_started = is_found && start_thread() == 0 ? 1 : -1;
    }
    unlock_list(LIST_OF_RUNS);
  }
  return is_started > 0;
}

void ortcffi_supervise_deadline(const struct run* run) {
  int is_next = 0;
  if (has_thread()) {
    lock_list(LIST_OF_RUNS);
    is_next = run->deadline < atomic_load(&next_deadline);
    if (is_next) {
      atomic_store(&next_deadline, run->deadline);
    }
    unlock_list(LIST_OF_RUNS);
  }
  if (is_next) {
    wake_thread();
  }
}

/* --- runs of the main thread -------------------------------------------------------------------*/

/* Sets the descriptor to which Python's handlers write the numbers of signals. Returns the one
 * before, -1 for none; -2 if this fails. */
static int write_signals_to(int fd) {
  PyObject* arguments = Py_BuildValue("(i)", fd);
  PyObject* before = arguments == NULL ? NULL : PyObject_Call(set_wakeup_fd, arguments, quietly);
  int number = before == NULL ? -2 : (int)PyLong_AsLong(before);
  PyErr_Clear();
  Py_XDECREF(arguments);
  Py_XDECREF(before);
  return number;
}

/* So many seconds pass before Python is asked again, for a run, whether it still writes to the
 * pipe: an event loop that ends has it write nowhere. */
#define LOOK_AGAIN 0.05
static double next_look;

/* Has Python write the numbers of signals to the pipe. A descriptor that the program has set since
 * the first time stays. */
static void watch_signals(double now) {
  if (now < next_look) {
    return;
  }
  next_look = now + LOOK_AGAIN;
  int before = has_thread() ? write_signals_to(ends[1]) : -2;
  if (before == -2 || before == ends[1]) {
    return;
  }
  if (before >= 0 && is_watching) {
    write_signals_to(before);
    return;
  }
  atomic_store(&program_fd, before);
  is_watching = 1;
}

/* Only the main thread sets it, so that this thread may read it without the lock. */
static void set_main_run(struct run* run) {
  lock_list(LIST_OF_RUNS);
  main_run = run;
  unlock_list(LIST_OF_RUNS);
}

int ortcffi_supervise_begin(struct run* run, double now) {
  if (run->deadline > 0) {
    ortcffi_supervise_deadline(run);
  }
  if (PyThread_get_thread_ident() != main_thread) {
    return 0;
  }
  watch_signals(now);
  if (atomic_load(&is_interrupted)) {
    atomic_store(&is_interrupted, 0);
    if (PyErr_CheckSignals() < 0) {
      return -1;
    }
  }
  run->outer = main_run; /* a run within a kernel of another run */
  set_main_run(run);
  return 0;
}

void ortcffi_supervise_end(const struct run* run) {
  if (main_run == run) {
    set_main_run(run->outer);
  }
}

/* --- processes ---------------------------------------------------------------------------------*/

void ortcffi_supervise_init(unsigned long main_ident) { main_thread = main_ident; }

void ortcffi_runs_after_fork(void) {
  ortcffi_workers_forget();
  ortcffi_runs_forget();
  main_thread = PyThread_get_thread_ident();
  main_run = NULL;
  if (is_watching) { /* until the first run here, Python writes where the program wants it */
    int before = write_signals_to(atomic_load(&program_fd));
    if (before == -2) { /* the program has closed that */
      before = write_signals_to(-1);
    }
    if (before != ends[1]) {
      write_signals_to(before);
    }
  }
  if (is_started > 0) {
    close(ends[0]);
    close(ends[1]);
  }
  is_started = is_watching = 0;
  next_look = 0;
  atomic_store(&program_fd, -1);
  atomic_store(&is_interrupted, 0);
}

static int has_runs(void) {
  if (atomic_load(&ortcffi_due_callbacks) > 0) {
    return 1;
  }
  int has_one = 0;
  lock_list(LIST_OF_RUNS);
  for (const struct run* run = ortcffi_runs; run != NULL && !has_one; run = run->next) {
    has_one = !atomic_load(&run->is_done);
  }
  unlock_list(LIST_OF_RUNS);
  return has_one;
}

static atomic_int is_ending; /* whether ortcffi_end_runs is under way */

static void sleep_without_gil(double seconds) {
  struct timespec pause = {.tv_sec = (time_t)seconds};
  pause.tv_nsec = (long)((seconds - (double)pause.tv_sec) * 1e9);
  Py_BEGIN_ALLOW_THREADS;
  nanosleep(&pause, NULL);
  Py_END_ALLOW_THREADS;
}

void ortcffi_supervise_exit(void) {
  if (is_ending) {
    sleep_without_gil(1); /* the interpreter usually ends within a tenth of that */
  }
}

int ortcffi_end_runs(double seconds) {
  double deadline = ortcffi_now() + seconds;
  is_ending = 1;
  while (has_runs() && ortcffi_now() < deadline) {
    ortcffi_stop_all(NULL);
    sleep_without_gil(1e-3);
  }
  is_ending = 0;
  return !has_runs();
}
