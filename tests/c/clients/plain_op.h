/* SPDX-License-Identifier: MIT */
/* What custom ops say of themselves whose inputs and outputs are required tensors of floats, and
 * how their kernels begin. */
#ifndef ORTCFFI_TESTS_PLAIN_OP_H_
#define ORTCFFI_TESTS_PLAIN_OP_H_

#include "onnxruntime_c_api.h"

/* Returns the status of a call that fails. */
#define TRY(call)                      \
  do {                                 \
    OrtStatus* failed = (call);        \
    if (failed != NULL) return failed; \
  } while (0)

/* A call of a kernel: its first input, its first output of the same shape, and their numbers. */
struct plain_call {
  const OrtValue* in;
  OrtValue* out;
  float *x, *y;
  size_t count;
};

static inline OrtStatus* plain_begin(const OrtApi* api, OrtKernelContext* context,
                                     struct plain_call* call) {
  OrtTensorTypeAndShapeInfo* info = NULL;
  int64_t shape[16];
  size_t rank = 0;
  OrtStatus* status = api->KernelContext_GetInput(context, 0, &call->in);
  if (status == NULL) status = api->GetTensorTypeAndShape(call->in, &info);
  if (status == NULL) status = api->GetDimensionsCount(info, &rank);
  if (status == NULL) status = api->GetDimensions(info, shape, rank);
  if (status == NULL) status = api->GetTensorShapeElementCount(info, &call->count);
  api->ReleaseTensorTypeAndShapeInfo(info);
  if (status == NULL) status = api->KernelContext_GetOutput(context, 0, shape, rank, &call->out);
  if (status == NULL) status = api->GetTensorMutableData((OrtValue*)call->in, (void**)&call->x);
  return status != NULL ? status : api->GetTensorMutableData(call->out, (void**)&call->y);
}

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
