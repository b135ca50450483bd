/* SPDX-License-Identifier: MIT */
/* Memory info. */
#include <limits.h>

#include "behaviour.h"

static OrtMemoryInfo* memory_info_cpu(void) {
  return NEW(OrtMemoryInfo, api->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &new_));
}

static void memory_info_say_name(const OrtMemoryInfo* info) {
  const char* name = NEW(const char, api->MemoryInfoGetName(info, &new_));
  say("name=%s", name);
}

static void say_id(const OrtMemoryInfo* info) {
  int id = 0;
  CHECK(api->MemoryInfoGetId(info, &id) == NULL);
  say("id=%d", id);
}

static void say_types(const OrtMemoryInfo* info) {
  OrtAllocatorType type = OrtInvalidAllocator;
  OrtMemType mem_type = OrtMemTypeDefault;
  CHECK(api->MemoryInfoGetType(info, &type) == NULL);
  CHECK(api->MemoryInfoGetMemType(info, &mem_type) == NULL);
  say("type=%d memtype=%d", (int)type, (int)mem_type);
}

static void say_device(const OrtMemoryInfo* info) {
  OrtMemoryInfoDeviceType type = OrtMemoryInfoDeviceType_CPU;
  api->MemoryInfoGetDeviceType(info, &type);
  say("devtype=%d vendor=0x%x devmem=%d", (int)type, api->MemoryInfoGetVendorId(info),
      (int)api->MemoryInfoGetDeviceMemType(info));
}

/* Asks for a device by name; says everything about what comes of it. */
static void create_named(const char* name) {
  OrtMemoryInfo* info = UNTOUCHED;
  if (say_status(api->CreateMemoryInfo(name, OrtDeviceAllocator, 0, OrtMemTypeDefault, &info))) {
    memory_info_say_name(info);
    say_device(info);
    api->ReleaseMemoryInfo(info);
  } else {
    say_out(info, UNTOUCHED);
  }
}

#define CREATE_NAMED(name) \
  CALL("CreateMemoryInfo(" #name ",Device,0,Default)") { create_named(name); }
CREATE_NAMED("Cpu")
CREATE_NAMED("cpu")
CREATE_NAMED("CPU")
CREATE_NAMED("Cuda")
CREATE_NAMED("CudaPinned")
CREATE_NAMED("Cann")
CREATE_NAMED("CannPinned")
CREATE_NAMED("DML")
CREATE_NAMED("HIP")
CREATE_NAMED("Hip")
CREATE_NAMED("HipPinned")
CREATE_NAMED("OpenVINO_CPU")
CREATE_NAMED("OpenVINO_GPU")
CREATE_NAMED("OpenVINO_RT")
CREATE_NAMED("OpenVINO_RT_NPU")
CREATE_NAMED("QnnHtpShared")
CREATE_NAMED("WebGPU_Buffer")
CREATE_NAMED("WebGPU_Buf")
CREATE_NAMED("WebNN_Tensor")
CREATE_NAMED("WebNN_Ten")
CREATE_NAMED("Bogus")
CREATE_NAMED("")
CREATE_NAMED("Tensorrt")
CREATE_NAMED("XNNPACK")
CREATE_NAMED("Vulkan")
CREATE_NAMED(NULL)

/* Asks for a known device with numbers that may be none. */
static void create_with(const char* name, int type, int id, int mem_type) {
  OrtMemoryInfo* info = UNTOUCHED;
  if (say_status(
          api->CreateMemoryInfo(name, (OrtAllocatorType)type, id, (OrtMemType)mem_type, &info))) {
    say_id(info);
    say_types(info);
    say_device(info);
    api->ReleaseMemoryInfo(info);
  }
}

CALL("CreateMemoryInfo(Cpu,id=-1)") { create_with("Cpu", 0, -1, 0); }
CALL("CreateMemoryInfo(Cpu,id=7)") { create_with("Cpu", 0, 7, 0); }
CALL("CreateMemoryInfo(Cuda,id=INT_MAX)") { create_with("Cuda", 0, INT_MAX, 0); }
CALL("CreateMemoryInfo(Cpu,type=OrtInvalidAllocator)") { create_with("Cpu", -1, 0, 0); }
CALL("CreateMemoryInfo(Cpu,type=99)") { create_with("Cpu", 99, 0, 0); }
CALL("CreateMemoryInfo(Cpu,mem_type=99)") { create_with("Cpu", 0, 0, 99); }
CALL("CreateMemoryInfo(Cpu,mem_type=-3)") { create_with("Cpu", 0, 0, -3); }
CALL("CreateMemoryInfo(Cpu,mem_type=CPUInput)") { create_with("Cpu", 0, 0, -2); }
CALL("CreateMemoryInfo(Cuda,mem_type=CPUInput)") { create_with("Cuda", 0, 0, -2); }
CALL("CreateMemoryInfo(Cuda,mem_type=CPUOutput)") { create_with("Cuda", 0, 0, -1); }

static void create_cpu(OrtAllocatorType type, OrtMemType mem_type) {
  OrtMemoryInfo* info = UNTOUCHED;
  if (say_status(api->CreateCpuMemoryInfo(type, mem_type, &info))) {
    memory_info_say_name(info);
    say_id(info);
    say_types(info);
    say_device(info);
    api->ReleaseMemoryInfo(info);
  }
}

CALL("CreateCpuMemoryInfo(Arena,Default)") { create_cpu(OrtArenaAllocator, OrtMemTypeDefault); }
CALL("CreateCpuMemoryInfo(type=99,mem=99)") { create_cpu((OrtAllocatorType)99, (OrtMemType)99); }

static void create_v2(const char* name, int device_type, int device_id, int mem_type,
                      size_t alignment) {
  OrtMemoryInfo* info = UNTOUCHED;
  if (say_status(api->CreateMemoryInfo_V2(name, (OrtMemoryInfoDeviceType)device_type, 0, device_id,
                                          (OrtDeviceMemoryType)mem_type, alignment,
                                          OrtDeviceAllocator, &info))) {
    memory_info_say_name(info);
    say_id(info);
    say_device(info);
    api->ReleaseMemoryInfo(info);
  } else {
    say_out(info, UNTOUCHED);
  }
}

CALL("CreateMemoryInfo_V2(\"any name\",CPU,0,0,DEFAULT,0,Device)") {
  create_v2("any name", 0, 0, 0, 0);
}
CALL("CreateMemoryInfo_V2(name=\"\")") { create_v2("", 0, 0, 0, 0); }
CALL("CreateMemoryInfo_V2(device_type=FPGA)") { create_v2("x", 2, 0, 0, 0); }
CALL("CreateMemoryInfo_V2(device_type=NPU)") { create_v2("x", 3, 0, 0, 0); }
CALL("CreateMemoryInfo_V2(device_type=-1)") { create_v2("x", -1, 0, 0, 0); }
CALL("CreateMemoryInfo_V2(device_type=99)") { create_v2("x", 99, 0, 0, 0); }
CALL("CreateMemoryInfo_V2(mem_type=3 bogus)") { create_v2("x", 0, 0, 3, 0); }
CALL("CreateMemoryInfo_V2(alignment=3)") { create_v2("x", 0, 0, 0, 3); }
CALL("CreateMemoryInfo_V2(alignment=SIZE_MAX)") { create_v2("x", 0, 0, 0, SIZE_MAX); }
CALL("CreateMemoryInfo_V2(device_id=-1)") { create_v2("x", 0, -1, 0, 0); }
CALL("CreateMemoryInfo_V2(GPU,device_id=32767)") { create_v2("x", 1, 32767, 0, 0); }
CALL("CreateMemoryInfo_V2(GPU,device_id=32768)") { create_v2("x", 1, 32768, 0, 0); }
CALL("CreateMemoryInfo_V2(CPU,device_id=INT_MAX)") { create_v2("x", 0, INT_MAX, 0, 0); }
CALL("CreateMemoryInfo_V2(CPU,device_id=-32769)") { create_v2("x", 0, -32769, 0, 0); }

CALL("MemoryInfoGetName(i,NULL)") { say_status(api->MemoryInfoGetName(memory_info_cpu(), NULL)); }
CALL("MemoryInfoGetId(i,NULL)") { say_status(api->MemoryInfoGetId(memory_info_cpu(), NULL)); }

static void compare(const OrtMemoryInfo* one, const OrtMemoryInfo* other) {
  int order = 99;
  say_status(api->CompareMemoryInfo(one, other, &order));
  if (order != 99) {
    say("result=%d", order);
  }
}

CALL("CompareMemoryInfo(i,NULL,&o)") { compare(memory_info_cpu(), NULL); }
ANSWER("CompareMemoryInfo(i,i,NULL)",
       api->CompareMemoryInfo(memory_info_cpu(), memory_info_cpu(), NULL))
CALL("CompareMemoryInfo(equal)") { compare(memory_info_cpu(), memory_info_cpu()); }
CALL("CompareMemoryInfo(Device vs Arena)") {
  OrtMemoryInfo* arena =
      NEW(OrtMemoryInfo, api->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &new_));
  compare(memory_info_cpu(), arena);
}
CALL("CompareMemoryInfo(Cpu vs V2 name \"other\")") {
  OrtMemoryInfo* other = NULL;
  CHECK(api->CreateMemoryInfo_V2("other", OrtMemoryInfoDeviceType_CPU, 0, 0,
                                 OrtDeviceMemoryType_DEFAULT, 0, OrtDeviceAllocator,
                                 &other) == NULL);
  compare(memory_info_cpu(), other);
}
CALL("CompareMemoryInfo(alignment 0 vs 64)") {
  OrtMemoryInfo* infos[2] = {NULL, NULL};
  for (size_t i = 0; i < 2; i++) {
    CHECK(api->CreateMemoryInfo_V2("Cpu", OrtMemoryInfoDeviceType_CPU, 0, 0,
                                   OrtDeviceMemoryType_DEFAULT, i * 64, OrtDeviceAllocator,
                                   &infos[i]) == NULL);
  }
  compare(infos[0], infos[1]);
}
