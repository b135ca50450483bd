/* SPDX-License-Identifier: MIT */
/* Trials of devices of execution providers, and of what these leave in models. */
#include "faults.h"

#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/ortcffi-faults-XXXXXX";
static void write_file(const char* name, const char* text) {
  char path[100];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE* file = fopen(path, "w");
  CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static OrtHardwareDevice* hardware;
static OrtEpDevice* device;
static OrtKeyValuePairs* facts;

static const char* ORT_API_CALL text_of(const OrtEpFactory* self) { return (void)self, "1.2.3"; }
static OrtStatus* ORT_API_CALL capacity_of(OrtEpFactory* self, const OrtEpDevice* of,
                                           OrtDeviceMemoryType type, uint64_t* first,
                                           uint64_t* second) {
  (void)self, (void)of, (void)type;
  *first = *second = 1;
  return NULL;
}
static OrtEpFactory factory = {.ort_version_supported = ORT_API_VERSION,
                               .GetName = text_of,
                               .GetVendor = text_of,
                               .GetVersion = text_of,
                               .GetDeviceMemoryCapacity = capacity_of};

static void with_facts(void) {
  api->CreateKeyValuePairs(&facts);
  api->AddKeyValuePair(facts, "key", "value");
}
static OrtStatus* make_hardware(void** out) {
  return api->GetEpApi()->CreateHardwareDevice(OrtHardwareDeviceType_CPU, 1, 2, "maker", facts,
                                               (OrtHardwareDevice**)out);
}
static void release_hardware(void* out) { api->GetEpApi()->ReleaseHardwareDevice(out); }
static void with_hardware(void) {
  with_facts();
  CHECK(make_hardware((void**)&hardware) == NULL);
}
static OrtStatus* make_device(void** out) {
  return api->GetEpApi()->CreateEpDevice(&factory, hardware, facts, facts, (OrtEpDevice**)out);
}
static void release_device(void* out) { api->GetEpApi()->ReleaseEpDevice(out); }
static void with_device(void) {
  with_hardware();
  CHECK(make_device((void**)&device) == NULL);
}
static OrtStatus* read_device(void** out) {
  uint64_t first, second;
  (void)out;
  CHECK(api->HardwareDevice_Type(hardware) == OrtHardwareDeviceType_CPU);
  CHECK(api->HardwareDevice_VendorId(hardware) == 1 && api->HardwareDevice_DeviceId(hardware) == 2);
  CHECK(api->HardwareDevice_Vendor(hardware) != NULL && api->HardwareDevice_Metadata(hardware));
  CHECK(api->EpDevice_EpName(device) != NULL && api->EpDevice_EpVendor(device) != NULL);
  CHECK(api->EpDevice_EpMetadata(device) != NULL && api->EpDevice_EpOptions(device) != NULL);
  CHECK(api->EpDevice_Device(device) == hardware);
  CHECK(api->EpDevice_MemoryInfo(device, OrtDeviceMemoryType_DEFAULT) == NULL);
  return api->EpDevice_GetMemoryCapacity(device, OrtDeviceMemoryType_DEFAULT, &first, &second);
}

/* A model with an entry of the metadata for X. */
static const char compiled[] =
    "\x72\x1e\x0a\x17"
    "ep_compatibility_info.X"
    "\x12\x03"
    "one";
static OrtStatus* ask_bytes(void** out) {
  return api->GetCompatibilityInfoFromModelBytes(compiled, sizeof compiled - 1, "X", allocator,
                                                 (char**)out);
}
static void with_compiled_file(void) {
  CHECK(mkdtemp(folder) != NULL);
  write_file("compiled.onnx", compiled);
}
static OrtStatus* ask_file(void** out) {
  char path[100];
  snprintf(path, sizeof path, "%s/compiled.onnx", folder);
  return api->GetCompatibilityInfoFromModel(path, "X", allocator, (char**)out);
}
static void free_text(void* out) { CHECK(api->AllocatorFree(allocator, out) == NULL); }

static const struct trial trials[] = {
    TRIAL("CreateHardwareDevice ReleaseHardwareDevice", with_facts, make_hardware,
          release_hardware),
    TRIAL("CreateEpDevice ReleaseEpDevice", with_hardware, make_device, release_device),
    TRIAL("HardwareDevice_Type HardwareDevice_VendorId HardwareDevice_Vendor "
          "HardwareDevice_DeviceId HardwareDevice_Metadata EpDevice_EpName EpDevice_EpVendor "
          "EpDevice_EpMetadata EpDevice_EpOptions EpDevice_Device EpDevice_MemoryInfo "
          "EpDevice_GetMemoryCapacity",
          with_device, read_device, NULL),
    TRIAL("GetCompatibilityInfoFromModelBytes", NULL, ask_bytes, free_text),
    TRIAL("GetCompatibilityInfoFromModel", with_compiled_file, ask_file, free_text),
    {NULL},
};

static void clean(void) {
  release_device(device);
  release_hardware(hardware);
  api->ReleaseKeyValuePairs(facts);
  char path[100];
  snprintf(path, sizeof path, "%s/compiled.onnx", folder);
  unlink(path);
  rmdir(folder);
}

const struct section hardware_devices = {trials, clean};
