/* SPDX-License-Identifier: MIT */
/** @file flow.h The kernels of If, Loop and Scan. */
#pragma once

#include "session/body.h"

/** A kernel. */
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
