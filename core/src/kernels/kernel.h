/* SPDX-License-Identifier: MIT */
/** @file kernel.h The kernel host: what ortcore.h describes, by the names that the core uses. */
#ifndef ORTCFFI_KERNEL_H_
#define ORTCFFI_KERNEL_H_

#include "core.h"
#include "ortcore.h"

OrtStatus* ORT_API_CALL core_kernel_create(const OrtcoreNode* node, OrtcoreKernel** out);
OrtStatus* ORT_API_CALL core_kernel_compute(OrtcoreKernel* kernel, const OrtValue* const* inputs,
                                            size_t input_count, OrtValue** outputs,
                                            size_t output_count);
OrtStatus* ORT_API_CALL core_kernel_infer_shapes(OrtcoreKernel* kernel,
                                                 const OrtTensorTypeAndShapeInfo* const* inputs,
                                                 size_t input_count,
                                                 OrtTensorTypeAndShapeInfo** outputs,
                                                 size_t output_count);
void ORT_API_CALL core_kernel_release(OrtcoreKernel* kernel);

#endif /* ORTCFFI_KERNEL_H_ */
