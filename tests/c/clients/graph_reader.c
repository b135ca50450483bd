/* SPDX-License-Identifier: MIT */
/* A library of execution providers with one that claims nothing: it hands each graph that a session
 * shows it to a function of the client. */
#include "graph_reader.h"

#include <stdlib.h>

static const OrtApi* api;
static graph_function* show;

ORT_EXPORT void SetGraphFunction(graph_function* function) { show = function; }

static const char* ORT_API_CALL factory_name(const OrtEpFactory* self) {
  return (void)self, "GraphReader";
}
static const char* ORT_API_CALL provider_name(const OrtEp* self) {
  return (void)self, "GraphReader";
}
static const char* ORT_API_CALL vendor(const OrtEpFactory* self) { return (void)self, "nobody"; }
static uint32_t ORT_API_CALL vendor_id(const OrtEpFactory* self) { return (void)self, 0; }
static const char* ORT_API_CALL version(const OrtEpFactory* self) { return (void)self, "1.0.0"; }

static OrtStatus* ORT_API_CALL supported(OrtEpFactory* self,
                                         const OrtHardwareDevice* const* devices,
                                         size_t device_count, OrtEpDevice** found, size_t room,
                                         size_t* count) {
  *count = 0;
  for (size_t i = 0; i < device_count && *count < room; i++) {
    if (api->HardwareDevice_Type(devices[i]) == OrtHardwareDeviceType_CPU) {
      OrtStatus* status =
          api->GetEpApi()->CreateEpDevice(self, devices[i], NULL, NULL, &found[*count]);
      if (status != NULL) {
        return status;
      }
      ++*count;
    }
  }
  return NULL;
}

static OrtStatus* ORT_API_CALL look(OrtEp* self, const OrtGraph* graph,
                                    OrtEpGraphSupportInfo* info) {
  (void)self, (void)info;
  show(graph);
  return NULL;
}

static OrtStatus* ORT_API_CALL compile(OrtEp* self, const OrtGraph** graphs, const OrtNode** nodes,
                                       size_t count, OrtNodeComputeInfo** infos,
                                       OrtNode** context_nodes) {
  (void)self, (void)graphs, (void)nodes, (void)count, (void)infos, (void)context_nodes;
  return api->CreateStatus(ORT_FAIL, "nothing was claimed");
}

static void ORT_API_CALL release_infos(OrtEp* self, OrtNodeComputeInfo** infos, size_t count) {
  (void)self, (void)infos, (void)count;
}

static OrtStatus* ORT_API_CALL create(OrtEpFactory* self, const OrtHardwareDevice* const* devices,
                                      const OrtKeyValuePairs* const* metadata, size_t count,
                                      const OrtSessionOptions* options, const OrtLogger* logger,
                                      OrtEp** ep) {
  (void)self, (void)devices, (void)metadata, (void)count, (void)options, (void)logger;
  static OrtEp provider = {.ort_version_supported = 23,
                           .GetName = provider_name,
                           .GetCapability = look,
                           .Compile = compile,
                           .ReleaseNodeComputeInfos = release_infos};
  *ep = &provider;
  return NULL;
}
static void ORT_API_CALL release(OrtEpFactory* self, OrtEp* ep) { (void)self, (void)ep; }

static OrtStatus* ORT_API_CALL transfer(OrtEpFactory* self, OrtDataTransferImpl** out) {
  (void)self;
  *out = NULL;
  return NULL;
}

ORT_EXPORT OrtStatus* CreateEpFactories(const char* registered_name, const OrtApiBase* base,
                                        const OrtLogger* logger, OrtEpFactory** factories,
                                        size_t room, size_t* count) {
  (void)registered_name, (void)logger, (void)room;
  static OrtEpFactory factory = {.ort_version_supported = 23,
                                 .GetName = factory_name,
                                 .GetVendor = vendor,
                                 .GetVendorId = vendor_id,
                                 .GetVersion = version,
                                 .GetSupportedDevices = supported,
                                 .CreateEp = create,
                                 .ReleaseEp = release,
                                 .CreateDataTransfer = transfer};
  api = base->GetApi(23);
  factories[0] = &factory;
  *count = 1;
  return NULL;
}

ORT_EXPORT OrtStatus* ReleaseEpFactory(OrtEpFactory* factory) {
  (void)factory;
  return NULL;
}
