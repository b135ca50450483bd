/* SPDX-License-Identifier: MIT */
/**
 * @file op_recorder.h
 * Custom ops in the options of another library, which cannot be read: a table that passes each call
 * on to that library's stands before it while ops are registered, and notes what is registered.
 *
 * What registers keeps the table that it was given, so the table stays. It is that of version 30 at
 * most, and its base says so. Domains are added to the options at the end, and only if the
 * registration succeeds: a library that fails leaves nothing in the options of any table.
 */
#ifndef ORTCFFI_OP_RECORDER_H_
#define ORTCFFI_OP_RECORDER_H_

#include "custom_ops/custom_op.h"

/** Whose options they are, and where to note their ops. */
struct core_recording {
  const OrtApiBase* base;
  /** The API version of that library. */
  uint32_t version;
  OrtSessionOptions* options;
  struct core_custom_ops* ops;
};

/** As RegisterCustomOpsLibrary_V2; `ops` keeps the library open. The status is made by the other
 * library's table, which must have version 1 at least. */
OrtStatus* core_record_library(const struct core_recording* recording, const char* path);

/** As RegisterCustomOpsUsingFunction. */
OrtStatus* core_record_function(const struct core_recording* recording,
                                RegisterCustomOpsFn registration);

#endif /* ORTCFFI_OP_RECORDER_H_ */
