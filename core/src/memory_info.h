/* SPDX-License-Identifier: MIT */
/** @file memory_info.h Where memory lives: the struct behind OrtMemoryInfo. */
#ifndef ORTCFFI_MEMORY_INFO_H_
#define ORTCFFI_MEMORY_INFO_H_

#include "core.h"

struct OrtMemoryInfo {
  const char* name;
  OrtAllocatorType allocator_type;
  OrtMemType mem_type;
  int32_t device_id;
  OrtMemoryInfoDeviceType device_type;
  OrtDeviceMemoryType device_mem_type;
  uint32_t vendor_id;
  size_t alignment;
  /** A constant of the core: releasing it does nothing. */
  int is_constant;
};

/** Memory of the CPU, as the default allocator has it. Constant. */
extern const struct OrtMemoryInfo core_cpu_memory_info;

#endif /* ORTCFFI_MEMORY_INFO_H_ */
