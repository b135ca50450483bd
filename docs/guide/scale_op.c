/* SPDX-License-Identifier: MIT */
/* A library of one custom op in C: Scale multiplies by the attribute `factor`. */
#include <stdlib.h>

#include "onnxruntime_c_api.h"

typedef struct Kernel {
  const OrtApi* api;
  float factor;
} Kernel;

static const char* get_name(const OrtCustomOp* op) {
  (void)op;
  return "Scale";
}

static const char* get_provider(const OrtCustomOp* op) {
  (void)op;
  return NULL; /* the CPU's */
}

static ONNXTensorElementDataType get_type(const OrtCustomOp* op, size_t i) {
  (void)op;
  (void)i;
  return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
}

static size_t get_count(const OrtCustomOp* op) {
  (void)op;
  return 1;
}

static OrtCustomOpInputOutputCharacteristic get_presence(const OrtCustomOp* op, size_t i) {
  (void)op;
  (void)i;
  return INPUT_OUTPUT_REQUIRED;
}

static OrtMemType get_memory(const OrtCustomOp* op, size_t i) {
  (void)op;
  (void)i;
  return OrtMemTypeDefault;
}

static OrtStatusPtr create(const OrtCustomOp* op, const OrtApi* api, const OrtKernelInfo* info,
                           void** out) {
  (void)op;
  Kernel* kernel = malloc(sizeof *kernel);
  if (kernel == NULL) {
    return api->CreateStatus(ORT_FAIL, "Scale: out of memory");
  }
  kernel->api = api;
  OrtStatus* status = api->KernelInfoGetAttribute_float(info, "factor", &kernel->factor);
  if (status != NULL) {
    free(kernel);
    return status;
  }
  *out = kernel;
  return NULL;
}

static OrtStatus* multiply(const Kernel* kernel, const OrtValue* x, OrtKernelContext* context,
                           const OrtTensorTypeAndShapeInfo* info) {
  const OrtApi* api = kernel->api;
  int64_t shape[16];
  size_t rank, count;
  void *from, *to;
  OrtValue* y;
  OrtStatus* status = api->GetDimensionsCount(info, &rank);
  if (status == NULL && rank > 16) {
    return api->CreateStatus(ORT_INVALID_ARGUMENT, "Scale: more than 16 dimensions");
  }
  if (status != NULL || (status = api->GetDimensions(info, shape, rank)) != NULL ||
      (status = api->GetTensorShapeElementCount(info, &count)) != NULL ||
      (status = api->KernelContext_GetOutput(context, 0, shape, rank, &y)) != NULL ||
      (status = api->GetTensorMutableData((OrtValue*)x, &from)) != NULL ||
      (status = api->GetTensorMutableData(y, &to)) != NULL) {
    return status;
  }
  for (size_t i = 0; i < count; i++) {
    ((float*)to)[i] = ((const float*)from)[i] * kernel->factor;
  }
  return NULL;
}

static OrtStatusPtr compute(void* op_kernel, OrtKernelContext* context) {
  const Kernel* kernel = op_kernel;
  const OrtApi* api = kernel->api;
  const OrtValue* x;
  OrtTensorTypeAndShapeInfo* info;
  OrtStatus* status = api->KernelContext_GetInput(context, 0, &x);
  if (status != NULL || (status = api->GetTensorTypeAndShape(x, &info)) != NULL) {
    return status;
  }
  status = multiply(kernel, x, context, info);
  api->ReleaseTensorTypeAndShapeInfo(info);
  return status;
}

static void destroy(void* op_kernel) { free(op_kernel); }

static const OrtCustomOp scale = {
    .version = 16,
    .GetName = get_name,
    .GetExecutionProviderType = get_provider,
    .GetInputType = get_type,
    .GetInputTypeCount = get_count,
    .GetOutputType = get_type,
    .GetOutputTypeCount = get_count,
    .KernelDestroy = destroy,
    .GetInputCharacteristic = get_presence,
    .GetOutputCharacteristic = get_presence,
    .GetInputMemoryType = get_memory,
    .CreateKernelV2 = create,
    .KernelComputeV2 = compute,
};

static OrtCustomOpDomain* domain; /* sessions use it until this library is unloaded */
static void(ORT_API_CALL* release_domain)(OrtCustomOpDomain*);

static OrtStatus* make_domain(const OrtApi* api) {
  OrtCustomOpDomain* made;
  OrtStatus* status = api->CreateCustomOpDomain("my.domain", &made);
  if (status != NULL) {
    return status;
  }
  status = api->CustomOpDomain_Add(made, &scale);
  if (status != NULL) {
    api->ReleaseCustomOpDomain(made);
    return status;
  }
  domain = made;
  release_domain = api->ReleaseCustomOpDomain;
  return NULL;
}

__attribute__((destructor)) static void unload(void) {
  if (domain != NULL) {
    release_domain(domain);
  }
}

ORT_EXPORT OrtStatus* ORT_API_CALL RegisterCustomOps(OrtSessionOptions* options,
                                                     const OrtApiBase* base) {
  const OrtApi* api = base->GetApi(16);
  if (api == NULL) { /* an older host, whose version 1 can make a status */
    return base->GetApi(1)->CreateStatus(ORT_FAIL, "Scale needs ONNX Runtime 1.16 or newer");
  }
  OrtStatus* status = domain == NULL ? make_domain(api) : NULL;
  return status == NULL ? api->AddCustomOpDomain(options, domain) : status;
}
