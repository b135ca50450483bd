/* SPDX-License-Identifier: MIT */
/* What a client reaches of the kernel host: the functions that ortcore.h describes. */
#include "kernels/kernel.h"
#include "custom_ops/custom_op.h"
#include "table/versions.h"

OrtStatus* ORT_API_CALL core_host_kernel(const OrtcoreNode* node, OrtcoreKernel** out) {
  (void)node, (void)out;
  CORE_FAIL(ORT_NOT_IMPLEMENTED, "ortcore_kernel_create is not implemented yet");
}

OrtStatus* ORT_API_CALL core_kernel_compute(OrtcoreKernel* kernel, const OrtValue* const* inputs,
                                            size_t input_count, OrtValue** outputs,
                                            size_t output_count) {
  (void)kernel, (void)inputs, (void)input_count, (void)outputs, (void)output_count;
  CORE_FAIL(ORT_NOT_IMPLEMENTED, "ortcore_kernel_compute is not implemented yet");
}

OrtStatus* ORT_API_CALL core_kernel_infer_shapes(OrtcoreKernel* kernel,
                                                 const OrtTensorTypeAndShapeInfo* const* inputs,
                                                 size_t input_count,
                                                 OrtTensorTypeAndShapeInfo** outputs,
                                                 size_t output_count) {
  (void)kernel, (void)inputs, (void)input_count, (void)outputs, (void)output_count;
  CORE_FAIL(ORT_NOT_IMPLEMENTED, "ortcore_kernel_infer_shapes is not implemented yet");
}

void ORT_API_CALL core_kernel_release(OrtcoreKernel* kernel) { (void)kernel; }

OrtStatus* ORT_API_CALL core_tensor_attribute(const char* name, const OrtValue* tensor,
                                              OrtOpAttr** out) {
  (void)name, (void)tensor, (void)out;
  CORE_FAIL(ORT_NOT_IMPLEMENTED, "ortcore_tensor_attribute is not implemented yet");
}

const OrtApiBase* ORT_API_CALL core_kernel_base(uint32_t version) { return core_emulate(version); }

OrtStatus* ORT_API_CALL core_register_library(OrtSessionOptions* options, const OrtApiBase* base,
                                              const char* path, OrtcoreCopy copy, int* is_copy) {
  (void)options, (void)base, (void)path, (void)copy, (void)is_copy;
  CORE_FAIL(ORT_NOT_IMPLEMENTED, "ortcore_register_library is not implemented yet");
}
