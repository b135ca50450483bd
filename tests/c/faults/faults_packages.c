/* SPDX-License-Identifier: MIT */
/* Trials of model packages, of devices of execution providers, and of what these leave in models.
 */
#include "faults.h"

#include <stdlib.h>
#include <unistd.h>

#define MANIFEST                                                                           \
  "{\"schema_version\":\"1.0\",\"components\":{\"inline\":{\"variants\":{\"cpu\":{\"ep\":" \
  "\"CPUExecutionProvider\",\"executor_info\":{\"ort\":{\"model_file\":\"m.onnx\"}}}}},"   \
  "\"apart\":\"component.json\"}}"
#define COMPONENT "{\"variants\":{}}"

static char folder[] = "/tmp/ortcffi-faults-XXXXXX";
static OrtEnv* env;
static OrtSessionOptions* session;
static OrtModelPackageContext* package;
static OrtModelPackageOptions* chooser;

static const OrtModelPackageApi* packages_api(void) { return api->GetModelPackageApi(); }

static void write_file(const char* name, const char* text) {
  char path[100];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE* file = fopen(path, "w");
  CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void remove_file(const char* name) {
  char path[100];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  unlink(path);
}

static void with_folder(void) {
  CHECK(mkdtemp(folder) != NULL);
  write_file("manifest.json", MANIFEST);
  write_file("component.json", COMPONENT);
}

static OrtStatus* read_package(void** out) {
  return packages_api()->CreateModelPackageContext(folder, (OrtModelPackageContext**)out);
}
static void release_package(void* out) { packages_api()->ReleaseModelPackageContext(out); }

static void with_package(void) {
  with_folder();
  CHECK(read_package((void**)&package) == NULL);
}
static OrtStatus* resolve(void** out) {
  const char* path = NULL;
  (void)out;
  return packages_api()->ModelPackage_ResolveStringRef(package, NULL, "x", 0, &path);
}

static OrtStatus* make_chooser(void** out) {
  return packages_api()->CreateModelPackageOptionsFromSessionOptions(env, session,
                                                                     (OrtModelPackageOptions**)out);
}
static void release_chooser(void* out) { packages_api()->ReleaseModelPackageOptions(out); }

static void with_options(void) {
  with_package();
  CHECK(api->CreateSessionOptions(&session) == NULL);
  CHECK(api->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "x", &env) == NULL);
}
static void with_chooser(void) {
  with_options();
  CHECK(make_chooser((void**)&chooser) == NULL);
}
static OrtStatus* choose(void** out) {
  return packages_api()->SelectComponent(package, "inline", chooser,
                                         (OrtModelPackageComponentContext**)out);
}
static void release_chosen(void* out) { packages_api()->ReleaseModelPackageComponentContext(out); }

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
  with_folder();
  write_file("compiled.onnx", compiled);
}
static OrtStatus* ask_file(void** out) {
  char path[100];
  snprintf(path, sizeof path, "%s/compiled.onnx", folder);
  return api->GetCompatibilityInfoFromModel(path, "X", allocator, (char**)out);
}
static void free_text(void* out) { CHECK(api->AllocatorFree(allocator, out) == NULL); }

static const struct trial trials[] = {
    TRIAL("CreateModelPackageContext", with_folder, read_package, release_package),
    TRIAL("ModelPackage_ResolveStringRef", with_package, resolve, NULL),
    TRIAL("CreateModelPackageOptionsFromSessionOptions", with_options, make_chooser,
          release_chooser),
    TRIAL("SelectComponent", with_chooser, choose, release_chosen),
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
  release_chooser(chooser);
  release_package(package);
  api->ReleaseSessionOptions(session);
  api->ReleaseEnv(env);
  remove_file("manifest.json");
  remove_file("component.json");
  remove_file("compiled.onnx");
  rmdir(folder);
}

const struct section packages = {trials, clean};
