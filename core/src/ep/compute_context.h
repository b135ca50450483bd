/* SPDX-License-Identifier: MIT */
/** @file compute_context.h What OrtNodeComputeInfo::CreateState is given. */
#ifndef ORTCFFI_COMPUTE_CONTEXT_H_
#define ORTCFFI_COMPUTE_CONTEXT_H_

#include "core.h"

/** Lives for the call, or longer. */
struct OrtNodeComputeContext {
  /** The name of the fused node. */
  const char* node_name;
};

#endif /* ORTCFFI_COMPUTE_CONTEXT_H_ */
