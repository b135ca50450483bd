/* SPDX-License-Identifier: MIT */
/* Kernels on the kernel host, and what they call. */
#include "faults.h"

#include "../clients/plain_op.h"
#include "custom_ops/custom_op.h"
#include "kernels/kernel.h"
#include "table/versions.h"

static OrtStatus* (*in_create)(const OrtKernelInfo* info);
static OrtStatus* (*in_compute)(OrtKernelContext* context);

static const char* ORT_API_CALL name(const OrtCustomOp* op) { return (void)op, "Trial"; }
static OrtStatus* ORT_API_CALL create(const OrtCustomOp* op, const OrtApi* table,
                                      const OrtKernelInfo* info, void** kernel) {
  (void)op, (void)table, (void)kernel;
  return in_create != NULL ? in_create(info) : NULL;
}
static OrtStatus* ORT_API_CALL compute(void* kernel, OrtKernelContext* context) {
  return (void)kernel, in_compute(context);
}
static OrtStatus* ORT_API_CALL infer(const OrtCustomOp* op, OrtShapeInferContext* context) {
  OrtTensorTypeAndShapeInfo* info = NULL;
  (void)op;
  CORE_TRY(api->ShapeInferContext_GetInputTypeShape(context, 0, &info));
  return api->ShapeInferContext_SetOutputTypeShape(context, 0, info);
}
static const OrtCustomOp op = {.version = ORT_API_VERSION,
                               .GetName = name,
                               .GetInputType = plain_type,
                               .GetInputTypeCount = plain_count,
                               .GetOutputType = plain_type,
                               .GetOutputTypeCount = plain_count,
                               .CreateKernelV2 = create,
                               .KernelComputeV2 = compute,
                               .InferOutputShapeFn = infer};

static const int64_t shape[] = {2};
static OrtValue* some_value(void) {
  return NEW(OrtValue, api->CreateTensorAsOrtValue(heap(), shape, 1,
                                                   ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &new_));
}
/* A kernel of a node with attributes, entries and an op set. */
static OrtcoreKernel* make_kernel(void) {
  static const char* const texts[] = {"first", "second"};
  static char asked[64];
  OrtValue* value = some_value();
  OrtKeyValuePairs* config = NULL;
  OrtOpAttr* attributes[] = {MADE(OrtOpAttr, core_tensor_attribute("tensor", value, &made)), NULL};
  CHECK(api->CreateOpAttr("texts", texts, 2, ORT_OP_ATTR_STRINGS, &attributes[1]) == NULL);
  OrtTypeInfo* type = NEW(OrtTypeInfo, api->GetTypeInfo(value, &new_));
  api->CreateKeyValuePairs(&config);
  api->AddKeyValuePair(config, "key", "value");
  OrtSessionOptions* options = NEW(OrtSessionOptions, api->CreateSessionOptions(&new_));
  OrtCustomOpDomain* domain = NEW(OrtCustomOpDomain, api->CreateCustomOpDomain("trials", &new_));
  CHECK(api->CustomOpDomain_Add(domain, &op) == NULL);
  CHECK(api->AddCustomOpDomain(options, domain) == NULL);
  OrtcoreOperand in = {.name = "in", .type = type}, out = {.name = "out", .constant = value};
  OrtcoreNode node = {.version = ORT_API_VERSION,
                      .op = &op,
                      .name = "node",
                      .domain = "domain",
                      .attributes = (const OrtOpAttr* const*)attributes,
                      .attribute_count = 2,
                      .inputs = &in,
                      .outputs = &out,
                      .input_count = 1,
                      .output_count = 1,
                      .config = config,
                      .asked = asked,
                      .asked_room = sizeof asked,
                      .options = options};
  return MADE(OrtcoreKernel, core_host_kernel(&node, &made));
}
static void run_kernel(OrtcoreKernel* kernel) {
  const OrtValue* in = some_value();
  OrtValue* out = NULL;
  say_status(TRIED(core_kernel_compute(kernel, &in, 1, &out, 1)));
}

static OrtStatus* copy_parts(const OrtKernelInfo* info) {
  OrtKernelInfo* copy = NULL;
  OrtTypeInfo* found = NULL;
  OrtKeyValuePairs* entries = NULL;
  OrtValue* tensor = NULL;
  char** strings = NULL;
  size_t count = 0;
  CORE_TRY(api->CopyKernelInfo(info, &copy));
  api->ReleaseKernelInfo(copy);
  CORE_TRY(api->KernelInfo_GetInputTypeInfo(info, 0, &found));
  api->ReleaseTypeInfo(found);
  CORE_TRY(api->KernelInfo_GetOutputTypeInfo(info, 0, &found));
  api->ReleaseTypeInfo(found);
  CORE_TRY(api->KernelInfo_GetConfigEntries(info, &entries));
  api->ReleaseKeyValuePairs(entries);
  CORE_TRY(api->KernelInfoGetAttribute_tensor(info, "tensor", heap(), &tensor));
  api->ReleaseValue(tensor);
  CORE_TRY(api->KernelInfoGetAttributeArray_string(info, "texts", heap(), &strings, &count));
  for (size_t i = 0; i < count; i++) {
    heap()->Free(heap(), strings[i]);
  }
  heap()->Free(heap(), strings);
  return NULL;
}
CALL("kernel: parts of its node") {
  in_create = copy_parts;
  make_kernel();
}
static OrtOp* inner;
static OrtStatus* make_inner(const OrtKernelInfo* info) {
  const char* constraint = "Input0";
  const ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
  in_create = NULL;
  OrtStatus* status =
      api->CreateOp(info, "Trial", "trials", 1, &constraint, &type, 1, NULL, 0, 1, 1, &inner);
  in_create = make_inner;
  return status;
}
static OrtStatus* make_output(OrtKernelContext* context) {
  OrtValue* out = NULL;
  return api->KernelContext_GetOutput(context, 0, shape, 1, &out);
}
static OrtStatus* invoke_inner(OrtKernelContext* context) {
  const OrtValue* in = NULL;
  OrtValue* out = NULL;
  CORE_TRY(api->KernelContext_GetInput(context, 0, &in));
  CORE_TRY(api->KernelContext_GetOutput(context, 0, shape, 1, &out));
  in_compute = make_output;
  OrtStatus* status = api->InvokeOp(context, inner, &in, 1, &out, 1);
  in_compute = invoke_inner;
  return status;
}
CALL("kernel: another one inside") {
  in_create = make_inner;
  in_compute = invoke_inner;
  run_kernel(make_kernel());
}
static OrtStatus* use_scratch(OrtKernelContext* context) {
  const OrtMemoryInfo* info = NULL;
  void* block = NULL;
  CORE_TRY(api->AllocatorGetInfo(heap(), &info));
  CORE_TRY(api->KernelContext_GetScratchBuffer(context, info, 100, &block));
  CORE_TRY(api->KernelContext_GetScratchBuffer(context, info, 10000, &block));
  return make_output(context);
}
CALL("kernel: scratch memory") {
  in_compute = use_scratch;
  run_kernel(make_kernel());
}
static OrtStatus* refuse(OrtKernelContext* context) {
  (void)context;
  return api->CreateStatus(ORT_MODEL_LOADED, "the kernel says no");
}
CALL("kernel: one that fails") {
  in_compute = refuse;
  run_kernel(make_kernel());
}
CALL("kernel: shapes") {
  OrtTensorTypeAndShapeInfo *known = NULL, *out = NULL;
  CHECK(api->GetTensorTypeAndShape(some_value(), &known) == NULL);
  const OrtTensorTypeAndShapeInfo* const in = known;
  OrtcoreKernel* kernel = make_kernel();
  say_status(TRIED(core_kernel_infer_shapes(kernel, &in, 1, &out, 1)));
}
static void register_library(OrtcoreCopy copy) {
  OrtSessionOptions* options = NEW(OrtSessionOptions, api->CreateSessionOptions(&new_));
  say_status(TRIED(core_register_library(options, NULL, CUSTOM_OPS, copy, NULL)));
}
CALL("kernel: a library") { register_library(ORTCORE_COPY_IF_LOADED); }
CALL("kernel: a private copy") { register_library(ORTCORE_COPY_ALWAYS); }
