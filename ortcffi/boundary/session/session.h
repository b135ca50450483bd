/* SPDX-License-Identifier: MIT */
/*
 * Sessions as Python objects: what ortcffi/session/session.py builds its class Session on.
 *
 *   Engine
 *       A session of a library, which it owns as soon as the library has written it to `_out`: no
 *       interrupt can lose it. `_begin` comes before that. `_read_ports` comes after it: a table
 *       of the inputs and outputs, so that a run looks up names without a call.
 *   Binder
 *       An IoBinding and its session: see binding.c.
 *
 * What a run cannot take as it is, is up to the session's rules, an object of Python
 * (ortcffi/session/rules.py). These methods of it are called, with the session first:
 *
 *   feed(x), outputs(x), out(x)   arguments of run in their usual form
 *   options(x)                    RunOptions of the session's library
 *   convert(place, x)             the Value for an input, or None for no input
 *   target(place, x)              the Value that an output is written to
 *   contents                      a function, as of contents.h, or None
 *   wrapper                       a type of objects whose attribute _value is a Value, or None
 *   result(value, is_input)       what a run returns for an output
 *   nothing(value, as_value)      the same for an output that holds nothing
 *   missing(place)                raises, if the library is not to look for an input
 *   bound(binding)                does so for the inputs of a binding
 *   refuse(why, what)             raises
 *
 * A session is a handle (platform/handle.h): it is released when it is closed, or gone, and the
 * last run has ended. What the library borrows for it (the environment, options, a model's bytes)
 * goes after that.
 *
 * All functions need the GIL, which also guards the fields. It is released while the library runs,
 * creates or releases something.
 */
#ifndef ORTCFFI_BOUNDARY_SESSION_H_
#define ORTCFFI_BOUNDARY_SESSION_H_

#include "boundary/platform/handle.h"
#include "boundary/values/arguments.h"
#include "boundary/values/contents.h"

#include <stdatomic.h>

/* An input or an output of a model. */
struct port {
  char* raw_name;    /* as the library gave it, until it is decoded */
  OrtTypeInfo* info; /* the port's own until `owner` has it */
  PyObject* owner;   /* an Owner of the type, once Python has asked for it; or NULL */
  const OrtTensorTypeAndShapeInfo* tensor; /* in the type; NULL for other kinds */
  PyObject* name;                          /* interned */
  const char* text;                        /* the same in UTF-8, owned by the name */
  int kind;                                /* an ONNXType */
  int element;                             /* of a tensor */
  struct content_type content;             /* of other kinds */
  Py_ssize_t rank;                         /* -1 where the model does not say */
  int64_t* shape;                          /* -1 for a dimension that the model leaves open */
  int is_on_cpu; /* the library says that it makes this output in memory of the CPU */
  /* The value of the last array of this input, for the next one at the same place: it points to the
   * memory of an array, which may be gone, and owns none. NULL for none. */
  OrtValue* made;
  const void* made_data;
  int64_t* made_shape; /* room for `made_room` numbers */
  size_t made_rank, made_room;
  char is_made_used; /* a run is under way with it */
};

struct ports {
  struct port* items; /* of malloc, as the shapes are: they are read without the GIL */
  size_t count;
  PyObject* places; /* a dict of name to place */
};

/* How long runs took, by the bytes of their inputs. */
struct habit {
  size_t short_bytes;  /* runs with so many were short */
  size_t long_bytes;   /* and one with so many was long, if there was one */
  unsigned short_runs; /* since then */
  char has_short, has_long;
};

/* Durations from 256 ns to 2^37 ns, each power of two in four equal parts; the last has all above.
 */
#define DURATIONS 116
#define ERROR_CODES 16

/* What the runs of a session were like, since it was made; see ort.metrics. */
struct counts {
  uint64_t by_duration[DURATIONS]; /* runs that succeeded */
  uint64_t errors[ERROR_CODES];    /* those that the library failed, by OrtErrorCode */
  uint64_t endings[4];             /* those that were ended early, by `enum ending` */
  uint64_t refused;                /* calls with arguments that the library was not given */
  double seconds;                  /* of the runs that succeeded, together */
};

struct session {
  struct handle life; /* of the OrtSession; its parents are what the library borrows */
  struct maker* maker;
  OrtAllocator* strings; /* where tensors of strings are made */
  PyTypeObject* value_type;
  PyObject* rules;     /* see above */
  PyObject* contents;  /* the rules' attribute of that name */
  PyObject* wrapper;   /* and of this name */
  struct ports inputs; /* those without a default first */
  struct ports outputs;
  size_t required;      /* how many inputs have no default */
  char passes_inputs;   /* an output of the model is one of its inputs */
  char gives_optional;  /* an output of the model may hold nothing */
  OrtRunOptions* spare; /* for the next run that has none of its own */
  char runs_async;      /* whether RunAsync works: 0 not known yet, 1 yes, -1 no */
  struct habit habit;
  char asks_options; /* runs that have no options ask Python for them */
  char calls_python; /* a run may call Python, on any thread */
  char holds_gil;    /* runs keep the GIL, as the caller wants; never where they call Python */
  struct counts counts;
};

/* Why a run was ended early. */
enum ending { GOES_ON, CANCELLED, TIMED_OUT, INTERRUPTED };

/* One run: its arguments in C's form, and what it gave. */
struct run {
  struct session* session;
  size_t input_count, output_count;
  size_t bytes;         /* of the inputs */
  char has_other_bytes; /* whether there are more, of inputs that Python converted */
  const char** input_names;
  OrtValue** inputs;
  const char** output_names;
  OrtValue** outputs;
  const struct port** output_ports;
  /* By the place of an input in the model: its value, and what keeps its memory. A value of a
   * Python object, which it stays, or one that is released with the run. */
  OrtValue** given;
  PyObject** holders;
  PyObject** targets;  /* by output: what the caller has it written to; NULL for a new value */
  OrtIoBinding* bound; /* which has the inputs and outputs; NULL if they are in this struct */
  OrtRunOptions* options;
  PyObject* options_holder; /* the RunOptions; NULL for the session's spare options */
  int ending;
  double deadline;    /* on the clock of ortcffi_now(); 0 for none */
  double timeout;     /* the seconds that it was given, if it has one */
  atomic_int is_done; /* on another thread: whether it has ended, and only its results are left */
  double began;       /* of a job, as `ended`: on the same clock */
  double ended;
  struct run* next;
  struct run** link; /* what points to this run while it is under way */
  void** room;
  void* few[48];
};

/* What Python asks a run to do. */
struct request {
  PyObject* feed;
  PyObject* outputs;
  PyObject* options;
  PyObject* out;
  PyObject* timeout;
  PyObject* const* named; /* values of keywords that name inputs, see `keywords` */
  PyObject* keywords;
  int as_values; /* whether results are Values instead of arrays */
};

extern PyTypeObject* ortcffi_session_type;
extern PyType_Spec ortcffi_session_spec;
extern PyType_Spec ortcffi_binding_spec;
extern PyType_Spec ortcffi_job_spec;
extern PyType_Spec ortcffi_mailbox_spec;
/* Set by ortcffi_session_types. */
extern PyTypeObject* ortcffi_job_type;
extern PyTypeObject* ortcffi_mailbox_type;

static inline OrtSession* ortcffi_session_object(const struct session* session) {
  return (OrtSession*)session->life.object;
}

/* Calls a method of the session's rules; the format is of the arguments after the session. */
#define ASK_RULES(session, method, format, ...) \
  PyObject_CallMethod((session)->rules, method, "O" format, (PyObject*)(session), __VA_ARGS__)
/* Has the rules raise; the reference to `what` is taken, which may be NULL with an exception. */
void ortcffi_session_refuse(struct session* session, const char* why, PyObject* what);

/* --- ports.c -----------------------------------------------------------------------------------*/

/* Reads what the model wants and gives; -1 with an exception. */
int ortcffi_read_ports(struct session* session);
void ortcffi_free_ports(const struct session* session, struct ports* ports);
/* _ports(make): inputs, those with a default last, and outputs as lists of (name, owner of the
 * type, kind, element, shape), and how many inputs have no default. `make()` makes a new Owner of
 * an OrtTypeInfo, which gets the type. */
PyObject* ortcffi_session_ports(PyObject* self, PyObject* make);
/* _required(): the names of the inputs that are not optional and have no default, as a set. */
PyObject* ortcffi_session_required(PyObject* self, PyObject* unused);
/* The place of a name, which is likely to be at `guess`; -1 if there is none. */
Py_ssize_t ortcffi_find_port(const struct ports* ports, PyObject* name, size_t guess);

/* Takes the arguments of a run. After it, whether or not it failed, ortcffi_run_end must follow. */
int ortcffi_run_begin(struct run* run, struct session* session, const struct request* request);
void ortcffi_run_end(struct run* run);
/* The same for a run that has a binding for its inputs and outputs: options and deadline. */
int ortcffi_run_begin_options(struct run* run, struct session* session,
                              const struct request* request);
/* Whether the options have adapters, which the library uses in Run only. */
int ortcffi_run_has_adapters(const struct run* run);
/* Whether a request has keywords that name inputs. */
int ortcffi_names_inputs(const struct request* request);
/* Calls the library; no more than that. */
OrtStatus* ortcffi_call_run(struct run* run);
/* Does the same without the GIL, for a run that is watched; or, where it has no deadline, with the
 * GIL. -1 with an exception, that of the handler of a signal or that of the library's `function`.
 */
int ortcffi_run_perform(struct run* run, struct habit* habit, int holds_gil, const char* function);
/* Counts a run that has ended, with the seconds that it took and its status, NULL for success. */
void ortcffi_count_run(struct run* run, double seconds, const OrtStatus* status);
/* Whether runs are counted. */
extern int ortcffi_counts_runs;
/* _counts(): (by_duration, errors, endings, refused, seconds), the first three as tuples. */
PyObject* ortcffi_session_counts(PyObject* self, PyObject* unused);
/* The results as a list; NULL with an exception. */
PyObject* ortcffi_run_results(struct run* run, int as_values);
/* Raises what a run failed with, and releases the status. */
void ortcffi_run_fail(struct run* run, OrtStatus* status, const char* function);
/* Options for a run that has none of its own; NULL with an exception. */
OrtRunOptions* ortcffi_take_options(struct session* session);
void ortcffi_give_options(struct session* session, OrtRunOptions* options, int is_terminated);
/* Sets or clears what ends the runs that use these options. */
void ortcffi_set_terminate(const struct session* session, OrtRunOptions* options, int is_on);
/* Makes a run one of those under way, which `cancel` ends, and takes it out again. */
void ortcffi_run_link(struct run* run);
void ortcffi_run_unlink(struct run* run);
/* In the child of a fork: takes all runs out, most of which are of threads that it has not. */
void ortcffi_runs_forget(void);
/* All runs under way, of all sessions. */
extern struct run* ortcffi_runs;
/* Ends a run under way early. Without effect if that was done before. */
void ortcffi_run_stop(struct run* run, int ending);
/* Has the runs of a session end early, or of all if it is NULL; returns how many. */
Py_ssize_t ortcffi_stop_all(const struct session* session);
/* Sorts the arguments of a call of `run`, from `first` on. `named` is room for 16 objects; where
 * that is not enough, the request has memory for PyMem_Free in `more`. */
int ortcffi_read_request(struct request* request, PyObject* const* arguments, Py_ssize_t count,
                         PyObject* keywords, PyObject** named, PyObject*** more);

/* --- run_values.c ------------------------------------------------------------------------------*/

/* A value of what fits as it is: 1 with the value; 0 where Python has to look at it; -1 with an
 * exception. */
int ortcffi_make_value(const struct session* session, const struct port* port, PyObject* x,
                       int is_output, OrtValue** out, size_t* bytes);
/* Uses a Value of the session's own table that fits as it is: 1; 0 where Python has to look at it;
 * -1 with an exception. The Value becomes the holder. */
int ortcffi_use_value(const struct session* session, const struct port* port, PyObject* x,
                      OrtValue** out, PyObject** holder);
/* As ortcffi_make_value, for an input, of which a value may be there from another run. */
int ortcffi_make_input(const struct session* session, struct port* port, PyObject* x,
                       OrtValue** out, size_t* bytes);
/* As ortcffi_make_input, of a list or a dict; with what keeps its memory. */
int ortcffi_make_contents(const struct session* session, struct port* port, PyObject* x,
                          OrtValue** out, PyObject** holder, size_t* bytes);
/* Gives back a value of an input. */
void ortcffi_drop_input(const struct session* session, struct port* port, OrtValue* value,
                        PyObject* holder);

/* --- watch.c: runs that end early ---------------------------------------------------------------
 *
 * One thread waits for signals and deadlines while there are runs to watch. Python's handler for a
 * signal writes to a pipe of ours while the main thread is in a watched run: the thread then ends
 * that run if the signal is SIGINT with Python's own handler, so that KeyboardInterrupt need not
 * wait. To have the handler do so takes system calls, which a short run does not get: a run is
 * short if one with inputs as large was. */

/* What a run of the main thread found, and restores. */
struct watch {
  PyObject* old_fd; /* the program's; NULL where the run is not watched */
  struct run* outer;
};

/* Seconds on a clock that only goes forward. */
double ortcffi_now(void);
/* Before and after a run that is linked; on the thread that runs it. -1 with an exception where the
 * handler of a signal raised, and then the run is not to be made. */
int ortcffi_watch_begin(struct watch* watch, struct run* run, const struct habit* habit);
/* Learns from a run that took so many seconds; INFINITY for one that failed or was ended, since one
 * like it may take any time. */
void ortcffi_watch_learn(struct habit* habit, const struct run* run, double seconds);
/* Does the same, and restores what the run found. */
void ortcffi_watch_end(const struct watch* watch, const struct run* run, struct habit* habit,
                       double seconds);
/* Has the thread wait no longer than the deadline of a run. */
void ortcffi_watch_deadline(const struct run* run);
/* Whether a run is the main thread's, is likely to be long, and is the same on any thread. */
int ortcffi_watch_leaves(const struct run* run, const struct habit* habit);

/* --- aside.c: runs that the main thread waits for -----------------------------------------------
 *
 * Python runs the handlers of signals on the main thread only. A run that is likely to be long
 * therefore goes to a thread of its own, if it calls no Python, which could tell the threads apart.
 * The main thread waits for it and has the handlers run. One that raises ends the run, as
 * KeyboardInterrupt does. The other runs of the main thread are watched. */

/* Makes a run: 1 with its status and the seconds that it took; -1 with them and what a handler
 * raised; 0 where there is no thread, and then it is to be made otherwise. */
int ortcffi_run_aside(struct run* run, OrtStatus** status, double* seconds);
/* Forgets runs of the parent, in the child of a fork. */
void ortcffi_aside_forget(void);

/* The methods of Engine, by file. */
PyObject* ortcffi_session_run(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                              PyObject* keywords);
PyObject* ortcffi_session_submit(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                                 PyObject* keywords);
PyObject* ortcffi_session_run_values(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                                     PyObject* keywords);

/* Memory of inputs and outputs; see overlaps.c. The caller frees `items` by PyMem_Free. */
struct extent {
  const char* begin;
  const char* end;
  const char* name;
  int is_output;
};
struct extents {
  struct extent* items;
  size_t count;
};
/* Room for so many; -1 with an exception. */
int ortcffi_new_extents(struct extents* all, size_t most);
/* Adds the memory of an array or a Value, if it has any. */
void ortcffi_add_extent(struct extents* all, PyObject* x, const char* name, int is_output);
/* -1 with an exception where an output overlaps something else. */
int ortcffi_check_extents(struct session* session, const struct extents* all);

#endif /* ORTCFFI_BOUNDARY_SESSION_H_ */
