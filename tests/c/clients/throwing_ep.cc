// SPDX-License-Identifier: MIT
// A library of execution providers whose functions throw: CreateEpFactories, or with
// -DTHROWS_LATER the factory's GetSupportedDevices, or with -DTHROWS_LAST the function that tells
// how much memory a device has.
#include <stdexcept>

#include "onnxruntime_c_api.h"

static const char* ORT_API_CALL name(const OrtEpFactory*) noexcept { return "ThrowingEP"; }

static const char* ORT_API_CALL version(const OrtEpFactory*) noexcept { return "1.0.0"; }

static const OrtEpApi* ep_api;

static OrtStatus* ORT_API_CALL supported(OrtEpFactory* self,
                                         const OrtHardwareDevice* const* hardware, size_t,
                                         OrtEpDevice** devices, size_t, size_t* count) {
#ifndef THROWS_LAST
  throw std::runtime_error("no devices today");
#endif
  *count = 1;
  return ep_api->CreateEpDevice(self, hardware[0], nullptr, nullptr, devices);
}

static OrtStatus* ORT_API_CALL memory(OrtEpFactory*, const OrtEpDevice*, OrtDeviceMemoryType,
                                      uint64_t*, uint64_t*) {
  throw std::runtime_error("no memory today");
}

static OrtStatus* ORT_API_CALL create(OrtEpFactory*, const OrtHardwareDevice* const*,
                                      const OrtKeyValuePairs* const*, size_t,
                                      const OrtSessionOptions*, const OrtLogger*, OrtEp**) {
  return nullptr;
}

static void ORT_API_CALL release(OrtEpFactory*, OrtEp*) noexcept {}

static OrtEpFactory factory;

extern "C" __attribute__((visibility("default"))) OrtStatus* CreateEpFactories(
    const char*, const OrtApiBase* base, const OrtLogger*, OrtEpFactory** factories, size_t,
    size_t* count) {
#ifdef THROWS_NOW
  throw std::runtime_error("no factory today");
#endif
  ep_api = base->GetApi(ORT_API_VERSION)->GetEpApi();
  factory.ort_version_supported = ORT_API_VERSION;
  factory.GetVersion = version;
  factory.GetDeviceMemoryCapacity =
      reinterpret_cast<decltype(factory.GetDeviceMemoryCapacity)>(memory);
  factory.GetName = name;
  factory.GetVendor = name;
  // The type says that it does not throw, as the header wants it.
  factory.GetSupportedDevices = reinterpret_cast<decltype(factory.GetSupportedDevices)>(supported);
  factory.CreateEp = reinterpret_cast<decltype(factory.CreateEp)>(create);
  factory.ReleaseEp = release;
  factories[0] = &factory;
  *count = 1;
  return nullptr;
}

extern "C" __attribute__((visibility("default"))) OrtStatus* ReleaseEpFactory(OrtEpFactory*) {
  throw std::runtime_error("no end either");
}
