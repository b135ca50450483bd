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

#include "plain_op.h"

/* Whether a word is defined, alone or as 1: it is put behind a name, which is then two arguments.
 */
#define SECOND(first, second, ...) second
#define DECIDE(...) SECOND(__VA_ARGS__, 0, )
#define BEFORE_1 , 1
#define CHECK_WORD(word) DECIDE(BEFORE_##word)
#define ON(word) CHECK_WORD(word)

#ifndef ASKS
#define ASKS 8
#endif
#ifndef OR_ASKS
#define OR_ASKS 0
#endif
#ifndef LATE
#define LATE 0
#endif
#ifdef LEAVES
enum { IS_LEFT = 1, IS_REFUSED = LEAVES };
#else
enum { IS_LEFT, IS_REFUSED };
#endif
#ifdef CALLS
extern double CALLS(double x);
#else
#define CALLS(x) (x)
#endif

static const OrtApi* api;
static OrtCustomOpDomain* domain;
static int is_new;

static const char* ORT_API_CALL name(const OrtCustomOp* op) { return (void)op, "Nothing"; }
static size_t ORT_API_CALL inputs(const OrtCustomOp* op) { return (void)op, IS_LEFT ? 2 : 1; }
#ifdef AGAIN
static inline ONNXTensorElementDataType integers(const OrtCustomOp* op, size_t i) {
  return (void)op, (void)i, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32;
}
#endif

static size_t count_elements(const OrtKernelContext* context, size_t i) {
  const OrtValue* input = NULL;
  OrtTensorTypeAndShapeInfo* info = NULL;
  size_t count = 0;
  api->ReleaseStatus(api->KernelContext_GetInput(context, i, &input));
  api->ReleaseStatus(api->GetTensorTypeAndShape(input, &info));
  api->ReleaseStatus(api->GetTensorShapeElementCount(info, &count));
  if (!ON(LEAKS)) api->ReleaseTensorTypeAndShapeInfo(info);
  return count;
}

static void* ORT_API_CALL create(const OrtCustomOp* op, const OrtApi* given,
                                 const OrtKernelInfo* info) {
  static int kernel;
  static volatile double called;
  int version = 0;
  int64_t number;
  (void)op;
  if (ON(CRASHES)) abort();
  while (ON(HANGS)) pause();
  called = CALLS(0);
  (void)called;
  if (LATE) {
    given->ReleaseStatus(given->KernelInfo_GetOperatorSinceVersion(info, &version));
  }
  if (ON(CRASHES_ON_ATTRIBUTE)) {
    OrtStatus* status = given->KernelInfoGetAttribute_int64(info, "buckets", &number);
    if (status == NULL) abort();
    given->ReleaseStatus(status);
  }
  if (ON(LEAKS)) (void)!given->KernelInfoGetAttribute_int64(info, "missing", &number);
  return &kernel;
}
static OrtStatus* ORT_API_CALL create_or_refuse(const OrtCustomOp* op, const OrtApi* given,
                                                const OrtKernelInfo* info, void** kernel) {
  (void)op, (void)info;
  *kernel = NULL;
  return ON(REFUSES) ? given->CreateStatus(ORT_FAIL, "no kernel today") : NULL;
}

static void ORT_API_CALL compute(void* kernel, OrtKernelContext* context) {
  const int64_t shape[] = {1};
  OrtValue* output;
  void* data = NULL;
  (void)kernel;
  if (ON(CRASHES_ON_INPUTS)) abort();
  if (ON(LEAKS)) count_elements(context, 0);
  api->ReleaseStatus(api->KernelContext_GetOutput(context, 0, shape, 1, &output));
  api->ReleaseStatus(api->GetTensorMutableData(output, &data));
  *(float*)data = 1;
}
static OrtStatus* ORT_API_CALL leave_output(void* kernel, OrtKernelContext* context) {
  const int64_t shape[] = {4};
  OrtValue* output;
  (void)kernel;
  if (IS_REFUSED && count_elements(context, 0) == count_elements(context, 1)) {
    return api->CreateStatus(ORT_FAIL, "the inputs have as many elements");
  }
  return api->KernelContext_GetOutput(context, 0, shape, 1, &output);
}
static void ORT_API_CALL destroy(void* kernel) { (void)kernel; }

static OrtCustomOp make_op(void) {
  OrtCustomOp op = {.version = 8,
                    .CreateKernel = create,
                    .GetName = name,
                    .GetExecutionProviderType = ON(LACKS) ? NULL : plain_provider,
                    .GetInputType = plain_type,
                    .GetInputTypeCount = inputs,
                    .GetOutputType = plain_type,
                    .GetOutputTypeCount = plain_count,
                    .KernelCompute = compute,
                    .KernelDestroy = destroy,
                    .GetInputCharacteristic = plain_kind,
                    .GetOutputCharacteristic = plain_kind};
  if (ON(REFUSES) || IS_LEFT) {
    op.version = 16;
    op.CreateKernelV2 = create_or_refuse;
    op.KernelComputeV2 = leave_output;
    op.GetInputMemoryType = plain_memory;
  }
  return op;
}

static void __attribute__((destructor)) end(void) {
  if (api != NULL && !ON(KEEPS_DOMAIN)) api->ReleaseCustomOpDomain(domain);
}

ORT_EXPORT OrtStatus* ORT_API_CALL RegisterCustomOps(OrtSessionOptions* options,
                                                     const OrtApiBase* base) {
  static OrtCustomOp op, again;
  op = again = make_op();
#ifdef BY_NAME
  base = OrtGetApiBase();
#endif
  if (ON(PRINTS)) {
    fputs("a runtime must come first\n", stderr);
    exit(1);
  }
  api = base->GetApi(ASKS);
  is_new = api != NULL;
  if (!is_new && OR_ASKS) api = base->GetApi(OR_ASKS);
  OrtStatus* status = api->CreateCustomOpDomain("checked", &domain);
  if (status == NULL) status = api->CustomOpDomain_Add(domain, &op);
#ifdef AGAIN
  again.GetInputType = AGAIN;
  if (status == NULL) status = api->CustomOpDomain_Add(domain, &again);
#endif
  return status == NULL ? api->AddCustomOpDomain(options, domain) : status;
}
