/* SPDX-License-Identifier: MIT */
/** @file threading_options.h The struct behind OrtThreadingOptions. */
#pragma once

#include "options/session_options.h"

extern const struct core_class core_threading_options_class;

struct OrtThreadingOptions {
  struct core_object object;
  int intra_op_threads;
  int inter_op_threads;
  bool spinning;
  bool denormal_as_zero;
  /** NULL until it is set. */
  char* affinity;
  struct core_thread_functions functions;
};

/** A copy, which the caller gives to ReleaseThreadingOptions; NULL where there is no memory. */
OrtThreadingOptions* core_copy_threading_options(const OrtThreadingOptions* options);
