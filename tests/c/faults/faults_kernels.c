/* SPDX-License-Identifier: MIT */
/* Trials of the kernel host, and of the slots that a kernel calls. */
#include "custom_ops/custom_op.h"
#include "faults.h"
#include "kernels/kernel.h"
#include "table/versions.h"

static OrtStatus* (*ask_info)(const OrtKernelInfo* info);
static OrtStatus* (*ask_context)(OrtKernelContext* context);
static OrtStatus* (*ask_shapes)(OrtShapeInferContext* context);

static const char* ORT_API_CALL name(const OrtCustomOp* op) { return (void)op, "Trial"; }
static size_t ORT_API_CALL one(const OrtCustomOp* op) { return (void)op, 1; }
static ONNXTensorElementDataType ORT_API_CALL floats(const OrtCustomOp* op, size_t i) {
  return (void)op, (void)i, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
}
static OrtStatus* ORT_API_CALL create(const OrtCustomOp* op, const OrtApi* table,
                                      const OrtKernelInfo* info, void** kernel) {
  (void)op, (void)table, (void)kernel;
  return ask_info != NULL ? ask_info(info) : NULL;
}
static OrtStatus* ORT_API_CALL compute(void* kernel, OrtKernelContext* context) {
  (void)kernel;
  return ask_context(context);
}
static OrtStatus* ORT_API_CALL infer(const OrtCustomOp* op, OrtShapeInferContext* context) {
  (void)op;
  return ask_shapes(context);
}
static const OrtCustomOp op = {.version = ORT_API_VERSION,
                               .GetName = name,
                               .GetInputType = floats,
                               .GetInputTypeCount = one,
                               .GetOutputType = floats,
                               .GetOutputTypeCount = one,
                               .CreateKernelV2 = create,
                               .KernelComputeV2 = compute,
                               .InferOutputShapeFn = infer};

static const int64_t shape[] = {2};
static const char* const texts[] = {"first", "second"};
static OrtOpAttr* attributes[2];
static OrtValue* value;
static OrtTensorTypeAndShapeInfo* known;
static OrtTypeInfo* type;
static OrtKeyValuePairs* config;
static OrtSessionOptions* options_;
static OrtcoreKernel* kernel;

static OrtStatus* make_tensor(void** out) {
  return core_tensor_attribute("tensor", value, (OrtOpAttr**)out);
}
static void release_attribute(void* out) { api->ReleaseOpAttr(out); }

static void with_value(void) {
  CHECK(api->CreateTensorAsOrtValue(allocator, shape, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT,
                                    &value) == NULL);
}
static void with_node(void) {
  with_value();
  CHECK(make_tensor((void**)&attributes[0]) == NULL);
  CHECK(api->CreateOpAttr("texts", texts, 2, ORT_OP_ATTR_STRINGS, &attributes[1]) == NULL);
  CHECK(api->GetTypeInfo(value, &type) == NULL);
  CHECK(api->GetTensorTypeAndShape(value, &known) == NULL);
  api->CreateKeyValuePairs(&config);
  api->AddKeyValuePair(config, "key", "value");
}

static OrtStatus* make_kernel(void** out) {
  const OrtcoreOperand in = {.name = "in", .type = type}, made = {.name = "out", .constant = value};
  OrtcoreNode node = {.version = ORT_API_VERSION, .op = &op, .name = "node", .domain = "domain"};
  node.attributes = (const OrtOpAttr* const*)attributes;
  node.attribute_count = 2;
  node.inputs = &in;
  node.outputs = &made;
  node.input_count = node.output_count = 1;
  node.config = config;
  char asked[64] = "";
  node.asked = asked;
  node.asked_room = sizeof asked;
  node.options = options_;
  return core_host_kernel(&node, (OrtcoreKernel**)out);
}
static void release_kernel(void* out) { core_kernel_release(out); }

/* What cannot fail for a lack of memory. */
static OrtStatus* read_info(const OrtKernelInfo* info) {
  char text[16];
  size_t size = sizeof text, count = 0;
  int is_constant = 0;
  const OrtValue* constant = NULL;
  const OrtLogger* logger = NULL;
  OrtAllocator* own = NULL;
  CORE_TRY(api->KernelInfo_GetInputCount(info, &count));
  CORE_TRY(api->KernelInfo_GetOutputCount(info, &count));
  CORE_TRY(api->KernelInfo_GetNodeName(info, text, &size));
  CORE_TRY(api->KernelInfo_GetOperatorType(info, NULL, &size));
  CORE_TRY(api->KernelInfo_GetOperatorDomain(info, NULL, &size));
  CORE_TRY(api->KernelInfo_GetOperatorSinceVersion(info, &is_constant));
  CORE_TRY(api->KernelInfo_GetInputName(info, 0, NULL, &size));
  CORE_TRY(api->KernelInfo_GetOutputName(info, 0, NULL, &size));
  CORE_TRY(api->KernelInfo_GetLogger(info, &logger));
  CORE_TRY(api->KernelInfoGetConstantInput_tensor(info, 0, &is_constant, &constant));
  CORE_TRY(api->KernelInfoGetAllocator(info, OrtMemTypeDefault, &own));
  CORE_TRY(api->KernelInfoGetAttributeArray_float(info, "texts", NULL, &count));
  return api->KernelInfoGetAttributeArray_int64(info, "texts", NULL, &count);
}
static OrtStatus* copy_strings(const OrtKernelInfo* info) {
  char** strings = NULL;
  size_t count = 0;
  CORE_TRY(api->KernelInfoGetAttributeArray_string(info, "texts", allocator, &strings, &count));
  for (size_t i = 0; i < count; i++) {
    allocator->Free(allocator, strings[i]);
  }
  allocator->Free(allocator, strings);
  return NULL;
}
static OrtStatus* copy_parts(const OrtKernelInfo* info) {
  OrtKernelInfo* copy = NULL;
  OrtTypeInfo* found = NULL;
  OrtKeyValuePairs* entries = NULL;
  OrtValue* tensor = NULL;
  CORE_TRY(api->CopyKernelInfo(info, &copy));
  api->ReleaseKernelInfo(copy);
  CORE_TRY(api->KernelInfo_GetInputTypeInfo(info, 0, &found));
  api->ReleaseTypeInfo(found);
  CORE_TRY(api->KernelInfo_GetOutputTypeInfo(info, 0, &found));
  api->ReleaseTypeInfo(found);
  CORE_TRY(api->KernelInfo_GetConfigEntries(info, &entries));
  api->ReleaseKeyValuePairs(entries);
  CORE_TRY(api->KernelInfoGetAttribute_tensor(info, "tensor", allocator, &tensor));
  api->ReleaseValue(tensor);
  return NULL;
}
static OrtCustomOpDomain* domain;
/* Makes a kernel of the op that is being made, whose own kernel asks for nothing. */
static OrtStatus* create_op(const OrtKernelInfo* info) {
  const char* constraint = "Input0";
  const ONNXTensorElementDataType type_of_input = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
  OrtOp* made = NULL;
  ask_info = NULL;
  OrtStatus* status = api->CreateOp(info, "Trial", "trials", 1, &constraint, &type_of_input, 1,
                                    (const OrtOpAttr* const*)attributes, 2, 1, 1, &made);
  ask_info = create_op;
  CHECK((status == NULL) == (made != NULL));
  api->ReleaseOp(made);
  return status;
}
static OrtStatus* miss_attributes(const OrtKernelInfo* info) {
  float number = 0;
  int64_t integer = 0;
  size_t size = 0;
  OrtStatus* missing[] = {api->KernelInfoGetAttribute_float(info, "none", &number),
                          api->KernelInfoGetAttribute_int64(info, "none", &integer),
                          api->KernelInfoGetAttribute_string(info, "none", NULL, &size)};
  for (size_t i = 0; i < 3; i++) {
    CHECK(missing[i] != NULL);
    api->ReleaseStatus(missing[i]);
  }
  return NULL;
}

static void with_plain_info(void) { with_node(), ask_info = read_info; }
static void with_strings(void) { with_node(), ask_info = copy_strings; }
static void with_parts(void) { with_node(), ask_info = copy_parts; }
static void with_options(void) { CHECK(api->CreateSessionOptions(&options_) == NULL); }
static void with_op(void) {
  with_node(), with_options();
  CHECK(api->CreateCustomOpDomain("trials", &domain) == NULL);
  CHECK(api->CustomOpDomain_Add(domain, &op) == NULL);
  CHECK(api->AddCustomOpDomain(options_, domain) == NULL);
  ask_info = create_op;
}
static void with_no_attributes(void) { with_node(), ask_info = miss_attributes; }

static OrtStatus* make_output(OrtKernelContext* context) {
  OrtValue* out = NULL;
  return as_lack_of_memory(api->KernelContext_GetOutput(context, 0, shape, 1, &out));
}
static void nothing(void* data, size_t i) { (void)data, (void)i; }
static OrtStatus* use_context(OrtKernelContext* context) {
  const OrtMemoryInfo* info = NULL;
  const OrtValue* in = NULL;
  const OrtLogger* logger = NULL;
  OrtValue* ready = NULL;
  OrtAllocator* own = NULL;
  OrtSyncStream* stream = NULL;
  void* pointer = NULL;
  size_t count = 0;
  CORE_TRY(api->AllocatorGetInfo(allocator, &info));
  CORE_TRY(api->KernelContext_GetInputCount(context, &count));
  CORE_TRY(api->KernelContext_GetOutputCount(context, &count));
  CORE_TRY(api->KernelContext_GetInput(context, 0, &in));
  CORE_TRY(api->KernelContext_GetLogger(context, &logger));
  CORE_TRY(api->KernelContext_GetPreallocatedOutput(context, 0, &ready));
  CORE_TRY(api->KernelContext_GetGPUComputeStream(context, &pointer));
  CORE_TRY(api->KernelContext_GetSyncStream(context, &stream));
  CORE_TRY(api->KernelContext_GetAllocator(context, info, &own));
  CORE_TRY(api->KernelContext_ParallelFor(context, nothing, 10, 2, NULL));
  CORE_TRY(api->KernelContext_GetScratchBuffer(context, info, 100, &pointer));
  CORE_TRY(api->KernelContext_GetScratchBuffer(context, info, 10000, &pointer));
  api->ReleaseStatus(api->KernelContext_GetResource(context, 1, 0, &pointer));
  return make_output(context);
}
static OrtStatus* fail(OrtKernelContext* context) {
  (void)context;
  return api->CreateStatus(ORT_MODEL_LOADED, "the kernel says no");
}

static void with_kernel(void) {
  with_node();
  CHECK(make_kernel((void**)&kernel) == NULL);
  ask_context = use_context;
}
static OrtOp* inner;
static OrtStatus* keep_op(const OrtKernelInfo* info) {
  ask_info = NULL;
  return api->CreateOp(info, "Trial", "trials", 1, NULL, NULL, 0, NULL, 0, 1, 1, &inner);
}
/* The op that is called computes with the same function. */
static OrtStatus* invoke_op(OrtKernelContext* context) {
  const OrtValue* in = NULL;
  OrtValue* out = NULL;
  CORE_TRY(api->KernelContext_GetInput(context, 0, &in));
  CORE_TRY(as_lack_of_memory(api->KernelContext_GetOutput(context, 0, shape, 1, &out)));
  ask_context = make_output;
  OrtStatus* status = api->InvokeOp(context, inner, &in, 1, &out, 1);
  ask_context = invoke_op;
  return status;
}
static void with_inner(void) {
  with_op();
  ask_info = keep_op;
  CHECK(make_kernel((void**)&kernel) == NULL);
  ask_context = invoke_op;
}
static void with_failing_kernel(void) { with_kernel(), ask_context = fail; }
static OrtStatus* run_kernel(void** out) {
  OrtValue* made = NULL;
  CORE_TRY(core_kernel_compute(kernel, (const OrtValue* const*)&value, 1, &made, 1));
  *out = made;
  return NULL;
}
static void release_value(void* out) { api->ReleaseValue(out); }

static OrtStatus* use_shapes(OrtShapeInferContext* context) {
  OrtTensorTypeAndShapeInfo* info = NULL;
  const OrtOpAttr* attribute = NULL;
  size_t count = 0;
  CORE_TRY(api->ShapeInferContext_GetInputCount(context, &count));
  CORE_TRY(api->ShapeInferContext_GetAttribute(context, "texts", &attribute));
  CORE_TRY(api->ShapeInferContext_GetInputTypeShape(context, 0, &info));
  return api->ShapeInferContext_SetOutputTypeShape(context, 0, info);
}
static OrtStatus* infer_shapes(void** out) {
  OrtTensorTypeAndShapeInfo* made = NULL;
  ask_shapes = use_shapes;
  CORE_TRY(core_kernel_infer_shapes(kernel, (const OrtTensorTypeAndShapeInfo* const*)&known, 1,
                                    &made, 1));
  *out = made;
  return NULL;
}
static void release_shape(void* out) { api->ReleaseTensorTypeAndShapeInfo(out); }

static OrtStatus* register_library(void** out) {
  (void)out;
  return core_register_library(options_, NULL, CUSTOM_OPS, ORTCORE_COPY_IF_LOADED, NULL);
}
static OrtStatus* register_copy(void** out) {
  (void)out;
  return core_register_library(options_, NULL, CUSTOM_OPS, ORTCORE_COPY_ALWAYS, NULL);
}

static const struct trial trials[] = {
    TRIAL("a tensor as an attribute", with_value, make_tensor, release_attribute),
    TRIAL("a kernel", with_node, make_kernel, release_kernel),
    TRIAL("KernelInfo_GetInputCount KernelInfo_GetOutputCount KernelInfo_GetNodeName "
          "KernelInfo_GetOperatorType KernelInfo_GetOperatorDomain "
          "KernelInfo_GetOperatorSinceVersion KernelInfo_GetInputName KernelInfo_GetOutputName "
          "KernelInfo_GetLogger KernelInfoGetConstantInput_tensor KernelInfoGetAllocator "
          "KernelInfoGetAttributeArray_float KernelInfoGetAttributeArray_int64",
          with_plain_info, make_kernel, release_kernel),
    TRIAL("KernelInfoGetAttributeArray_string", with_strings, make_kernel, release_kernel),
    TRIAL("CopyKernelInfo ReleaseKernelInfo KernelInfo_GetInputTypeInfo "
          "KernelInfo_GetOutputTypeInfo KernelInfo_GetConfigEntries KernelInfoGetAttribute_tensor",
          with_parts, make_kernel, release_kernel),
    TRIAL("CreateOp ReleaseOp", with_op, make_kernel, release_kernel),
    TRIAL("KernelInfoGetAttribute_float KernelInfoGetAttribute_int64 KernelInfoGetAttribute_string",
          with_no_attributes, make_kernel, release_kernel),
    TRIAL("KernelContext_GetInputCount KernelContext_GetOutputCount KernelContext_GetInput "
          "KernelContext_GetOutput KernelContext_GetPreallocatedOutput KernelContext_GetLogger "
          "KernelContext_GetGPUComputeStream KernelContext_GetSyncStream "
          "KernelContext_GetAllocator KernelContext_GetScratchBuffer KernelContext_GetResource "
          "KernelContext_ParallelFor",
          with_kernel, run_kernel, release_value),
    TRIAL("InvokeOp", with_inner, run_kernel, release_value),
    {"a kernel that fails", with_failing_kernel, run_kernel, NULL, ORT_MODEL_LOADED},
    TRIAL("ShapeInferContext_GetInputCount ShapeInferContext_GetInputTypeShape "
          "ShapeInferContext_GetAttribute ShapeInferContext_SetOutputTypeShape",
          with_kernel, infer_shapes, release_shape),
    TRIAL("a library for kernels", with_options, register_library, NULL),
    TRIAL("a private copy", with_options, register_copy, NULL),
    {NULL},
};

static void clean(void) {
  api->ReleaseOp(inner);
  core_kernel_release(kernel);
  api->ReleaseOpAttr(attributes[0]);
  api->ReleaseOpAttr(attributes[1]);
  api->ReleaseTypeInfo(type);
  api->ReleaseTensorTypeAndShapeInfo(known);
  api->ReleaseKeyValuePairs(config);
  api->ReleaseSessionOptions(options_);
  api->ReleaseCustomOpDomain(domain);
  api->ReleaseValue(value);
}

const struct section kernels = {trials, clean};
