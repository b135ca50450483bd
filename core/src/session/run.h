/* SPDX-License-Identifier: MIT */
/** @file run.h What the files of a run share. */
#pragma once

#include "session/session.h"

/** The memory of one run. A session keeps one frame for the next run. */
struct core_frame {
  /** The values by number; before a run, only the constants. */
  OrtValue** values;
  /** By number: whether the run made the value, and so releases it. */
  bool* is_own;
  /** The operands of the current step. */
  OrtValue** operands;
  /** What the run does on devices, one for each provider. */
  struct core_device_run* device_runs;
  /** A small tensor that the run made and no step reads any more, or NULL: a step whose output is
   * like it gets it instead of a new one. */
  OrtValue* idle;
  /** NULL for a run without one. */
  struct core_profile* profile;
  /** One for each step. */
  OrtKernelContext* contexts[];
};

/** Checks the inputs of a run against the ports, those of adapters as well, and puts them among the
 * values. `options` may be NULL. */
OrtStatus* core_set_inputs(const OrtSession* session, struct core_frame* frame,
                           const OrtRunOptions* options, const struct core_feeds* feeds);

/** Checks the outputs, and puts those that the caller gave among the values: a step writes into
 * them; not into an optional one, which would not show that the step makes none. */
OrtStatus* core_set_outputs(const OrtSession* session, struct core_frame* frame,
                            const struct core_feeds* feeds);

/** Hands the outputs over; on failure the caller gets none. */
OrtStatus* core_hand_over(const OrtSession* session, const struct core_frame* frame,
                          const struct core_feeds* feeds);
