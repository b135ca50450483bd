/* SPDX-License-Identifier: MIT */
/*
 * Runs that end early: at a deadline, and for KeyboardInterrupt. See session.h.
 *
 * One thread waits for both. Where SIGINT has Python's own handler, a run of the main
 * thread puts a function before it, which counts the signals and wakes the thread. The thread ends
 * the run that the main thread is in if a signal has come since that run began; the run raises what
 * Python's handler raises.
 *
 *   SIGINT comes ...                        and KeyboardInterrupt is raised ...
 *   in Python code                          there, by Python
 *   after Python's last look for signals,   as the run begins, where the count has changed by then;
 *   before the run                          otherwise as below
 *   in the run                              when the thread has ended it
 */
#include "boundary/session/session.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "platform/platform.h"
#include "boundary/gil.h"
#include "boundary/session/jobs.h"
#include "boundary/session/session_types.h"

static int is_started; /* this, main_run and next_deadline change with the lock of LIST_OF_RUNS */
static unsigned long main_thread;
static struct run* main_run;         /* the main thread's, if it is in one */
static _Atomic double next_deadline; /* of all runs; INFINITY for none */
static atomic_uint interrupts;       /* how often SIGINT has come */

static PyObject *get_signal, *default_handler; /* of the module signal */

double ortcffi_now(void) { return (double)core_clock() * 1e-9; }

/* --- SIGINT ------------------------------------------------------------------------------------*/

/* Each signal.signal(SIGINT, ...) of the program puts Python's function back. So runs of the main
 * thread look again after that many seconds, and the thread looks once during a run that is under
 * way then. */
#define LOOK_AGAIN 0.01
static double next_look;                   /* of a run of the main thread */
static _Atomic double next_look_of_thread; /* INFINITY for none */

/* Python's function for all signals, or what stood before it at the first run. Another function
 * that is found later may call `on_interrupt`, and so is not called by it. */
static void (*python_handler)(int);

/* First Python's function: a run that is ended asks Python for what has come. */
static void on_interrupt(int number) {
  int error = errno;
  python_handler(number);
#if defined(_WIN32)
  PyOS_setsig(number, on_interrupt); /* Python's function has put itself back */
#endif
  atomic_fetch_add(&interrupts, 1);
  ortcffi_wake();
  errno = error;
}

/* Whether the program left the handler of SIGINT to Python. Needs the GIL. */
static int is_default_interrupt(void) {
  PyObject* current = PyObject_CallFunction(get_signal, "i", SIGINT);
  int answer = current == default_handler;
  PyErr_Clear();
  Py_XDECREF(current);
  return answer;
}

/* Has `on_interrupt` be called for SIGINT, where Python's own handler raises KeyboardInterrupt.
 * Needs the GIL. */
static void catch_interrupts(void) {
#if defined(_WIN32)
  void (*handler)(int) = PyOS_getsig(SIGINT); /* of Python's C library, if it is another */
#else
  struct sigaction action;
  if (sigaction(SIGINT, NULL, &action) < 0 || (action.sa_flags & SA_SIGINFO)) {
    return;
  }
  void (*handler)(int) = action.sa_handler;
#endif
  int is_taken = handler != SIG_DFL && handler != SIG_IGN && handler != SIG_ERR;
  int is_known = python_handler == NULL || handler == python_handler;
  if (is_taken && is_known && handler != on_interrupt && is_default_interrupt()) {
    python_handler = handler;
#if defined(_WIN32)
    PyOS_setsig(SIGINT, on_interrupt);
#else
    action.sa_handler = on_interrupt;
    sigaction(SIGINT, &action, NULL);
#endif
  }
}

/* --- the thread --------------------------------------------------------------------------------*/

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
static void end_due_runs(int is_look_due) {
  if (!Py_IsInitialized()) {
    return;
  }
  struct gil gil;
  ensure_gil(&gil);
  if (is_look_due && __atomic_load_n(&main_run, __ATOMIC_RELAXED) != NULL) {
    catch_interrupts();
  }
  lock_list(LIST_OF_RUNS);
  unsigned now = atomic_load(&interrupts);
  if (main_run != NULL && main_run->interrupts != now) {
    ortcffi_run_stop(main_run, INTERRUPTED);
    for (struct run* run = main_run; run != NULL; run = run->outer) {
      run->interrupts = now; /* the signals are those of the inner run */
    }
  }
  end_late_runs();
  unlock_list(LIST_OF_RUNS);
  give_gil_back(&gil);
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
  unsigned seen = 0; /* not the count: a signal may have come before this thread runs */
  for (;;) {
    double next = earlier(atomic_load(&next_deadline), atomic_load(&next_look_of_thread));
    ortcffi_waker_wait(wait_time(next));
    double now = ortcffi_now();
    unsigned count = atomic_load(&interrupts);
    int is_look_due = atomic_load(&next_look_of_thread) <= now;
    if (is_look_due) {
      atomic_store(&next_look_of_thread, INFINITY);
    }
    if (count != seen || is_look_due || atomic_load(&next_deadline) <= now) {
      seen = count;
      end_due_runs(is_look_due);
    }
  }
  return unused;
}

static int start_thread(void) {
  atomic_store(&next_deadline, INFINITY);
  atomic_store(&next_look_of_thread, INFINITY);
  if (ortcffi_waker_begin() < 0) {
    return -1;
  }
  if (ortcffi_start_thread(watch_runs, NULL) != 0) {
    ortcffi_waker_end();
    return -1;
  }
  return 0;
}

/* Finds what is needed of the module signal; 0 if something is missing. */
static int find_signals(void) {
  PyObject* module = PyImport_ImportModule("_signal"); /* the other takes longer than a run */
  if (module != NULL) {
    keep_first(&get_signal, PyObject_GetAttrString(module, "getsignal"));
    keep_first(&default_handler, PyObject_GetAttrString(module, "default_int_handler"));
  }
  PyErr_Clear();
  Py_XDECREF(module);
  return object_made(&get_signal) != NULL && object_made(&default_handler) != NULL;
}

/* Starts the thread if need be; whether there is one. */
static int has_thread(void) {
  int is_there = __atomic_load_n(&is_started, __ATOMIC_ACQUIRE);
  if (!is_there) {
    int is_found = find_signals();
    lock_list(LIST_OF_RUNS);
    if (!is_started) { /* an __import__ in Python lets other threads come here too */
      __atomic_store_n(&is_started, is_found && start_thread() == 0, __ATOMIC_RELEASE);
    }
    is_there = is_started;
    unlock_list(LIST_OF_RUNS);
  }
  return is_there;
}

int ortcffi_supervise_deadline(const struct run* run) {
  if (!has_thread()) {
    PyErr_SetString(PyExc_RuntimeError, "timeout: the thread that ends runs cannot be started");
    return -1;
  }
  lock_list(LIST_OF_RUNS);
  int is_next = run->deadline < atomic_load(&next_deadline);
  if (is_next) {
    atomic_store(&next_deadline, run->deadline);
  }
  unlock_list(LIST_OF_RUNS);
  if (is_next) {
    ortcffi_wake();
  }
  return 0;
}

/* --- runs of the main thread -------------------------------------------------------------------*/

/* Only the main thread sets it, so that this thread may read it without the lock. */
static void set_main_run(struct run* run) {
  lock_list(LIST_OF_RUNS);
  __atomic_store_n(&main_run, run, __ATOMIC_RELAXED);
  unlock_list(LIST_OF_RUNS);
}

int ortcffi_supervise_begin(struct run* run, double now) {
  if (run->deadline > 0 && ortcffi_supervise_deadline(run) < 0) {
    return -1;
  }
  if (PyThread_get_thread_ident() != main_thread) {
    return 0;
  }
  if (now >= next_look && has_thread()) {
    next_look = now + LOOK_AGAIN;
    catch_interrupts();
    atomic_store(&next_look_of_thread, next_look);
    ortcffi_wake();
  }
  static unsigned seen;  /* the signals that Python was asked for */
  run->outer = main_run; /* a run within a kernel of another run */
  do {
    run->interrupts = atomic_load(&interrupts);
    if (run->interrupts != seen) {
      seen = run->interrupts;
      if (PyErr_CheckSignals() < 0) {
        set_main_run(run->outer);
        return -1;
      }
    }
    set_main_run(run);
  } while (atomic_load(&interrupts) != run->interrupts);
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
  ortcffi_waker_end();
  is_started = 0;
  next_look = 0;
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
