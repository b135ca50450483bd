/* SPDX-License-Identifier: MIT */
/** @file devices.h The structs behind OrtHardwareDevice and OrtEpDevice. */
#ifndef ORTCFFI_DEVICES_H_
#define ORTCFFI_DEVICES_H_

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
  char* name;
  char* vendor;
  OrtKeyValuePairs* metadata;
  OrtKeyValuePairs* options;
};

#endif /* ORTCFFI_DEVICES_H_ */
