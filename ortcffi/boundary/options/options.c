/* SPDX-License-Identifier: MIT */
/* The whole extension uses the limited API of CPython 3.11. */
#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#include "options/session_options.h"
#include "boundary/custom_ops/custom_ops.h"
#include "boundary/options/options.h"

const ortcffi_ops* ortcffi_options_ops(const OrtSessionOptions* options) {
  return &options->custom_ops;
}

OrtStatus* ortcffi_register_function(OrtSessionOptions* options, const OrtApiBase* base,
                                     const char* name) {
  OrtStatus* status;
  Py_BEGIN_ALLOW_THREADS;
  status = core_register_function(options, base, name);
  Py_END_ALLOW_THREADS;
  return status;
}
