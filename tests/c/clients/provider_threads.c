/* SPDX-License-Identifier: MIT */
/* Threads have one execution provider take and compile nodes at once. */
#include <pthread.h>
#include <string.h>

#include "client.h"
#include "model_bytes.h"
#include "onnxruntime_ep_c_api.h"
#include "ortcore.h"

#define THREADS 4
#define ROUNDS 200

static const OrtApi* api;
static const OrtEpApi* ep_api;
static OrtcoreEp* provider;
static const OrtGraph* graph;

/* --- a provider that takes all nodes as one --------------------------------------------------- */

static const char* ORT_API_CALL ep_name(const OrtEp* self) { return (void)self, "all"; }
static const char* ORT_API_CALL name(const OrtEpFactory* self) { return (void)self, "all"; }

static OrtStatus* ORT_API_CALL take_all(OrtEp* self, const OrtGraph* from,
                                        OrtEpGraphSupportInfo* info) {
  const OrtNode* nodes[8];
  size_t count = 0;
  (void)self;
  CHECK(api->Graph_GetNumNodes(from, &count) == NULL && count <= 8);
  CHECK(api->Graph_GetNodes(from, nodes, 8) == NULL);
  return ep_api->EpGraphSupportInfo_AddNodesToFuse(info, nodes, count, NULL);
}

static OrtStatus* ORT_API_CALL make_state(OrtNodeComputeInfo* self, OrtNodeComputeContext* context,
                                          void** state) {
  return (void)context, *state = self, NULL;
}
static OrtStatus* ORT_API_CALL compute(OrtNodeComputeInfo* self, void* state,
                                       OrtKernelContext* context) {
  return (void)self, (void)state, (void)context, NULL;
}

static OrtStatus* ORT_API_CALL compile(OrtEp* self, const OrtGraph** graphs, const OrtNode** fused,
                                       size_t count, OrtNodeComputeInfo** infos,
                                       OrtNode** context_nodes) {
  static OrtNodeComputeInfo info = {
      .ort_version_supported = 23, .CreateState = make_state, .Compute = compute};
  (void)self, (void)graphs, (void)fused, (void)context_nodes;
  for (size_t i = 0; i < count; i++) {
    infos[i] = &info;
  }
  return NULL;
}

static OrtStatus* ORT_API_CALL create_ep(OrtEpFactory* self,
                                         const OrtHardwareDevice* const* hardware,
                                         const OrtKeyValuePairs* const* metadata, size_t count,
                                         const OrtSessionOptions* options, const OrtLogger* logger,
                                         OrtEp** out) {
  static OrtEp ep = {.ort_version_supported = 23,
                     .GetName = ep_name,
                     .GetCapability = take_all,
                     .Compile = compile};
  (void)self, (void)hardware, (void)metadata, (void)count, (void)options, (void)logger;
  return *out = &ep, NULL;
}
static void ORT_API_CALL release_ep(OrtEpFactory* self, OrtEp* ep) { (void)self, (void)ep; }

/* --- threads ---------------------------------------------------------------------------------- */

static struct {
  OrtcoreCreateEp create;
  OrtcoreReleaseEp release;
  OrtcoreEpClaim claim;
  OrtcoreReleaseClaims release_claims;
  OrtcoreEpCompile compile;
  OrtcoreReleaseCompiled release_compiled;
  OrtcoreOpenModelBytes open_model;
  OrtcoreModelGraph graph_of;
} host;

static void find_host(void) {
  host.create = (OrtcoreCreateEp)api->GetExperimentalFunction(ORTCORE_CREATE_EP);
  host.release = (OrtcoreReleaseEp)api->GetExperimentalFunction(ORTCORE_RELEASE_EP);
  host.claim = (OrtcoreEpClaim)api->GetExperimentalFunction(ORTCORE_EP_CLAIM);
  host.release_claims = (OrtcoreReleaseClaims)api->GetExperimentalFunction(ORTCORE_RELEASE_CLAIMS);
  host.compile = (OrtcoreEpCompile)api->GetExperimentalFunction(ORTCORE_EP_COMPILE);
  host.release_compiled =
      (OrtcoreReleaseCompiled)api->GetExperimentalFunction(ORTCORE_RELEASE_COMPILED);
  host.open_model = (OrtcoreOpenModelBytes)api->GetExperimentalFunction(ORTCORE_OPEN_MODEL_BYTES);
  host.graph_of = (OrtcoreModelGraph)api->GetExperimentalFunction(ORTCORE_MODEL_GRAPH);
}

static void* compile_often(void* unused) {
  for (int i = 0; i < ROUNDS; i++) {
    OrtcoreClaims* claims = NULL;
    OrtcoreCompiled* compiled = NULL;
    CHECK(host.claim(provider, graph, &claims) == NULL);
    CHECK(host.compile(claims, &compiled) == NULL && compiled->node_count == 1);
    host.release_compiled(compiled);
    host.release_claims(claims);
  }
  return unused;
}

static void compile_at_once(const OrtEpDevice* device, const OrtSessionOptions* options) {
  pthread_t threads[THREADS];
  CHECK(host.create(&device, 1, options, NULL, &provider) == NULL);
  for (size_t i = 0; i < THREADS; i++) {
    CHECK(pthread_create(&threads[i], NULL, compile_often, NULL) == 0);
  }
  for (size_t i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
  }
  host.release(provider);
}

int main(int count, char** arguments) {
  OrtEpFactory factory = {.ort_version_supported = 22,
                          .GetName = name,
                          .GetVendor = name,
                          .CreateEp = create_ep,
                          .ReleaseEp = release_ep};
  struct model_bytes bytes = branching_model();
  OrtModel* model = NULL;
  CHECK(count == 2);
  api = ((const OrtApiBase* (*)(void))entry_of(arguments[1]))()->GetApi(ORT_API_VERSION);
  ep_api = api->GetEpApi();
  find_host();
  CHECK(host.open_model(bytes.at, bytes.size, NULL, &model) == NULL);
  CHECK(host.graph_of(model, ORTCORE_GRAPH_FOLDED, &graph) == NULL);
  OrtHardwareDevice* hardware =
      NEW(OrtHardwareDevice,
          ep_api->CreateHardwareDevice(OrtHardwareDeviceType_CPU, 0, 0, "all", NULL, &new_));
  OrtEpDevice* device =
      NEW(OrtEpDevice, ep_api->CreateEpDevice(&factory, hardware, NULL, NULL, &new_));
  OrtSessionOptions* options = NEW(OrtSessionOptions, api->CreateSessionOptions(&new_));
  compile_at_once(device, options);
  api->ReleaseSessionOptions(options);
  ep_api->ReleaseEpDevice(device);
  ep_api->ReleaseHardwareDevice(hardware);
  api->ReleaseModel(model);
  printf("provider_threads: OK\n");
  return 0;
}
