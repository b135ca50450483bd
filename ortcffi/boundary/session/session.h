/* SPDX-License-Identifier: MIT */
/*
 * Sessions as Python objects: what ortcffi/session/session.py builds its class Session on.
 *
 *   Engine
 *       A session of a library. `_begin` gives it the handle, which it owns, and what it knows of
 *       the model: a table of inputs and outputs, so that a run looks up names without a call.
 *   Binder
 *       An IoBinding and its session: see binding.c.
 *
 * A session is released when it is closed, or gone, and the last run has ended. What the library
 * borrows for a session (the environment, options, a model's bytes) goes after that.
 *
 * All functions need the GIL, which also guards the fields. It is released while the library runs,
 * creates or releases something.
 */
#ifndef ORTCFFI_BOUNDARY_SESSION_H_
#define ORTCFFI_BOUNDARY_SESSION_H_

#include "boundary/values/values.h"

/* An input or an output of a model. */
struct port {
  PyObject* name;   /* interned */
  const char* text; /* the same in UTF-8, owned by the name */
  int kind;         /* an ONNXType */
  int element;      /* of a tensor */
  Py_ssize_t rank;  /* -1 where the model does not say */
  int64_t* shape;   /* -1 for a dimension that the model leaves open */
};

struct ports {
  struct port* items;
  size_t count;
  PyObject* places; /* a dict of name to place */
};

struct session {
  PyObject base;
  struct maker* maker;
  OrtSession* handle;    /* NULL once it is released */
  OrtAllocator* strings; /* where tensors of strings are made */
  PyTypeObject* value_type;
  PyObject* keep;      /* what the library borrows */
  struct ports inputs; /* those without a default first */
  struct ports outputs;
  size_t required;      /* how many inputs have no default */
  char passes_inputs;   /* an output of the model is one of its inputs */
  struct run* runs;     /* under way */
  OrtRunOptions* spare; /* for the next run that has none of its own */
  size_t uses;          /* runs, bindings and calls under way */
  char is_closed;
};

/* Why a run was told to end early. */
enum ending { GOES_ON, CANCELLED, TIMED_OUT, INTERRUPTED };

/* One run: its arguments in C's form, and what it gave. */
struct run {
  struct session* session;
  size_t input_count, output_count;
  const char** input_names;
  OrtValue** inputs;
  const char** output_names;
  OrtValue** outputs;
  /* By the place of an input in the model: its value, and what keeps its memory. A value of a
   * Python object, which it stays, or one that is released with the run. */
  OrtValue** given;
  PyObject** holders;
  PyObject** targets; /* by output: what the caller has it written to; NULL for a new value */
  OrtRunOptions* options;
  PyObject* options_holder; /* NULL for the session's spare options */
  int ending;
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

/* 0 if the session is open; otherwise -1 with an exception. */
int ortcffi_session_open(const struct session* session);
/* Takes and gives back a use of an open session: it is not released in between. */
void ortcffi_session_use(struct session* session);
void ortcffi_session_end_use(struct session* session);

/* The place of a name, which is likely to be at `guess`; -1 if there is none. */
Py_ssize_t ortcffi_find_port(const struct ports* ports, PyObject* name, size_t guess);

/* Takes the arguments of a run. After it, whether or not it failed, ortcffi_run_end must follow. */
int ortcffi_run_begin(struct run* run, struct session* session, const struct request* request);
void ortcffi_run_end(struct run* run);
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
/* Has a run under way end early. Without effect where it has been told so before. */
void ortcffi_run_stop(struct run* run, int ending);

/* The methods of Engine, by file. */
PyObject* ortcffi_session_run(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                              PyObject* keywords);
PyObject* ortcffi_session_run_values(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                                     PyObject* keywords);

#endif /* ORTCFFI_BOUNDARY_SESSION_H_ */
