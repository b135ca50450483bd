/* SPDX-License-Identifier: MIT */
/* Trials of libraries with execution providers: asked_ep.c, on its devices with memory. */
#include "faults.h"

static OrtEnv* env;
static const OrtEpDevice* device;
static OrtDeviceEpIncompatibilityDetails* details;
static OrtSyncStream* stream;
static OrtSessionOptions* chosen;
static OrtValue *here, *there;
static const OrtEpApi* ep(void) { return api->GetEpApi(); }

static void with_env(void) { CHECK(api->CreateEnv(ORT_LOGGING_LEVEL_FATAL, "id", &env) == NULL); }
static OrtStatus* find_devices(void** out) {
  const OrtEpDevice* const* devices = NULL;
  const OrtHardwareDevice* hardware = NULL;
  size_t count = 0;
  (void)out;
  CORE_TRY(api->GetEpDevices(env, &devices, &count));
  CORE_TRY(api->GetNumHardwareDevices(env, &count));
  return api->GetHardwareDevices(env, &hardware, 1);
}

#define WORDS "memory host-memory transfers streams domains imports incompatible three-devices"
static OrtStatus* register_ep(void** out) {
  return (void)out, api->RegisterExecutionProviderLibrary(env, WORDS, ASKED_EP);
}
static OrtStatus* register_nothing(void** out) {
  return (void)out, api->RegisterExecutionProviderLibrary(env, "newer", ASKED_EP);
}
static void with_ep(void) {
  const OrtEpDevice* const* devices = NULL;
  size_t count = 0;
  with_env();
  CHECK(register_ep(NULL) == NULL);
  CHECK(api->GetEpDevices(env, &devices, &count) == NULL && count == 4);
  device = devices[1];
}
static OrtStatus* unregister(void** out) {
  return (void)out, api->UnregisterExecutionProviderLibrary(env, WORDS);
}
static OrtStatus* read_entries(void** out) {
  return ep()->GetEnvConfigEntries((OrtKeyValuePairs**)out);
}

static OrtStatus* share(void** out) {
  OrtAllocator* allocator = NULL;
  (void)out;
  return api->CreateSharedAllocator(env, device, OrtDeviceMemoryType_DEFAULT, OrtDeviceAllocator,
                                    NULL, &allocator);
}
static OrtStatus* unshare(void** out) {
  return (void)out, api->ReleaseSharedAllocator(env, device, OrtDeviceMemoryType_DEFAULT);
}

static OrtStatus* make_stream(void** out) {
  return api->CreateSyncStreamForEpDevice(device, NULL, (OrtSyncStream**)out);
}
static void release_stream(void* out) { api->ReleaseSyncStream(out); }
static void with_stream(void) {
  with_ep();
  CHECK(make_stream((void**)&stream) == NULL);
}
static OrtStatus* read_stream(void** out) {
  (void)out;
  CHECK(api->SyncStream_GetHandle(stream) != NULL && ep()->SyncStream_GetImpl(stream) != NULL);
  CHECK(ep()->SyncStream_GetSyncId(stream) == 0);
  CHECK(ep()->GetSyncIdForLastWaitOnSyncStream(stream, stream) == 0);
  return NULL;
}

static void with_tensors(void) {
  const OrtMemoryInfo* info = NULL;
  OrtAllocator* of_device = NULL;
  const int64_t dims[] = {3};
  with_stream();
  info = api->EpDevice_MemoryInfo(device, OrtDeviceMemoryType_DEFAULT);
  CHECK(api->GetSharedAllocator(env, info, &of_device) == NULL);
  CHECK(api->CreateTensorAsOrtValue(of_device, dims, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT,
                                    &there) == NULL);
  CHECK(api->CreateTensorAsOrtValue(allocator, dims, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT,
                                    &here) == NULL);
}
static OrtStatus* copy(void** out) {
  const OrtValue* from[] = {here};
  (void)out;
  const OrtMemoryDevice* memory = ep()->Value_GetMemoryDevice(there);
  CHECK(!ep()->MemoryDevice_AreEqual(memory, ep()->Value_GetMemoryDevice(here)));
  CHECK(ep()->MemoryDevice_GetDeviceType(memory) == OrtMemoryInfoDeviceType_GPU);
  CHECK(ep()->MemoryDevice_GetMemoryType(memory) == OrtDeviceMemoryType_DEFAULT);
  CHECK(ep()->MemoryDevice_GetDeviceId(memory) == 0 &&
        ep()->MemoryDevice_GetVendorId(memory) == 0xBE57);
  const OrtMemoryInfo* info = api->EpDevice_MemoryInfo(device, OrtDeviceMemoryType_DEFAULT);
  CHECK(ep()->MemoryDevice_AreEqual(memory, ep()->MemoryInfo_GetMemoryDevice(info)));
  CHECK(ep()->NodeComputeContext_NodeName(NULL) == NULL);
  return api->CopyTensors(env, from, &there, stream, 1);
}

static OrtStatus* why_not(void** out) {
  const OrtHardwareDevice* hardware = api->EpDevice_Device(device);
  return api->GetHardwareDeviceEpIncompatibilityDetails(env, "AskedEP", hardware,
                                                        (OrtDeviceEpIncompatibilityDetails**)out);
}
static OrtStatus* why_not_other(void** out) {
  const OrtHardwareDevice* hardware = api->EpDevice_Device(device);
  return api->GetHardwareDeviceEpIncompatibilityDetails(env, "NoEP", hardware,
                                                        (OrtDeviceEpIncompatibilityDetails**)out);
}
static void release_details(void* out) { api->ReleaseDeviceEpIncompatibilityDetails(out); }
static void with_details(void) {
  with_ep();
  CHECK(why_not((void**)&details) == NULL);
}
static OrtStatus* read_details(void** out) {
  uint32_t reasons;
  int32_t code;
  const char* notes;
  (void)out;
  CORE_TRY(api->DeviceEpIncompatibilityDetails_GetReasonsBitmask(details, &reasons));
  CORE_TRY(api->DeviceEpIncompatibilityDetails_GetErrorCode(details, &code));
  CORE_TRY(api->DeviceEpIncompatibilityDetails_GetNotes(details, &notes));
  CHECK(reasons == 1 && code == 42 && strcmp(notes, "too old") == 0);
  return ep()->DeviceEpIncompatibilityDetails_SetDetails(details, 2, 3, "other notes");
}

static OrtStatus* is_compatible(void** out) {
  OrtCompiledModelCompatibility answer;
  (void)out;
  return api->GetModelCompatibilityForEpDevices(&device, 1, "mine", &answer);
}

static void with_options(void) {
  with_ep();
  CHECK(api->CreateSessionOptions(&chosen) == NULL);
}
static OrtStatus* append(void** out) {
  static const char* const keys[] = {"a", "b"};
  (void)out;
  return api->SessionOptionsAppendExecutionProvider_V2(chosen, env, &device, 1, keys, keys, 2);
}
static void with_choice(void) {
  with_options();
  CHECK(append(NULL) == NULL);
}
static OrtStatus* clone(void** out) {
  return api->CloneSessionOptions(chosen, (OrtSessionOptions**)out);
}
static void release_options(void* out) { api->ReleaseSessionOptions(out); }
static OrtStatus* read_weightless(void** out) {
  const void* data;
  size_t size;
  (void)out;
  return ep()->SessionOptionsGetWeightlessSourceModelBuffer(chosen, &data, &size);
}

static OrtStatus* make_importer(void** out) {
  OrtExternalResourceImporter* importer = NULL;
  CORE_TRY(api->GetInteropApi()->CreateExternalResourceImporterForDevice(device, &importer));
  *out = importer;
  return NULL;
}
static void release_importer(void* out) {
  api->GetInteropApi()->ReleaseExternalResourceImporter(out);
}

static OrtKernelDefBuilder* builder;
static OrtKernelRegistry* registry;
static OrtKernelDef* def;

static OrtStatus* make_builder(void** out) {
  return ep()->CreateKernelDefBuilder((OrtKernelDefBuilder**)out);
}
static void release_builder(void* out) { ep()->ReleaseKernelDefBuilder(out); }
static void with_builder(void) { CHECK(make_builder((void**)&builder) == NULL); }
static OrtStatus* define(void** out) {
  const OrtDataType* types[1];
  const int places[] = {0};
  CORE_TRY(ep()->GetTensorDataType(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &types[0]));
  CORE_TRY(ep()->KernelDefBuilder_SetOperatorType(builder, "Add"));
  CORE_TRY(ep()->KernelDefBuilder_SetDomain(builder, "domain"));
  CORE_TRY(ep()->KernelDefBuilder_SetExecutionProvider(builder, "provider"));
  CORE_TRY(ep()->KernelDefBuilder_SetSinceVersion(builder, 7, 13));
  CORE_TRY(ep()->KernelDefBuilder_SetInputMemType(builder, 0, OrtMemTypeCPUInput));
  CORE_TRY(ep()->KernelDefBuilder_SetOutputMemType(builder, 0, OrtMemTypeCPUOutput));
  CORE_TRY(ep()->KernelDefBuilder_AddTypeConstraint(builder, "T", types, 1));
  CORE_TRY(ep()->KernelDefBuilder_AddInputOutputAliases(builder, places, places, 1));
  CORE_TRY(ep()->KernelDefBuilder_AddInputOutputMutableAliases(builder, places, places, 1));
  return ep()->KernelDefBuilder_Build(builder, (OrtKernelDef**)out);
}
static void release_def(void* out) { ep()->ReleaseKernelDef(out); }

static OrtStatus* make_registry(void** out) {
  return ep()->CreateKernelRegistry((OrtKernelRegistry**)out);
}
static void release_registry(void* out) { ep()->ReleaseKernelRegistry(out); }
static void with_registry(void) {
  with_builder();
  CHECK(define((void**)&def) == NULL && make_registry((void**)&registry) == NULL);
}
static OrtStatus* ORT_API_CALL make_kernel(void* state, const OrtKernelInfo* info,
                                           OrtKernelImpl** out) {
  return (void)state, (void)info, (void)out, NULL;
}
static OrtStatus* add_kernel(void** out) {
  int first, last;
  OrtMemType memory;
  (void)out;
  CHECK(strcmp(ep()->KernelDef_GetOperatorType(def), "Add") == 0);
  CHECK(strcmp(ep()->KernelDef_GetDomain(def), "domain") == 0);
  CHECK(strcmp(ep()->KernelDef_GetExecutionProvider(def), "provider") == 0);
  CORE_TRY(ep()->KernelDef_GetSinceVersion(def, &first, &last));
  CORE_TRY(ep()->KernelDef_GetInputMemType(def, 0, &memory));
  CORE_TRY(ep()->KernelDef_GetOutputMemType(def, 0, &memory));
  return ep()->KernelRegistry_AddKernel(registry, def, make_kernel, NULL);
}

static const struct trial trials[] = {
    TRIAL("GetEpDevices GetNumHardwareDevices GetHardwareDevices", with_env, find_devices, NULL),
    TRIAL("RegisterExecutionProviderLibrary", with_env, register_ep, NULL),
    {"RegisterExecutionProviderLibrary of no factory", with_env, register_nothing, NULL, ORT_FAIL},
    TRIAL("UnregisterExecutionProviderLibrary", with_ep, unregister, NULL),
    {"UnregisterExecutionProviderLibrary of no library", with_env, unregister, NULL, ORT_FAIL},
    TRIAL("GetEnvConfigEntries", with_env, read_entries, release_pairs),
    TRIAL("CreateSharedAllocator", with_ep, share, NULL),
    TRIAL("ReleaseSharedAllocator", with_ep, unshare, NULL),
    TRIAL("CreateSyncStreamForEpDevice ReleaseSyncStream", with_ep, make_stream, release_stream),
    TRIAL("SyncStream_GetHandle SyncStream_GetImpl SyncStream_GetSyncId "
          "GetSyncIdForLastWaitOnSyncStream",
          with_stream, read_stream, NULL),
    TRIAL("CopyTensors MemoryInfo_GetMemoryDevice Value_GetMemoryDevice MemoryDevice_AreEqual "
          "MemoryDevice_GetDeviceType MemoryDevice_GetMemoryType MemoryDevice_GetVendorId "
          "MemoryDevice_GetDeviceId NodeComputeContext_NodeName",
          with_tensors, copy, NULL),
    TRIAL("GetHardwareDeviceEpIncompatibilityDetails ReleaseDeviceEpIncompatibilityDetails",
          with_ep, why_not, release_details),
    {"GetHardwareDeviceEpIncompatibilityDetails of no provider", with_ep, why_not_other, NULL,
     ORT_INVALID_ARGUMENT},
    TRIAL("DeviceEpIncompatibilityDetails_GetReasonsBitmask "
          "DeviceEpIncompatibilityDetails_GetNotes DeviceEpIncompatibilityDetails_GetErrorCode "
          "DeviceEpIncompatibilityDetails_SetDetails",
          with_details, read_details, NULL),
    TRIAL("GetModelCompatibilityForEpDevices", with_ep, is_compatible, NULL),
    TRIAL("SessionOptionsAppendExecutionProvider_V2", with_options, append, NULL),
    TRIAL("CloneSessionOptions with a provider", with_choice, clone, release_options),
    TRIAL("SessionOptionsGetWeightlessSourceModelBuffer", with_options, read_weightless, NULL),
    TRIAL("CreateExternalResourceImporterForDevice ReleaseExternalResourceImporter", with_ep,
          make_importer, release_importer),
    TRIAL("CreateKernelDefBuilder ReleaseKernelDefBuilder", NULL, make_builder, release_builder),
    TRIAL("KernelDefBuilder_Build ReleaseKernelDef and what comes before", with_builder, define,
          release_def),
    TRIAL("CreateKernelRegistry ReleaseKernelRegistry", NULL, make_registry, release_registry),
    TRIAL("KernelRegistry_AddKernel", with_registry, add_kernel, NULL),
    {NULL},
};

static void clean(void) {
  release_builder(builder);
  release_def(def);
  release_registry(registry);
  api->ReleaseValue(here);
  api->ReleaseValue(there);
  release_options(chosen);
  release_details(details);
  release_stream(stream);
  api->ReleaseEnv(env);
}

const struct section eps = {trials, clean};
