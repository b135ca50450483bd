/* SPDX-License-Identifier: MIT */
/* Runs that end early: at a deadline, and for KeyboardInterrupt. See session.h. */
#include "boundary/session/session.h"

#include <errno.h>
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
static int is_started;         /* guarded by the GIL, as all that is not atomic */
static unsigned long main_thread;
static int main_thread_is_known;
static struct run* main_run;         /* the main thread's, if it is in one */
static atomic_int program_fd = -1;   /* the program's own descriptor of signal.set_wakeup_fd */
static _Atomic double next_deadline; /* of all runs; INFINITY for none */

/* A signal is to end the run in which it came, and not the next one of the main thread. */
static pthread_mutex_t pipe_lock = PTHREAD_MUTEX_INITIALIZER; /* for reading the pipe */
static atomic_ulong
    supervised_runs; /* the number of supervised runs so far; changed under that lock */

static PyObject* set_wakeup_fd; /* signal.set_wakeup_fd */
static PyObject* our_fd;        /* its argument: the end of the pipe for writing */

double ortcffi_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* --- the thread --------------------------------------------------------------------------------*/

/* Whether the program left the handler of SIGINT to Python. Needs the GIL. */
static int is_default_interrupt(void) {
  PyObject* module = PyImport_ImportModule("signal");
  PyObject* ours = module == NULL ? NULL : PyObject_GetAttrString(module, "default_int_handler");
  PyObject* current = ours == NULL ? NULL : PyObject_CallMethod(module, "getsignal", "i", SIGINT);
  int answer = current != NULL && current == ours;
  PyErr_Clear();
  Py_XDECREF(module);
  Py_XDECREF(ours);
  Py_XDECREF(current);
  return answer;
}

/* Ends the runs whose time is over, and finds the next deadline. Needs the GIL. */
static void end_late_runs(void) {
  double now = ortcffi_now(), next = INFINITY;
  for (struct run* run = ortcffi_runs; run != NULL; run = run->next) {
    if (run->deadline > 0 && run->deadline <= now) {
      ortcffi_run_stop(run, TIMED_OUT);
    } else if (run->deadline > 0 && run->deadline < next) {
      next = run->deadline;
    }
  }
  atomic_store(&next_deadline, next);
}

/* Ends the runs that must end now. `interrupted` is the number of the supervised run in which
 * SIGINT came, or 0. */
static void end_due_runs(unsigned long interrupted) {
  if (!Py_IsInitialized()) {
    return;
  }
  struct gil gil;
  ensure_gil(&gil);
  /* is_default_interrupt calls Python: meanwhile the run may end and another one begin. */
  if (interrupted != 0 && is_default_interrupt() && interrupted == atomic_load(&supervised_runs) &&
      main_run != NULL) {
    ortcffi_run_stop(main_run, INTERRUPTED);
  }
  end_late_runs();
  give_gil_back(&gil);
}

/* Reads numbers of signals and passes them on to the program. Returns how many there were;
 * `is_interrupted` says whether one was SIGINT. */
static ssize_t read_signals(int* is_interrupted) {
  unsigned char numbers[64];
  ssize_t count = read(ends[0], numbers, sizeof numbers);
  for (ssize_t i = 0; i < count; i++) {
    int fd = atomic_load(&program_fd);
    if (numbers[i] != 0 && fd >= 0 && write(fd, &numbers[i], 1) < 0) {
      continue; /* the program reads them too slowly, which Python does not report either */
    }
    *is_interrupted |= numbers[i] == SIGINT;
  }
  return count;
}

/* The number of the supervised run in which SIGINT came, or 0. */
static unsigned long interrupted_run(void) {
  int is_interrupted = 0;
  pthread_mutex_lock(&pipe_lock);
  read_signals(&is_interrupted);
  unsigned long number = atomic_load(&supervised_runs);
  pthread_mutex_unlock(&pipe_lock);
  return is_interrupted ? number : 0;
}

/* Makes the thread compute again how long it may wait. */
static void wake_thread(void) {
  const char wake = 0;
  if (write(ends[1], &wake, 1) < 0) {
    return; /* the pipe is full, so the thread is about to look */
  }
}

/* Counts a run, and reads the signals of those before it. */
static void count_supervised_run(void) {
  int is_interrupted = 0, has_read = 0;
  pthread_mutex_lock(&pipe_lock);
  while (read_signals(&is_interrupted) > 0) {
    has_read = 1;
  }
  atomic_fetch_add(&supervised_runs, 1);
  pthread_mutex_unlock(&pipe_lock);
  if (has_read) {
    wake_thread(); /* what was read may have been there to wake the thread */
  }
}

/* Milliseconds until the next deadline; -1 if there is none. */
static int wait_time(void) {
  double left = atomic_load(&next_deadline) - ortcffi_now();
  if (left > 1e6) {
    return -1;
  }
  return left <= 0 ? 0 : (int)(left * 1e3) + 1;
}

static void* watch_runs(void* unused) {
  struct pollfd waited = {.fd = ends[0], .events = POLLIN};
  for (;;) {
    int count = poll(&waited, 1, wait_time());
    unsigned long interrupted = count > 0 ? interrupted_run() : 0;
    if (interrupted != 0 || atomic_load(&next_deadline) <= ortcffi_now()) {
      end_due_runs(interrupted);
    }
  }
  return unused;
}

static int start_timer(void) {
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

static void set_object(PyObject** place, PyObject* object) {
  PyObject* old = *place;
  *place = object;
  Py_XDECREF(old);
}

/* Starts the thread if need be; whether there is one. */
static int has_thread(void) {
  if (is_started == 0) {
    /* Not signal, whose import takes longer than a run. */
    PyObject* module = PyImport_ImportModule("_signal");
    set_object(&set_wakeup_fd,
               module == NULL ? NULL : PyObject_GetAttrString(module, "set_wakeup_fd"));
    Py_XDECREF(module);
    if (is_started == 0) { /* an __import__ in Python lets other threads come here too */
      is_started = set_wakeup_fd != NULL && start_timer() == 0 ? 1 : -1;
      set_object(&our_fd, PyLong_FromLong(ends[1]));
    }
    PyErr_Clear();
  }
  return is_started > 0;
}

/* --- around a run ------------------------------------------------------------------------------*/

/* Sets the descriptor to which Python's handlers write the numbers of signals; returns the one
 * before, or NULL. */
static PyObject* write_signals_to(PyObject* fd) {
  PyObject* old = fd == NULL ? NULL : PyObject_CallFunctionObjArgs(set_wakeup_fd, fd, NULL);
  if (old == NULL) {
    PyErr_Clear(); /* the program closed it */
  }
  return old;
}

/* In the child of a fork, which has no such thread, and a pipe that the parent reads. */
static void forget_runs_of_parent(void) {
  ortcffi_workers_forget();
  ortcffi_callers_forget();
  ortcffi_aside_forget();
  ortcffi_runs_forget();
  if (main_run != NULL) {
    PyObject* fd = PyLong_FromLong(atomic_load(&program_fd));
    PyObject* ours = write_signals_to(fd);
    Py_XDECREF(ours);
    Py_XDECREF(fd);
  }
}

void ortcffi_supervise_init(unsigned long main_ident) {
  if (main_thread_is_known) {
    forget_runs_of_parent();
  }
  main_thread_is_known = 1;
  main_thread = main_ident;
  main_run = NULL;
  if (is_started > 0) {
    close(ends[0]);
    close(ends[1]);
  }
  is_started = 0;
  pthread_mutex_init(&pipe_lock, NULL); /* the other thread may have had it */
  atomic_store(&program_fd, -1);
}

void ortcffi_supervise_deadline(const struct run* run) {
  if (run->deadline > 0 && has_thread() && run->deadline < atomic_load(&next_deadline)) {
    atomic_store(&next_deadline, run->deadline);
    wake_thread();
  }
}

/* A run that takes longer, in seconds, is long. That is less than a person notices, and more than a
 * short run takes whose thread loses the CPU once. */
#define LONG_RUN 3e-2
/* A long run is forgotten after so many short ones. */
#define MANY_RUNS 1000

/* Whether a run with as many bytes, or more, was short. */
static int may_be_short(const struct habit* habit, const struct run* run) {
  return habit->has_short && !run->has_other_bytes && run->bytes <= habit->short_bytes;
}

static int is_short(const struct habit* habit, const struct run* run) {
  return may_be_short(habit, run) && (!habit->has_long || run->bytes < habit->long_bytes);
}

/* How many first runs of sessions in a row were short, and the most bytes of one of them. */
static unsigned short_first_runs;
static size_t first_bytes;
/* After so many, the first run of the next session is taken for short. */
#define FEW_RUNS 16

static int is_first(const struct habit* habit) { return !habit->has_short && !habit->has_long; }

static int first_may_be_short(const struct habit* habit, const struct run* run) {
  return is_first(habit) && short_first_runs >= FEW_RUNS && run->bytes <= first_bytes;
}

static void learn_first(const struct run* run, double seconds) {
  int is_long = seconds >= LONG_RUN;
  short_first_runs = is_long ? 0 : short_first_runs + 1;
  first_bytes = is_long ? 0 : first_bytes > run->bytes ? first_bytes : run->bytes;
}

void ortcffi_supervise_learn(struct habit* habit, const struct run* run, double seconds) {
  if (is_first(habit)) {
    learn_first(run, seconds);
  }
  if (seconds >= LONG_RUN) {
    habit->long_bytes =
        habit->has_long && habit->long_bytes < run->bytes ? habit->long_bytes : run->bytes;
    habit->has_long = 1;
    habit->short_runs = 0;
    return;
  }
  if (!habit->has_short || run->bytes > habit->short_bytes) {
    habit->short_bytes = run->bytes;
    habit->has_short = 1;
  }
  habit->has_long = habit->has_long && ++habit->short_runs < MANY_RUNS;
}

/* Restores the state before a supervised run. */
static void end_supervision(const struct supervision* supervision) {
  PyObject* ours = write_signals_to(supervision->old_fd);
  main_run = supervision->outer;
  Py_XDECREF(ours);
  Py_DECREF(supervision->old_fd);
}

/* Runs Python's handlers for signals that arrived before our pipe was installed: the thread cannot
 * know of those. -1 with an exception if a handler raised; then the run is no longer supervised. */
static int handle_signals(const struct supervision* supervision) {
  if (PyErr_CheckSignals() == 0) {
    return 0;
  }
  PyObject *type, *error, *trace;
  PyErr_Fetch(&type, &error, &trace);
  end_supervision(supervision);
  PyErr_Restore(type, error, trace);
  return -1;
}

int ortcffi_supervise_leaves(const struct run* run, const struct habit* habit) {
  return !may_be_short(habit, run) && !first_may_be_short(habit, run) && !run->has_other_bytes &&
         !run->session->calls_python && PyThread_get_thread_ident() == main_thread;
}

int ortcffi_supervise_begin(struct supervision* supervision, struct run* run,
                            const struct habit* habit) {
  supervision->old_fd = NULL;
  ortcffi_supervise_deadline(run);
  if (is_short(habit, run) || PyThread_get_thread_ident() != main_thread || !has_thread()) {
    return 0;
  }
  count_supervised_run();
  supervision->old_fd = write_signals_to(our_fd);
  if (supervision->old_fd == NULL) {
    return 0;
  }
  supervision->outer = main_run; /* a run within a kernel of another run */
  main_run = run;
  int old_fd = (int)PyLong_AsLong(supervision->old_fd);
  if (old_fd != ends[1]) {
    atomic_store(&program_fd, old_fd);
  }
  return handle_signals(supervision);
}

void ortcffi_supervise_end(const struct supervision* supervision, const struct run* run,
                           struct habit* habit, double seconds) {
  ortcffi_supervise_learn(habit, run, seconds);
  if (supervision->old_fd != NULL) {
    end_supervision(supervision);
  }
}

/* --- the end of the interpreter ----------------------------------------------------------------*/

static int has_runs(void) {
  if (ortcffi_are_callbacks_due()) {
    return 1;
  }
  for (const struct run* run = ortcffi_runs; run != NULL; run = run->next) {
    if (!atomic_load(&run->is_done)) {
      return 1;
    }
  }
  return 0;
}

static int is_ending; /* whether ortcffi_end_runs is under way; guarded by the GIL */

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
