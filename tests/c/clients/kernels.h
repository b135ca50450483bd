/* SPDX-License-Identifier: MIT */
/* What the clients of the kernel host share: its functions, and an op to be changed. */
#ifndef ORTCFFI_TESTS_KERNELS_H_
#define ORTCFFI_TESTS_KERNELS_H_

#include <string.h>

#include "ortcore.h"
#include "plain_op.h"
#include "table.h"

static const OrtApi* api;
static OrtAllocator* allocator;
static struct {
  OrtcoreKernelBase base;
  OrtcoreTensorAttribute tensor_attribute;
  OrtcoreKernelCreate create;
  OrtcoreKernelCompute compute;
  OrtcoreKernelSetOutput set_output;
  OrtcoreKernelInferShapes infer_shapes;
  OrtcoreKernelRelease release;
  OrtcoreRegisterLibrary register_library;
  OrtcoreFindOp find_op;
} host;

static inline void find_host(const OrtApi* table) {
  api = table;
  host.base = CORE_FUNCTION(OrtcoreKernelBase, ORTCORE_KERNEL_BASE);
  host.tensor_attribute = CORE_FUNCTION(OrtcoreTensorAttribute, ORTCORE_TENSOR_ATTRIBUTE);
  host.create = CORE_FUNCTION(OrtcoreKernelCreate, ORTCORE_KERNEL_CREATE);
  host.compute = CORE_FUNCTION(OrtcoreKernelCompute, ORTCORE_KERNEL_COMPUTE);
  host.set_output = CORE_FUNCTION(OrtcoreKernelSetOutput, ORTCORE_KERNEL_SET_OUTPUT);
  host.infer_shapes = CORE_FUNCTION(OrtcoreKernelInferShapes, ORTCORE_KERNEL_INFER_SHAPES);
  host.release = CORE_FUNCTION(OrtcoreKernelRelease, ORTCORE_KERNEL_RELEASE);
  host.register_library = CORE_FUNCTION(OrtcoreRegisterLibrary, ORTCORE_REGISTER_LIBRARY);
  host.find_op = CORE_FUNCTION(OrtcoreFindOp, ORTCORE_FIND_OP);
  CHECK(api->GetAllocatorWithDefaultOptions(&allocator) == NULL);
}

/* Whether a status has a code and a text with two parts; releases it. */
static inline bool says(OrtStatus* status, OrtErrorCode code, const char* part, const char* other) {
  if (status == NULL) {
    fprintf(stderr, "there was no failure\n");
    return false;
  }
  const char* text = api->GetErrorMessage(status);
  bool is_so = api->GetErrorCode(status) == code && strstr(text, part) != NULL &&
               strstr(text, other) != NULL;
  if (!is_so) {
    fprintf(stderr, "code %d: %s\n", (int)api->GetErrorCode(status), text);
  }
  api->ReleaseStatus(status);
  return is_so;
}

/* An op of one float tensor in and one out. Its kernel calls `work`, its creation `begin`. */
struct test_op {
  OrtCustomOp base;
  OrtStatus* (*begin)(const OrtApi* table, const OrtKernelInfo* info);
  OrtStatus* (*work)(OrtKernelContext* context);
  size_t inputs;
  size_t outputs;
  ONNXTensorElementDataType input_type;
  ONNXTensorElementDataType output_type;
  OrtCustomOpInputOutputCharacteristic kinds[4];
  int least;
  int homogeneous;
  const char* name;
};

static inline const struct test_op* op_of(const OrtCustomOp* op) {
  return (const struct test_op*)op;
}
static inline const char* ORT_API_CALL op_name(const OrtCustomOp* op) { return op_of(op)->name; }
static inline size_t ORT_API_CALL op_inputs(const OrtCustomOp* op) { return op_of(op)->inputs; }
static inline size_t ORT_API_CALL op_outputs(const OrtCustomOp* op) { return op_of(op)->outputs; }
static inline ONNXTensorElementDataType ORT_API_CALL op_input(const OrtCustomOp* op, size_t i) {
  return (void)i, op_of(op)->input_type;
}
static inline ONNXTensorElementDataType ORT_API_CALL op_output(const OrtCustomOp* op, size_t i) {
  return (void)i, op_of(op)->output_type;
}
static inline OrtCustomOpInputOutputCharacteristic ORT_API_CALL op_kind(const OrtCustomOp* op,
                                                                        size_t i) {
  return op_of(op)->kinds[i];
}
static inline int ORT_API_CALL op_least(const OrtCustomOp* op) { return op_of(op)->least; }
static inline int ORT_API_CALL op_homogeneous(const OrtCustomOp* op) {
  return op_of(op)->homogeneous;
}
static inline OrtStatus* ORT_API_CALL op_create(const OrtCustomOp* op, const OrtApi* table,
                                                const OrtKernelInfo* info, void** kernel) {
  *kernel = (void*)op;
  return op_of(op)->begin != NULL ? op_of(op)->begin(table, info) : NULL;
}
static inline OrtStatus* ORT_API_CALL op_compute(void* kernel, OrtKernelContext* context) {
  return ((const struct test_op*)kernel)->work(context);
}
static inline void ORT_API_CALL op_destroy(void* kernel) { (void)kernel; }

static const struct test_op one_to_one = {
    .base =
        {
            .version = ORT_API_VERSION,
            .GetName = op_name,
            .GetExecutionProviderType = plain_provider,
            .GetInputType = op_input,
            .GetInputTypeCount = op_inputs,
            .GetOutputType = op_output,
            .GetOutputTypeCount = op_outputs,
            .KernelDestroy = op_destroy,
            .GetInputCharacteristic = op_kind,
            .GetOutputCharacteristic = plain_kind,
            .GetInputMemoryType = plain_memory,
            .GetVariadicInputMinArity = op_least,
            .GetVariadicInputHomogeneity = op_homogeneous,
            .GetVariadicOutputMinArity = plain_one,
            .GetVariadicOutputHomogeneity = plain_one,
            .CreateKernelV2 = op_create,
            .KernelComputeV2 = op_compute,
            .GetStartVersion = plain_one,
            .GetEndVersion = plain_one,
        },
    .inputs = 1,
    .outputs = 1,
    .input_type = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT,
    .output_type = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT,
    .kinds = {INPUT_OUTPUT_REQUIRED},
    .least = 1,
    .homogeneous = 1,
    .name = "Probe",
};

static const float numbers[] = {1, 2, 3, 4, 5, 6};
static const int64_t shape[] = {2, 3};

static inline OrtValue* new_value(ONNXTensorElementDataType type, size_t rank) {
  OrtValue* value = NEW(OrtValue, api->CreateTensorAsOrtValue(allocator, shape, rank, type, &new_));
  if (type == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT && rank == 2) {
    void* data = NEW(void, api->GetTensorMutableData(value, &new_));
    memcpy(data, numbers, sizeof numbers);
  }
  return value;
}

static inline OrtValue* new_floats(void) {
  return new_value(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, 2);
}

static inline OrtcoreKernel* new_kernel(const struct test_op* op) {
  OrtcoreNode node = {.version = ORT_API_VERSION, .op = &op->base, .name = "node"};
  OrtcoreKernel* kernel = NULL;
  CHECK(host.create(&node, &kernel) == NULL);
  return kernel;
}

/* The output is the first input, doubled. */
static inline OrtStatus* twice(OrtKernelContext* context) {
  void *from = NULL, *to = NULL;
  const OrtValue* in = NEW(const OrtValue, api->KernelContext_GetInput(context, 0, &new_));
  OrtValue* out = NEW(OrtValue, api->KernelContext_GetOutput(context, 0, shape, 2, &new_));
  CHECK(api->GetTensorMutableData((OrtValue*)in, &from) == NULL);
  CHECK(api->GetTensorMutableData(out, &to) == NULL);
  for (size_t i = 0; i < 6; i++) {
    ((float*)to)[i] = 2 * ((float*)from)[i];
  }
  return NULL;
}

static inline struct test_op twice_op(void) {
  struct test_op op = one_to_one;
  op.work = twice;
  return op;
}

#endif /* ORTCFFI_TESTS_KERNELS_H_ */
