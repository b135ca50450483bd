/* SPDX-License-Identifier: MIT */
/* Counts the runs of a session: how many, how long, how they failed. See session.h. */
#include "boundary/memory/numpy_arrays.h"
#include "boundary/session/session.h"
#include "boundary/session/session_types.h"

int ortcffi_counts_runs = 1;

void ortcffi_count_runs(int is_on) { ortcffi_counts_runs = is_on; }

/* 2^(8 + i / 4) ns are where part i begins, up to the part of a power of two. */
#define FIRST_POWER 8

static size_t part_of(double seconds) {
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
    counts->by_duration[part_of(seconds)]++;
    counts->seconds += seconds;
  } else if (run->ending != GOES_ON) {
    counts->endings[run->ending]++;
  } else {
    unsigned code = (unsigned)run->session->maker->api->GetErrorCode(status);
    counts->errors[code < ERROR_CODES ? code : ORT_FAIL]++;
  }
}

PyObject* ortcffi_session_counts(PyObject* self, PyObject* unused) {
  (void)unused;
  struct counts counts = ((struct session*)self)->counts; /* at one moment: with the GIL */
  PyObject* durations = ortcffi_tuple_of_numbers(counts.by_duration, DURATIONS);
  PyObject* errors = ortcffi_tuple_of_numbers(counts.errors, ERROR_CODES);
  PyObject* endings = ortcffi_tuple_of_numbers(counts.endings, ENDINGS);
  long long refused = counts.refused;
  PyObject* all =
      durations == NULL || errors == NULL || endings == NULL
          ? NULL
          : Py_BuildValue("(OOOLd)", durations, errors, endings, refused, counts.seconds);
  Py_XDECREF(durations);
  Py_XDECREF(errors);
  Py_XDECREF(endings);
  return all;
}
