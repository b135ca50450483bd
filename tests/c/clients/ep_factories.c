/* SPDX-License-Identifier: MIT */
/* A library of execution providers with one factory that finds no device, for `ortcffi check`.
 * Compiled with -DWRONG the factory lacks functions and says little; with -DCRASHES it cannot be
 * made; with -DENDLESS nothing ends it; with -DREFUSES the library answers a status. */
#include <stdlib.h>

#include "onnxruntime_c_api.h"

#ifndef WRONG
static const char* ORT_API_CALL vendor(const OrtEpFactory* self) { return (void)self, "nobody"; }
static uint32_t ORT_API_CALL vendor_id(const OrtEpFactory* self) { return (void)self, 0; }
#endif

static const char* ORT_API_CALL name(const OrtEpFactory* self) { return (void)self, "NothingEP"; }

static const char* ORT_API_CALL version(const OrtEpFactory* self) {
  (void)self;
#ifdef WRONG
  return "first";
#else
  return "1.2.3";
#endif
}

static OrtStatus* ORT_API_CALL supported(OrtEpFactory* self,
                                         const OrtHardwareDevice* const* devices,
                                         size_t device_count, OrtEpDevice** found, size_t room,
                                         size_t* count) {
  (void)self, (void)devices, (void)device_count, (void)found, (void)room;
  *count = 0;
  return NULL;
}

static OrtStatus* ORT_API_CALL create(OrtEpFactory* self, const OrtHardwareDevice* const* devices,
                                      const OrtKeyValuePairs* const* metadata, size_t count,
                                      const OrtSessionOptions* options, const OrtLogger* logger,
                                      OrtEp** ep) {
  (void)self, (void)devices, (void)metadata, (void)count, (void)options, (void)logger;
  *ep = NULL;
  return NULL;
}

#ifndef WRONG
static OrtStatus* ORT_API_CALL transfer(OrtEpFactory* self, OrtDataTransferImpl** out) {
  (void)self;
  *out = NULL;
  return NULL;
}
#endif

static void ORT_API_CALL release(OrtEpFactory* self, OrtEp* ep) { (void)self, (void)ep; }

ORT_EXPORT OrtStatus* CreateEpFactories(const char* registered_name, const OrtApiBase* base,
                                        const OrtLogger* logger, OrtEpFactory** factories,
                                        size_t room, size_t* count) {
  (void)registered_name, (void)logger;
  const OrtApi* api = base->GetApi(23);
#ifdef CRASHES
  abort();
#endif
#ifdef REFUSES
  return api->CreateStatus(ORT_EP_FAIL, "no factory today");
#endif
  if (api == NULL) {
    return base->GetApi(1)->CreateStatus(ORT_FAIL, "it needs API version 23");
  }
  if (room == 0) {
    return api->CreateStatus(ORT_INVALID_ARGUMENT, "there is no room");
  }
  OrtEpFactory* factory = calloc(1, sizeof *factory);
  if (factory != NULL) {
    *factory = (OrtEpFactory){.ort_version_supported = 23,
                              .GetName = name,
#ifdef WRONG
                              .CreateAllocator = (void*)1,
#else
                              .GetVendor = vendor,
                              .CreateDataTransfer = transfer,
                              .GetVendorId = vendor_id,
#endif
                              .GetVersion = version,
                              .GetSupportedDevices = supported,
                              .CreateEp = create,
                              .ReleaseEp = release};
    factories[0] = factory;
  }
  *count = factory != NULL;
  return NULL;
}

#ifndef ENDLESS
ORT_EXPORT OrtStatus* ReleaseEpFactory(OrtEpFactory* factory) {
  free(factory);
  return NULL;
}
#endif
