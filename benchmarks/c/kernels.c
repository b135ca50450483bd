/* SPDX-License-Identifier: MIT */
/*
 * Calls one op of onnxruntime-extensions, in turns, through Run of a session of one node and
 * through the core's kernel host. Prints nanoseconds per call: the shortest of many short samples
 * of each.
 *
 * A library for Python's ctypes, because onnxruntime-extensions needs a Python in its process.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "onnxruntime_c_api.h"
#include "ortcore.h"

#define MUST(what)                                       \
  do {                                                   \
    if (!(what)) {                                       \
      fprintf(stderr, "line %d: %s\n", __LINE__, #what); \
      exit(1);                                           \
    }                                                    \
  } while (0)

enum {
  STRING = ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING,
  FLOAT = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT,
  INT64 = ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64
};

static const struct op {
  const char* name;
  size_t inputs, outputs;
  unsigned char in[2], out[2];
} ops[] = {{"StringUpper", 1, 1, {STRING}, {STRING}},
           {"NegPos", 1, 2, {FLOAT}, {FLOAT, FLOAT}},
           {"SegmentSum", 2, 1, {FLOAT, INT64}, {FLOAT}}};
static const char domain[] = "ai.onnx.contrib";
static const char* const in_names[] = {"a", "b"};
static const char* const out_names[] = {"y", "z"};

/* The model: messages of less than 128 bytes, each within the next. */
static size_t put(unsigned char* to, unsigned field, const void* bytes, size_t size) {
  to[0] = (unsigned char)(field << 3 | 2);
  to[1] = (unsigned char)size;
  memcpy(to + 2, bytes, size);
  return size + 2;
}
static size_t put_text(unsigned char* to, unsigned field, const char* text) {
  return put(to, field, text, strlen(text));
}
static size_t put_operand(unsigned char* to, unsigned field, const char* name, unsigned char type) {
  /* A tensor of that type, whose shape has one dimension of any size. */
  const unsigned char of_tensor[] = {1 << 3, type, 2 << 3 | 2, 2, 1 << 3 | 2, 0};
  unsigned char value[16], info[32];
  size_t size = put(value, 1, of_tensor, sizeof of_tensor);
  size_t named = put_text(info, 1, name);
  return put(to, field, info, named + put(info + named, 2, value, size));
}
static size_t build_model(const struct op* op, unsigned char* to) {
  unsigned char node[120], graph[250], opset[40];
  size_t n = 0, g = 0, size = 2;
  for (size_t i = 0; i < op->inputs; i++) {
    n += put_text(node + n, 1, in_names[i]);
  }
  for (size_t i = 0; i < op->outputs; i++) {
    n += put_text(node + n, 2, out_names[i]);
  }
  n += put_text(node + n, 4, op->name);
  n += put_text(node + n, 7, domain);
  g += put(graph, 1, node, n);
  g += put_text(graph + g, 2, "g");
  for (size_t i = 0; i < op->inputs; i++) {
    g += put_operand(graph + g, 11, in_names[i], op->in[i]);
  }
  for (size_t i = 0; i < op->outputs; i++) {
    g += put_operand(graph + g, 12, out_names[i], op->out[i]);
  }
  MUST(g < 128);
  to[0] = 1 << 3, to[1] = 8;
  size += put(to + size, 7, graph, g);
  size_t o = put_text(opset, 1, domain);
  opset[o] = 2 << 3, opset[o + 1] = 1;
  return size + put(to + size, 8, opset, o + 2);
}

static OrtValue* new_value(const OrtApi* api, unsigned char type) {
  static const int64_t one[] = {1}, four[] = {4};
  static const char* const texts[] = {"A text."};
  static const float floats[] = {1, -2, 3, -4};
  static const int64_t segments[] = {0, 0, 1, 1};
  OrtAllocator* allocator = NULL;
  OrtValue* value = NULL;
  void* data = NULL;
  MUST(api->GetAllocatorWithDefaultOptions(&allocator) == NULL);
  /* One text, or four numbers. */
  const int64_t* shape = type == STRING ? one : four;
  MUST(api->CreateTensorAsOrtValue(allocator, shape, 1, (ONNXTensorElementDataType)type, &value) ==
       NULL);
  if (type == STRING) {
    MUST(api->FillStringTensor(value, texts, 1) == NULL);
    return value;
  }
  MUST(api->GetTensorMutableData(value, &data) == NULL);
  memcpy(data, type == FLOAT ? (const void*)floats : segments, type == FLOAT ? 16 : 32);
  return value;
}

static const OrtApi* table_of(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  MUST(library != NULL);
  return ((const OrtApiBase* (*)(void))dlsym(library, "OrtGetApiBase"))()->GetApi(ORT_API_VERSION);
}

static struct subject {
  const OrtApi* api;
  const OrtValue* in[2];
  OrtSession* session;
  OrtcoreKernel* kernel;
  OrtcoreKernelCompute compute;
} subjects[2];

static void open_session(struct subject* to, const struct op* op, const char* path,
                         const char* library) {
  OrtEnv* env = NULL;
  OrtSessionOptions* options = NULL;
  unsigned char model[400];
  size_t size = build_model(op, model);
  const OrtApi* api = to->api = table_of(path);
  MUST(api->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "bench", &env) == NULL);
  MUST(api->CreateSessionOptions(&options) == NULL);
  MUST(api->SetIntraOpNumThreads(options, 1) == NULL);
  MUST(api->RegisterCustomOpsLibrary_V2(options, library) == NULL);
  OrtStatus* status = api->CreateSessionFromArray(env, model, size, options, &to->session);
  if (status != NULL) {
    fprintf(stderr, "%s\n", api->GetErrorMessage(status));
    exit(1);
  }
}

static void make_kernel(struct subject* to, const struct op* op, const char* path,
                        const char* library) {
  OrtSessionOptions* options = NULL;
  const OrtApi* api = to->api = table_of(path);
  OrtcoreRegisterLibrary add =
      (OrtcoreRegisterLibrary)api->GetExperimentalFunction(ORTCORE_REGISTER_LIBRARY);
  OrtcoreFindOp find = (OrtcoreFindOp)api->GetExperimentalFunction(ORTCORE_FIND_OP);
  OrtcoreKernelCreate create =
      (OrtcoreKernelCreate)api->GetExperimentalFunction(ORTCORE_KERNEL_CREATE);
  to->compute = (OrtcoreKernelCompute)api->GetExperimentalFunction(ORTCORE_KERNEL_COMPUTE);
  MUST(api->CreateSessionOptions(&options) == NULL);
  MUST(add(options, NULL, library, ORTCORE_COPY_IF_LOADED, NULL) == NULL);
  OrtcoreNode node = {.version = ORT_API_VERSION, .op = find(options, domain, op->name)};
  MUST(node.op != NULL && create(&node, &to->kernel) == NULL);
}

static void call(const struct subject* of, const struct op* op) {
  OrtValue* out[2] = {NULL, NULL};
  OrtStatus* status = of->session != NULL
                          ? of->api->Run(of->session, NULL, in_names, of->in, op->inputs, out_names,
                                         op->outputs, out)
                          : of->compute(of->kernel, of->in, op->inputs, out, op->outputs);
  MUST(status == NULL);
  for (size_t i = 0; i < op->outputs; i++) {
    of->api->ReleaseValue(out[i]);
  }
}

static double sample(const struct subject* of, const struct op* op, int count) {
  struct timespec from, to;
  clock_gettime(CLOCK_MONOTONIC, &from);
  for (int i = 0; i < count; i++) {
    call(of, op);
  }
  clock_gettime(CLOCK_MONOTONIC, &to);
  return ((double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec)) / count;
}

/* Nanoseconds per call, the shortest of many short samples: of the session, and of the kernel. */
void compare(const char* core, const char* real, const char* library, const char* name,
             double best[2]) {
  const struct op* op = ops;
  while (strcmp(op->name, name) != 0) {
    op++;
    MUST(op < ops + sizeof ops / sizeof *ops);
  }
  memset(subjects, 0, sizeof subjects);
  open_session(&subjects[0], op, real, library);
  make_kernel(&subjects[1], op, core, library);
  for (size_t s = 0; s < 2; s++) {
    best[s] = 1e9;
    for (size_t i = 0; i < op->inputs; i++) {
      subjects[s].in[i] = new_value(subjects[s].api, op->in[i]);
    }
  }
  for (int turn = 0; turn < 400; turn++) {
    for (size_t s = 0; s < 2; s++) {
      double ns = sample(&subjects[s], op, 1000);
      best[s] = ns < best[s] ? ns : best[s];
    }
  }
}
