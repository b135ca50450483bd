/* SPDX-License-Identifier: MIT */
/* Threads have one execution provider take and compile nodes at once. */
#define KIND LYING
#define NO_THROWS
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

static void* compile_often(void* unused) {
  for (int i = 0; i < ROUNDS; i++) {
    OrtcoreClaims* claims = NULL;
    OrtcoreCompiled* compiled = NULL;
    CHECK(CORE_FUNCTION(OrtcoreEpClaim, ORTCORE_EP_CLAIM)(provider, graph, &claims) == NULL);
    CHECK(CORE_FUNCTION(OrtcoreEpCompile, ORTCORE_EP_COMPILE)(claims, &compiled) == NULL &&
          compiled->node_count == 1);
    CORE_FUNCTION(OrtcoreReleaseCompiled, ORTCORE_RELEASE_COMPILED)(compiled);
    CORE_FUNCTION(OrtcoreReleaseClaims, ORTCORE_RELEASE_CLAIMS)(claims);
  }
  return unused;
}

static void compile_at_once(const OrtEpDevice* device, const OrtSessionOptions* options) {
  CHECK(CORE_FUNCTION(OrtcoreCreateEp, ORTCORE_CREATE_EP)(&device, 1, options, NULL, &provider) ==
        NULL);
  on_threads(THREADS, compile_often, NULL);
  CORE_FUNCTION(OrtcoreReleaseEp, ORTCORE_RELEASE_EP)(provider);
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
  CHECK(CORE_FUNCTION(OrtcoreOpenModelBytes, ORTCORE_OPEN_MODEL_BYTES)(bytes.at, bytes.size, NULL,
                                                                       &model) == NULL);
  CHECK(CORE_FUNCTION(OrtcoreModelGraph, ORTCORE_MODEL_GRAPH)(model, ORTCORE_GRAPH_FOLDED,
                                                              &graph) == NULL);
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
