/* SPDX-License-Identifier: MIT */
/* Hardware devices, and pairs of an execution provider and one. */
#include "ep/devices.h"

#include "ep/library.h"
#include "object/keyed_list.h"
#include "values/value.h"

static void end_hardware(void* block) {
  struct OrtHardwareDevice* device = block;
  heap_free(device->vendor);
  ort_ReleaseKeyValuePairs(device->metadata);
}

static void end_device(void* block) {
  struct OrtEpDevice* device = block;
  heap_free(device->name);
  heap_free(device->vendor);
  ort_ReleaseKeyValuePairs(device->metadata);
  ort_ReleaseKeyValuePairs(device->options);
}

static const struct core_class hardware_device_class = {.kind = CORE_HARDWARE_DEVICE,
                                                        .end = end_hardware};
const struct core_class core_ep_device_class = {.kind = CORE_EP_DEVICE, .end = end_device};

/* --- hardware -------------------------------------------------------------------------------- */

static OrtStatus* fill_hardware(struct OrtHardwareDevice* device, const char* vendor,
                                const OrtKeyValuePairs* metadata) {
  CORE_TRY(core_copy_text(vendor, &device->vendor));
  return core_copy_pairs(metadata, &device->metadata);
}

CORE_SLOT(ort_ep_CreateHardwareDevice, OrtHardwareDeviceType type, uint32_t vendor_id,
          uint32_t device_id, const char* vendor_name, const OrtKeyValuePairs* metadata,
          OrtHardwareDevice** hardware_device) {
  CORE_NEW(struct OrtHardwareDevice, device, &hardware_device_class);
  device->type = type;
  device->vendor_id = vendor_id;
  device->device_id = device_id;
  CORE_HAND_OUT(fill_hardware(device, vendor_name, metadata), device, hardware_device);
}

CORE_RELEASER(ort_ep_ReleaseHardwareDevice, OrtHardwareDevice)

CORE_VALUE_GETTER(ort_HardwareDevice_Type, OrtHardwareDeviceType, device->type,
                  const OrtHardwareDevice*, device)
CORE_VALUE_GETTER(ort_HardwareDevice_VendorId, uint32_t, device->vendor_id,
                  const OrtHardwareDevice*, device)
CORE_VALUE_GETTER(ort_HardwareDevice_Vendor, const char*, device->vendor, const OrtHardwareDevice*,
                  device)
CORE_VALUE_GETTER(ort_HardwareDevice_DeviceId, uint32_t, device->device_id,
                  const OrtHardwareDevice*, device)
CORE_VALUE_GETTER(ort_HardwareDevice_Metadata, const OrtKeyValuePairs*, device->metadata,
                  const OrtHardwareDevice*, device)

/* --- pairs of a provider and hardware -------------------------------------------------------- */

/* "major.minor.patch", after which a part with - or + may come. */
static bool is_semantic_version(const char* text) {
  static const char digits[] = "0123456789";
  for (int part = 0; part < 3; part++) {
    size_t length = strspn(text, digits);
    if (length == 0 || (length > 1 && text[0] == '0') || (part < 2 && text[length] != '.')) {
      return false;
    }
    text += length + (part < 2);
  }
  return text[0] == 0 || ((text[0] == '-' || text[0] == '+') && text[1] != 0);
}

/* What a factory says of its provider. It is asked once: it may answer otherwise later. */
struct provider {
  const char* name;
  const char* vendor;
  /** NULL for a factory whose struct is too old to say. */
  const char* version;
};

static OrtStatus* ask_factory(OrtEpFactory* factory, struct provider* out) {
  out->name = factory->GetName == NULL ? NULL : factory->GetName(factory);
  out->vendor = factory->GetVendor == NULL ? NULL : factory->GetVendor(factory);
  CORE_FAIL_IF(out->name == NULL || out->vendor == NULL, ORT_INVALID_ARGUMENT,
               "CreateEpDevice: ep_factory must have a name and a vendor, neither of them NULL");
  if (factory->ort_version_supported < 23) {
    return NULL;
  }
  out->version = factory->GetVersion == NULL ? NULL : factory->GetVersion(factory);
  CORE_REFUSE_IF(out->version == NULL || !is_semantic_version(out->version), ORT_FAIL,
                 "the version of ep_factory must be as 1.2.3, not %s",
                 out->version == NULL ? "NULL" : out->version);
  return NULL;
}

static OrtStatus* fill_device(struct OrtEpDevice* device, const struct provider* of,
                              const OrtKeyValuePairs* metadata, const OrtKeyValuePairs* options) {
  CORE_TRY(core_copy_text(of->name, &device->name));
  CORE_TRY(core_copy_text(of->vendor, &device->vendor));
  CORE_TRY(core_copy_pairs(metadata, &device->metadata));
  CORE_TRY(core_copy_pairs(options, &device->options));
  return of->version == NULL || core_append_pair(device->metadata, "version", of->version)
             ? NULL
             : core_no_memory(strlen(of->version));
}

CORE_SLOT(ort_ep_CreateEpDevice, OrtEpFactory* ep_factory, const OrtHardwareDevice* hardware_device,
          const OrtKeyValuePairs* ep_metadata, const OrtKeyValuePairs* ep_options,
          OrtEpDevice** ep_device) {
  struct provider provider = {NULL, NULL, NULL};
  CORE_FAIL_IF(ep_metadata != NULL && ort_GetKeyValue(ep_metadata, "version") != NULL,
               ORT_INVALID_ARGUMENT,
               "CreateEpDevice: ep_metadata must not have the key version: it is the factory's");
  CORE_TRY(ask_factory(ep_factory, &provider));
  CORE_NEW(struct OrtEpDevice, device, &core_ep_device_class);
  device->factory = ep_factory;
  device->hardware = hardware_device;
  CORE_HAND_OUT(fill_device(device, &provider, ep_metadata, ep_options), device, ep_device);
}

CORE_RELEASER(ort_ep_ReleaseEpDevice, OrtEpDevice)

CORE_SLOT(ort_ep_EpDevice_AddAllocatorInfo, OrtEpDevice* ep_device,
          const OrtMemoryInfo* allocator_memory_info) {
  OrtAllocatorType type;
  CORE_TRY(ort_MemoryInfoGetType(allocator_memory_info, &type));
  bool is_of_host =
      ort_MemoryInfoGetDeviceMemType(allocator_memory_info) == OrtDeviceMemoryType_HOST_ACCESSIBLE;
  ep_device->infos[is_of_host                     ? CORE_EP_MEMORY_OF_HOST
                   : type == OrtReadOnlyAllocator ? CORE_EP_MEMORY_READ_ONLY
                                                  : CORE_EP_MEMORY] = allocator_memory_info;
  return NULL;
}

CORE_VALUE_GETTER(ort_EpDevice_EpName, const char*, ep_device->name, const OrtEpDevice*, ep_device)
CORE_VALUE_GETTER(ort_EpDevice_EpVendor, const char*, ep_device->vendor, const OrtEpDevice*,
                  ep_device)
CORE_VALUE_GETTER(ort_EpDevice_EpMetadata, const OrtKeyValuePairs*, ep_device->metadata,
                  const OrtEpDevice*, ep_device)
CORE_VALUE_GETTER(ort_EpDevice_EpOptions, const OrtKeyValuePairs*, ep_device->options,
                  const OrtEpDevice*, ep_device)
CORE_VALUE_GETTER(ort_EpDevice_Device, const OrtHardwareDevice*, ep_device->hardware,
                  const OrtEpDevice*, ep_device)

const struct OrtMemoryInfo* core_ep_memory_of(const OrtEpDevice* device, OrtDeviceMemoryType type) {
  return device->infos[type == OrtDeviceMemoryType_HOST_ACCESSIBLE ? CORE_EP_MEMORY_OF_HOST
                                                                   : CORE_EP_MEMORY];
}

const OrtMemoryInfo* ORT_API_CALL ort_EpDevice_MemoryInfo(
    const OrtEpDevice* ep_device, OrtDeviceMemoryType memory_type) NO_EXCEPTION {
  return ep_device == NULL ? NULL : core_ep_memory_of(ep_device, memory_type);
}

struct capacity {
  const OrtEpDevice* device;
  OrtDeviceMemoryType type;
  /** Where the factory writes; NULL for what is not asked for. */
  uint64_t *first, *second;
};

CORE_EP_CALLER(ask_capacity, const struct capacity,
               self->device->factory->GetDeviceMemoryCapacity(self->device->factory, self->device,
                                                              self->type, self->first,
                                                              self->second))

CORE_SLOT(ort_EpDevice_GetMemoryCapacity, const OrtEpDevice* ep_device,
          OrtDeviceMemoryType memory_type, uint64_t* memory_1, uint64_t* memory_2) {
  CORE_FAIL_IF(memory_1 == NULL && memory_2 == NULL, ORT_INVALID_ARGUMENT,
               "EpDevice_GetMemoryCapacity: memory_1 and memory_2 must not both be NULL");
  CORE_REFUSE_IF(!CORE_FACTORY_HAS(ep_device->factory, 32, GetDeviceMemoryCapacity),
                 ORT_NOT_IMPLEMENTED, "there is no function for it in %s", ep_device->name);
  uint64_t found[2] = {0, 0}; /* written on success only, though a factory may write earlier */
  struct capacity capacity = {ep_device, memory_type, memory_1 == NULL ? NULL : &found[0],
                              memory_2 == NULL ? NULL : &found[1]};
  CORE_TRY(core_ep_call("EpDevice_GetMemoryCapacity", ask_capacity, &capacity));
  if (memory_1 != NULL) {
    *memory_1 = found[0];
  }
  if (memory_2 != NULL) {
    *memory_2 = found[1];
  }
  return NULL;
}

static const struct OrtMemoryInfo* info_of(const OrtMemoryDevice* device) {
  return (const struct OrtMemoryInfo*)device;
}

const OrtMemoryDevice* ORT_API_CALL
ort_ep_MemoryInfo_GetMemoryDevice(const OrtMemoryInfo* memory_info) NO_EXCEPTION {
  return core_is_memory_info(memory_info) ? (const OrtMemoryDevice*)memory_info : NULL;
}

const OrtMemoryDevice* ORT_API_CALL ort_ep_Value_GetMemoryDevice(const OrtValue* value)
    NO_EXCEPTION {
  return value != NULL && core_is_tensor(value) ? core_memory_of(value) : NULL;
}

bool ORT_API_CALL ort_ep_MemoryDevice_AreEqual(const OrtMemoryDevice* a,
                                               const OrtMemoryDevice* b) NO_EXCEPTION {
  return a != NULL && b != NULL && core_is_same_device(info_of(a), info_of(b));
}

/* Of none it is the CPU, and the default memory. */
CORE_VALUE_GETTER(ort_ep_MemoryDevice_GetDeviceType, OrtMemoryInfoDeviceType,
                  info_of(memory_device)->device_type, const OrtMemoryDevice*, memory_device)
CORE_VALUE_GETTER(ort_ep_MemoryDevice_GetMemoryType, OrtDeviceMemoryType,
                  info_of(memory_device)->device_mem_type, const OrtMemoryDevice*, memory_device)
CORE_VALUE_GETTER(ort_ep_MemoryDevice_GetVendorId, uint32_t, info_of(memory_device)->vendor_id,
                  const OrtMemoryDevice*, memory_device)
CORE_VALUE_GETTER(ort_ep_MemoryDevice_GetDeviceId, uint32_t,
                  (uint32_t)info_of(memory_device)->device_id, const OrtMemoryDevice*,
                  memory_device)
