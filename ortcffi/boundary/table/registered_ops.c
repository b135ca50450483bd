/* SPDX-License-Identifier: MIT */
#include "boundary/limited_api.h"

#include <string.h>

#include "heap/heap.h"
#include "custom_ops/custom_op.h"
#include "options/session_options.h"
#include "boundary/table/registered_ops.h"

int ortcffi_new_ops(const ortcffi_ops* from, ortcffi_ops** out) {
  ortcffi_ops* ops = heap_alloc(sizeof *ops);
  if (ops == NULL) {
    return 0;
  }
  memset(ops, 0, sizeof *ops);
  if (from != NULL && !core_custom_ops_copy(from, ops)) {
    core_custom_ops_end(ops);
    heap_free(ops);
    return 0;
  }
  *out = ops;
  return 1;
}

void ortcffi_end_ops(ortcffi_ops* ops) {
  if (ops != NULL) {
    core_custom_ops_end(ops);
    heap_free(ops);
  }
}

OrtStatus* ortcffi_record_library(const OrtApiBase* base, const OrtApi* table, uint32_t version,
                                  OrtSessionOptions* options, const char* path, ortcffi_ops* ops) {
  struct core_recording recording = {base, table, version, options, ops};
  return core_record_library(&recording, path);
}

OrtStatus* ortcffi_record_function(const OrtApiBase* base, const OrtApi* table, uint32_t version,
                                   OrtSessionOptions* options, const void* function,
                                   ortcffi_ops* ops) {
  struct core_recording recording = {base, table, version, options, ops};
  RegisterCustomOpsFn registration;
  memcpy(&registration, &function, sizeof function);
  return core_record_function(&recording, registration);
}

const char* ortcffi_op_domain(const ortcffi_ops* ops, size_t domain) {
  const OrtCustomOpDomain* found = core_op_domain(ops, domain);
  return found == NULL ? NULL : found->name;
}

const OrtCustomOp* ortcffi_op_at(const ortcffi_ops* ops, size_t domain, size_t i) {
  const OrtCustomOpDomain* found = core_op_domain(ops, domain);
  return found == NULL ? NULL : core_op(found, i);
}

const ortcffi_ops* ortcffi_options_ops(const OrtSessionOptions* options) {
  return &options->custom_ops;
}
