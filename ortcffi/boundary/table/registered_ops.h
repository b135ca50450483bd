/* SPDX-License-Identifier: MIT */
/*
 * Custom ops that were registered with options of the core, and the registration with options of
 * another library. See custom_op.h in core/src/custom_ops.
 */
#ifndef ORTCFFI_BOUNDARY_REGISTERED_OPS_H_
#define ORTCFFI_BOUNDARY_REGISTERED_OPS_H_

#include "onnxruntime_c_api.h"

/* A list of domains, and of the libraries that it keeps open for them. */
typedef struct core_custom_ops ortcffi_ops;

/* A copy of a list; 0 where there is no memory. The caller gives it to ortcffi_end_ops. */
int ortcffi_new_ops(const ortcffi_ops* from, ortcffi_ops** out);
/* May unload libraries. */
void ortcffi_end_ops(ortcffi_ops* ops);

/* Calls RegisterCustomOpsLibrary_V2 of another library for a file that is known to be whole, as
 * that library does not look. `path` is UTF-8. The other library makes the status. */
OrtStatus* ortcffi_register_ops(const OrtApi* api, OrtSessionOptions* options,
                                const ORTCHAR_T* path);

/* The name of a domain; NULL past the last. */
const char* ortcffi_op_domain(const ortcffi_ops* ops, size_t domain);
/* An op of a domain; NULL past the last. */
const OrtCustomOp* ortcffi_op_at(const ortcffi_ops* ops, size_t domain, size_t i);

/* The custom ops that session options of the core hold; borrowed from the options. */
const ortcffi_ops* ortcffi_options_ops(const OrtSessionOptions* options);

#endif /* ORTCFFI_BOUNDARY_REGISTERED_OPS_H_ */
