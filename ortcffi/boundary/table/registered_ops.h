/* SPDX-License-Identifier: MIT */
/*
 * Custom ops that were registered with options of the core or of another library. See
 * custom_op.h in core/src/custom_ops.
 */
#ifndef ORTCFFI_BOUNDARY_REGISTERED_OPS_H_
#define ORTCFFI_BOUNDARY_REGISTERED_OPS_H_

#include "onnxruntime_c_api.h"

/* A list of domains, and of the libraries that it keeps open for them. */
typedef struct core_custom_ops ortcffi_ops;

/* A copy of a list, or for NULL an empty list; 0 where there is no memory. The caller gives it to
 * ortcffi_end_ops. A list of what options of another library hold must outlive those options and
 * their sessions. */
int ortcffi_new_ops(const ortcffi_ops* from, ortcffi_ops** out);
/* May unload libraries. */
void ortcffi_end_ops(ortcffi_ops* ops);

/* Registers custom ops with options of another library, whose highest API version is `version`, and
 * records them in `ops`. `table` is a table of `base`. `path` is UTF-8. The other library makes the
 * status. */
OrtStatus* ortcffi_record_library(const OrtApiBase* base, const OrtApi* table, uint32_t version,
                                  OrtSessionOptions* options, const char* path, ortcffi_ops* ops);
OrtStatus* ortcffi_record_function(const OrtApiBase* base, const OrtApi* table, uint32_t version,
                                   OrtSessionOptions* options, const void* function,
                                   ortcffi_ops* ops);

/* The name of a domain; NULL past the last. */
const char* ortcffi_op_domain(const ortcffi_ops* ops, size_t domain);
/* An op of a domain; NULL past the last. */
const OrtCustomOp* ortcffi_op_at(const ortcffi_ops* ops, size_t domain, size_t i);

/* The custom ops that session options of the core hold; borrowed from the options. */
const ortcffi_ops* ortcffi_options_ops(const OrtSessionOptions* options);

#endif /* ORTCFFI_BOUNDARY_REGISTERED_OPS_H_ */
