/* SPDX-License-Identifier: MIT */
/* Memory devices. An OrtMemoryDevice is a memory info whose name and allocator are not compared. */
#include "values/value.h"

static const OrtMemoryDevice* device_of(const struct OrtMemoryInfo* info) {
  return (const OrtMemoryDevice*)info;
}

static const struct OrtMemoryInfo* info_of(const OrtMemoryDevice* device) {
  return (const struct OrtMemoryInfo*)device;
}

const OrtMemoryDevice* ORT_API_CALL
ort_ep_MemoryInfo_GetMemoryDevice(const OrtMemoryInfo* memory_info) NO_EXCEPTION {
  return core_is_memory_info(memory_info) ? device_of(memory_info) : NULL;
}

const OrtMemoryDevice* ORT_API_CALL ort_ep_Value_GetMemoryDevice(const OrtValue* value)
    NO_EXCEPTION {
  return value != NULL && core_is_tensor(value) ? device_of(&core_tensor_of(value)->info) : NULL;
}

bool ORT_API_CALL ort_ep_MemoryDevice_AreEqual(const OrtMemoryDevice* a,
                                               const OrtMemoryDevice* b) NO_EXCEPTION {
  return a != NULL && b != NULL && core_is_same_device(info_of(a), info_of(b));
}

OrtMemoryInfoDeviceType ORT_API_CALL
ort_ep_MemoryDevice_GetDeviceType(const OrtMemoryDevice* memory_device) NO_EXCEPTION {
  return memory_device == NULL ? OrtMemoryInfoDeviceType_CPU : info_of(memory_device)->device_type;
}

OrtDeviceMemoryType ORT_API_CALL
ort_ep_MemoryDevice_GetMemoryType(const OrtMemoryDevice* memory_device) NO_EXCEPTION {
  return memory_device == NULL ? OrtDeviceMemoryType_DEFAULT
                               : info_of(memory_device)->device_mem_type;
}

CORE_VALUE_GETTER(ort_ep_MemoryDevice_GetVendorId, uint32_t, info_of(memory_device)->vendor_id,
                  const OrtMemoryDevice*, memory_device)
CORE_VALUE_GETTER(ort_ep_MemoryDevice_GetDeviceId, uint32_t,
                  (uint32_t)info_of(memory_device)->device_id, const OrtMemoryDevice*,
                  memory_device)
