/* SPDX-License-Identifier: MIT */
/** @file run_options.h What run options hold. */
#ifndef ORTCFFI_RUN_OPTIONS_H_
#define ORTCFFI_RUN_OPTIONS_H_

#include "options/keyed_list.h"

struct OrtRunOptions {
  const char* mark;
  int log_severity;
  int log_verbosity;
  /** NULL until it is set. */
  char* tag;
  /** Atomic: other threads end runs that are under way. */
  bool is_terminated;
  /** ORTCHAR_T; NULL while runs write no profile. */
  ORTCHAR_T* profile_prefix;
  /** Borrowed. */
  OrtSyncStream* stream;
  /** An item's text is the value. */
  struct core_items config;
};

#endif /* ORTCFFI_RUN_OPTIONS_H_ */
