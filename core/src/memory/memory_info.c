/* SPDX-License-Identifier: MIT */
#include "memory/memory_info.h"

#include "object/object.h"

const struct core_class core_memory_info_class = {.kind = CORE_MEMORY_INFO};

const struct OrtMemoryInfo core_cpu_memory_info = {
    .object = {&core_memory_info_class, CORE_PERMANENT, 0},
    .name = "Cpu",
    .allocator_type = OrtDeviceAllocator};

/* The names that CreateMemoryInfo accepts, with their devices. */
struct device {
  const char* name;
  const char* kept_as;
  OrtMemoryInfoDeviceType type;
  OrtDeviceMemoryType mem_type;
  uint32_t vendor_id;
};

#define CPU OrtMemoryInfoDeviceType_CPU
#define GPU OrtMemoryInfoDeviceType_GPU
#define NPU OrtMemoryInfoDeviceType_NPU
#define LOCAL OrtDeviceMemoryType_DEFAULT
#define SHARED OrtDeviceMemoryType_HOST_ACCESSIBLE
static const struct device devices[] = {
    {"Cpu", "Cpu", CPU, LOCAL, 0},
    {"Cuda", "Cuda", GPU, LOCAL, 0x10DE},
    {"CudaPinned", "CudaPinned", GPU, SHARED, 0x10DE},
    {"DML", "DML", GPU, LOCAL, 0x1414},
    {"Hip", "Hip", GPU, LOCAL, 0x1002},
    {"HipPinned", "HipPinned", GPU, SHARED, 0x1002},
    {"OpenVINO_GPU", "OpenVINO_GPU", GPU, LOCAL, 0x8086},
    {"OpenVINO_RT_NPU", "OpenVINO_RT_NPU", NPU, LOCAL, 0x8086},
    {"QnnHtpShared", "QnnHtpShared", CPU, SHARED, 0x5143},
    {"WebGPU_Buffer", "WebGPU_Buf", GPU, LOCAL, 0},
    {"WebGPU_Buf", "WebGPU_Buf", GPU, LOCAL, 0},
    {"WebNN_Tensor", "WebNN_Ten", GPU, LOCAL, 0},
    {"WebNN_Ten", "WebNN_Ten", GPU, LOCAL, 0},
};

static OrtStatus* hand_out(const struct OrtMemoryInfo* info, OrtMemoryInfo** out) {
  size_t extra = core_memory_info_extra(info);
  struct OrtMemoryInfo* copy = heap_alloc(sizeof *copy + extra);
  CORE_RETURN_IF(copy == NULL, CORE_OUT_OF_MEMORY(CreateMemoryInfo, sizeof *copy));
  core_embed_memory_info(info, copy, copy + 1, extra);
  core_begin(&copy->object, &core_memory_info_class, 0);
  *out = copy;
  return NULL;
}

/* Returns the device of a name, or NULL. */
static const struct device* find_device(const char* name) {
  /* Compare the first letter first: most wrong names fail there, without thirteen comparisons. */
  switch (name[0]) {
    case 'C':
    case 'D':
    case 'H':
    case 'O':
    case 'Q':
    case 'W':
      break;
    default:
      return NULL;
  }
  for (size_t i = 0; i < CORE_COUNT_OF(devices); i++) {
    if (strcmp(devices[i].name, name) == 0) {
      return &devices[i];
    }
  }
  return NULL;
}

ORT_API_STATUS_IMPL(ort_CreateMemoryInfo, const char* name, OrtAllocatorType type, int id,
                    OrtMemType mem_type, OrtMemoryInfo** out) {
  CORE_REQUIRE(CreateMemoryInfo, name, out);
  const struct device* device = find_device(name);
  CORE_FAIL_IF(
      device == NULL, ORT_INVALID_ARGUMENT,
      "CreateMemoryInfo: name is not a device that it knows (names are case-sensitive: Cpu, "
      "Cuda, CudaPinned, DML, Hip, HipPinned, OpenVINO_GPU, OpenVINO_RT_NPU, QnnHtpShared, "
      "WebGPU_Buf, WebNN_Ten). Try CreateMemoryInfo_V2, which takes any name.");
  struct OrtMemoryInfo info = {.name = device->kept_as,
                               .allocator_type = type,
                               .mem_type = mem_type,
                               /* There is one CPU; ids of other devices have 16 bits. */
                               .device_id = device == devices ? 0 : (int16_t)id,
                               .device_type = device->type,
                               .device_mem_type = device->mem_type,
                               .vendor_id = device->vendor_id};
  return hand_out(&info, out);
}

CORE_SLOT(ort_CreateCpuMemoryInfo, OrtAllocatorType type, OrtMemType mem_type,
          OrtMemoryInfo** out) {
  struct OrtMemoryInfo info = {.name = "Cpu", .allocator_type = type, .mem_type = mem_type};
  return hand_out(&info, out);
}

CORE_SLOT(ort_CreateMemoryInfo_V2, const char* name, OrtMemoryInfoDeviceType device_type,
          uint32_t vendor_id, int32_t device_id, OrtDeviceMemoryType mem_type, size_t alignment,
          OrtAllocatorType allocator_type, OrtMemoryInfo** out) {
  CORE_FAIL_IF(device_type != CPU && device_type != GPU && device_type != NPU &&
                   device_type != OrtMemoryInfoDeviceType_FPGA,
               ORT_INVALID_ARGUMENT,
               "CreateMemoryInfo_V2: device_type must be CPU, GPU, FPGA or NPU");
  CORE_FAIL_IF(device_id != (int16_t)device_id, ORT_RUNTIME_EXCEPTION,
               "CreateMemoryInfo_V2: device_id must fit in 16 bits");
  struct OrtMemoryInfo info = {
      .name = name,
      .owns_name = true,
      .allocator_type = allocator_type,
      .device_id = (int16_t)device_id,
      .device_type = device_type,
      .device_mem_type = mem_type == LOCAL ? LOCAL : SHARED,
      .mem_type = mem_type == LOCAL ? OrtMemTypeDefault : OrtMemTypeCPU,
      .vendor_id = vendor_id,
      .alignment = alignment,
  };
  return hand_out(&info, out);
}

CORE_SLOT(ort_CompareMemoryInfo, const OrtMemoryInfo* info1, const OrtMemoryInfo* info2, int* out) {
  CORE_REQUIRE_INFO(CompareMemoryInfo, info1);
  CORE_REQUIRE_INFO(CompareMemoryInfo, info2);
  int equal =
      info1->allocator_type == info2->allocator_type && info1->mem_type == info2->mem_type &&
      info1->device_id == info2->device_id && info1->device_type == info2->device_type &&
      info1->device_mem_type == info2->device_mem_type && info1->vendor_id == info2->vendor_id &&
      info1->alignment == info2->alignment && strcmp(info1->name, info2->name) == 0;
  *out = equal ? 0 : -1;
  return NULL;
}

#define INFO_GETTER(NAME, function, type, field)         \
  CORE_SLOT(NAME, const OrtMemoryInfo* ptr, type* out) { \
    CORE_REQUIRE_INFO(function, ptr);                    \
    *out = ptr->field;                                   \
    return NULL;                                         \
  }
INFO_GETTER(ort_MemoryInfoGetName, MemoryInfoGetName, const char*, name)
INFO_GETTER(ort_MemoryInfoGetId, MemoryInfoGetId, int, device_id)
INFO_GETTER(ort_MemoryInfoGetMemType, MemoryInfoGetMemType, OrtMemType, mem_type)
INFO_GETTER(ort_MemoryInfoGetType, MemoryInfoGetType, OrtAllocatorType, allocator_type)

void ORT_API_CALL ort_MemoryInfoGetDeviceType(const OrtMemoryInfo* ptr,
                                              OrtMemoryInfoDeviceType* out) NO_EXCEPTION {
  if (core_is_memory_info(ptr) && out != NULL) {
    *out = ptr->device_type;
  }
}

OrtDeviceMemoryType ORT_API_CALL ort_MemoryInfoGetDeviceMemType(const OrtMemoryInfo* ptr)
    NO_EXCEPTION {
  return core_is_memory_info(ptr) ? ptr->device_mem_type : LOCAL;
}

uint32_t ORT_API_CALL ort_MemoryInfoGetVendorId(const OrtMemoryInfo* ptr) NO_EXCEPTION {
  return core_is_memory_info(ptr) ? ptr->vendor_id : 0;
}

void ORT_API_CALL ort_ReleaseMemoryInfo(OrtMemoryInfo* input) NO_EXCEPTION {
  if (core_is_memory_info(input)) {
    core_drop(input);
  }
}
