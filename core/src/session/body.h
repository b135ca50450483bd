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

/** A kernel of If, Loop or Scan. */
struct core_flow {
  OrtKernelImpl base;
  /** Its inputs are those of the node, then the outer values that its bodies read. */
  const OrtNode* node;
  struct core_body bodies[2];
  OrtLoopKernelHelper* loop;
  OrtScanKernelHelper* scan;
};

typedef OrtStatus* ORT_API_CALL core_flow_function(OrtKernelImpl* self, OrtKernelContext* context);

/** Makes a kernel with the bodies that attributes hold; the second may be NULL. */
OrtStatus* core_new_flow(const OrtKernelInfo* info, const char* const names[2],
                         core_flow_function* compute, struct core_flow** out);

/** How many inputs the node itself has. */
size_t core_explicit_inputs(const struct core_flow* flow);

/** Finds the inputs of a call that a body gets in the first turn; none may be left out. */
OrtStatus* core_begin_carried(const OrtKernelContext* context, size_t first, size_t count,
                              const OrtValue** values);

/** Makes a value an output of a call: a tensor is copied. */
OrtStatus* core_set_output_of(OrtKernelContext* context, size_t i, const OrtValue* value);

/** Makes values the first outputs of a call. */
OrtStatus* core_set_outputs_of(OrtKernelContext* context, OrtValue* const* values, size_t count);

void core_release_values(OrtValue** values, size_t count);
