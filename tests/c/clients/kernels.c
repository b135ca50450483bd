/* SPDX-License-Identifier: MIT */
/*
 * Runs kernels of its own ops on the core: what kernels see, what is refused, and what bad kernels
 * do.
 */
#include "kernels.h"

static void computes(void) {
  struct test_op op = twice_op();
  OrtcoreKernel* kernel = new_kernel(&op);
  OrtValue *in = new_floats(), *out = NULL;
  void* data = NULL;
  CHECK(host.compute(kernel, (const OrtValue* const*)&in, 1, &out, 1) == NULL);
  CHECK(api->GetTensorMutableData(out, &data) == NULL && ((float*)data)[5] == 12);
  /* The same memory once more: preallocated. */
  ((float*)data)[5] = 0;
  OrtValue* again = out;
  CHECK(host.compute(kernel, (const OrtValue* const*)&in, 1, &again, 1) == NULL);
  CHECK(again == out && ((float*)data)[5] == 12);
  /* An output of another shape than the kernel makes. */
  OrtValue* scalar = new_value(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, 0);
  host.release(kernel);
  api->ReleaseValue(scalar);
  api->ReleaseValue(out);
  api->ReleaseValue(in);
}

static void refuses_inputs(void) {
  struct test_op op = twice_op();
  OrtcoreKernel* kernel = new_kernel(&op);
  OrtValue *ints = new_value(ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, 2), *out = NULL;
  const OrtValue* inputs[] = {ints, ints};
  CHECK(says(host.compute(kernel, inputs, 1, &out, 1), ORT_INVALID_ARGUMENT, "Probe 'node'",
             "input 0 ('input0') must be a tensor of float, but is one of int64"));
  CHECK(says(host.compute(kernel, NULL, 0, &out, 1), ORT_INVALID_ARGUMENT, "Probe 'node'",
             "input 0 ('input0') is required"));
  OrtValue* floats = new_floats();
  inputs[0] = inputs[1] = floats;
  CHECK(says(host.compute(kernel, inputs, 2, &out, 1), ORT_INVALID_ARGUMENT, "Probe", "2 inputs"));
  CHECK(says(host.compute(kernel, inputs, 1, NULL, 0), ORT_INVALID_ARGUMENT, "Probe", "0 outputs"));
  CHECK(says(host.compute(kernel, inputs, 1, &ints, 1), ORT_INVALID_ARGUMENT, "Probe", "output 0"));
  CHECK(out == NULL);
  host.release(kernel);
  api->ReleaseValue(ints);
  api->ReleaseValue(floats);
}

static void refuses_attributes_that_cannot_be_read(void) {
  const int64_t two = 2;
  OrtMemoryInfo* cpu = NULL;
  OrtValue* value = NULL;
  OrtOpAttr* attribute = NULL;
  CHECK(api->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &cpu) == NULL);
  CHECK(api->CreateTensorWithDataAsOrtValue(cpu, NULL, 8, &two, 1,
                                            ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value) == NULL);
  CHECK(says(host.tensor_attribute("value", value, &attribute), ORT_INVALID_ARGUMENT, "tensor",
             "must have data"));
  CHECK(attribute == NULL);
  api->ReleaseValue(value);
  api->ReleaseMemoryInfo(cpu);
}

static OrtStatus* count_inputs(OrtKernelContext* context) {
  size_t count = 0;
  OrtValue* out = NULL;
  void* data = NULL;
  CHECK(api->KernelContext_GetInputCount(context, &count) == NULL);
  CHECK(api->KernelContext_GetOutput(context, 0, NULL, 0, &out) == NULL);
  CHECK(api->GetTensorMutableData(out, &data) == NULL);
  *(float*)data = (float)count;
  return NULL;
}

static void spreads_variadic_inputs(void) {
  struct test_op op = one_to_one;
  op.work = count_inputs;
  op.inputs = 2;
  op.kinds[1] = INPUT_OUTPUT_VARIADIC;
  op.least = 2;
  op.input_type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  OrtcoreKernel* kernel = new_kernel(&op);
  OrtValue *floats = new_floats(), *ints = new_value(ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, 2);
  const OrtValue* inputs[] = {ints, floats, floats, floats};
  OrtValue* out = NULL;
  void* data = NULL;
  CHECK(host.compute(kernel, inputs, 4, &out, 1) == NULL);
  CHECK(api->GetTensorMutableData(out, &data) == NULL && *(float*)data == 4);
  api->ReleaseValue(out);
  out = NULL;
  CHECK(says(host.compute(kernel, inputs, 2, &out, 1), ORT_INVALID_ARGUMENT, "Probe", "input 2"));
  inputs[3] = ints;
  CHECK(says(host.compute(kernel, inputs, 4, &out, 1), ORT_INVALID_ARGUMENT, "input 3", "int64"));
  inputs[3] = NULL;
  CHECK(
      says(host.compute(kernel, inputs, 4, &out, 1), ORT_INVALID_ARGUMENT, "input 3", "required"));
  host.release(kernel);
  api->ReleaseValue(floats);
  api->ReleaseValue(ints);
}

/* The output, of any type, is that of the input of any type; with nothing known, it fails. */
static void finds_the_type_of_outputs(void) {
  struct test_op op = one_to_one;
  op.work = count_inputs;
  op.input_type = op.output_type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  OrtcoreKernel* kernel = new_kernel(&op);
  OrtValue *ints = new_value(ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, 2), *out = NULL;
  CHECK(host.compute(kernel, (const OrtValue* const*)&ints, 1, &out, 1) == NULL);
  OrtTensorTypeAndShapeInfo* info = NULL;
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  CHECK(api->GetTensorTypeAndShape(out, &info) == NULL);
  CHECK(api->GetTensorElementType(info, &type) == NULL);
  CHECK(type == ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64);
  api->ReleaseTensorTypeAndShapeInfo(info);
  api->ReleaseValue(out);
  api->ReleaseValue(ints);
  host.release(kernel);
}

static OrtStatus* make_a_sequence(OrtKernelContext* context) {
  const OrtValue* in = NULL;
  OrtValue *sequence = NULL, *tensor = NULL;
  CHECK(api->KernelContext_GetInput(context, 0, &in) == NULL);
  CHECK(api->CreateValue(&in, 1, ONNX_TYPE_SEQUENCE, &sequence) == NULL);
  CHECK(says(host.set_output(NULL, 0, sequence), ORT_INVALID_ARGUMENT, "context", "NULL"));
  CHECK(says(host.set_output(context, 0, NULL), ORT_INVALID_ARGUMENT, "value", "NULL"));
  CHECK(says(host.set_output(context, 0, in), ORT_INVALID_ARGUMENT, "type", "output"));
  CHECK(host.set_output(context, 1, sequence) == NULL); /* the node has no such output */
  CHECK(host.set_output(context, 0, sequence) == NULL);
  CHECK(says(host.set_output(context, 0, sequence), ORT_INVALID_ARGUMENT, "exists", "already"));
  CHECK(says(api->KernelContext_GetOutput(context, 0, shape, 2, &tensor), ORT_INVALID_ARGUMENT,
             "exists", "already"));
  api->ReleaseValue(sequence);
  return NULL;
}

static OrtStatus* make_a_sequence_and_fail(OrtKernelContext* context) {
  CHECK(make_a_sequence(context) == NULL);
  return api->CreateStatus(ORT_FAIL, "the kernel fails");
}

static void makes_empty_sequences(void) {
  OrtcoreEmptySequence make =
      (OrtcoreEmptySequence)api->GetExperimentalFunction(ORTCORE_EMPTY_SEQUENCE);
  OrtValue *sequence = NULL, *item = NULL;
  OrtTypeInfo *type = NULL, *element = NULL;
  const OrtSequenceTypeInfo* of = NULL;
  const OrtTensorTypeAndShapeInfo* tensor = NULL;
  ONNXTensorElementDataType found = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  size_t count = 1;
  CHECK(says(make(ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8, NULL), ORT_INVALID_ARGUMENT, "out", "NULL"));
  CHECK(says(make((ONNXTensorElementDataType)99, &sequence), ORT_INVALID_ARGUMENT, "type", "must"));
  CHECK(make(ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING, &sequence) == NULL);
  CHECK(api->GetValueCount(sequence, &count) == NULL);
  CHECK(count == 0);
  CHECK(says(api->GetValue(sequence, 0, allocator, &item), ORT_FAIL, "index", "sequence"));
  CHECK(api->GetTypeInfo(sequence, &type) == NULL);
  CHECK(api->CastTypeInfoToSequenceTypeInfo(type, &of) == NULL);
  CHECK(api->GetSequenceElementType(of, &element) == NULL);
  CHECK(api->CastTypeInfoToTensorInfo(element, &tensor) == NULL);
  CHECK(api->GetTensorElementType(tensor, &found) == NULL);
  CHECK(found == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING);
  api->ReleaseTypeInfo(element);
  api->ReleaseTypeInfo(type);
  api->ReleaseValue(sequence);
}

static void makes_sequences(void) {
  struct test_op op = one_to_one;
  op.work = make_a_sequence;
  op.output_type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  OrtcoreKernel* kernel = new_kernel(&op);
  OrtValue *in = new_floats(), *out = NULL;
  size_t count = 0;
  CHECK(host.compute(kernel, (const OrtValue* const*)&in, 1, &out, 1) == NULL);
  CHECK(api->GetValueCount(out, &count) == NULL);
  CHECK(count == 1);
  api->ReleaseValue(out);
  host.release(kernel);
  out = NULL;
  op.work = make_a_sequence_and_fail;
  kernel = new_kernel(&op);
  CHECK(says(host.compute(kernel, (const OrtValue* const*)&in, 1, &out, 1), ORT_FAIL, "Probe",
             "the kernel fails"));
  CHECK(out == NULL);
  host.release(kernel);
  api->ReleaseValue(in);
}

static OrtStatus* make_nothing(OrtKernelContext* context) { return (void)context, NULL; }
static OrtStatus* answer_ok(OrtKernelContext* context) {
  return (void)context, api->CreateStatus(ORT_OK, "all is well");
}
static OrtStatus* answer_not_found(OrtKernelContext* context) {
  return (void)context, api->CreateStatus(ORT_MODEL_LOADED, "the kernel says no");
}

static void fails_with(OrtStatus* (*work)(OrtKernelContext*), OrtErrorCode code, const char* text) {
  struct test_op op = one_to_one;
  op.work = work;
  OrtcoreKernel* kernel = new_kernel(&op);
  OrtValue *in = new_floats(), *out = NULL;
  CHECK(says(host.compute(kernel, (const OrtValue* const*)&in, 1, &out, 1), code, "Probe 'node'",
             text));
  CHECK(out == NULL);
  api->ReleaseValue(in);
  host.release(kernel);
}

static void tells_what_kernels_say(void) {
  fails_with(make_nothing, ORT_FAIL, "did not make output 0");
  fails_with(answer_ok, ORT_FAIL, "ORT_OK");
  fails_with(answer_not_found, ORT_MODEL_LOADED, "the kernel says no");
}

/* A kernel that releases what it borrowed. */
static OrtStatus* release_all(OrtKernelContext* context) {
  const OrtValue* in = NULL;
  OrtValue* out = NULL;
  CHECK(twice(context) == NULL);
  CHECK(api->KernelContext_GetInput(context, 0, &in) == NULL);
  CHECK(api->KernelContext_GetOutput(context, 0, shape, 2, &out) == NULL);
  for (int i = 0; i < 3; i++) {
    api->ReleaseValue((OrtValue*)in);
    api->ReleaseValue(out);
  }
  return NULL;
}

static OrtStatus* release_constant(const OrtApi* table, const OrtKernelInfo* info) {
  const OrtValue* constant = NULL;
  int is_constant = 0;
  CHECK(table->KernelInfoGetConstantInput_tensor(info, 0, &is_constant, &constant) == NULL);
  for (int i = 0; is_constant && i < 3; i++) {
    table->ReleaseValue((OrtValue*)constant);
  }
  return NULL;
}

/* The value has several holders: the client, the node and options. */
static void survives_kernels_that_release_shared_values(void) {
  struct test_op op = one_to_one;
  op.begin = release_constant;
  op.work = release_all;
  float own[6] = {1, 2, 3, 4, 5, 6};
  const char* name = "w";
  OrtMemoryInfo* info = NULL;
  OrtValue *value = NULL, *out = NULL;
  OrtSessionOptions* options = NULL;
  void* data = NULL;
  CHECK(api->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &info) == NULL);
  CHECK(api->CreateTensorWithDataAsOrtValue(info, own, sizeof own, shape, 2,
                                            ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value) == NULL);
  CHECK(api->CreateSessionOptions(&options) == NULL);
  CHECK(api->AddExternalInitializers(options, &name, (const OrtValue* const*)&value, 1) == NULL);
  const OrtcoreOperand in = {.name = "x", .constant = value};
  OrtcoreNode node = {.version = ORT_API_VERSION, .op = &op.base, .inputs = &in, .input_count = 1};
  OrtcoreKernel* kernel = NULL;
  CHECK(host.create(&node, &kernel) == NULL);
  CHECK(host.compute(kernel, NULL, 0, &out, 1) == NULL);
  CHECK(host.compute(kernel, (const OrtValue* const*)&value, 1, &out, 1) == NULL);
  host.release(kernel);
  api->ReleaseSessionOptions(options);
  CHECK(api->GetTensorMutableData(value, &data) == NULL && data == own);
  CHECK(api->GetTensorMutableData(out, &data) == NULL && ((float*)data)[5] == 12);
  api->ReleaseValue(value);
  api->ReleaseValue(out);
  api->ReleaseMemoryInfo(info);
}

static OrtKernelContext* kept;
static const OrtValue* kept_input;
static OrtStatus* keep(OrtKernelContext* context) {
  kept = context;
  CHECK(api->KernelContext_GetInput(context, 0, &kept_input) == NULL);
  return twice(context);
}

static void survives_kernels_that_take_too_much(void) {
  struct test_op op = one_to_one;
  op.work = release_all;
  OrtcoreKernel* kernel = new_kernel(&op);
  OrtValue *in = new_floats(), *out = NULL;
  void* data = NULL;
  CHECK(host.compute(kernel, (const OrtValue* const*)&in, 1, &out, 1) == NULL);
  CHECK(api->GetTensorMutableData(out, &data) == NULL && ((float*)data)[5] == 12);
  CHECK(api->GetTensorMutableData(in, &data) == NULL && ((float*)data)[5] == 6);
  api->ReleaseValue(out);
  out = NULL;
  op.work = keep;
  CHECK(host.compute(kernel, (const OrtValue* const*)&in, 1, &out, 1) == NULL);
  size_t count = 0;
  OrtValue* late = NULL;
  CHECK(says(api->KernelContext_GetInputCount(kept, &count), ORT_INVALID_ARGUMENT, "context",
             "after the call"));
  CHECK(says(api->KernelContext_GetOutput(kept, 0, shape, 2, &late), ORT_INVALID_ARGUMENT,
             "context", "after the call"));
  OrtTypeInfo* type = NULL;
  OrtTensorTypeAndShapeInfo* info = NULL;
  api->ReleaseValue((OrtValue*)kept_input);
  CHECK(says(api->GetTensorMutableData((OrtValue*)kept_input, &data), ORT_RUNTIME_EXCEPTION,
             "GetTensorMutableData", "after the call"));
  CHECK(says(api->GetTypeInfo(kept_input, &type), ORT_INVALID_ARGUMENT, "GetTypeInfo",
             "after the call"));
  CHECK(says(api->GetTensorTypeAndShape(kept_input, &info), ORT_FAIL, "value", "tensor"));
  api->ReleaseValue(out);
  api->ReleaseValue(in);
  host.release(kernel);
}

static void* ORT_API_CALL create_without_status(const OrtCustomOp* op, const OrtApi* table,
                                                const OrtKernelInfo* info) {
  void* kernel = NULL;
  CHECK(op_create(op, table, info, &kernel) == NULL);
  return kernel;
}

static void ORT_API_CALL compute_without_status(void* kernel, OrtKernelContext* context) {
  CHECK(op_compute(kernel, context) == NULL);
}

/* As the ops do that the C++ header of ONNX Runtime makes of a struct. */
static void calls_each_function_of_its_kind(void) {
  struct test_op mixed[] = {twice_op(), twice_op()};
  mixed[0].base.CreateKernelV2 = NULL;
  mixed[0].base.CreateKernel = create_without_status;
  mixed[1].base.KernelComputeV2 = NULL;
  mixed[1].base.KernelCompute = compute_without_status;
  for (size_t i = 0; i < 2; i++) {
    OrtcoreKernel* kernel = new_kernel(&mixed[i]);
    OrtValue *in = new_floats(), *out = NULL;
    void* data = NULL;
    CHECK(host.compute(kernel, (const OrtValue* const*)&in, 1, &out, 1) == NULL);
    CHECK(api->GetTensorMutableData(out, &data) == NULL);
    CHECK(((const float*)data)[5] == 12);
    api->ReleaseValue(out);
    api->ReleaseValue(in);
    host.release(kernel);
  }
}

static void refuses_bad_ops(void) {
  struct test_op op = twice_op();
  OrtcoreNode node = {.version = ORT_API_VERSION, .op = &op.base};
  OrtcoreKernel* kernel = NULL;
  op.base.version = 0;
  CHECK(says(host.create(&node, &kernel), ORT_INVALID_ARGUMENT, "version", "0"));
  op = twice_op();
  op.base.KernelComputeV2 = NULL;
  CHECK(says(host.create(&node, &kernel), ORT_INVALID_ARGUMENT, "KernelCompute", ""));
  op.base.CreateKernelV2 = NULL;
  CHECK(says(host.create(&node, &kernel), ORT_INVALID_ARGUMENT, "CreateKernel", ""));
  op = twice_op();
  op.name = NULL;
  CHECK(says(host.create(&node, &kernel), ORT_INVALID_ARGUMENT, "name", ""));
  op = twice_op();
  op.inputs = (size_t)1 << 40;
  CHECK(says(host.create(&node, &kernel), ORT_INVALID_ARGUMENT, "declares", "inputs"));
  op = twice_op();
  op.kinds[0] = INPUT_OUTPUT_VARIADIC;
  op.least = 0x7FFFFFFF;
  CHECK(says(host.create(&node, &kernel), ORT_INVALID_ARGUMENT, "needs", "inputs"));
  op = twice_op();
  node.version = 1;
  CHECK(says(host.create(&node, &kernel), ORT_INVALID_ARGUMENT, "version", "30"));
  CHECK(says(host.create(NULL, &kernel), ORT_INVALID_ARGUMENT, "node", "NULL"));
  CHECK(kernel == NULL);
}

static OrtKernelInfo* info_copy;
static OrtStatus* copy_info(const OrtApi* table, const OrtKernelInfo* info) {
  CHECK(table->CopyKernelInfo(info, &info_copy) == NULL);
  /* A borrowed value must not be released, but some kernels do. */
  table->ReleaseKernelInfo((OrtKernelInfo*)info);
  return NULL;
}

static void keeps_copies_of_infos(void) {
  struct test_op op = twice_op();
  op.begin = copy_info;
  host.release(new_kernel(&op));
  char name[16] = "";
  size_t size = sizeof name;
  CHECK(api->KernelInfo_GetNodeName(info_copy, name, &size) == NULL && strcmp(name, "node") == 0);
  api->ReleaseKernelInfo(info_copy);
}

/* A session that ends takes the constants of its model with it. */
static void infos_do_not_keep_constants(void) {
  struct test_op op = twice_op();
  OrtValue* weights = new_floats();
  const OrtcoreOperand input = {.name = "w", .constant = weights}, output = {.name = "y"};
  const OrtcoreNode node = {.version = ORT_API_VERSION,
                            .op = &op.base,
                            .inputs = &input,
                            .input_count = 1,
                            .outputs = &output,
                            .output_count = 1};
  OrtcoreKernel* kernel = NULL;
  const OrtValue* found = NULL;
  int is_constant = 0;
  op.begin = copy_info;
  CHECK(host.create(&node, &kernel) == NULL);
  CHECK(api->KernelInfoGetConstantInput_tensor(info_copy, 0, &is_constant, &found) == NULL);
  CHECK(is_constant == 1 && found != NULL);
  host.release(kernel);
  CHECK(api->KernelInfoGetConstantInput_tensor(info_copy, 0, &is_constant, &found) == NULL);
  CHECK(is_constant == 0);
  api->ReleaseValue(weights);
  api->ReleaseKernelInfo(info_copy);
}

static OrtAllocator* asked;
static OrtStatus* ask_allocator(const OrtApi* table, const OrtKernelInfo* info) {
  (void)info;
  return table->GetAllocatorWithDefaultOptions(&asked);
}

static void kernels_borrow_the_allocator_of_the_host(void) {
  OrtAllocator own = *allocator;
  struct test_op op = twice_op();
  op.begin = ask_allocator;
  OrtcoreNode node = {.version = ORT_API_VERSION, .op = &op.base, .allocator = &own};
  OrtcoreKernel* kernel = NULL;
  CHECK(host.create(&node, &kernel) == NULL);
  CHECK(asked == &own);
  CHECK(host.base(17)->GetApi(17)->GetAllocatorWithDefaultOptions(&asked) == NULL);
  CHECK(asked == allocator);
  host.release(kernel);
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
  find_host(((const OrtApiBase* (*)(void))entry_of(argv[1]))()->GetApi(ORT_API_VERSION));
  computes();
  refuses_inputs();
  refuses_attributes_that_cannot_be_read();
  spreads_variadic_inputs();
  finds_the_type_of_outputs();
  makes_sequences();
  makes_empty_sequences();
  tells_what_kernels_say();
  survives_kernels_that_take_too_much();
  survives_kernels_that_release_shared_values();
  calls_each_function_of_its_kind();
  refuses_bad_ops();
  keeps_copies_of_infos();
  infos_do_not_keep_constants();
  kernels_borrow_the_allocator_of_the_host();
  printf("kernels: OK\n");
  return 0;
}
