/* SPDX-License-Identifier: MIT */
/* Counts the runs of a session: how many, how long, how they failed. See session.h. */
#include "boundary/session/session.h"
#include "boundary/session/session_types.h"

int ortcffi_counts_runs = 1;

void ortcffi_count_runs(int is_on) { ortcffi_counts_runs = is_on; }

/* 2^(8 + i / 4) ns are where part i begins, up to the part of a power of two. */
#define FIRST_POWER 8

static size_t place_of(double seconds) {
  uint64_t ns = (uint64_t)(seconds * 1e9);
  if (ns >> FIRST_POWER == 0) {
    return 0;
  }
  unsigned power = 63 - (unsigned)__builtin_clzll(ns);
  size_t part = (ns >> (power - 2)) & 3;
  size_t place = (size_t)(power - FIRST_POWER) * 4 + part;
  return place < DURATIONS ? place : DURATIONS - 1;
}

void ortcffi_count_run(struct run* run, double seconds, const OrtStatus* status) {
  struct counts* counts = &run->session->counts;
  if (!ortcffi_counts_runs) {
    return;
  }
  if (status == NULL) {
    counts->by_duration[place_of(seconds)]++;
    counts->seconds += seconds;
  } else if (run->ending != GOES_ON) {
    counts->endings[run->ending]++;
  } else {
    unsigned code = (unsigned)run->session->maker->api->GetErrorCode(status);
    counts->errors[code < ERROR_CODES ? code : ORT_FAIL]++;
  }
}

static PyObject* tuple_of(const uint64_t* numbers, Py_ssize_t count) {
  PyObject* tuple = PyTuple_New(count);
  for (Py_ssize_t i = 0; tuple != NULL && i < count; i++) {
    PyObject* number = PyLong_FromUnsignedLongLong(numbers[i]);
    if (number == NULL) {
      Py_CLEAR(tuple);
    } else {
      PyTuple_SetItem(tuple, i, number);
    }
  }
  return tuple;
}

PyObject* ortcffi_session_counts(PyObject* self, PyObject* unused) {
  (void)unused;
  struct counts counts = ((struct session*)self)->counts; /* at one moment: with the GIL */
  PyObject* durations = tuple_of(counts.by_duration, DURATIONS);
  PyObject* errors = tuple_of(counts.errors, ERROR_CODES);
  PyObject* endings = tuple_of(counts.endings, ENDINGS);
  unsigned long long refused = counts.refused;
  PyObject* all =
      durations == NULL || errors == NULL || endings == NULL
          ? NULL
          : Py_BuildValue("(OOOKd)", durations, errors, endings, refused, counts.seconds);
  Py_XDECREF(durations);
  Py_XDECREF(errors);
  Py_XDECREF(endings);
  return all;
}
