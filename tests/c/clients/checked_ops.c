/* SPDX-License-Identifier: MIT */
/* A library of one custom op, for `ortcffi check`. Compiled with -DCRASHES its kernel cannot be
 * made; with -DLACKS a function that ONNX Runtime calls is missing; with -DBY_NAME it finds its
 * host by name. */
#include <stdlib.h>

#include "onnxruntime_c_api.h"

static const OrtApi* api;

static const char* name(const OrtCustomOp* op) {
  (void)op;
  return "Nothing";
}

#ifndef LACKS
static const char* provider(const OrtCustomOp* op) {
  (void)op;
  return NULL;
}
#endif

static ONNXTensorElementDataType type(const OrtCustomOp* op, size_t i) {
  (void)op;
  (void)i;
  return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
}

static size_t one(const OrtCustomOp* op) {
  (void)op;
  return 1;
}

static OrtCustomOpInputOutputCharacteristic required(const OrtCustomOp* op, size_t i) {
  (void)op;
  (void)i;
  return INPUT_OUTPUT_REQUIRED;
}

static void* create(const OrtCustomOp* op, const OrtApi* given, const OrtKernelInfo* info) {
  static int kernel;
  (void)op;
  (void)given;
  (void)info;
#ifdef CRASHES
  abort();
#endif
  return &kernel;
}

static void compute(void* kernel, OrtKernelContext* context) {
  const int64_t shape[] = {1};
  OrtValue* output;
  (void)kernel;
  api->ReleaseStatus(api->KernelContext_GetOutput(context, 0, shape, 1, &output));
}

static void destroy(void* kernel) { (void)kernel; }

static const OrtCustomOp op = {
    .version = 8,
    .CreateKernel = create,
    .GetName = name,
#ifndef LACKS
    .GetExecutionProviderType = provider,
#endif
    .GetInputType = type,
    .GetInputTypeCount = one,
    .GetOutputType = type,
    .GetOutputTypeCount = one,
    .KernelCompute = compute,
    .KernelDestroy = destroy,
    .GetInputCharacteristic = required,
    .GetOutputCharacteristic = required,
};

ORT_EXPORT OrtStatus* ORT_API_CALL RegisterCustomOps(OrtSessionOptions* options,
                                                     const OrtApiBase* base) {
#ifdef BY_NAME
  base = OrtGetApiBase();
#endif
  api = base->GetApi(8);
  OrtCustomOpDomain* domain;
  OrtStatus* status = api->CreateCustomOpDomain("checked", &domain);
  if (status == NULL) {
    status = api->CustomOpDomain_Add(domain, &op);
  }
  return status == NULL ? api->AddCustomOpDomain(options, domain) : status;
}
