/* SPDX-License-Identifier: MIT */
/* Threads have one execution provider take and compile nodes at once. */
#define KIND LYING
#include "../provider/provider.c"

#include "ortcore.h"
#include "table.h"

/* Needs CHECK. */
#include "model_bytes.h"

#define THREADS 4
#define ROUNDS 200

static OrtcoreEp* provider;
static const OrtGraph* graph;

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
  CHECK(host.create(&device, 1, options, NULL, &provider) == NULL);
  on_threads(THREADS, compile_often, NULL);
  host.release(provider);
}

int main(int argc, char** argv) {
  OrtEpFactory* factory = NULL;
  size_t count = 0;
  struct model_bytes bytes = branching_model();
  OrtModel* model = NULL;
  CHECK(argc == 2);
  const OrtApiBase*(ORT_API_CALL * get_base)(void);
  *(void**)&get_base = entry_of(argv[1]);
  /* It takes all nodes as one. */
  CHECK(CreateEpFactories("each", get_base(), NULL, &factory, 1, &count) == NULL && count == 1);
  find_host();
  CHECK(host.open_model(bytes.at, bytes.size, NULL, &model) == NULL);
  CHECK(host.graph_of(model, ORTCORE_GRAPH_FOLDED, &graph) == NULL);
  OrtHardwareDevice* hardware =
      NEW(OrtHardwareDevice,
          ep_api->CreateHardwareDevice(OrtHardwareDeviceType_CPU, 0, 0, "all", NULL, &new_));
  OrtEpDevice* device =
      NEW(OrtEpDevice, ep_api->CreateEpDevice(factory, hardware, NULL, NULL, &new_));
  OrtSessionOptions* options = NEW(OrtSessionOptions, api->CreateSessionOptions(&new_));
  compile_at_once(device, options);
  api->ReleaseSessionOptions(options);
  ep_api->ReleaseEpDevice(device);
  ep_api->ReleaseHardwareDevice(hardware);
  api->ReleaseModel(model);
  CHECK(ReleaseEpFactory(factory) == NULL);
  printf("provider_threads: OK\n");
  return 0;
}
