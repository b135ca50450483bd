/* SPDX-License-Identifier: MIT */
/* Custom ops of session options of the core. */
#ifndef ORTCFFI_BOUNDARY_OPTIONS_H_
#define ORTCFFI_BOUNDARY_OPTIONS_H_

#include "onnxruntime_c_api.h"
#include "boundary/custom_ops/custom_ops.h"

/* The custom ops that session options of the core hold; borrowed from the options. */
const ortcffi_ops* ortcffi_options_ops(const OrtSessionOptions* options);

/* Calls a function that is already loaded, to register ops with options of the core. `base` is what
 * the function is given. */
OrtStatus* ortcffi_register_function(OrtSessionOptions* options, const OrtApiBase* base,
                                     const char* name);

#endif /* ORTCFFI_BOUNDARY_OPTIONS_H_ */
