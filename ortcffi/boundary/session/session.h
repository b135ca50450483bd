/* SPDX-License-Identifier: MIT */
/*
 * Sessions as Python objects: what ortcffi/session/session.py builds its class Session on.
 *
 *   Engine
 *       A session of a library, which it owns as soon as the library has written it to its
 *       handle: no interrupt can lose it. `_begin` is called before that, `_read_ports` after it:
 *       this makes a table of the inputs and outputs, so that a run looks up names without a call.
 *   Binder
 *       An IoBinding and its session: see binding.c.
 *
 * What C does not convert, Python does: `rules` is a tuple of these objects, which the class of the
 * session has from ortcffi/session/rules.py. A run asks `convert` before the library is called:
 *
 *   convert(session, feed, outputs, options, out, inputs)
 *       called where C does not take an argument of a run as it is: (feed, outputs, options, out)
 *       with Values of the session's library only, names that the model has, and RunOptions
 *   options(session, options)
 *       RunOptions of the session's library, also of None
 *   result(value, is_input)
 *       what a run returns for an output that C does not convert
 *   refuse(session, why, what)
 *       raises: for memory that overlaps, for a run that was ended or refused at once, and for one
 *       for which an arena has no room
 *   bound(session, binding)
 *       raises if something is not bound
 *   contents, wrapper
 *       a function for `struct contents` (contents.h), and a type of objects whose attribute _value
 *       is a Value; either may be None
 *   options_type
 *       CFFI's type of pointers to OrtRunOptions
 *
 * A session is a handle (handle/handle.h): it is released when it is closed, or gone, and the
 * last run has ended. What the library borrows for it (the environment, options, a model's bytes)
 * goes after that.
 *
 * All functions need the GIL, which also guards the fields; without it handle/unlocked.h says what
 * does. It is released while the library runs, creates or releases something.
 */
#ifndef ORTCFFI_BOUNDARY_SESSION_H_
#define ORTCFFI_BOUNDARY_SESSION_H_

#include "boundary/handle/handle.h"
#include "boundary/status/calls.h"
#include "boundary/values/arguments.h"
#include "boundary/values/contents.h"

#include <stdatomic.h>

/* An input or an output of a model. */
struct port {
  char* raw_name;    /* as the library gave it, until it is decoded */
  OrtTypeInfo* info; /* the port's own until `owner` has it */
  PyObject* owner;   /* an Owner of the type, made at Python's first request; or NULL */
  const OrtTensorTypeAndShapeInfo* tensor; /* in the type; NULL for other kinds */
  PyObject* name;                          /* interned */
  const char* text;                        /* the same in UTF-8, owned by the name */
  int kind;                                /* an ONNXType */
  int element;                             /* of a tensor */
  int member;                              /* the kind of a sequence's members, or UNKNOWN */
  Py_ssize_t rank;                         /* -1 where the model does not say */
  int64_t* shape;                          /* -1 for a dimension that the model leaves open */
  int is_on_cpu; /* the library says that it makes this output in memory of the CPU */
  /* A cached OrtValue over the memory of the last array, used again if the next array has the same
   * address and shape. The array may be gone: then nothing reads the value. NULL for none. */
  OrtValue* made;
  const void* made_data;
  int64_t* made_shape; /* room for `made_room` numbers */
  size_t made_rank, made_room;
  char is_made_used; /* a run is using it */
};

struct ports {
  struct port* items; /* of malloc, as the shapes are: they are read without the GIL */
  size_t count;
  PyObject* places; /* a dict of name to place */
};

/* Durations from 256 ns to 2^37 ns, each power of two in four equal parts; the last has all above.
 */
#define DURATIONS 116
#define ERROR_CODES 16

/* Why a run was ended early. EXPIRED: its time was over before it began. OVERLOADED: too many were
 * waiting. NO_MEMORY, for the counts alone: the library had none, whatever its code. */
enum ending { GOES_ON, CANCELLED, TIMED_OUT, INTERRUPTED, EXPIRED, OVERLOADED, NO_MEMORY, ENDINGS };

struct histogram {
  int64_t parts[DURATIONS];
  double sum;
};

/* WAITS: of runs for a thread. BATCH_WAITS: of calls that a Batcher joins. ROWS: of joined runs; a
 * row counts as 1024 ns, less 512 ns a run, so that each power of two ends a part. BYTES: of a
 * run's input tensors; a byte counts as 1 ns, less half a nanosecond a run. */
enum histograms { RUNS, WAITS, BATCH_WAITS, ROWS, BYTES, HISTOGRAMS };

/* Counts of runs; see ort.metrics. */
struct counts {
  struct histogram histograms[HISTOGRAMS];
  int64_t errors[ERROR_CODES]; /* runs that failed in the library, by OrtErrorCode */
  int64_t endings[ENDINGS];    /* runs that were ended early, by `enum ending` */
  int64_t refused;             /* calls whose arguments were refused before the run */
  int64_t running;             /* runs that have begun and not ended */
};

/* Jobs in the order in which they came. */
struct queue {
  struct job* first;
  struct job** end; /* the pointer that the next job goes to; NULL for `first` */
  size_t count;
};

/* A session's jobs on threads of this package: guarded by the lock of workers.c. */
struct work {
  struct queue waiting; /* for one of the others to end */
  size_t begun;         /* how many have a thread, or get the next one */
  unsigned process;     /* where they are: the child of a fork has none of them */
};

/* Borrowed from the tuple of a session. */
struct rules {
  PyObject *convert, *options, *result, *refuse, *bound, *contents, *wrapper, *options_type;
};

struct session {
  struct handle life; /* of the OrtSession; its parents are what the library borrows */
  struct maker* maker;
  PyTypeObject* value_type;
  PyObject* all_rules; /* the tuple */
  struct rules rules;  /* see above */
  struct ports inputs; /* those without a default first */
  struct ports outputs;
  size_t required;      /* how many inputs have no default */
  char passes_inputs;   /* an output of the model is one of its inputs */
  char gives_optional;  /* an output of the model may hold nothing */
  OrtRunOptions* spare; /* for the next run that has none of its own */
  char calls_python;    /* a run may call Python, on any thread */
  struct counts counts;
  Py_buffer
      shared; /* the counts of all sessions of the model; `buf` is NULL where there are none */
  struct work work;
};

/* One run: its arguments and results as C has them. */
struct run {
  struct session* session;
  size_t input_count, output_count;
  const char** input_names;
  OrtValue** inputs;
  const char** output_names;
  OrtValue** outputs;
  const struct port** output_ports;
  /* By the place of an input in the model: its value, and the Python object that keeps the value's
   * memory. The value belongs to a Value, or is released after the run. */
  OrtValue** given;
  PyObject** holders;
  size_t bytes;        /* of the elements of the inputs, for the counts */
  PyObject** targets;  /* by output: where the caller wants it written; NULL for a new value */
  OrtIoBinding* bound; /* the binding with inputs and outputs; NULL if they are in this struct */
  OrtRunOptions* options;
  PyObject* options_holder; /* the RunOptions; NULL for the session's spare options */
  struct job* job;          /* of an asynchronous run; NULL for others */
  int ending;
  char is_terminated; /* whether the flag of the options is set for it */
  double deadline;    /* on the clock of ortcffi_now(); 0 for none */
  double timeout;     /* the seconds of the deadline, for the error */
  atomic_int is_done; /* on another thread: whether the library has ended it */
  double queued;      /* of a job, as `began` and `ended`: on the same clock */
  double began;       /* 0 for one that has not begun */
  double ended;
  struct run* next;
  struct run** link;              /* the pointer to this run in the list of those under way */
  struct run* outer;              /* of a run of the main thread: the one in whose kernel it is */
  unsigned interrupts;            /* of the same: how often SIGINT had come when it began */
  struct ortcffi_failure failure; /* of the thread that called the library */
  void** room;
  void* few[48];
};

/* The arguments of a call of `run` in Python. */
struct request {
  PyObject* feed;
  PyObject* outputs;
  PyObject* options;
  PyObject* out;
  PyObject* timeout;
  PyObject* const* named; /* values of keywords that name inputs, see `keywords` */
  PyObject* keywords;
  int as_values;    /* whether results are Values instead of arrays */
  int is_converted; /* by the rules */
};

/* What a function says of an argument. FAILED: with an exception. */
enum { FAILED = -1, TAKEN, NOT_TAKEN };

static inline OrtSession* ortcffi_session_object(const struct session* session) {
  return (OrtSession*)session->life.object;
}

/* Calls the rules' `refuse`, which raises. Takes the reference to `what`, which may be NULL with an
 * exception. */
void ortcffi_session_refuse(struct session* session, const char* why, PyObject* what);

/* --- ports.c -----------------------------------------------------------------------------------*/

/* Reads the inputs and outputs of the model; -1 with an exception. */
int ortcffi_read_ports(struct session* session);
void ortcffi_free_ports(const struct session* session, struct ports* ports);
/* _ports(make): inputs, those with a default last, and outputs as lists of (name, owner of the
 * type), and how many inputs have no default. `make()` makes a new Owner of an OrtTypeInfo, which
 * gets the type. */
PyObject* ortcffi_session_ports(PyObject* self, PyObject* make);
/* The place of a name; -1 if there is none. The place `guess` is tried first. */
Py_ssize_t ortcffi_find_port(const struct ports* ports, PyObject* name, size_t guess);

/* Takes the arguments of a run, if need be after the rules have converted them. After it, whether
 * or not it failed, ortcffi_run_end must follow. */
int ortcffi_run_begin(struct run* run, struct session* session, const struct request* request);
void ortcffi_run_end(struct run* run);
/* The same for a run that has a binding for its inputs and outputs: options and deadline. */
int ortcffi_run_begin_options(struct run* run, struct session* session,
                              const struct request* request);
/* Whether the options have adapters, which the library uses in Run only. */
int ortcffi_run_has_adapters(const struct run* run);
/* Whether a request has keywords that name inputs. */
int ortcffi_names_inputs(const struct request* request);
/* Calls the library's function, and nothing else. */
OrtStatus* ortcffi_call_run(struct run* run);
/* Makes a run, supervised and without the GIL. -1 with an exception, raised by the handler of a
 * signal or for a failure of `function`. */
int ortcffi_run_perform(struct run* run, const char* function);
/* Counts a run that has ended, with its duration in seconds and its status, NULL for success. */
void ortcffi_count_run(struct run* run, double seconds, const OrtStatus* status);
/* Counts a run that did not begin; a call whose arguments were refused; and a run that begins, or
 * with -1 ends. */
void ortcffi_count_ending(struct session* session, enum ending ending);
void ortcffi_count_refused(struct session* session);
void ortcffi_count_running(struct session* session, int change);
/* _counts(): the bytes of `struct counts`, which ortcffi/session/series.py reads. */
PyObject* ortcffi_session_counts(PyObject* self, PyObject* unused);
/* _count_into(buffer): counts into that buffer, too, from now on. */
PyObject* ortcffi_count_into(PyObject* self, PyObject* buffer);
/* _count(histogram, value): adds to a histogram; or to an ending, which is minus the first. */
PyObject* ortcffi_session_count(PyObject* self, PyObject* arguments);
/* The results of a run as a list; NULL with an exception. */
PyObject* ortcffi_run_results(struct run* run, int as_values);
/* Raises the exception for the status of a run, and releases the status. */
void ortcffi_run_fail(struct run* run, OrtStatus* status, const char* function);
/* Options for a run that has none of its own; NULL with an exception. */
OrtRunOptions* ortcffi_take_options(struct session* session);
void ortcffi_give_options(struct session* session, OrtRunOptions* options, int is_terminated);
/* Sets or clears the flag of options that ends the runs that use them. */
void ortcffi_set_terminate(const struct session* session, OrtRunOptions* options, int is_on);
/* Add a run to the list of those under way, which `cancel` ends, and take it out again. */
void ortcffi_run_link(struct run* run);
void ortcffi_run_unlink(struct run* run);
/* In the child of a fork: takes all runs out of the list; nearly all belong to threads that exist
 * in the parent only. */
void ortcffi_runs_forget(void);
/* All runs under way, of all sessions, with the lock of LIST_OF_RUNS. */
extern struct run* ortcffi_runs;
/* Ends a run early, at once if it waits for a thread; does nothing if that was done before. With
 * the lock of LIST_OF_RUNS. */
void ortcffi_run_stop(struct run* run, int ending);
/* Ends the runs of a session early, or of all sessions if it is NULL; returns how many. */
Py_ssize_t ortcffi_stop_all(const struct session* session);
/* Sorts the arguments of a call of `run`, from `first` on. `named` is room for 16 objects; where
 * that is not enough, the request has memory for PyMem_Free in `more`. */
int ortcffi_read_request(struct request* request, PyObject* const* arguments, Py_ssize_t count,
                         PyObject* keywords, PyObject** named, PyObject*** more);

/* --- run_values.c ------------------------------------------------------------------------------*/

/* The bytes of a Value that is a tensor of numbers; 0 for all others. */
size_t ortcffi_tensor_bytes(PyObject* x);

/* Makes a value of an array that needs no conversion: 1 with the value; 0 if only the rules can
 * convert it; -1 with an exception. */
int ortcffi_make_value(const struct session* session, const struct port* port, PyObject* x,
                       int is_output, OrtValue** out);
/* Uses a Value of the session's own table that needs no conversion: 1; 0 if only the rules can
 * convert it; -1 with an exception. The Value becomes the holder. Adds its bytes to `bytes`. */
int ortcffi_use_value(const struct session* session, const struct port* port, PyObject* x,
                      OrtValue** out, PyObject** holder, size_t* bytes);
/* As ortcffi_make_value, for an input: uses the cached value of an earlier run if it fits, and adds
 * the bytes of an array to `bytes`. */
int ortcffi_make_input(const struct session* session, struct port* port, PyObject* x,
                       OrtValue** out, size_t* bytes);
/* Releases the value of an input, or returns it to the cache. */
void ortcffi_drop_input(const struct session* session, struct port* port, OrtValue* value,
                        PyObject* holder);

/* --- supervision.c: runs that end early
 * ---------------------------------------------------------*/

/* Seconds on a clock that only goes forward. */
double ortcffi_now(void);
/* To be called before a run that is linked, on its thread. -1 with an exception if the handler of a
 * signal raised: then the run must not be made. */
int ortcffi_supervise_begin(struct run* run, double now);
/* To be called after such a run. */
void ortcffi_supervise_end(const struct run* run);
/* To be called with the GIL after a run that failed, before it raises: while the interpreter ends
 * runs, it waits for the end of the thread, whose traceback nobody wants; a second at most, because
 * a function of atexit may wait for the thread. */
void ortcffi_supervise_exit(void);
/* To be called in the child of a fork, whose main thread is the calling one: forgets runs and
 * threads of the parent. */
void ortcffi_runs_after_fork(void);
/* Ends all runs that are under way, and waits until they have ended; 0 if that takes longer. */
int ortcffi_end_runs(double seconds);
/* Has a run that has a deadline ended then; -1 with an exception. */
int ortcffi_supervise_deadline(const struct run* run);

/* The methods of Engine, by file. */
PyObject* ortcffi_session_run(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                              PyObject* keywords);
PyObject* ortcffi_session_submit(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                                 PyObject* keywords);
PyObject* ortcffi_session_run_values(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                                     PyObject* keywords);

/* --- overlaps.c --------------------------------------------------------------------------------*/

/* -1 with an exception if an output that the caller gave overlaps an input or another output. */
int ortcffi_check_targets(const struct run* run);
/* _check_bound(inputs, outputs): the same of dicts of what is bound, which nothing else changes. */
PyObject* ortcffi_session_check_bound(PyObject* self, PyObject* arguments);

#endif /* ORTCFFI_BOUNDARY_SESSION_H_ */
