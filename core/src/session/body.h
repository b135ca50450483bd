/* SPDX-License-Identifier: MIT */
/** @file body.h Bodies of If, Loop and Scan, each a session of its own. */
#pragma once

#include "session/session.h"

/** A body. All zeroes is none. */
struct core_body {
  OrtSession* session;
  /** The bytes of its model. */
  uint8_t* bytes;
  struct core_pool pool;
  /** The names of its inputs: its own, then those of outer values, with their places among the
   * inputs of the kernel. */
  const char** inputs;
  size_t own_count;
  size_t* places;
  size_t outer_count;
  const char** outputs;
  size_t output_count;
};

/** Makes the body that an attribute of a kernel's node holds, with the providers and ops of the
 * session around it. End it in either case. */
OrtStatus* core_new_body(const struct core_node* kernel, const char* attribute,
                         struct core_body* out);
void core_end_body(struct core_body* body);

/** Runs it in a call of the kernel. `own` has its own inputs; `outputs` gets a new value for each
 * output. */
OrtStatus* core_run_body(const struct core_body* body, const OrtKernelContext* context,
                         const OrtValue* const* own, OrtValue** outputs);
