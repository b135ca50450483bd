/* SPDX-License-Identifier: MIT */
/** @file memory_info.h The struct behind OrtMemoryInfo, which describes where memory is. */
#pragma once

#include "core.h"

struct OrtMemoryInfo {
  struct core_object object;
  /** A string literal or, if `owns_name`, a copy of a client's name behind the struct. */
  const char* name;
  OrtAllocatorType allocator_type;
  OrtMemType mem_type;
  int16_t device_id;
  bool owns_name;
  OrtMemoryInfoDeviceType device_type;
  OrtDeviceMemoryType device_mem_type;
  uint32_t vendor_id;
  size_t alignment;
};

/** The CPU memory of the default allocator. Constant. */
extern const struct OrtMemoryInfo core_cpu_memory_info;

extern const struct core_class core_memory_info_class;

/** Whether `info` was made by this core; allocators of other libraries have infos of their own. */
static inline bool core_is_memory_info(const OrtMemoryInfo* info) {
  return info != NULL && info->object.class == &core_memory_info_class;
}

/** Whether the CPU can read and write the memory. */
static inline bool core_is_cpu_memory(const struct OrtMemoryInfo* info) {
  return info->device_type == OrtMemoryInfoDeviceType_CPU ||
         info->device_mem_type == OrtDeviceMemoryType_HOST_ACCESSIBLE;
}

/** Whether two infos are about the same memory; how it is allocated does not count. */
static inline bool core_is_same_device(const struct OrtMemoryInfo* one,
                                       const struct OrtMemoryInfo* other) {
  return one->device_type == other->device_type && one->device_mem_type == other->device_mem_type &&
         one->vendor_id == other->vendor_id && one->device_id == other->device_id &&
         one->alignment == other->alignment;
}

/** Returns a status for an info of another library, whose struct is not known here. */
#define CORE_REQUIRE_INFO(function, argument)                        \
  CORE_REQUIRE(function, argument);                                  \
  CORE_FAIL_IF(!core_is_memory_info(argument), ORT_INVALID_ARGUMENT, \
               #function ": " #argument " must be an OrtMemoryInfo of this library")

/** The bytes that a copy needs behind it for its name; 0 for a literal, which copies share. */
static inline size_t core_memory_info_extra(const struct OrtMemoryInfo* info) {
  return CORE_UNLIKELY(info->owns_name) ? strlen(info->name) + 1 : 0;
}

/** Makes `to` a copy that is part of another object. `behind` has room for the `extra` bytes of its
 * name. */
static inline void core_embed_memory_info(const struct OrtMemoryInfo* from,
                                          struct OrtMemoryInfo* to, void* behind, size_t extra) {
  *to = *from;
  to->object = (struct core_object){&core_memory_info_class, CORE_PERMANENT, 0};
  if (CORE_UNLIKELY(extra > 0)) {
    to->name = (const char*)memcpy(behind, from->name, extra);
  }
}
