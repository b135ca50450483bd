// SPDX-License-Identifier: MIT
// A library of execution providers whose functions throw: CreateEpFactories, or with
// -DTHROWS_LATER the factory's GetSupportedDevices.
#include <stdexcept>

#include "onnxruntime_c_api.h"

static const char* ORT_API_CALL name(const OrtEpFactory*) noexcept { return "ThrowingEP"; }

static OrtStatus* ORT_API_CALL supported(OrtEpFactory*, const OrtHardwareDevice* const*, size_t,
                                         OrtEpDevice**, size_t, size_t*) {
  throw std::runtime_error("no devices today");
}

static OrtStatus* ORT_API_CALL create(OrtEpFactory*, const OrtHardwareDevice* const*,
                                      const OrtKeyValuePairs* const*, size_t,
                                      const OrtSessionOptions*, const OrtLogger*, OrtEp**) {
  return nullptr;
}

static void ORT_API_CALL release(OrtEpFactory*, OrtEp*) noexcept {}

static OrtEpFactory factory;

extern "C" __attribute__((visibility("default"))) OrtStatus* CreateEpFactories(
    const char*, const OrtApiBase*, const OrtLogger*, OrtEpFactory** factories, size_t,
    size_t* count) {
#ifndef THROWS_LATER
  throw std::runtime_error("no factory today");
#endif
  factory.ort_version_supported = 22;
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
