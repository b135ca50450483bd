/* SPDX-License-Identifier: MIT */
/** @file run_options.h The struct behind OrtRunOptions. */
#pragma once

#include "object/object.h"
#include "object/keyed_list.h"
#include "object/list.h"

extern const struct core_class core_run_options_class;

#define CORE_DEFAULT_SEVERITY (-1)

struct OrtRunOptions {
  struct core_object object;
  /** CORE_DEFAULT_SEVERITY: that of the session. */
  int log_severity;
  int log_verbosity;
  /** NULL until it is set. */
  char* tag;
  /** Atomic: another thread sets it to end a run. */
  bool terminated;
  /** The prefix of the path of the profile; NULL while runs write none. */
  ORTCHAR_T* profiling;
  /** Borrowed. */
  OrtSyncStream* stream;
  /** An item's text is the value. */
  struct core_items config;
  /** Of OrtLoraAdapter. Borrowed. */
  struct core_list adapters;
};
