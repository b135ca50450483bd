/* SPDX-License-Identifier: MIT */
/* Reads the lists that options of the core hold; core/src/options/describe_options.h reads the
 * rest. Options of another library have no item. */
#ifndef ORTCFFI_BOUNDARY_OPTIONS_H_
#define ORTCFFI_BOUNDARY_OPTIONS_H_

#include "onnxruntime_c_api.h"
#include "boundary/custom_ops/custom_ops.h"

/* The custom ops that session options of the core hold; borrowed from the options. */
const ortcffi_ops* ortcffi_options_ops(const OrtSessionOptions* options);

/* Calls a function that is already loaded, to register ops with options of the core. `base` is what
 * the function is given. Releases the GIL. */
OrtStatus* ortcffi_register_function(OrtSessionOptions* options, const OrtApiBase* base,
                                     const char* name);

/* The lists that session options hold, beside their configuration entries. */
typedef enum ortcffi_session_list {
  ORTCFFI_FREE_DIMENSIONS,
  ORTCFFI_INITIALIZERS,
  ORTCFFI_EXTERNAL_INITIALIZERS,
  ORTCFFI_EXTERNAL_FILES
} ortcffi_session_list;

/* An item, which belongs to the options and is valid until they change. */
typedef struct ortcffi_session_item {
  const char* name;
  /* The dimension, or how many bytes a file has. */
  int64_t number;
  /* The value, or the bytes of the file. */
  const void* pointer;
  /* Whether the name of a dimension is a denotation. */
  int is_denotation;
} ortcffi_session_item;

/* Reads the i-th item; 0 past the last, with the item as it was. */
int ortcffi_read_session_item(const OrtSessionOptions* options, ortcffi_session_list list, size_t i,
                              ortcffi_session_item* out);

#endif /* ORTCFFI_BOUNDARY_OPTIONS_H_ */
