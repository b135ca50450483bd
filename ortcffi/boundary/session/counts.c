/* SPDX-License-Identifier: MIT */
/* Counts the runs of a session: how many, how long, how they failed. See session.h. */
#include "boundary/memory/numpy_arrays.h"
#include "boundary/session/session.h"
#include "boundary/session/session_types.h"

#include <stddef.h>
#include <string.h>

/* 2^(8 + i / 4) ns are where part i begins, up to the part of a power of two. */
#define FIRST_POWER 8

static size_t part_of(double seconds) {
  if (!(seconds > 0)) {
    return 0;
  }
  uint64_t ns = (uint64_t)(seconds * 1e9);
  if (ns >> FIRST_POWER == 0) {
    return 0;
  }
  unsigned power = 63 - (unsigned)__builtin_clzll(ns);
  size_t part = (ns >> (power - 2)) & 3;
  size_t place = (size_t)(power - FIRST_POWER) * 4 + part;
  return place < DURATIONS ? place : DURATIONS - 1;
}

/* Both the session's own counts and those that it shares have them. */
static void add(struct session* session, size_t offset, int64_t change) {
  add_to((int64_t*)((char*)&session->counts + offset), change);
  if (session->shared.buf != NULL) {
    add_to((int64_t*)((char*)session->shared.buf + offset), change);
  }
}

#define COUNT(session, what) add(session, offsetof(struct counts, what), 1)

static void observe(struct session* session, int which, double value) {
  struct counts* shared = session->shared.buf;
  COUNT(session, histograms[which].parts[part_of(value)]);
  add_to_sum(&session->counts.histograms[which].sum, value);
  if (shared != NULL) {
    add_to_sum(&shared->histograms[which].sum, value);
  }
}

void ortcffi_count_run(struct run* run, double seconds, const OrtStatus* status) {
  struct session* session = run->session;
  if (status == NULL) {
    observe(session, RUNS, seconds);
    if (run->bytes > 0) {
      observe(session, BYTES, ((double)run->bytes - 0.5) * 1e-9);
    }
  } else if (run->ending != GOES_ON) {
    COUNT(session, endings[run->ending]);
  } else {
    const OrtApi* api = session->maker->api;
    unsigned code = (unsigned)api->GetErrorCode(status);
    if (ortcffi_is_no_memory((int)code, api->GetErrorMessage(status), run->failure.error)) {
      COUNT(session, endings[NO_MEMORY]);
    } else {
      COUNT(session, errors[code < ERROR_CODES ? code : ORT_FAIL]);
    }
  }
  if (run->job != NULL && run->began > 0) {
    observe(session, WAITS, run->began - run->queued);
  }
}

void ortcffi_count_ending(struct session* session, enum ending ending) {
  COUNT(session, endings[ending]);
}

void ortcffi_count_refused(struct session* session) { COUNT(session, refused); }

void ortcffi_count_running(struct session* session, int change) {
  add(session, offsetof(struct counts, running), change);
}

/* --- for Python --------------------------------------------------------------------------------*/

PyObject* ortcffi_session_count(PyObject* self, PyObject* arguments) {
  int which;
  double value;
  struct session* session = (struct session*)self;
  if (!PyArg_ParseTuple(arguments, "id", &which, &value)) {
    return NULL;
  }
  if (which <= -ENDINGS || which >= HISTOGRAMS) {
    PyErr_SetString(PyExc_ValueError, "there is no such count");
    return NULL;
  }
  if (which < 0) {
    ortcffi_count_ending(session, (enum ending) - which);
  } else {
    observe(session, which, value);
  }
  Py_RETURN_NONE;
}

PyObject* ortcffi_count_into(PyObject* self, PyObject* buffer) {
  struct session* session = (struct session*)self;
  Py_buffer view;
  if (PyObject_GetBuffer(buffer, &view, PyBUF_WRITABLE) < 0) {
    return NULL;
  }
  if (view.len < (Py_ssize_t)sizeof(struct counts)) {
    PyBuffer_Release(&view);
    PyErr_SetString(PyExc_ValueError, "the buffer is too small");
    return NULL;
  }
  if (session->shared.buf != NULL) {
    PyBuffer_Release(&session->shared);
  }
  session->shared = view;
  Py_RETURN_NONE;
}

/* At one moment with the GIL; without it each number by itself. */
PyObject* ortcffi_session_counts(PyObject* self, PyObject* unused) {
  const struct counts* counts = &((struct session*)self)->counts;
  return PyBytes_FromStringAndSize((const char*)counts, sizeof *counts);
}
