/* SPDX-License-Identifier: MIT */
#include "ep/compute_context.h"

const char* ORT_API_CALL ort_ep_NodeComputeContext_NodeName(const OrtNodeComputeContext* context)
    NO_EXCEPTION {
  return context == NULL ? NULL : context->node_name;
}
