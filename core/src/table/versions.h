/* SPDX-License-Identifier: MIT */
/**
 * @file versions.h
 * Tables beside the core's own: hosts (hosts.c), and traces (trace.c). ortcore.h describes the
 * functions that clients call.
 */
#pragma once

#include "ortcore.h"
#include "status/notes.h"

/** What GetApi does with a version that a host does not have: writes a line to stderr, answers
 * NULL.
 */
const OrtApi* core_refuse_version(uint32_t version, uint32_t newest, const char* version_string);

/** The end of the message of a slot that a host lacks, after the API version that it came with. */
#define CORE_LATE_END "; this host is of an older one"

/** The API versions before the core's own. */
/* clang-format off */
#define CORE_EACH_OLDER_HOST(X, ...) \
  X(1, __VA_ARGS__) X(2, __VA_ARGS__) X(3, __VA_ARGS__) X(4, __VA_ARGS__) X(5, __VA_ARGS__) \
  X(6, __VA_ARGS__) X(7, __VA_ARGS__) X(8, __VA_ARGS__) X(9, __VA_ARGS__) X(10, __VA_ARGS__) \
  X(11, __VA_ARGS__) X(12, __VA_ARGS__) X(13, __VA_ARGS__) X(14, __VA_ARGS__) X(15, __VA_ARGS__) \
  X(16, __VA_ARGS__) X(17, __VA_ARGS__) X(18, __VA_ARGS__) X(19, __VA_ARGS__) X(20, __VA_ARGS__) \
  X(21, __VA_ARGS__) X(22, __VA_ARGS__) X(23, __VA_ARGS__) X(24, __VA_ARGS__) X(25, __VA_ARGS__) \
  X(26, __VA_ARGS__) X(27, __VA_ARGS__) X(28, __VA_ARGS__) X(29, __VA_ARGS__) X(30, __VA_ARGS__) \
  X(31, __VA_ARGS__)
/* clang-format on */

/** All API versions that the core plays. */
#define CORE_EACH_HOST(X, ...) \
  CORE_EACH_OLDER_HOST(X, __VA_ARGS__) CORE_EXPANDED(X, ORT_API_VERSION, __VA_ARGS__)
#define CORE_EXPANDED(X, version, ...) X(version, __VA_ARGS__)
#define CORE_COUNT_HOST(version, ...) +1
_Static_assert(0 CORE_EACH_HOST(CORE_COUNT_HOST, ) == ORT_API_VERSION,
               "CORE_EACH_OLDER_HOST lists every version before this one");

/** The index of a slot of OrtApi. */
#define CORE_PLACE(name) (offsetof(OrtApi, name) / sizeof(void*))

const OrtApiBase* ORT_API_CALL core_emulate(uint32_t version);
OrtStatus* ORT_API_CALL core_trace_begin(const OrtApi* api, uint32_t version,
                                         const char* version_string, OrtcoreFigures* figures,
                                         OrtcoreTrace** out);
void ORT_API_CALL core_trace_end(OrtcoreTrace* trace);

/** The number of the build, which the extension has as well: see build_ort.py. */
CORE_FOR_EXTENSION const char* core_build(void);

CORE_FOR_EXTENSION const OrtApiBase* ORT_API_CALL core_kernel_base(uint32_t version);
/** core_kernel_create with the table of core_kernel_base for a node without one. */
OrtStatus* ORT_API_CALL core_host_kernel(const OrtcoreNode* node, OrtcoreKernel** out);
OrtStatus* ORT_API_CALL core_register_library(OrtSessionOptions* options, const OrtApiBase* base,
                                              const char* path, OrtcoreCopy copy, int* is_copy);
const OrtCustomOp* ORT_API_CALL core_find_op(const OrtSessionOptions* options, const char* domain,
                                             const char* name);

const OrtApiBase* ORT_API_CALL core_watched_base(uint32_t version);
void ORT_API_CALL core_watched_objects(uint64_t* out);
/** The table that forwards to `inner` and notes what clients have not released. One for the
 * process.
 */
const OrtApi* core_watch(const OrtApi* inner);
/** core_each_noted for the slots of all watched tables. */
CORE_FOR_EXTENSION void core_each_watched(core_noted_fn each, void* argument);
