/* SPDX-License-Identifier: MIT */
/* Trials of execution providers that compile nodes: the provider of the guide, on one node Add. */
#include "faults.h"
#include "ortcore.h"

static OrtEnv* env;
static OrtSessionOptions* session_options;
static OrtModel* model;
static const OrtGraph* graph;
static OrtcoreEp* provider;
static OrtcoreClaims* claims;
static OrtcoreCompiled* compiled;

static const OrtModelEditorApi* editor(void) { return api->GetModelEditorApi(); }
#define FUNCTION(Type, name) ((Type)(void (*)(void))api->GetExperimentalFunction(name))

/* y = x + x, as a provider sees it. */
static void with_graph(void) {
  static const char* const inputs[] = {"x", "x"};
  static const char* const outputs[] = {"y"};
  static const char* const domains[] = {""};
  static const int versions[] = {18};
  OrtGraph* made = NULL;
  OrtNode* node = NULL;
  const int64_t two = 2;
  OrtValueInfo *x = float_value("x", &two, 1), *y = float_value("y", &two, 1);
  CHECK(editor()->CreateGraph(&made) == NULL && editor()->SetGraphInputs(made, &x, 1) == NULL);
  CHECK(editor()->SetGraphOutputs(made, &y, 1) == NULL);
  CHECK(editor()->CreateNode("Add", "", "n", inputs, 2, outputs, 1, NULL, 0, &node) == NULL);
  CHECK(editor()->AddNodeToGraph(made, node) == NULL);
  CHECK(editor()->CreateModel(domains, versions, 1, &model) == NULL);
  CHECK(editor()->AddGraphToModel(model, made) == NULL);
  CHECK(FUNCTION(OrtcoreModelGraph, ORTCORE_MODEL_GRAPH)(model, ORTCORE_GRAPH_PREPARED, &graph) ==
        NULL);
}

static OrtStatus* create_ep(void** out) {
  const OrtEpDevice* const* devices = NULL;
  size_t count = 0;
  CHECK(api->GetEpDevices(env, &devices, &count) == NULL && count == 2);
  return FUNCTION(OrtcoreCreateEp, ORTCORE_CREATE_EP)(&devices[1], 1, session_options, NULL,
                                                      (OrtcoreEp**)out);
}
static void release_ep(void* out) { FUNCTION(OrtcoreReleaseEp, ORTCORE_RELEASE_EP)(out); }

static void with_library(void) {
  CHECK(api->CreateEnv(ORT_LOGGING_LEVEL_FATAL, "id", &env) == NULL);
  CHECK(api->RegisterExecutionProviderLibrary(env, "add", ADD_EP) == NULL);
  CHECK(api->CreateSessionOptions(&session_options) == NULL);
}
static void with_provider(void) {
  with_library();
  with_graph();
  CHECK(create_ep((void**)&provider) == NULL);
}

static OrtStatus* claim(void** out) {
  return FUNCTION(OrtcoreEpClaim, ORTCORE_EP_CLAIM)(provider, graph, (OrtcoreClaims**)out);
}
static void release_claims(void* out) {
  FUNCTION(OrtcoreReleaseClaims, ORTCORE_RELEASE_CLAIMS)(out);
}
static void with_claims(void) {
  with_provider();
  CHECK(claim((void**)&claims) == NULL && claims->group_count == 1);
}

static OrtStatus* compile(void** out) {
  return FUNCTION(OrtcoreEpCompile, ORTCORE_EP_COMPILE)(claims, (OrtcoreCompiled**)out);
}
static void release_compiled(void* out) {
  FUNCTION(OrtcoreReleaseCompiled, ORTCORE_RELEASE_COMPILED)(out);
}
static void with_compiled(void) {
  with_claims();
  CHECK(compile((void**)&compiled) == NULL && compiled->node_count == 1);
}

static OrtStatus* make_kernel(void** out) {
  const OrtcoreCompiledNode* node = &compiled->nodes[0];
  const OrtcoreNode of = {.version = ORT_API_VERSION,
                          .op = node->op,
                          .inputs = node->inputs,
                          .input_count = node->input_count,
                          .outputs = node->outputs,
                          .output_count = node->output_count};
  return FUNCTION(OrtcoreKernelCreate, ORTCORE_KERNEL_CREATE)(&of, (OrtcoreKernel**)out);
}
static void release_kernel(void* out) {
  FUNCTION(OrtcoreKernelRelease, ORTCORE_KERNEL_RELEASE)(out);
}

static const struct trial trials[] = {
    TRIAL("ortcore_create_ep ortcore_release_ep", with_library, create_ep, release_ep),
    TRIAL("ortcore_ep_claim EpGraphSupportInfo_AddNodesToFuse EpGraphSupportInfo_AddSingleNode "
          "EpGraphSupportInfo_LookUpKernel",
          with_provider, claim, release_claims),
    TRIAL("ortcore_ep_compile", with_claims, compile, release_compiled),
    TRIAL("ortcore_kernel_create of a compiled node", with_compiled, make_kernel, release_kernel),
    {NULL},
};

static void clean(void) {
  release_compiled(compiled);
  release_claims(claims);
  release_ep(provider);
  api->ReleaseModel(model);
  api->ReleaseSessionOptions(session_options);
  api->ReleaseEnv(env);
}

const struct section compiled_nodes = {trials, clean};
