/* SPDX-License-Identifier: MIT */
/* A library of one custom op, for `ortcffi check`. Compiled with -DCRASHES its kernel cannot be
 * made; with -DHANGS making it never ends; with -DCRASHES_ON_INPUTS it cannot compute; with
 * -DREFUSES it answers a status; with -DLEAKS what its functions get is never released; with
 * -DCALLS=f a kernel calls f; with -DLACKS a function that ONNX Runtime calls is missing; with
 * -DBY_NAME it finds its host by name; with -DLATE its kernel is made with a slot of version 24,
 * with -DLATE=is_new only where the host has the version that it asks for; with -DASKS=n it asks
 * for that API version, with -DOR_ASKS=n also, where there is none, for another; with -DPRINTS it
 * ends the process; with -DCRASHES_ON_ATTRIBUTE it cannot be made with the attribute that it asks
 * for; with -DLEAVES=n it leaves its output unwritten where its two inputs have as many elements,
 * or for n = 1 refuses them and leaves the output of others; with -DKEEPS_DOMAIN it never releases
 * its domain; with -DAGAIN=f the op is registered once more, and f says the type of its input. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "onnxruntime_c_api.h"

#include "plain_op.h"

#ifndef ASKS
#define ASKS 8
#endif

static const OrtApi* api;
static int is_new;

static const char* name(const OrtCustomOp* op) {
  (void)op;
  return "Nothing";
}

#ifdef AGAIN
static inline ONNXTensorElementDataType integers(const OrtCustomOp* op, size_t i) {
  (void)op;
  (void)i;
  return ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32;
}
#endif

#ifdef REFUSES
static OrtStatus* refuse(const OrtCustomOp* op, const OrtApi* given, const OrtKernelInfo* info,
                         void** kernel) {
  (void)op;
  (void)info;
  (void)kernel;
  return given->CreateStatus(ORT_FAIL, "no kernel today");
}

static OrtStatus* compute_nothing(void* kernel, OrtKernelContext* context) {
  (void)kernel;
  (void)context;
  return NULL;
}
#endif

#ifdef LEAVES
static size_t count_two(const OrtCustomOp* op) { return (void)op, 2; }

static size_t count_elements(const OrtApi* given, const OrtKernelContext* context, size_t i) {
  const OrtValue* input = NULL;
  OrtTensorTypeAndShapeInfo* info = NULL;
  size_t count = 0;
  given->ReleaseStatus(given->KernelContext_GetInput(context, i, &input));
  given->ReleaseStatus(given->GetTensorTypeAndShape(input, &info));
  given->ReleaseStatus(given->GetTensorShapeElementCount(info, &count));
  given->ReleaseTensorTypeAndShapeInfo(info);
  return count;
}

static OrtStatus* create_nothing(const OrtCustomOp* op, const OrtApi* given,
                                 const OrtKernelInfo* info, void** kernel) {
  (void)op;
  (void)given;
  (void)info;
  *kernel = NULL;
  return NULL;
}

static OrtStatus* leave_output(void* kernel, OrtKernelContext* context) {
  const int64_t shape[] = {4};
  OrtValue* output;
  (void)kernel;
  if (LEAVES && count_elements(api, context, 0) == count_elements(api, context, 1)) {
    return api->CreateStatus(ORT_FAIL, "the inputs have as many elements");
  }
  return api->KernelContext_GetOutput(context, 0, shape, 1, &output);
}
#endif

#ifdef CALLS
extern double CALLS(double x);
#endif

static void* create(const OrtCustomOp* op, const OrtApi* given, const OrtKernelInfo* info) {
  static int kernel;
  (void)op;
  (void)given;
  (void)info;
#ifdef CRASHES
  abort();
#endif
#ifdef HANGS
  for (;;) pause();
#endif
#ifdef CALLS
  static volatile double called;
  called = CALLS(0);
  (void)called;
#endif
#ifdef LATE
  int version = 0;
  if (LATE) {
    given->ReleaseStatus(given->KernelInfo_GetOperatorSinceVersion(info, &version));
  }
#endif
#ifdef CRASHES_ON_ATTRIBUTE
  int64_t buckets;
  OrtStatus* status = given->KernelInfoGetAttribute_int64(info, "buckets", &buckets);
  if (status == NULL) abort();
  given->ReleaseStatus(status);
#endif
#ifdef LEAKS
  int64_t number;
  (void)given->KernelInfoGetAttribute_int64(info, "missing", &number);
#endif
  return &kernel;
}

static void compute(void* kernel, OrtKernelContext* context) {
  const int64_t shape[] = {1};
  OrtValue* output;
  (void)kernel;
#ifdef CRASHES_ON_INPUTS
  abort();
#endif
#ifdef LEAKS
  const OrtValue* input = NULL;
  OrtTensorTypeAndShapeInfo* info;
  api->ReleaseStatus(api->KernelContext_GetInput(context, 0, &input));
  api->ReleaseStatus(api->GetTensorTypeAndShape(input, &info));
#endif
  api->ReleaseStatus(api->KernelContext_GetOutput(context, 0, shape, 1, &output));
  void* data = NULL;
  api->ReleaseStatus(api->GetTensorMutableData(output, &data));
  *(float*)data = 1;
}

static void destroy(void* kernel) { (void)kernel; }

static const OrtCustomOp op = {
#ifdef REFUSES
    .version = 16,
    .CreateKernelV2 = refuse,
    .KernelComputeV2 = compute_nothing,
    .GetInputMemoryType = plain_memory,
#elif defined LEAVES
    .version = 16,
    .CreateKernelV2 = create_nothing,
    .KernelComputeV2 = leave_output,
    .GetInputMemoryType = plain_memory,
#else
    .version = 8,
#endif
    .CreateKernel = create,
    .GetName = name,
#ifndef LACKS
    .GetExecutionProviderType = plain_provider,
#endif
    .GetInputType = plain_type,
#ifdef LEAVES
    .GetInputTypeCount = count_two,
#else
    .GetInputTypeCount = plain_count,
#endif
    .GetOutputType = plain_type,
    .GetOutputTypeCount = plain_count,
    .KernelCompute = compute,
    .KernelDestroy = destroy,
    .GetInputCharacteristic = plain_kind,
    .GetOutputCharacteristic = plain_kind,
};

static OrtCustomOpDomain* domain;
#ifndef KEEPS_DOMAIN
static void __attribute__((destructor)) end(void) {
  if (api != NULL) {
    api->ReleaseCustomOpDomain(domain);
  }
}
#endif

ORT_EXPORT OrtStatus* ORT_API_CALL RegisterCustomOps(OrtSessionOptions* options,
                                                     const OrtApiBase* base) {
#ifdef BY_NAME
  base = OrtGetApiBase();
#endif
#ifdef PRINTS
  fputs("a runtime must come first\n", stderr);
  exit(1);
#endif
  api = base->GetApi(ASKS);
  is_new = api != NULL;
#ifdef OR_ASKS
  api = is_new ? api : base->GetApi(OR_ASKS);
#endif
  OrtStatus* status = api->CreateCustomOpDomain("checked", &domain);
  if (status == NULL) {
    status = api->CustomOpDomain_Add(domain, &op);
  }
#ifdef AGAIN
  static OrtCustomOp again;
  again = op;
  again.GetInputType = AGAIN;
  status = status == NULL ? api->CustomOpDomain_Add(domain, &again) : status;
#endif
  return status == NULL ? api->AddCustomOpDomain(options, domain) : status;
}
