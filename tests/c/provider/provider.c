/* SPDX-License-Identifier: MIT */
/*
 * A library with an execution provider that does what the name asks under which it is registered.
 * -DKIND= says which nodes it takes:
 *
 * ASKED      none: its devices, allocators, copies, streams and imports are what is asked for
 * DEVICE     Mul, GlobalAveragePool, GlobalMaxPool and Elu: nodes.h
 * KERNEL     Mul, If, Loop and Scan, by kernels in a registry: kernels.h
 * LYING      those of the guide's provider, and lies about them: lies.h
 * CONTEXTS   Add of a constant, ahead of time: contexts.h
 * PROFILING  those of the guide's provider, with a profiler: profiler.h
 *
 * The words of devices and memory, which have an allocator of each kind:
 *
 * nhwc         it wants the channels last, and computes GlobalAveragePool so
 * memory       its device has memory, whose addresses on a DEVICE fault when they are used as they
 *              are; also host-memory and read-only-memory, and arena
 * streams      it has streams of work
 * transfers    it copies tensors; half-transfers lack the function
 * imports      it imports memory and semaphores; empty-imports lack the functions
 * graphs       it takes nothing, and notes the name of each graph that it is shown
 * transposes   it is SecondEP, which takes Transpose instead, of values with channels alone, and
 *              wants the channels last of each node
 * every-call   it brings all that a host may call; one of these calls may fail: provider.h
 * default-cpu  it computes in the CPU's memory, although its device has its own
 * asks         while it computes it asks where things are, and notes the answers
 * frees        it notes what is freed while the stream has work that nobody has waited for
 * own-op       it brings an operator; huge-domains are more than memory has room for
 * waits        an allocator is released only after AskedEpGoOn
 *
 * What the words no-* and null-* say fails or is missing. Others are a number of devices or
 * factories, or a wrong list of them.
 *
 * AskedEpEvents answers what was called since the last time, in order.
 */
#include "contexts.h"
#include "kernels.h"
#include "lies.h"
#include "memory.h"
#include "nodes.h"
#include "profiler.h"

/* Of each kind: its name, or NULL for that of its registration; and the versions that it knows. */
static const struct {
  const char* name;
  uint32_t api, factory, provider;
} kinds[] = {
    [ASKED] = {"AskedEP", 23, 25, 23},   [DEVICE] = {"DeviceEP", 28, 24, 24},
    [KERNEL] = {"KernelEP", 24, 24, 25}, [LYING] = {NULL, 23, 23, 27},
    [CONTEXTS] = {NULL, 31, 23, 31},     [PROFILING] = {NULL, 25, 23, 25},
};

/* --- devices ---------------------------------------------------------------------------------- */

static const char* ORT_API_CALL name_of(const OrtEpFactory* self) {
  return asks(self, "nameless") ? NULL : ((const Maker*)self)->name;
}
static const char* ORT_API_CALL vendor_of(const OrtEpFactory* self) { return (void)self, "tests"; }
static uint32_t ORT_API_CALL vendor_id_of(const OrtEpFactory* self) { return (void)self, VENDOR; }
static const char* ORT_API_CALL version_of(const OrtEpFactory* self) { return (void)self, "1.2.3"; }

static void describe_device(const Maker* maker, OrtKeyValuePairs* metadata,
                            OrtKeyValuePairs* options) {
  if (IS(CONTEXTS)) say_modes(maker, metadata);
  if (!IS(ASKED)) return;
  api->AddKeyValuePair(metadata, asks(maker, "own-path") ? "library_path" : "kind", "asked");
  api->AddKeyValuePair(options, "Default", "1");
}

static OrtStatus* add_memories(const Maker* maker, OrtEpDevice* device) {
  static const char* const words[] = {"memory", "host-memory", "read-only-memory"};
  for (int i = OWN; i <= READ_ONLY; i++) {
    if (asks(maker, words[i])) {
      TRY(ep_api->EpDevice_AddAllocatorInfo(device, maker->infos[i]));
    }
  }
  return NULL;
}

static OrtStatus* make_device(Maker* maker, const OrtHardwareDevice* on, OrtEpDevice** out) {
  OrtKeyValuePairs *metadata = NULL, *options = NULL;
  api->CreateKeyValuePairs(&metadata);
  api->CreateKeyValuePairs(&options);
  describe_device(maker, metadata, options);
  OrtStatus* status = ep_api->CreateEpDevice(&maker->guide.base, on, metadata, options, out);
  if (status == NULL) status = add_memories(maker, *out);
  api->ReleaseKeyValuePairs(metadata);
  api->ReleaseKeyValuePairs(options);
  return status;
}

static OrtStatus* ORT_API_CALL supported(OrtEpFactory* self,
                                         const OrtHardwareDevice* const* hardware,
                                         size_t hardware_count, OrtEpDevice** devices, size_t room,
                                         size_t* number) {
  OrtStatus* status = fail_if(self, "no-devices");
  if (IS(ASKED)) note("devices");
  size_t wanted = asks(self, "three-devices") ? 3 : 1;
  for (size_t i = 0; status == NULL && i < wanted && hardware_count > 0 && *number < room; i++) {
    status = make_device((Maker*)self, hardware[0], &devices[*number]);
    *number += status == NULL;
  }
  while (status != NULL && *number > 0) ep_api->ReleaseEpDevice(devices[--*number]);
  if (asks(self, "nine-devices")) *number = 9;
  if (asks(self, "null-device")) devices[(*number)++] = NULL;
  if (asks(self, "same-device")) {
    devices[*number] = devices[0];
    ++*number;
  }
  return status;
}

static OrtStatus* ORT_API_CALL validate(OrtEpFactory* self, const OrtHardwareDevice* const* devices,
                                        size_t number, const char* info,
                                        OrtCompiledModelCompatibility* out) {
  (void)devices;
  *out = strcmp(info, "mine") == 0 && number == 1
             ? OrtCompiledModelCompatibility_EP_SUPPORTED_OPTIMAL
             : OrtCompiledModelCompatibility_EP_UNSUPPORTED;
  return fail_if(self, "no-validation");
}

static OrtStatus* ORT_API_CALL why_not(OrtEpFactory* self, const OrtHardwareDevice* hardware,
                                       OrtDeviceEpIncompatibilityDetails* details) {
  (void)hardware;
  if (!asks(self, "incompatible")) return fail_if(self, "no-details");
  OrtStatus* status = ep_api->DeviceEpIncompatibilityDetails_SetDetails(details, 4, -7, "first");
  api->ReleaseStatus(status);
  return ep_api->DeviceEpIncompatibilityDetails_SetDetails(
      details, OrtDeviceEpIncompatibility_DRIVER_INCOMPATIBLE, 42, "too old");
}

/* --- operators that it brings: Mul in another domain, which it computes, and Twice ------------ */

static const char* ORT_API_CALL op_name(const OrtCustomOp* op) {
  return (void)op, IS(DEVICE) ? "Mul" : "Twice";
}
static const char* ORT_API_CALL op_provider(const OrtCustomOp* op) {
  return (void)op, IS(DEVICE) ? NULL : "KernelEP";
}
static size_t ORT_API_CALL op_inputs(const OrtCustomOp* op) { return (void)op, IS(DEVICE) ? 2 : 1; }
static int ORT_API_CALL op_last(const OrtCustomOp* op) { return (void)op, INT32_MAX; }
static OrtStatus* ORT_API_CALL make_twice(const OrtCustomOp* op, const OrtApi* table,
                                          const OrtKernelInfo* info, void** kernel) {
  (void)op, (void)table, (void)info;
  return *kernel = malloc(1), IS(DEVICE) ? fail("the provider computes it") : NULL;
}
static OrtStatus* ORT_API_CALL compute_twice(void* kernel, OrtKernelContext* context) {
  Tensor x;
  float* y;
  (void)kernel;
  TRY(read_input(NULL, context, 0, &x));
  TRY(make_output(NULL, context, x.shape, x.rank, &y));
  for (size_t i = 0; i < x.count; i++) y[i] = 2 * x.data[i];
  return NULL;
}
static void ORT_API_CALL end_twice(void* kernel) { free(kernel); }

static OrtStatus* make_domain(Maker* maker) {
  static OrtCustomOp op = {.version = 18,
                           PLAIN_OP,
                           .GetName = op_name,
                           .GetInputTypeCount = op_inputs,
                           .GetOutputTypeCount = plain_count,
                           .KernelDestroy = end_twice,
                           .CreateKernelV2 = make_twice,
                           .KernelComputeV2 = compute_twice,
                           .GetStartVersion = plain_one,
                           .GetEndVersion = op_last};
  const char* name = IS(DEVICE) ? "device.own" : IS(KERNEL) ? "kernel.own" : "asked";
  if (!IS(KERNEL) && !asks(maker, IS(DEVICE) ? "own-op" : "domains")) return NULL;
  op.GetExecutionProviderType = op_provider;
  TRY(api->CreateCustomOpDomain(name, &maker->domain));
  return IS(ASKED) ? NULL : api->CustomOpDomain_Add(maker->domain, &op);
}

static OrtStatus* ORT_API_CALL count_domains(OrtEpFactory* self, size_t* number) {
  const Maker* maker = (Maker*)self;
  *number =
      asks(maker, "huge-domains") ? SIZE_MAX / sizeof maker->domain + 2 : maker->domain != NULL;
  return fail_if(self, "no-domains");
}
static OrtStatus* ORT_API_CALL domains_of(OrtEpFactory* self, OrtCustomOpDomain** out,
                                          size_t number) {
  if (number > 0) out[0] = ((Maker*)self)->domain;
  return NULL;
}

/* --- providers -------------------------------------------------------------------------------- */

static const char* ORT_API_CALL provider_name(const OrtEp* self) { return maker_of(self)->name; }

static void ORT_API_CALL release_provider(OrtEpFactory* self, OrtEp* ep) {
  (void)self, end(ep, sizeof(ContextProvider));
}

static OrtStatus* new_provider(const Maker* maker, const OrtSessionOptions* options, OrtEp** out) {
  ContextProvider* made = calloc(1, sizeof *made);
  OrtEp* ep = &made->base.base;
  made->base.factory = (Factory*)maker;
  ep->ort_version_supported = kinds[KIND].provider;
  ep->GetName = provider_name;
  ep->GetCapability = get_capability;
  ep->Compile = compile;
  ep->ReleaseNodeComputeInfos = release_infos;
  if (IS(DEVICE)) on_device(ep, maker);
  if (IS(DEVICE) && asks(maker, "default")) ep->ort_version_supported = 28;
  if (IS(DEVICE) && asks(maker, "every-call")) ep->ort_version_supported = 28;
  if (IS(PROFILING) || asks(maker, "every-call")) ep->CreateProfiler = make_profiler;
  if (IS(KERNEL)) with_kernels(ep);
  if (IS(LYING)) with_lies(ep);
  OrtStatus* status = IS(CONTEXTS) ? with_contexts(ep, options) : NULL;
  if (status != NULL) free(made);
  *out = status == NULL ? ep : NULL;
  return status;
}

static OrtStatus* ORT_API_CALL create(OrtEpFactory* self, const OrtHardwareDevice* const* devices,
                                      const OrtKeyValuePairs* const* metadata, size_t number,
                                      const OrtSessionOptions* options, const OrtLogger* logger,
                                      OrtEp** ep) {
  (void)devices, (void)metadata, (void)number, (void)logger;
  *ep = NULL;
  if (IS(ASKED)) return fail("this provider computes nothing");
  MAKE("CreateEp", new_provider((Maker*)self, options, ep), release_provider(self, *ep));
}

/* --- factories -------------------------------------------------------------------------------- */

static OrtStatus* make_infos(Maker* maker) {
  OrtAllocatorType arena = asks(maker, "arena") ? OrtArenaAllocator : OrtDeviceAllocator;
  for (int i = OWN; i <= READ_ONLY; i++) {
    OrtDeviceMemoryType type =
        i == HOST_ACCESSIBLE ? OrtDeviceMemoryType_HOST_ACCESSIBLE : OrtDeviceMemoryType_DEFAULT;
    TRY(api->CreateMemoryInfo_V2(IS(DEVICE) ? "device" : "asked", OrtMemoryInfoDeviceType_GPU,
                                 VENDOR, i == READ_ONLY, type, 0,
                                 i == READ_ONLY ? OrtReadOnlyAllocator : arena, &maker->infos[i]));
  }
  return IS(DEVICE)
             ? api->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &maker->infos[CPU])
             : NULL;
}

static void fill_own(OrtEpFactory* base) {
  base->GetVendor = vendor_of;
  base->GetVendorId = vendor_id_of;
  base->GetVersion = version_of;
  base->GetSupportedDevices = supported;
  base->CreateAllocator = make_allocator;
  base->ReleaseAllocator = release_allocator;
  base->CreateDataTransfer = asks(base, "without-transfers") ? NULL : make_transfer;
  base->IsStreamAware = has_streams;
  base->CreateSyncStreamForDevice = make_stream;
  base->GetNumCustomOpDomains = count_domains;
  base->GetCustomOpDomains = domains_of;
  if (!IS(ASKED)) return;
  base->ValidateCompiledModelCompatibilityInfo = validate;
  base->GetHardwareDeviceIncompatibilityDetails = why_not;
  base->CreateExternalResourceImporterForDevice = make_importer;
  base->InitGraphicsInterop = begin_graphics;
  base->DeinitGraphicsInterop = end_graphics;
}

static OrtStatus* begin_factory(Maker* maker, const char* words, int is_second) {
  OrtEpFactory* base = &maker->guide.base;
  snprintf(maker->words, sizeof maker->words, "%s", words);
  maker->guide.api = api;
  maker->guide.ep_api = ep_api;
  maker->name = is_second                                 ? "OtherEP"
                : IS(DEVICE) && asks(maker, "transposes") ? "SecondEP"
                : kinds[KIND].name == NULL                ? maker->words
                                                          : kinds[KIND].name;
  base->ort_version_supported = kinds[KIND].factory;
  base->GetName = name_of;
  base->GetVendor = get_vendor;
  base->GetVendorId = get_vendor_id;
  base->GetVersion = get_version;
  base->GetSupportedDevices = supported;
  base->CreateEp = asks(maker, "cannot-create") ? NULL : create;
  base->ReleaseEp = release_provider;
  base->CreateDataTransfer = create_data_transfer;
  base->IsStreamAware = is_stream_aware;
  if (IS(CONTEXTS)) base->ValidateCompiledModelCompatibilityInfo = judge;
  if (IS(ASKED) || IS(DEVICE) || IS(KERNEL)) fill_own(base);
  if (IS(ASKED) && asks(maker, "version-2")) {
    base->ort_version_supported = asks(maker, "version-21") ? 21 : 22;
  }
  TRY(make_infos(maker));
  TRY(IS(KERNEL) ? make_registry(maker) : NULL);
  return make_domain(maker);
}

static void end_factory(Maker* maker) {
  for (int i = 0; i < INFOS; i++) api->ReleaseMemoryInfo(maker->infos[i]);
  api->ReleaseCustomOpDomain(maker->domain);
  if (IS(KERNEL)) ep_api->ReleaseKernelRegistry(registry);
  free(maker);
}

/* How many factories the words of a registration ask for. */
static size_t number_of_factories(const char* words) {
  if (!IS(ASKED)) return 1;
  return strstr(words, "no-factory") != NULL ? 0
         : strstr(words, "five") != NULL     ? 5
         : strstr(words, "two") != NULL      ? 2
                                             : 1;
}

ORT_EXPORT OrtStatus* CreateEpFactories(const char* words, const OrtApiBase* base,
                                        const OrtLogger* logger, OrtEpFactory** made, size_t room,
                                        size_t* number) {
  if (IS(ASKED)) note(logger && room == 4 && *number == 0 ? "create" : "create-otherwise");
  if (strstr(words, "newer") != NULL) return base->GetApi(99), NULL;
  api = base->GetApi(kinds[KIND].api);
  ep_api = api->GetEpApi();
  *number = number_of_factories(words);
  OrtStatus* status = strstr(words, "refuse") != NULL ? fail("refuse") : NULL;
  for (size_t i = 0; status == NULL && i < *number && i < 2; i++) {
    Maker* maker = calloc(1, sizeof *maker);
    status = begin_factory(maker, words, i > 0);
    if (status != NULL || strstr(words, "null-factory") != NULL) {
      end_factory(maker);
    } else {
      made[i] = &maker->guide.base;
    }
  }
  if (status != NULL && made[0] != NULL) end_factory((Maker*)made[0]);
  if (strstr(words, "same-factory") != NULL || strstr(words, "two-factories") != NULL) {
    made[(*number)++] = made[0];
  }
  return status;
}

ORT_EXPORT OrtStatus* ReleaseEpFactory(OrtEpFactory* factory) {
  OrtStatus* status = IS(ASKED) ? fail_if(factory, "no-end") : NULL;
  if (IS(ASKED)) note("~factory");
  end_factory((Maker*)factory);
  return status;
}
