/* SPDX-License-Identifier: MIT */
/* Trials of an execution provider with memory of its own, which wants the channels last: y = the
 * mean of x * w. */
#include "faults.h"
#include "ortcore.h"

#define FUNCTION(Type, name) ((Type)(void (*)(void))api->GetExperimentalFunction(name))

static OrtEnv* env;
static OrtSessionOptions* session_options;
static OrtModel* model;
static const OrtGraph* graph;
static OrtcoreEp* provider;
static OrtcoreClaims* claims;
static OrtcoreCompiled* compiled;
static OrtcoreKernel* kernel;
static OrtValue* x;

static const int64_t shape[] = {1, 2, 3, 3};
static const OrtModelEditorApi* editor(void) { return api->GetModelEditorApi(); }

static OrtValue* new_tensor(void) {
  OrtAllocator* allocator = NULL;
  OrtValue* made = NULL;
  void* data;
  CHECK(api->GetAllocatorWithDefaultOptions(&allocator) == NULL);
  CHECK(api->CreateTensorAsOrtValue(allocator, shape, 4, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT,
                                    &made) == NULL);
  CHECK(api->GetTensorMutableData(made, &data) == NULL);
  memset(data, 0, 18 * sizeof(float));
  return made;
}

static void add_node(OrtGraph* to, const char* op, const char* const* inputs, size_t count,
                     const char* output) {
  OrtNode* node = NULL;
  CHECK(editor()->CreateNode(op, "", op, inputs, count, &output, 1, NULL, 0, &node) == NULL);
  CHECK(editor()->AddNodeToGraph(to, node) == NULL);
}

static void with_graph(void) {
  static const char* const factors[] = {"x", "w"};
  static const char* const product[] = {"p"};
  static const char* const domains[] = {""};
  static const int versions[] = {18};
  OrtGraph* made = NULL;
  static const int64_t mean[] = {1, 2, 1, 1};
  OrtValueInfo* inputs[] = {float_value("x", shape, 4)};
  OrtValueInfo* outputs[] = {float_value("p", shape, 4), float_value("y", mean, 4)};
  CHECK(editor()->CreateGraph(&made) == NULL && editor()->SetGraphInputs(made, inputs, 1) == NULL);
  CHECK(editor()->SetGraphOutputs(made, outputs, 2) == NULL);
  CHECK(editor()->AddInitializerToGraph(made, "w", new_tensor(), false) == NULL);
  add_node(made, "Mul", factors, 2, "p");
  add_node(made, "GlobalAveragePool", product, 1, "y");
  CHECK(editor()->CreateModel(domains, versions, 1, &model) == NULL);
  CHECK(editor()->AddGraphToModel(model, made) == NULL);
  CHECK(FUNCTION(OrtcoreModelGraph, ORTCORE_MODEL_GRAPH)(model, ORTCORE_GRAPH_PREPARED, &graph) ==
        NULL);
}

static void with_provider(void) {
  const OrtEpDevice* const* devices = NULL;
  size_t count = 0;
  CHECK(api->CreateEnv(ORT_LOGGING_LEVEL_FATAL, "id", &env) == NULL);
  CHECK(api->RegisterExecutionProviderLibrary(env, "nhwc memory streams", DEVICE_EP) == NULL);
  CHECK(api->CreateSessionOptions(&session_options) == NULL);
  CHECK(api->GetEpDevices(env, &devices, &count) == NULL && count == 2);
  CHECK(FUNCTION(OrtcoreCreateEp, ORTCORE_CREATE_EP)(&devices[1], 1, session_options, NULL,
                                                     &provider) == NULL);
  with_graph();
}

static OrtStatus* claim(void** out) {
  return FUNCTION(OrtcoreEpClaim, ORTCORE_EP_CLAIM)(provider, graph, (OrtcoreClaims**)out);
}
static void release_claims(void* out) {
  FUNCTION(OrtcoreReleaseClaims, ORTCORE_RELEASE_CLAIMS)(out);
}
static void with_claims(void) {
  with_provider();
  CHECK(claim((void**)&claims) == NULL && claims->group_count == 2 && claims->graph != graph);
}

/* A provider that has compiled once has its allocator. */
static OrtStatus* compile(void** out) {
  return FUNCTION(OrtcoreEpCompile, ORTCORE_EP_COMPILE)(claims, (OrtcoreCompiled**)out);
}
static void release_compiled(void* out) {
  FUNCTION(OrtcoreReleaseCompiled, ORTCORE_RELEASE_COMPILED)(out);
}

static void with_kernel(void) {
  with_claims();
  CHECK(compile((void**)&compiled) == NULL && compiled->node_count == 2);
  const OrtcoreCompiledNode* node = &compiled->nodes[0];
  const OrtcoreNode of = {.version = ORT_API_VERSION,
                          .op = node->op,
                          .inputs = node->inputs,
                          .input_count = node->input_count,
                          .outputs = node->outputs,
                          .output_count = node->output_count};
  CHECK(FUNCTION(OrtcoreKernelCreate, ORTCORE_KERNEL_CREATE)(&of, &kernel) == NULL);
  x = new_tensor();
}

static OrtStatus* compute(void** out) {
  const OrtValue* const inputs[] = {x, NULL};
  OrtValue* made = NULL;
  OrtStatus* status =
      FUNCTION(OrtcoreKernelCompute, ORTCORE_KERNEL_COMPUTE)(kernel, inputs, 2, &made, 1);
  *out = status == NULL ? made : *out;
  return as_lack_of_memory(status);
}
static void release_value(void* out) { api->ReleaseValue(out); }

static const struct trial trials[] = {
    TRIAL("ortcore_ep_claim with another layout", with_provider, claim, release_claims),
    TRIAL("ortcore_ep_compile for a device", with_claims, compile, release_compiled),
    TRIAL("ortcore_kernel_compute on a device", with_kernel, compute, release_value),
    {NULL},
};

static void clean(void) {
  api->ReleaseValue(x);
  FUNCTION(OrtcoreKernelRelease, ORTCORE_KERNEL_RELEASE)(kernel);
  release_compiled(compiled);
  release_claims(claims);
  FUNCTION(OrtcoreReleaseEp, ORTCORE_RELEASE_EP)(provider);
  api->ReleaseModel(model);
  api->ReleaseSessionOptions(session_options);
  api->ReleaseEnv(env);
}

const struct section device_nodes = {trials, clean};
