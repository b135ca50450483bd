/* SPDX-License-Identifier: MIT */
/*
 * Runs kernels of its own ops on the core: what kernels see, what is refused, and what bad kernels
 * do.
 *
 *     kernels LIBRARY [ROUNDS [fork]]    also on several threads; makes and ends as many kernels,
 *                                        which must not grow the process; and forks inside a kernel
 */
#if !defined(_WIN32)
#include <sys/wait.h>
#endif

#include "kernels.h"

/* --- what is released in the end -------------------------------------------------------------- */

static OrtValue* values[64];
static OrtcoreKernel* kernels[64];
static struct test_op ops[64];
static size_t value_count, kernel_count;

static OrtValue* later(OrtValue* value) { return values[value_count++] = value; }
static OrtValue* floats(void) { return later(new_floats()); }
static OrtValue* ints(void) { return later(new_value(ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, 2)); }
static OrtcoreKernel* kernel_of(const struct test_op* op) {
  ops[kernel_count] = *op;
  kernels[kernel_count] = new_kernel(&ops[kernel_count]);
  return kernels[kernel_count++];
}
static void release_all_later(void) {
  while (kernel_count > 0) {
    host.release(kernels[--kernel_count]);
  }
  while (value_count > 0) {
    api->ReleaseValue(values[--value_count]);
  }
}

#define IN(...)                           \
  (const OrtValue* const[]){__VA_ARGS__}, \
      sizeof((const OrtValue* const[]){__VA_ARGS__}) / sizeof(OrtValue*)

/* The output of a call that succeeds. */
static OrtValue* output_of(OrtcoreKernel* kernel, const OrtValue* const* inputs, size_t count) {
  OrtValue* out = NULL;
  CHECK(host.compute(kernel, inputs, count, &out, 1) == NULL);
  return later(out);
}
static void refuses(OrtcoreKernel* kernel, const OrtValue* const* inputs, size_t count,
                    const char* part, const char* other) {
  OrtValue* out = NULL;
  CHECK(says(host.compute(kernel, inputs, count, &out, 1), ORT_INVALID_ARGUMENT, part, other));
  CHECK(out == NULL);
}
static float* numbers_of(const OrtValue* value) {
  return NEW(void, api->GetTensorMutableData((OrtValue*)value, &new_));
}

/* --- inputs and outputs ----------------------------------------------------------------------- */

static void computes(void) {
  struct test_op op = twice_op();
  OrtcoreKernel* kernel = kernel_of(&op);
  const OrtValue* in = floats();
  OrtValue* out = output_of(kernel, &in, 1);
  CHECK(numbers_of(out)[5] == 12);
  /* The same memory once more: preallocated. */
  numbers_of(out)[5] = 0;
  OrtValue* again = out;
  CHECK(host.compute(kernel, &in, 1, &again, 1) == NULL);
  CHECK(again == out && numbers_of(out)[5] == 12);
}

static void refuses_attributes_that_cannot_be_read(void) {
  const int64_t two = 2;
  OrtOpAttr* attribute = NULL;
  OrtMemoryInfo* cpu =
      NEW(OrtMemoryInfo, api->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &new_));
  OrtValue* value =
      NEW(OrtValue, api->CreateTensorWithDataAsOrtValue(
                        cpu, NULL, 8, &two, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &new_));
  CHECK(says(host.tensor_attribute("value", value, &attribute), ORT_INVALID_ARGUMENT, "tensor",
             "must have data"));
  CHECK(attribute == NULL);
  api->ReleaseValue(value);
  api->ReleaseMemoryInfo(cpu);
}

static OrtStatus* count_inputs(OrtKernelContext* context) {
  size_t count = 0;
  CHECK(api->KernelContext_GetInputCount(context, &count) == NULL);
  OrtValue* out = NEW(OrtValue, api->KernelContext_GetOutput(context, 0, NULL, 0, &new_));
  void* data = NEW(void, api->GetTensorMutableData(out, &new_));
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
  OrtcoreKernel* kernel = kernel_of(&op);
  const OrtValue *f = floats(), *i = ints();
  CHECK(*numbers_of(output_of(kernel, IN(i, f, f, f))) == 4);
  refuses(kernel, IN(i, f), "Probe", "input 2");
  refuses(kernel, IN(i, f, f, i), "input 3", "int64");
  refuses(kernel, IN(i, f, f, NULL), "input 3", "required");
}

/* The output, of any type, is that of the input of any type. */
static void finds_the_type_of_outputs(void) {
  struct test_op op = one_to_one;
  op.work = count_inputs;
  op.input_type = op.output_type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  OrtTensorTypeAndShapeInfo* info = NULL;
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  CHECK(api->GetTensorTypeAndShape(output_of(kernel_of(&op), IN(ints())), &info) == NULL);
  CHECK(api->GetTensorElementType(info, &type) == NULL);
  CHECK(type == ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64);
  api->ReleaseTensorTypeAndShapeInfo(info);
}

static OrtStatus* make_a_sequence(OrtKernelContext* context) {
  OrtValue *sequence = NULL, *tensor = NULL;
  const OrtValue* in = NEW(const OrtValue, api->KernelContext_GetInput(context, 0, &new_));
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
  ONNXTensorElementDataType found = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  size_t count = 1;
  CHECK(says(make(ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8, NULL), ORT_INVALID_ARGUMENT, "out", "NULL"));
  CHECK(says(make((ONNXTensorElementDataType)99, &sequence), ORT_INVALID_ARGUMENT, "type", "must"));
  CHECK(make(ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING, &sequence) == NULL);
  CHECK(api->GetValueCount(sequence, &count) == NULL);
  CHECK(count == 0);
  CHECK(says(api->GetValue(sequence, 0, allocator, &item), ORT_FAIL, "index", "sequence"));
  CHECK(api->GetTypeInfo(sequence, &type) == NULL);
  const OrtSequenceTypeInfo* of =
      NEW(const OrtSequenceTypeInfo, api->CastTypeInfoToSequenceTypeInfo(type, &new_));
  CHECK(api->GetSequenceElementType(of, &element) == NULL);
  const OrtTensorTypeAndShapeInfo* tensor =
      NEW(const OrtTensorTypeAndShapeInfo, api->CastTypeInfoToTensorInfo(element, &new_));
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
  size_t count = 0;
  CHECK(api->GetValueCount(output_of(kernel_of(&op), IN(floats())), &count) == NULL);
  CHECK(count == 1);
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
  op.output_type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  OrtValue* out = NULL;
  const OrtValue* in = floats();
  CHECK(says(host.compute(kernel_of(&op), &in, 1, &out, 1), code, "Probe 'node'", text));
  CHECK(out == NULL);
}

static void tells_what_kernels_say(void) {
  fails_with(make_a_sequence_and_fail, ORT_FAIL, "the kernel fails");
  fails_with(make_nothing, ORT_FAIL, "did not make output 0");
  fails_with(answer_ok, ORT_FAIL, "ORT_OK");
  fails_with(answer_not_found, ORT_MODEL_LOADED, "the kernel says no");
}

/* A kernel that releases what it borrowed. */
static OrtStatus* release_all(OrtKernelContext* context) {
  CHECK(twice(context) == NULL);
  const OrtValue* in = NEW(const OrtValue, api->KernelContext_GetInput(context, 0, &new_));
  OrtValue* out = NEW(OrtValue, api->KernelContext_GetOutput(context, 0, shape, 2, &new_));
  for (int i = 0; i < 3; i++) {
    api->ReleaseValue((OrtValue*)in);
    api->ReleaseValue(out);
  }
  return NULL;
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
  const OrtValue* in = floats();
  CHECK(numbers_of(output_of(kernel_of(&op), &in, 1))[5] == 12 && numbers_of(in)[5] == 6);
  op.work = keep;
  output_of(kernel_of(&op), &in, 1);
  size_t count = 0;
  OrtValue* late = NULL;
  void* data = NULL;
  OrtTypeInfo* type = NULL;
  OrtTensorTypeAndShapeInfo* info = NULL;
  CHECK(says(api->KernelContext_GetInputCount(kept, &count), ORT_INVALID_ARGUMENT, "context",
             "after the call"));
  CHECK(says(api->KernelContext_GetOutput(kept, 0, shape, 2, &late), ORT_INVALID_ARGUMENT,
             "context", "after the call"));
  api->ReleaseValue((OrtValue*)kept_input);
  CHECK(says(api->GetTensorMutableData((OrtValue*)kept_input, &data), ORT_RUNTIME_EXCEPTION,
             "GetTensorMutableData", "after the call"));
  CHECK(says(api->GetTypeInfo(kept_input, &type), ORT_INVALID_ARGUMENT, "GetTypeInfo",
             "after the call"));
  CHECK(says(api->GetTensorTypeAndShape(kept_input, &info), ORT_FAIL, "value", "tensor"));
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
    CHECK(numbers_of(output_of(kernel_of(&mixed[i]), IN(floats())))[5] == 12);
    release_all_later();
  }
}

static void refuses_to_make(struct test_op op, uint32_t version, const char* part,
                            const char* other) {
  OrtcoreNode node = {.version = version, .op = &op.base};
  OrtcoreKernel* kernel = NULL;
  CHECK(says(host.create(&node, &kernel), ORT_INVALID_ARGUMENT, part, other));
  CHECK(kernel == NULL);
}
#define REFUSES(change, part, other)                   \
  do {                                                 \
    struct test_op op = twice_op();                    \
    change;                                            \
    refuses_to_make(op, ORT_API_VERSION, part, other); \
  } while (0)
static void refuses_bad_ops(void) {
  OrtcoreKernel* kernel = NULL;
  REFUSES(op.base.version = 0, "version", "0");
  REFUSES(op.base.KernelComputeV2 = NULL, "KernelCompute", "");
  REFUSES(op.base.CreateKernelV2 = NULL, "CreateKernel", "");
  REFUSES(op.name = NULL, "name", "");
  REFUSES(op.inputs = (size_t)1 << 40, "declares", "inputs");
  REFUSES((op.kinds[0] = INPUT_OUTPUT_VARIADIC, op.least = 0x7FFFFFFF), "needs", "inputs");
  refuses_to_make(twice_op(), 1, "version", "30");
  CHECK(says(host.create(NULL, &kernel), ORT_INVALID_ARGUMENT, "node", "NULL"));
}

static OrtKernelInfo* info_copy;
static OrtStatus* copy_info(const OrtApi* table, const OrtKernelInfo* info) {
  CHECK(table->CopyKernelInfo(info, &info_copy) == NULL);
  /* A borrowed value must not be released, but some kernels do. */
  table->ReleaseKernelInfo((OrtKernelInfo*)info);
  return NULL;
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
  int is_constant = 0;
  op.begin = copy_info;
  CHECK(host.create(&node, &kernel) == NULL);
  const OrtValue* found = NEW(
      const OrtValue, api->KernelInfoGetConstantInput_tensor(info_copy, 0, &is_constant, &new_));
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

/* --- threads, forks and time -------------------------------------------------------------------
 */

static unsigned char visited[1000];
static void visit(void* data, size_t i) {
  (void)data;
  __atomic_fetch_add(&visited[i], 1, __ATOMIC_RELAXED);
}

static OrtStatus* visit_all(OrtKernelContext* context) {
  static const size_t batches[] = {0, 1, 3, 7, 1000, 5000};
  for (size_t k = 0; k < sizeof batches / sizeof *batches; k++) {
    memset(visited, 0, sizeof visited);
    CHECK(api->KernelContext_ParallelFor(context, visit, 1000, batches[k], NULL) == NULL);
    for (size_t i = 0; i < 1000; i++) {
      CHECK(visited[i] == 1);
    }
  }
  CHECK(api->KernelContext_ParallelFor(context, visit, 0, 0, NULL) == NULL);
  CHECK(says(api->KernelContext_ParallelFor(context, NULL, 5, 0, NULL), ORT_INVALID_ARGUMENT, "fn",
             "NULL"));
  return twice(context);
}

static void compute(OrtcoreKernel* kernel, const OrtValue* in) {
  OrtValue* out = NULL;
  CHECK(host.compute(kernel, &in, 1, &out, 1) == NULL);
  api->ReleaseValue(out);
}

static void work_with_threads(OrtStatus* (*work)(OrtKernelContext* context), uint32_t threads) {
  struct test_op op = one_to_one;
  op.work = work;
  OrtcoreNode node = {.version = ORT_API_VERSION, .op = &op.base, .threads = threads};
  OrtcoreKernel* kernel = NULL;
  OrtValue* in = new_floats();
  CHECK(host.create(&node, &kernel) == NULL);
  compute(kernel, in);
  api->ReleaseValue(in);
  host.release(kernel);
}

static void visits_each_number_once(void) {
  for (uint32_t threads = 0; threads < 5; threads++) {
    work_with_threads(visit_all, threads);
  }
}

static void* compute_often(void* kernel) {
  OrtValue* in = new_floats();
  for (int i = 0; i < 2000; i++) {
    compute(kernel, in);
  }
  api->ReleaseValue(in);
  return NULL;
}

static void shares_a_kernel_between_threads(void) {
  struct test_op op = twice_op();
  OrtcoreKernel* kernel = new_kernel(&op);
  on_threads(4, compute_often, kernel);
  host.release(kernel);
}

#if !defined(_WIN32)
/* The child computes on, with threads of its own, in the kernel that was running in its parent. */
static OrtStatus* fork_inside(OrtKernelContext* context) {
  int end = 0;
  CHECK(visit_all(context) == NULL);
  pid_t child = fork();
  if (child == 0) {
    CHECK(visit_all(context) == NULL);
    _exit(0);
  }
  CHECK(child > 0 && waitpid(child, &end, 0) == child && end == 0);
  return NULL;
}
#endif

static void does_not_grow(int rounds) {
  struct test_op op = twice_op();
  OrtValue* in = new_floats();
  int64_t before = figure_of(api, allocator, "InUse");
  for (int i = 0; i < rounds; i++) {
    OrtcoreKernel* kernel = new_kernel(&op);
    compute(kernel, in);
    host.release(kernel);
  }
  CHECK(figure_of(api, allocator, "InUse") == before);
  api->ReleaseValue(in);
}

static void bears_threads_and_time(int rounds, bool forks) {
  visits_each_number_once();
  shares_a_kernel_between_threads();
  does_not_grow(rounds);
#if !defined(_WIN32)
  if (forks) {
    work_with_threads(fork_inside, 3);
  }
#endif
}

int main(int argc, char** argv) {
  CHECK(argc >= 2 && argc <= 4);
  find_host(table_of(argv[1]));
  if (argc > 2) {
    bears_threads_and_time(atoi(argv[2]), argc > 3);
  }
  computes();
  refuses_attributes_that_cannot_be_read();
  spreads_variadic_inputs();
  finds_the_type_of_outputs();
  makes_sequences();
  makes_empty_sequences();
  tells_what_kernels_say();
  survives_kernels_that_take_too_much();
  calls_each_function_of_its_kind();
  refuses_bad_ops();
  infos_do_not_keep_constants();
  kernels_borrow_the_allocator_of_the_host();
  release_all_later();
  printf("kernels: OK\n");
  return 0;
}
