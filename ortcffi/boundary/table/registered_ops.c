/* SPDX-License-Identifier: MIT */
#include "boundary/limited_api.h"

#include <string.h>

#include "heap/heap_base.h"
#include "custom_ops/custom_op.h"
#include "options/session_options.h"
#include "platform/platform.h"
#include "boundary/table/registered_ops.h"

int ortcffi_new_ops(const ortcffi_ops* from, ortcffi_ops** out) {
  ortcffi_ops* ops = core_heap_alloc(sizeof *ops);
  if (ops == NULL) {
    return 0;
  }
  memset(ops, 0, sizeof *ops);
  if (!core_custom_ops_copy(from, ops)) {
    core_custom_ops_end(ops);
    core_heap_free(ops);
    return 0;
  }
  *out = ops;
  return 1;
}

void ortcffi_end_ops(ortcffi_ops* ops) {
  if (ops != NULL) {
    core_custom_ops_end(ops);
    core_heap_free(ops);
  }
}

OrtStatus* ortcffi_register_ops(const OrtApi* api, OrtSessionOptions* options,
                                const ORTCHAR_T* path) {
  char error[CORE_LIBRARY_ERROR];
  void* library = core_library_open(path, error);
  if (library == NULL) {
    return api->CreateStatus(ORT_FAIL, error);
  }
  OrtStatus* status = api->RegisterCustomOpsLibrary_V2(options, path);
  core_library_close(library);
  return status;
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
