/* SPDX-License-Identifier: MIT */
/* What custom ops say of themselves whose inputs and outputs are required tensors of floats. */
#ifndef ORTCFFI_TESTS_PLAIN_OP_H_
#define ORTCFFI_TESTS_PLAIN_OP_H_

#include "onnxruntime_c_api.h"

static inline const char* ORT_API_CALL plain_provider(const OrtCustomOp* op) {
  return (void)op, (const char*)NULL;
}
static inline ONNXTensorElementDataType ORT_API_CALL plain_type(const OrtCustomOp* op, size_t i) {
  return (void)op, (void)i, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
}
static inline OrtCustomOpInputOutputCharacteristic ORT_API_CALL plain_kind(const OrtCustomOp* op,
                                                                           size_t i) {
  return (void)op, (void)i, INPUT_OUTPUT_REQUIRED;
}
static inline OrtMemType ORT_API_CALL plain_memory(const OrtCustomOp* op, size_t i) {
  return (void)op, (void)i, OrtMemTypeDefault;
}
static inline size_t ORT_API_CALL plain_count(const OrtCustomOp* op) { return (void)op, 1; }
static inline int ORT_API_CALL plain_one(const OrtCustomOp* op) { return (void)op, 1; }

/* All fields but the name, the counts of inputs and outputs, versions and what kernels do. */
#define PLAIN_OP                                                                   \
  .GetExecutionProviderType = plain_provider, .GetInputType = plain_type,          \
  .GetOutputType = plain_type, .GetInputCharacteristic = plain_kind,               \
  .GetOutputCharacteristic = plain_kind, .GetInputMemoryType = plain_memory,       \
  .GetVariadicInputMinArity = plain_one, .GetVariadicInputHomogeneity = plain_one, \
  .GetVariadicOutputMinArity = plain_one, .GetVariadicOutputHomogeneity = plain_one

#endif /* ORTCFFI_TESTS_PLAIN_OP_H_ */
