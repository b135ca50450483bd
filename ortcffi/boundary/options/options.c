/* SPDX-License-Identifier: MIT */
#include "options/session_options.h"
#include "boundary/custom_ops/custom_ops.h"
#include "boundary/options/options.h"

const ortcffi_ops* ortcffi_options_ops(const OrtSessionOptions* options) {
  return &options->custom_ops;
}

OrtStatus* ortcffi_register_function(OrtSessionOptions* options, const OrtApiBase* base,
                                     const char* name) {
  return core_register_function(options, base, name);
}
