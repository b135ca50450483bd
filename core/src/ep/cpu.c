/* SPDX-License-Identifier: MIT */
/* The hardware that is always there, and the execution provider that every library lists for it.
 * The core has no kernels of its own, so it makes no such provider. */
#include "ep/devices.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#define CPU_EP "CPUExecutionProvider"

struct vendor {
  /** What the instruction CPUID answers. */
  char says[13];
  const char* name;
  uint32_t id;
};

static const struct vendor* vendor_of_cpu(void) {
  static const struct vendor unknown = {"", "unknown", 0};
#if defined(__x86_64__) || defined(__i386__)
  static const struct vendor vendors[] = {
      {"GenuineIntel", "Intel", 0x8086},
      {"AuthenticAMD", "AMD", 0x1022},
  };
  unsigned leaf = 0, words[3] = {0};
  if (__get_cpuid(0, &leaf, &words[0], &words[2], &words[1])) {
    for (size_t i = 0; i < CORE_COUNT_OF(vendors); i++) {
      if (memcmp(vendors[i].says, words, sizeof words) == 0) {
        return &vendors[i];
      }
    }
  }
#endif
  return &unknown;
}

OrtStatus* core_find_cpu(OrtHardwareDevice** out) {
  const struct vendor* vendor = vendor_of_cpu();
  return ort_ep_CreateHardwareDevice(OrtHardwareDeviceType_CPU, vendor->id, 0, vendor->name, NULL,
                                     out);
}

static const char* ORT_API_CALL name(const OrtEpFactory* self) { return (void)self, CPU_EP; }

static const char* ORT_API_CALL vendor(const OrtEpFactory* self) { return (void)self, "Microsoft"; }

static const char* ORT_API_CALL version(const OrtEpFactory* self) {
  return (void)self, CORE_VERSION_STRING;
}

static OrtStatus* ORT_API_CALL supported(OrtEpFactory* self,
                                         const OrtHardwareDevice* const* devices,
                                         size_t num_devices, OrtEpDevice** ep_devices,
                                         size_t max_ep_devices, size_t* num_ep_devices) {
  for (size_t i = 0; i < num_devices && *num_ep_devices < max_ep_devices; i++) {
    if (devices[i]->type == OrtHardwareDeviceType_CPU) {
      CORE_TRY(ort_ep_CreateEpDevice(self, devices[i], NULL, NULL, &ep_devices[*num_ep_devices]));
      ++*num_ep_devices;
    }
  }
  return NULL;
}

static OrtStatus* ORT_API_CALL create(OrtEpFactory* self, const OrtHardwareDevice* const* devices,
                                      const OrtKeyValuePairs* const* metadata, size_t num_devices,
                                      const OrtSessionOptions* options, const OrtLogger* logger,
                                      OrtEp** ep) {
  CORE_FAIL(ORT_NOT_IMPLEMENTED, "CreateEp: the core has no kernels of its own");
}

static void ORT_API_CALL release(OrtEpFactory* self, OrtEp* ep) { (void)self, (void)ep; }

OrtEpFactory core_cpu_factory = {.ort_version_supported = ORT_API_VERSION,
                                 .GetName = name,
                                 .GetVendor = vendor,
                                 .GetSupportedDevices = supported,
                                 .CreateEp = create,
                                 .ReleaseEp = release,
                                 .GetVersion = version};
