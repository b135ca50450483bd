/* SPDX-License-Identifier: MIT */
/** @file devices.h The structs behind OrtHardwareDevice and OrtEpDevice. */
#pragma once

#include "object/object.h"

struct OrtHardwareDevice {
  struct core_object object;
  OrtHardwareDeviceType type;
  uint32_t vendor_id;
  uint32_t device_id;
  char* vendor;
  OrtKeyValuePairs* metadata;
};

/** The memories of a device; each may be missing. */
enum core_ep_memory {
  CORE_EP_MEMORY,
  CORE_EP_MEMORY_READ_ONLY,
  CORE_EP_MEMORY_OF_HOST,
  CORE_EP_MEMORIES
};

struct OrtEpDevice {
  struct core_object object;
  /** Borrowed, as the hardware and the infos are. */
  OrtEpFactory* factory;
  const OrtHardwareDevice* hardware;
  const OrtMemoryInfo* infos[CORE_EP_MEMORIES];
  /** The library of the factory, which an environment registered; NULL for a device that no
   * environment has. Borrowed: what uses the factory for longer than a call has a reference. */
  struct core_object* library;
  char* name;
  char* vendor;
  OrtKeyValuePairs* metadata;
  OrtKeyValuePairs* options;
};

extern const struct core_class core_ep_device_class;

/** Whether a pointer that a provider gave is a device of this library. */
static inline bool core_is_ep_device(const OrtEpDevice* device) {
  return device != NULL && device->object.class == &core_ep_device_class;
}

/** Whether a factory has a function, which is a field of OrtEpFactory since a version. */
#define CORE_FACTORY_HAS(factory, since, field) \
  ((factory)->ort_version_supported >= (since) && (factory)->field != NULL)

/** The memory of a device; NULL where it has none of that kind. */
const struct OrtMemoryInfo* core_ep_memory_of(const OrtEpDevice* device, OrtDeviceMemoryType type);

/* The hardware and the execution provider that are always there. */

/** Makes the device that stands for the machine's CPU. */
OrtStatus* core_find_cpu(OrtHardwareDevice** out);

/** The factory of the CPU's execution provider. It has no state. */
extern OrtEpFactory core_cpu_factory;

/* Asks a factory why it cannot use a piece of hardware. */

/** Makes the answer, in which nothing is wrong where the factory has no function for it. */
OrtStatus* core_ask_incompatibility(OrtEpFactory* factory, const OrtHardwareDevice* hardware,
                                    OrtDeviceEpIncompatibilityDetails** out);
