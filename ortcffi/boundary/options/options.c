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

int ortcffi_read_session_item(const OrtSessionOptions* options, ortcffi_session_list list, size_t i,
                              ortcffi_session_item* out) {
  static const enum core_session_list lists[] = {
      [ORTCFFI_FREE_DIMENSIONS] = CORE_FREE_DIMENSIONS,
      [ORTCFFI_INITIALIZERS] = CORE_INITIALIZERS,
      [ORTCFFI_EXTERNAL_INITIALIZERS] = CORE_EXTERNAL_INITIALIZERS,
      [ORTCFFI_EXTERNAL_FILES] = CORE_EXTERNAL_FILES,
  };
  const struct core_item* item = core_session_item(options, lists[list], i);
  if (item == NULL) {
    return 0;
  }
  *out = (ortcffi_session_item){.name = item->key,
                                .number = item->number,
                                .pointer = item->pointer,
                                .is_denotation = item->mark};
  return 1;
}
