/* SPDX-License-Identifier: MIT */
/* Hardware devices, and devices of execution providers. */
#include "behaviour.h"

static const char* ep_version = "1.2.3";
static const char* ORT_API_CALL name_of(const OrtEpFactory* self) { return (void)self, "MyEP"; }
static const char* ORT_API_CALL vendor_of(const OrtEpFactory* self) { return (void)self, "me"; }
static const char* ORT_API_CALL version_of(const OrtEpFactory* self) {
  return (void)self, ep_version;
}
static OrtStatus* ORT_API_CALL capacity_of(OrtEpFactory* self, const OrtEpDevice* device,
                                           OrtDeviceMemoryType type, uint64_t* first,
                                           uint64_t* second) {
  (void)self, (void)device;
  if (type == OrtDeviceMemoryType_HOST_ACCESSIBLE) {
    *first = 5;
    return api->CreateStatus(ORT_EP_FAIL, "none of that");
  }
  if (first != NULL) {
    *first = 11;
  }
  if (second != NULL) {
    *second = 22;
  }
  return NULL;
}
static OrtEpFactory factory;

static OrtHardwareDevice* hardware(void) {
  OrtKeyValuePairs* facts = NULL;
  api->CreateKeyValuePairs(&facts);
  api->AddKeyValuePair(facts, "k", "v");
  OrtHardwareDevice* made =
      NEW(OrtHardwareDevice, api->GetEpApi()->CreateHardwareDevice(OrtHardwareDeviceType_NPU, 7, 8,
                                                                   "maker", facts, &new_));
  api->ReleaseKeyValuePairs(facts);
  return made;
}

static OrtStatus* devices_make(OrtHardwareDevice* on, const OrtKeyValuePairs* facts,
                               OrtEpDevice** out) {
  factory.ort_version_supported =
      factory.ort_version_supported ? factory.ort_version_supported : api_version;
  factory.GetName = name_of;
  factory.GetVendor = vendor_of;
  factory.GetVersion = version_of;
  return api->GetEpApi()->CreateEpDevice(&factory, on, facts, NULL, out);
}

/* A call with a device, `d`, and its hardware, `h`. */
#define WITH_DEVICE(text, ...)                 \
  CALL(text) {                                 \
    OrtHardwareDevice* h = hardware();         \
    OrtEpDevice* d = NULL;                     \
    CHECK(devices_make(h, NULL, &d) == NULL);  \
    __VA_ARGS__;                               \
    api->GetEpApi()->ReleaseEpDevice(d);       \
    api->GetEpApi()->ReleaseHardwareDevice(h); \
  }

WITH_DEVICE("HardwareDevice_Type and the like",
            say("%d %u %s %u %s", (int)api->HardwareDevice_Type(h), api->HardwareDevice_VendorId(h),
                api->HardwareDevice_Vendor(h), api->HardwareDevice_DeviceId(h),
                api->GetKeyValue(api->HardwareDevice_Metadata(h), "k")))
WITH_DEVICE("EpDevice_EpName and the like",
            say("%s %s %s %d", api->EpDevice_EpName(d), api->EpDevice_EpVendor(d),
                api->GetKeyValue(api->EpDevice_EpMetadata(d), "version"),
                api->EpDevice_Device(d) == h);
            say_pointer(api->EpDevice_EpOptions(d));
            say_pointer(api->EpDevice_MemoryInfo(d, OrtDeviceMemoryType_DEFAULT)))

CALL("CreateHardwareDevice with NULL") {
  OrtHardwareDevice* made = UNTOUCHED;
  const OrtEpApi* ep = api->GetEpApi();
  say_status(ep->CreateHardwareDevice(OrtHardwareDeviceType_CPU, 0, 0, NULL, NULL, &made));
  say_out(made, UNTOUCHED);
  say_status(ep->CreateHardwareDevice(OrtHardwareDeviceType_CPU, 0, 0, "x", NULL, NULL));
}

static void make_with(const char* version, const char* key) {
  OrtHardwareDevice* h = hardware();
  OrtKeyValuePairs* facts = NULL;
  OrtEpDevice* d = UNTOUCHED;
  api->CreateKeyValuePairs(&facts);
  api->AddKeyValuePair(facts, key, "v");
  ep_version = version;
  if (say_status(devices_make(h, facts, &d))) {
    api->GetEpApi()->ReleaseEpDevice(d);
  } else {
    say_out(d, UNTOUCHED);
  }
  api->ReleaseKeyValuePairs(facts);
  api->GetEpApi()->ReleaseHardwareDevice(h);
}
CALL("CreateEpDevice(f,h,facts,NULL,&d)") { make_with("1.2.3", "k"); }
CALL("CreateEpDevice of version 1.2.3-rc.1+x") { make_with("1.2.3-rc.1+x", "k"); }
CALL("CreateEpDevice of version 1.2") { make_with("1.2", "k"); }
CALL("CreateEpDevice of version 1.2.3.4") { make_with("1.2.3.4", "k"); }
CALL("CreateEpDevice of version 01.2.3") { make_with("01.2.3", "k"); }
CALL("CreateEpDevice of version \"\"") { make_with("", "k"); }
CALL("CreateEpDevice of version NULL") { make_with(NULL, "k"); }
CALL("CreateEpDevice with a version in the facts") { make_with("1.2.3", "version"); }

static void add_info(OrtAllocatorType type, OrtDeviceMemoryType memory) {
  OrtHardwareDevice* h = hardware();
  OrtEpDevice* d = NEW(OrtEpDevice, devices_make(h, NULL, &new_));
  OrtMemoryInfo* info = NEW(
      OrtMemoryInfo,
      api->CreateMemoryInfo_V2("mine", OrtMemoryInfoDeviceType_NPU, 7, 0, memory, 0, type, &new_));
  say_status(api->GetEpApi()->EpDevice_AddAllocatorInfo(d, info));
  say("%d %d", api->EpDevice_MemoryInfo(d, OrtDeviceMemoryType_DEFAULT) == info,
      api->EpDevice_MemoryInfo(d, OrtDeviceMemoryType_HOST_ACCESSIBLE) == info);
  api->GetEpApi()->ReleaseEpDevice(d);
  api->GetEpApi()->ReleaseHardwareDevice(h);
  api->ReleaseMemoryInfo(info);
}
CALL("EpDevice_AddAllocatorInfo(d,default)") {
  add_info(OrtDeviceAllocator, OrtDeviceMemoryType_DEFAULT);
}
CALL("EpDevice_AddAllocatorInfo(d,host accessible)") {
  add_info(OrtDeviceAllocator, OrtDeviceMemoryType_HOST_ACCESSIBLE);
}
CALL("EpDevice_AddAllocatorInfo(d,read-only)") {
  add_info(OrtReadOnlyAllocator, OrtDeviceMemoryType_DEFAULT);
}
CALL("EpDevice_AddAllocatorInfo(d,arena)") {
  add_info(OrtArenaAllocator, OrtDeviceMemoryType_DEFAULT);
}

#define WITH_CAPACITY(text, version, function, ...)           \
  CALL("EpDevice_GetMemoryCapacity" text) {                   \
    uint64_t first = 1, second = 2;                           \
    factory.ort_version_supported = version;                  \
    factory.GetDeviceMemoryCapacity = function;               \
    OrtHardwareDevice* h = hardware();                        \
    OrtEpDevice* d = NULL;                                    \
    CHECK(devices_make(h, NULL, &d) == NULL);                 \
    say_status(api->EpDevice_GetMemoryCapacity(__VA_ARGS__)); \
    say("%d %d", (int)first, (int)second);                    \
    api->GetEpApi()->ReleaseEpDevice(d);                      \
    api->GetEpApi()->ReleaseHardwareDevice(h);                \
  }
#define DEFAULT OrtDeviceMemoryType_DEFAULT
WITH_CAPACITY("(d,0,&a,&b)", 32, capacity_of, d, DEFAULT, &first, &second)
WITH_CAPACITY("(d,0,&a,NULL)", 32, capacity_of, d, DEFAULT, &first, NULL)
WITH_CAPACITY("(d,0,NULL,&b)", 32, capacity_of, d, DEFAULT, NULL, &second)
WITH_CAPACITY("(d,0,NULL,NULL)", 32, capacity_of, d, DEFAULT, NULL, NULL)
WITH_CAPACITY("(d,5,&a,&b)", 32, capacity_of, d, OrtDeviceMemoryType_HOST_ACCESSIBLE, &first,
              &second)
WITH_CAPACITY("(NULL,0,&a,&b)", 32, capacity_of, NULL, DEFAULT, &first, &second)
WITH_CAPACITY(" of a factory of version 31", 31, capacity_of, d, DEFAULT, &first, &second)
WITH_CAPACITY(" of a factory without the function", 32, NULL, d, DEFAULT, &first, &second)

static const char* ORT_API_CALL name_at_first(const OrtEpFactory* self) {
  static int calls;
  return (void)self, calls++ == 0 ? "MyEP" : NULL;
}
CALL("CreateEpDevice of a factory that says its name once") {
  OrtEpFactory forgetful = {.ort_version_supported = api_version,
                            .GetName = name_at_first,
                            .GetVendor = vendor_of,
                            .GetVersion = version_of};
  OrtHardwareDevice* h = hardware();
  OrtEpDevice* d = NULL;
  if (say_status(api->GetEpApi()->CreateEpDevice(&forgetful, h, NULL, NULL, &d))) {
    say("%s", api->EpDevice_EpName(d));
  }
  api->GetEpApi()->ReleaseEpDevice(d);
  api->GetEpApi()->ReleaseHardwareDevice(h);
}

#undef DEFAULT
#undef WITH_DEVICE
