/* SPDX-License-Identifier: MIT */
/**
 * @file op_recorder.h
 * Records which custom ops are registered with options of another library, whose options cannot be
 * read. The op library is given a table that records domains and ops and forwards each call to the
 * other library.
 *
 * Op libraries keep the table that they are given, so a recorder's table lives until the process
 * ends. Domains are added to the options after the registration function succeeds: one that fails
 * leaves nothing in the options.
 */
#ifndef ORTCFFI_OP_RECORDER_H_
#define ORTCFFI_OP_RECORDER_H_

#include "custom_ops/custom_op.h"

/** The options of the other library, and the list that records their ops. */
struct core_recording {
  const OrtApiBase* base;
  /** A table of `base`, of ORT_API_VERSION or the highest that it has. */
  const OrtApi* table;
  /** The API version of that library. */
  uint32_t version;
  OrtSessionOptions* options;
  struct core_custom_ops* ops;
};

/** Does what RegisterCustomOpsLibrary_V2 does; `ops` keeps the library open. The other library's
 * table makes the status. */
OrtStatus* core_record_library(const struct core_recording* recording, const char* path);

/** Does what RegisterCustomOpsUsingFunction does, with a function instead of its name. */
OrtStatus* core_record_function(const struct core_recording* recording,
                                RegisterCustomOpsFn registration);

#endif /* ORTCFFI_OP_RECORDER_H_ */
