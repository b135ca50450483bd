/* SPDX-License-Identifier: MIT */
/** @file ep_context.h The functions for the data of compiled models, and OrtEpContextConfig. */
#ifndef ORTCFFI_EP_CONTEXT_H_
#define ORTCFFI_EP_CONTEXT_H_

#include "core.h"

/** Each state is NULL where its function is. */
struct core_ep_context {
  OrtReadNamedBufferFunc read;
  void* read_state;
  OrtWriteNamedBufferFunc write;
  void* write_state;
};

struct OrtEpContextConfig {
  struct core_object object;
  struct core_ep_context functions;
};

#endif /* ORTCFFI_EP_CONTEXT_H_ */
