/* SPDX-License-Identifier: MIT */
/* Kernels: ops that declare anything, nodes that say anything, and kernels that call the slots with
 * anything. The model knows which calls must be refused. Kernels also release what they borrow,
 * which must stay whole. */
#include "custom_ops/custom_op.h"
#include "fuzz.h"
#include "kernels/kernel.h"
#include "table/versions.h"

#define MOST 4
#define KERNELS 2

static struct declared {
  OrtCustomOp base;
  size_t inputs, outputs;
  uint8_t types[2 * MOST], kinds[2 * MOST];
  int least;
} ops[KERNELS];
static OrtcoreKernel* kernels[KERNELS];
static OrtKernelInfo* info_copy;
static OrtKernelContext* old_context;
static OrtValue* values[3];

static const struct declared* own(const OrtCustomOp* op) { return (const struct declared*)op; }
static const char* ORT_API_CALL name(const OrtCustomOp* op) { return (void)op, "Fuzz"; }
static size_t ORT_API_CALL inputs(const OrtCustomOp* op) { return own(op)->inputs; }
static size_t ORT_API_CALL outputs(const OrtCustomOp* op) { return own(op)->outputs; }
static ONNXTensorElementDataType ORT_API_CALL input(const OrtCustomOp* op, size_t i) {
  return (ONNXTensorElementDataType)own(op)->types[i % MOST];
}
static ONNXTensorElementDataType ORT_API_CALL output(const OrtCustomOp* op, size_t i) {
  return (ONNXTensorElementDataType)own(op)->types[MOST + i % MOST];
}
static OrtCustomOpInputOutputCharacteristic ORT_API_CALL input_kind(const OrtCustomOp* op,
                                                                    size_t i) {
  return (OrtCustomOpInputOutputCharacteristic)own(op)->kinds[i % MOST];
}
static OrtCustomOpInputOutputCharacteristic ORT_API_CALL output_kind(const OrtCustomOp* op,
                                                                     size_t i) {
  return (OrtCustomOpInputOutputCharacteristic)own(op)->kinds[MOST + i % MOST];
}
static int ORT_API_CALL least(const OrtCustomOp* op) { return own(op)->least; }

static void drop(OrtStatus* status) { api->ReleaseStatus(status); }

/* Releases what is borrowed, now and then. */
static void steal(const OrtValue* value) {
  api->ReleaseValue(next_byte() % 8 == 1 ? (OrtValue*)value : NULL);
}

static void use_numbers(const OrtKernelInfo* info, const char* attribute) {
  float numbers[4];
  int64_t integers[4];
  char text[8];
  size_t size = next_byte() % 4;
  drop(api->KernelInfoGetAttribute_float(info, attribute, numbers));
  drop(api->KernelInfoGetAttribute_int64(info, attribute, integers));
  drop(api->KernelInfoGetAttributeArray_float(info, attribute, numbers, &size));
  size = next_byte() % 4;
  drop(api->KernelInfoGetAttributeArray_int64(info, attribute, integers, &size));
  size = next_byte() % sizeof text;
  drop(api->KernelInfoGetAttribute_string(info, attribute, text, &size));
}

static void use_texts(const OrtKernelInfo* info, const char* attribute) {
  OrtAllocator* allocator = NULL;
  char** texts = NULL;
  size_t count = 0;
  CHECK(api->GetAllocatorWithDefaultOptions(&allocator) == NULL);
  OrtStatus* status =
      api->KernelInfoGetAttributeArray_string(info, attribute, allocator, &texts, &count);
  for (size_t i = 0; status == NULL && i < count; i++) {
    allocator->Free(allocator, texts[i]);
  }
  allocator->Free(allocator, texts);
  drop(status);
  OrtValue* tensor = NULL;
  drop(api->KernelInfoGetAttribute_tensor(info, attribute, allocator, &tensor));
  api->ReleaseValue(tensor);
}

static void use_operands(const OrtKernelInfo* info, size_t i) {
  char text[8];
  OrtTypeInfo* type = NULL;
  int is_constant = 0;
  const OrtValue* constant = NULL;
  size_t size = next_byte() % sizeof text;
  drop(api->KernelInfo_GetInputName(info, i, text, &size));
  size = next_byte() % sizeof text;
  drop(api->KernelInfo_GetOutputName(info, i, text, &size));
  drop(api->KernelInfo_GetInputTypeInfo(info, i, &type));
  api->ReleaseTypeInfo(type);
  type = NULL;
  drop(api->KernelInfo_GetOutputTypeInfo(info, i, &type));
  api->ReleaseTypeInfo(type);
  CHECK(api->KernelInfoGetConstantInput_tensor(info, i, &is_constant, &constant) == NULL);
  CHECK((is_constant != 0) == (constant != NULL));
  steal(constant);
}

static void use_names(const OrtKernelInfo* info) {
  char text[8];
  size_t size = sizeof text, count = 0;
  int version = 0;
  const OrtLogger* logger = NULL;
  OrtAllocator* allocator = NULL;
  OrtKeyValuePairs* entries = NULL;
  drop(api->KernelInfo_GetNodeName(info, text, &size));
  drop(api->KernelInfo_GetOperatorType(info, NULL, &size));
  drop(api->KernelInfo_GetOperatorDomain(info, NULL, &size));
  CHECK(api->KernelInfo_GetOperatorSinceVersion(info, &version) == NULL);
  CHECK(api->KernelInfo_GetInputCount(info, &count) == NULL);
  CHECK(api->KernelInfo_GetOutputCount(info, &count) == NULL);
  CHECK(api->KernelInfo_GetLogger(info, &logger) == NULL && logger != NULL);
  CHECK(api->KernelInfoGetAllocator(info, OrtMemTypeDefault, &allocator) == NULL);
  drop(api->KernelInfo_GetConfigEntries(info, &entries));
  api->ReleaseKeyValuePairs(entries);
}

static void use_info(const OrtKernelInfo* info) {
  static const char* const attributes[] = {"f", "i", "s", "fs", "is", "ss", "t", "none"};
  for (unsigned calls = next_byte() % 8; calls > 0; calls--) {
    const char* attribute = attributes[next_byte() % CORE_COUNT_OF(attributes)];
    use_numbers(info, attribute);
    use_texts(info, attribute);
    use_operands(info, next_byte() % 8);
    use_names(info);
  }
}

static OrtStatus* ORT_API_CALL create(const OrtCustomOp* op, const OrtApi* table,
                                      const OrtKernelInfo* info, void** kernel) {
  (void)table;
  *kernel = (void*)op;
  use_info(info);
  if (info_copy == NULL) {
    drop(api->CopyKernelInfo(info, &info_copy));
  }
  api->ReleaseKernelInfo((OrtKernelInfo*)info);
  return next_byte() % 16 == 1 ? api->CreateStatus(ORT_EP_FAIL, "refused") : NULL;
}

static void visit(void* seen, size_t i) {
  __atomic_fetch_add((size_t*)seen, i + 1, __ATOMIC_RELAXED);
}

static void use_memory(OrtKernelContext* context) {
  OrtAllocator *allocator = NULL, *found = NULL;
  const OrtMemoryInfo* memory = NULL;
  void* block = NULL;
  CHECK(api->GetAllocatorWithDefaultOptions(&allocator) == NULL);
  CHECK(api->AllocatorGetInfo(allocator, &memory) == NULL);
  CHECK(api->KernelContext_GetAllocator(context, memory, &found) == NULL);
  /* Much less than libFuzzer lets a call of malloc have, or more than there is. */
  size_t size = next_number(2);
  size = next_byte() % 8 == 1 ? SIZE_MAX - size : size;
  OrtStatus* status = api->KernelContext_GetScratchBuffer(context, memory, size, &block);
  if (status == NULL && size > 0) {
    memset(block, 0xA5, size);
  }
  drop(status);
  size_t total = next_byte(), seen = 0;
  CHECK(api->KernelContext_ParallelFor(context, visit, total, next_byte() % 8, &seen) == NULL);
  CHECK(seen == total * (total + 1) / 2);
}

static void use_output(OrtKernelContext* context) {
  int64_t dims[4];
  OrtValue *value = NULL, *again = NULL;
  size_t rank = next_byte() % 4, i = next_byte() % 8;
  for (size_t d = 0; d < rank; d++) {
    dims[d] = (int64_t)(int8_t)next_byte() % 8;
  }
  OrtStatus* status = api->KernelContext_GetOutput(context, i, dims, rank, &value);
  if (status == NULL && value != NULL) {
    CHECK(api->KernelContext_GetOutput(context, i, dims, rank, &again) == NULL && again == value);
    steal(value);
  }
  drop(status);
  value = NULL;
  drop(api->KernelContext_GetPreallocatedOutput(context, i, &value));
  steal(value);
}

static OrtStatus* ORT_API_CALL compute(void* kernel, OrtKernelContext* context) {
  (void)kernel;
  size_t count = 0;
  const OrtValue* value = NULL;
  const OrtLogger* logger = NULL;
  OrtSyncStream* stream = NULL;
  void* resource = NULL;
  old_context = context;
  CHECK(api->KernelContext_GetInputCount(context, &count) == NULL);
  CHECK(api->KernelContext_GetOutputCount(context, &count) == NULL);
  CHECK(api->KernelContext_GetLogger(context, &logger) == NULL);
  CHECK(api->KernelContext_GetGPUComputeStream(context, &resource) == NULL);
  CHECK(api->KernelContext_GetSyncStream(context, &stream) == NULL);
  drop(api->KernelContext_GetResource(context, 1, 1, &resource));
  for (unsigned calls = next_byte() % 8; calls > 0; calls--) {
    CHECK(api->KernelContext_GetInput(context, next_byte(), &value) == NULL);
    steal(value);
    use_output(context);
    use_memory(context);
  }
  return next_byte() % 16 == 1 ? api->CreateStatus((OrtErrorCode)(next_byte() % 20), "no") : NULL;
}

static OrtStatus* ORT_API_CALL infer(const OrtCustomOp* op, OrtShapeInferContext* context) {
  OrtTensorTypeAndShapeInfo* info = NULL;
  const OrtOpAttr* attribute = NULL;
  int is_thief = next_byte() % 8 == 1;
  size_t count = 0;
  (void)op;
  CHECK(api->ShapeInferContext_GetInputCount(context, &count) == NULL);
  drop(api->ShapeInferContext_GetAttribute(context, "fs", &attribute));
  drop(api->ShapeInferContext_GetInputTypeShape(context, next_byte() % 4, &info));
  drop(api->ShapeInferContext_SetOutputTypeShape(context, next_byte() % 4, info));
  api->ReleaseOpAttr(is_thief ? (OrtOpAttr*)attribute : NULL);
  api->ReleaseTensorTypeAndShapeInfo(is_thief ? info : NULL);
  return NULL;
}

static void declare(struct declared* op) {
  *op = (struct declared){.base = {.GetName = name,
                                   .GetInputType = input,
                                   .GetInputTypeCount = inputs,
                                   .GetOutputType = output,
                                   .GetOutputTypeCount = outputs,
                                   .GetInputCharacteristic = input_kind,
                                   .GetOutputCharacteristic = output_kind,
                                   .GetVariadicInputMinArity = least,
                                   .GetVariadicOutputMinArity = least,
                                   .CreateKernelV2 = create,
                                   .KernelComputeV2 = compute,
                                   .InferOutputShapeFn = infer}};
  op->base.version = next_byte() % 40;
  op->inputs = next_byte() % (MOST + 1);
  op->outputs = next_byte() % (MOST + 1);
  for (size_t i = 0; i < 2 * MOST; i++) {
    op->types[i] = (uint8_t)(next_byte() % 10);
    op->kinds[i] = (uint8_t)(next_byte() % 4);
  }
  op->least = (int8_t)next_byte();
}

static void make(size_t i) {
  static const float numbers[] = {1, 2};
  static const char* const texts[] = {"a", "bc"};
  OrtcoreOperand in[MOST] = {{0}}, out[MOST] = {{0}};
  OrtOpAttr* attributes[3] = {NULL};
  OrtcoreNode node = {.version = ORT_API_VERSION, .op = &ops[i].base, .name = "node"};
  char names[MOST][4];
  declare(&ops[i]);
  for (size_t k = 0; k < MOST; k++) {
    next_string(names[k], 3);
    in[k] = (OrtcoreOperand){.name = names[k],
                             .element_type = (ONNXTensorElementDataType)(next_byte() % 3),
                             .constant = next_byte() % 4 == 0 ? values[next_byte() % 3] : NULL};
    out[k] = (OrtcoreOperand){.name = names[k]};
  }
  node.inputs = next_byte() % 2 == 0 ? in : NULL;
  node.outputs = next_byte() % 2 == 0 ? out : NULL;
  node.input_count = next_byte() % (MOST + 1);
  node.output_count = next_byte() % (MOST + 1);
  node.threads = next_byte() % 3;
  drop(api->CreateOpAttr("fs", numbers, 2, ORT_OP_ATTR_FLOATS, &attributes[0]));
  drop(api->CreateOpAttr("ss", texts, 2, ORT_OP_ATTR_STRINGS, &attributes[1]));
  if (values[0] != NULL) {
    drop(core_tensor_attribute("t", values[0], &attributes[2]));
  }
  node.attributes = (const OrtOpAttr* const*)attributes;
  node.attribute_count = attributes[2] != NULL ? 3 : attributes[1] != NULL ? 2 : 0;
  OrtStatus* status = core_host_kernel(&node, &kernels[i]);
  CHECK((status == NULL) == (kernels[i] != NULL));
  drop(status);
  for (size_t k = 0; k < 3; k++) {
    api->ReleaseOpAttr(attributes[k]);
  }
}

static void run(size_t i) {
  const OrtValue* in[MOST + 2];
  OrtValue* out[MOST + 2];
  bool is_given[MOST + 2];
  size_t given = next_byte() % (MOST + 3), wanted = next_byte() % (MOST + 3);
  for (size_t k = 0; k < MOST + 2; k++) {
    in[k] = next_byte() % 4 == 0 ? NULL : values[next_byte() % 3];
    out[k] = next_byte() % 8 == 0 ? values[next_byte() % 3] : NULL;
    is_given[k] = out[k] != NULL;
  }
  OrtStatus* status = core_kernel_compute(kernels[i], in, given, out, wanted);
  for (size_t k = 0; k < wanted; k++) {
    CHECK(status == NULL || is_given[k] == (out[k] != NULL));
    api->ReleaseValue(is_given[k] ? NULL : out[k]);
  }
  drop(status);
  if (old_context != NULL) {
    size_t count = 0;
    status = api->KernelContext_GetInputCount(old_context, &count);
    CHECK(status != NULL);
    drop(status);
    old_context = NULL;
  }
}

static void shapes(size_t i) {
  OrtTensorTypeAndShapeInfo* out[MOST] = {NULL};
  const OrtTensorTypeAndShapeInfo* in[MOST] = {NULL};
  OrtStatus* status = core_kernel_infer_shapes(kernels[i], in, next_byte() % (MOST + 1), out, MOST);
  for (size_t k = 0; k < MOST; k++) {
    CHECK(status == NULL || out[k] == NULL);
    api->ReleaseTensorTypeAndShapeInfo(out[k]);
  }
  drop(status);
}

static void make_value(size_t i) {
  static const int64_t shape[] = {2};
  OrtAllocator* allocator = NULL;
  CHECK(api->GetAllocatorWithDefaultOptions(&allocator) == NULL);
  ONNXTensorElementDataType type = i == 0   ? ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT
                                   : i == 1 ? ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING
                                            : ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8;
  drop(api->CreateTensorAsOrtValue(allocator, shape, 1, type, &values[i]));
}

void use_kernels(void) {
  unsigned what = next_byte();
  size_t i = what / 8 % KERNELS, v = what % 3;
  if (values[v] == NULL) {
    make_value(v);
  } else if (info_copy != NULL && what % 8 == 7) {
    use_info(info_copy);
    api->ReleaseKernelInfo(info_copy);
    info_copy = NULL;
  } else if (kernels[i] == NULL) {
    make(i);
  } else if (what % 8 == 0) {
    core_kernel_release(kernels[i]);
    kernels[i] = NULL;
  } else if (what % 8 == 1) {
    shapes(i);
  } else {
    run(i);
  }
}

void end_kernels(void) {
  for (size_t i = 0; i < KERNELS; i++) {
    core_kernel_release(kernels[i]);
    kernels[i] = NULL;
  }
  api->ReleaseKernelInfo(info_copy);
  info_copy = NULL;
  for (size_t i = 0; i < 3; i++) {
    api->ReleaseValue(values[i]);
    values[i] = NULL;
  }
}
