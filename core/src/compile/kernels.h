/* SPDX-License-Identifier: MIT */
/** @file kernels.h Kernels of a provider's registry. */
#ifndef ORTCFFI_KERNELS_H_
#define ORTCFFI_KERNELS_H_

#include "compile/ep.h"
#include "ep/kernel_def.h"
#include "values/type_info.h"

/** Finds the kernel for a node: by operator, version, provider, and the element types of what it
 * takes and gives. NULL where there is none. The registry is the provider's. */
OrtStatus* core_find_kernel(struct core_ep* ep, const OrtNode* node,
                            const struct core_registered_kernel** out);

#endif /* ORTCFFI_KERNELS_H_ */
