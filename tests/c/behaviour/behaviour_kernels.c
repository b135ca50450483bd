/* SPDX-License-Identifier: MIT */
/* The node of behaviour_kernels.h, and how a kernel for it is made on any library. */
#include "behaviour_kernels.h"

#include <string.h>
#include <unistd.h>

#include "../clients/plain_op.h"

const struct probe* current_probe;

static const char* ORT_API_CALL name(const OrtCustomOp* op) { return (void)op, "Probe"; }
static size_t ORT_API_CALL six(const OrtCustomOp* op) { return (void)op, 6; }
static size_t ORT_API_CALL kernels_three(const OrtCustomOp* op) { return (void)op, 3; }
static ONNXTensorElementDataType ORT_API_CALL out_type(const OrtCustomOp* op, size_t i) {
  (void)op;
  return i == 2 ? ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING : ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
}
static OrtCustomOpInputOutputCharacteristic ORT_API_CALL in_kind(const OrtCustomOp* op, size_t i) {
  (void)op;
  return i == 5       ? INPUT_OUTPUT_VARIADIC
         : i % 2 == 1 ? INPUT_OUTPUT_OPTIONAL
                      : INPUT_OUTPUT_REQUIRED;
}
static OrtCustomOpInputOutputCharacteristic ORT_API_CALL out_kind(const OrtCustomOp* op, size_t i) {
  return (void)op, i == 1 ? INPUT_OUTPUT_OPTIONAL : INPUT_OUTPUT_REQUIRED;
}

/* Whether the library has an engine, which may not survive what a probe does. */
static bool has_engine(void) { return api->GetExperimentalFunction(ORTCORE_KERNEL_CREATE) == NULL; }

/* An engine's session is left as it is: it may not survive what the probe has done. */
static void leave(void) {
  if (has_engine()) {
    fflush(stdout);
    _exit(0);
  }
}

static OrtStatus* ORT_API_CALL kernels_create(const OrtCustomOp* op, const OrtApi* table,
                                              const OrtKernelInfo* info, void** kernel) {
  (void)op, (void)table;
  *kernel = NULL;
  if (current_probe->info != NULL) {
    current_probe->info(info);
    leave();
  }
  return NULL;
}
static OrtStatus* ORT_API_CALL compute(void* kernel, OrtKernelContext* context) {
  (void)kernel;
  if (current_probe->context != NULL) {
    current_probe->context(context);
    leave();
  }
  return NULL;
}
static OrtStatus* ORT_API_CALL infer(const OrtCustomOp* op, OrtShapeInferContext* context) {
  (void)op;
  if (current_probe->shapes != NULL) {
    current_probe->shapes(context);
    leave();
  }
  return NULL;
}
static void ORT_API_CALL destroy(void* kernel) { (void)kernel; }

const OrtCustomOp probe_op = {
    .version = ORT_API_VERSION,
    .GetName = name,
    .GetExecutionProviderType = plain_provider,
    .GetInputType = plain_type,
    .GetInputTypeCount = six,
    .GetOutputType = out_type,
    .GetOutputTypeCount = kernels_three,
    .KernelDestroy = destroy,
    .GetInputCharacteristic = in_kind,
    .GetOutputCharacteristic = out_kind,
    .GetInputMemoryType = plain_memory,
    .GetVariadicInputMinArity = plain_one,
    .GetVariadicInputHomogeneity = plain_one,
    .CreateKernelV2 = kernels_create,
    .KernelComputeV2 = compute,
    .InferOutputShapeFn = infer,
    .GetStartVersion = plain_one,
    .GetEndVersion = plain_one,
};

const float x[6] = {1, 2, 3, 4, 5, 6};
const int64_t x_shape[] = {2, 3}, four[] = {4}, just_one[] = {1};

OrtValue* value_of(const int64_t* shape, size_t rank, size_t count) {
  OrtAllocator* allocator = NEW(OrtAllocator, api->GetAllocatorWithDefaultOptions(&new_));
  OrtValue* value =
      NEW(OrtValue, api->CreateTensorAsOrtValue(allocator, shape, rank,
                                                ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &new_));
  void* data = NEW(void, api->GetTensorMutableData(value, &new_));
  memcpy(data, x, count * sizeof *x);
  return value;
}

/* A model as bytes, in the form of protobuf: numbers in groups of seven bits, and texts. */
struct message {
  unsigned char bytes[2048];
  size_t size;
};

static void put(struct message* to, const void* bytes, size_t size) {
  CHECK(to->size + size <= sizeof to->bytes);
  memcpy(to->bytes + to->size, bytes, size);
  to->size += size;
}
static void kernels_put_varint(struct message* to, uint64_t number) {
  for (; number >= 128; number >>= 7) {
    put(to, &(unsigned char){(unsigned char)(number | 128)}, 1);
  }
  put(to, &(unsigned char){(unsigned char)number}, 1);
}
static void kernels_put_number(struct message* to, unsigned field, uint64_t number) {
  kernels_put_varint(to, field << 3);
  kernels_put_varint(to, number);
}
static void put_float(struct message* to, unsigned field, float number) {
  kernels_put_varint(to, field << 3 | 5);
  put(to, &number, sizeof number);
}
static void kernels_put_bytes(struct message* to, unsigned field, const void* bytes, size_t size) {
  kernels_put_varint(to, field << 3 | 2);
  kernels_put_varint(to, size);
  put(to, bytes, size);
}
static void kernels_put_text(struct message* to, unsigned field, const char* text) {
  kernels_put_bytes(to, field, text, strlen(text));
}
static void put_message(struct message* to, unsigned field, const struct message* message) {
  kernels_put_bytes(to, field, message->bytes, message->size);
}

static struct message kernels_tensor(const char* its_name) {
  struct message message = {.size = 0};
  kernels_put_number(&message, 1, 2);
  kernels_put_number(&message, 2, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT);
  kernels_put_text(&message, 8, its_name);
  kernels_put_bytes(&message, 9, x, 2 * sizeof *x);
  return message;
}

/* Adds an attribute of the node. */
static void kernels_put_attribute(struct message* node, const char* its_name, unsigned in_model,
                                  OrtOpAttrType type) {
  struct message message = {.size = 0}, its_tensor = kernels_tensor("");
  kernels_put_text(&message, 1, its_name);
  kernels_put_number(&message, 20, in_model);
  for (unsigned i = 0; i < 3; i++) {
    bool is_first = i == 0;
    if (type == ORT_OP_ATTR_FLOATS) {
      put_float(&message, 7, (float)(i + 1));
    } else if (type == ORT_OP_ATTR_INTS) {
      kernels_put_number(&message, 8, i + 4);
    } else if (type == ORT_OP_ATTR_STRINGS && i < 2) {
      kernels_put_text(&message, 9, is_first ? "x" : "yz");
    } else if (type == ORT_OP_ATTR_TENSOR && is_first) {
      put_message(&message, 5, &its_tensor);
    }
  }
  if (type == ORT_OP_ATTR_FLOAT) {
    put_float(&message, 2, 1.5F);
  } else if (type == ORT_OP_ATTR_INT) {
    kernels_put_number(&message, 3, 7);
  } else if (type == ORT_OP_ATTR_STRING) {
    kernels_put_text(&message, 4, its_name[0] == 'e' ? "" : "abc");
  }
  put_message(node, 5, &message);
}

const struct probe_attribute attributes[ATTRIBUTES] = {
    {"f", 1, ORT_OP_ATTR_FLOAT},   {"i", 2, ORT_OP_ATTR_INT},    {"s", 3, ORT_OP_ATTR_STRING},
    {"fs", 6, ORT_OP_ATTR_FLOATS}, {"is", 7, ORT_OP_ATTR_INTS},  {"ss", 8, ORT_OP_ATTR_STRINGS},
    {"t", 4, ORT_OP_ATTR_TENSOR},  {"es", 3, ORT_OP_ATTR_STRING}};

/* Adds an input or output of the graph; a dimension of 0 is called "batch", rank -1 is no shape. */
static void put_operand(struct message* graph, unsigned field, const char* its_name, unsigned type,
                        int rank, const int64_t* dims) {
  struct message info = {.size = 0}, value = info, of_tensor = info, shape = info;
  for (int i = 0; i < rank; i++) {
    struct message dim = {.size = 0};
    if (dims[i] == 0) {
      kernels_put_text(&dim, 2, "batch");
    } else {
      kernels_put_number(&dim, 1, (uint64_t)dims[i]);
    }
    put_message(&shape, 1, &dim);
  }
  kernels_put_number(&of_tensor, 1, type);
  if (rank >= 0) {
    put_message(&of_tensor, 2, &shape);
  }
  put_message(&value, 1, &of_tensor);
  kernels_put_text(&info, 1, its_name);
  put_message(&info, 2, &value);
  put_message(graph, field, &info);
}

static const char* const kernels_inputs[] = {"X", "", "C", "", "Y", "V"};
static const char* const kernels_outputs[] = {"O", "", "S"};

static struct message build_model(void) {
  struct message model = {.size = 0}, graph = model, node = model, opset = model;
  struct message constant = kernels_tensor("C");
  for (size_t i = 0; i < 6; i++) {
    kernels_put_text(&node, 1, kernels_inputs[i]);
  }
  for (size_t i = 0; i < 3; i++) {
    kernels_put_text(&node, 2, kernels_outputs[i]);
  }
  kernels_put_text(&node, 3, "the_node");
  kernels_put_text(&node, 4, "Probe");
  kernels_put_text(&node, 7, "probe");
  for (size_t i = 0; i < ATTRIBUTES; i++) {
    kernels_put_attribute(&node, attributes[i].name, attributes[i].in_model, attributes[i].type);
  }
  put_message(&graph, 1, &node);
  kernels_put_text(&graph, 2, "graph");
  put_message(&graph, 5, &constant);
  put_operand(&graph, 11, "X", 1, 2, (const int64_t[]){0, 3});
  put_operand(&graph, 11, "Y", 1, -1, NULL);
  put_operand(&graph, 11, "V", 1, 1, just_one);
  put_operand(&graph, 12, "O", 1, 2, x_shape);
  put_operand(&graph, 12, "S", 8, -1, NULL);
  kernels_put_number(&model, 1, 8);
  put_message(&model, 7, &graph);
  kernels_put_text(&opset, 1, "probe");
  kernels_put_number(&opset, 2, 1);
  put_message(&model, 8, &opset);
  return model;
}

static void run_session(void) {
  OrtSession* session = NULL;
  struct message model = build_model();
  OrtValue* values[] = {value_of(x_shape, 2, 6), value_of(four, 1, 4), value_of(just_one, 1, 1)};
  OrtValue* results[2] = {NULL, NULL};
  OrtEnv* env = NEW(OrtEnv, api->CreateEnv(ORT_LOGGING_LEVEL_FATAL, "probe", &new_));
  OrtSessionOptions* options = NEW(OrtSessionOptions, api->CreateSessionOptions(&new_));
  OrtCustomOpDomain* domain = NEW(OrtCustomOpDomain, api->CreateCustomOpDomain("probe", &new_));
  CHECK(api->CustomOpDomain_Add(domain, &probe_op) == NULL);
  CHECK(api->AddCustomOpDomain(options, domain) == NULL);
  CHECK(api->AddSessionConfigEntry(options, "my.key", "my value") == NULL);
  OrtStatus* status = api->CreateSessionFromArray(env, model.bytes, model.size, options, &session);
  if (status == NULL) {
    status = api->Run(session, NULL, (const char*[]){"X", "Y", "V"}, (const OrtValue* const*)values,
                      3, (const char*[]){"O", "S"}, 2, results);
  }
  say("the probe did not run");
  say_status(status);
  leave();
}

void run_probe(const struct probe* probe) {
  current_probe = probe;
  if (has_engine()) {
    run_session();
  } else {
    run_host();
  }
}
