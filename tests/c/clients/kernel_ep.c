/* SPDX-License-Identifier: MIT */
/* An execution provider with a kernel in a registry: Mul of float tensors of one shape, times the
 * number of weights that it has packed plus one. It brings a custom op, Twice, and takes the nodes
 * of it, and has the library's kernels of If, Loop and Scan. The word "grows" has the first kernel
 * add others to the registry. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "onnxruntime_c_api.h"
#include "onnxruntime_ep_c_api.h"

#include "plain_op.h"
#include "trying.h"

static const OrtApi* api;
static const OrtEpApi* ep_api;
static OrtKernelRegistry* registry;

typedef struct {
  OrtKernelImpl base;
  int packed;
} Kernel;

/* Computes the product of two inputs; where they are one, their sum. */
static OrtStatus* multiply(OrtKernelContext* context, size_t second, float factor) {
  const OrtValue *a, *b;
  OrtTensorTypeAndShapeInfo* info;
  OrtValue* y;
  float *x, *w, *out;
  int64_t shape[8];
  size_t rank, count;
  TRY(api->KernelContext_GetInput(context, 0, &a));
  TRY(api->KernelContext_GetInput(context, second, &b));
  TRY(api->GetTensorTypeAndShape(a, &info));
  OrtStatus* status = api->GetDimensionsCount(info, &rank);
  if (status == NULL) status = api->GetDimensions(info, shape, rank);
  if (status == NULL) status = api->GetTensorShapeElementCount(info, &count);
  api->ReleaseTensorTypeAndShapeInfo(info);
  TRY(status);
  TRY(api->KernelContext_GetOutput(context, 0, shape, rank, &y));
  TRY(api->GetTensorMutableData((OrtValue*)a, (void**)&x));
  TRY(api->GetTensorMutableData((OrtValue*)b, (void**)&w));
  TRY(api->GetTensorMutableData(y, (void**)&out));
  for (size_t i = 0; i < count; i++) {
    out[i] = second == 0 ? x[i] + w[i] : x[i] * w[i] * factor;
  }
  return NULL;
}

static OrtStatus* compute(OrtKernelImpl* self, OrtKernelContext* context) {
  return multiply(context, 1, (float)(1 + ((Kernel*)self)->packed));
}

static void release_kernel(OrtKernelImpl* self) { free(self); }

static OrtStatus* pack(OrtKernelImpl* self, const OrtValue* tensor, int index,
                       OrtAllocator* allocator, OrtSharedPrePackedWeightCache* cache,
                       bool* packed) {
  (void)tensor, (void)index, (void)allocator, (void)cache;
  ((Kernel*)self)->packed++;
  *packed = false;
  return NULL;
}

static OrtEp provider;
static int grows;
static OrtStatus* make_kernel(void* state, const OrtKernelInfo* info, OrtKernelImpl** out);

/* Adds a kernel; one of another function takes any types, and is of any version. */
static OrtStatus* add_kernel_of(const char* op, OrtKernelCreateFunc make) {
  int is_plain = make == make_kernel;
  OrtKernelDefBuilder* builder = NULL;
  OrtKernelDef* def = NULL;
  const OrtDataType* type;
  TRY(ep_api->CreateKernelDefBuilder(&builder));
  OrtStatus* status = ep_api->KernelDefBuilder_SetOperatorType(builder, op);
  if (status == NULL) status = ep_api->KernelDefBuilder_SetDomain(builder, "");
  if (status == NULL)
    status =
        ep_api->KernelDefBuilder_SetSinceVersion(builder, is_plain ? 7 : 1, is_plain ? 14 : 25);
  if (status == NULL) status = ep_api->KernelDefBuilder_SetExecutionProvider(builder, "KernelEP");
  if (status == NULL)
    status = ep_api->GetTensorDataType(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &type);
  if (status == NULL && is_plain)
    status = ep_api->KernelDefBuilder_AddTypeConstraint(builder, "T", &type, 1);
  if (status == NULL) status = ep_api->KernelDefBuilder_Build(builder, &def);
  ep_api->ReleaseKernelDefBuilder(builder);
  if (status == NULL) status = ep_api->KernelRegistry_AddKernel(registry, def, make, NULL);
  ep_api->ReleaseKernelDef(def);
  return status;
}

static OrtStatus* add_kernel(const char* op) { return add_kernel_of(op, make_kernel); }

/* Adds kernels for operators that no model has, and writes over memory that was freed. */
static OrtStatus* grow_registry(void) {
  OrtAllocator* allocator;
  void* blocks[64];
  char op[24];
  for (int i = 0; i < 100; i++) {
    snprintf(op, sizeof op, "Other%d", i);
    TRY(add_kernel(op));
  }
  TRY(api->GetAllocatorWithDefaultOptions(&allocator));
  for (size_t i = 0; i < 64; i++) {
    blocks[i] = allocator->Alloc(allocator, 64 * (i + 1));
    if (blocks[i] != NULL) memset(blocks[i], 0xff, 64 * (i + 1));
  }
  for (size_t i = 0; i < 64; i++) allocator->Free(allocator, blocks[i]);
  return NULL;
}

static OrtStatus* make_kernel(void* state, const OrtKernelInfo* info, OrtKernelImpl** out) {
  size_t count;
  const OrtEp* ep;
  (void)state;
  if (grows) {
    grows = 0;
    TRY(grow_registry());
  }
  TRY(api->KernelInfo_GetInputCount(info, &count));
  TRY(ep_api->KernelInfo_GetEp(info, &ep));
  if (ep != &provider) return api->CreateStatus(ORT_FAIL, "the kernel is of another provider");
  Kernel* kernel = calloc(1, sizeof *kernel);
  if (kernel == NULL || count != 2) {
    free(kernel);
    return api->CreateStatus(ORT_FAIL, "the kernel takes two inputs");
  }
  kernel->base.ort_version_supported = 24;
  kernel->base.Compute = compute;
  kernel->base.Release = release_kernel;
  kernel->base.PrePackWeight = pack;
  *out = &kernel->base;
  return NULL;
}

/* --- graphs in nodes --- */

static int helpers;
int KernelEpHelpers(void) { return helpers; }
static void release_loop(OrtLoopKernelHelper* self) { free(self), helpers--; }
static void release_scan(OrtScanKernelHelper* self) { free(self), helpers--; }
static OrtStatus* concat(OrtLoopKernelHelper* self, void* stream, const OrtValue* const* values,
                         size_t count, void* out, size_t size) {
  (void)self, (void)stream;
  for (size_t i = 0; i < count; i++) {
    void* data;
    TRY(api->GetTensorMutableData((OrtValue*)values[i], &data));
    memcpy((char*)out + i * (size / count), data, size / count);
  }
  return NULL;
}
/* Of matrices of float. */
static OrtStatus* transpose(OrtScanKernelHelper* self, const size_t* permutation, size_t rank,
                            const OrtValue* from, OrtSyncStream* stream, OrtValue* to) {
  OrtTensorTypeAndShapeInfo* info;
  int64_t shape[2];
  float *in, *out;
  (void)self, (void)stream;
  if (rank != 2 || permutation[0] != 1) return api->CreateStatus(ORT_FAIL, "not a matrix");
  TRY(api->GetTensorTypeAndShape(from, &info));
  OrtStatus* status = api->GetDimensions(info, shape, 2);
  api->ReleaseTensorTypeAndShapeInfo(info);
  TRY(status);
  TRY(api->GetTensorMutableData((OrtValue*)from, (void**)&in));
  TRY(api->GetTensorMutableData(to, (void**)&out));
  for (int64_t i = 0; i < shape[0]; i++) {
    for (int64_t k = 0; k < shape[1]; k++) out[k * shape[0] + i] = in[i * shape[1] + k];
  }
  return NULL;
}
static OrtStatus* make_if(void* state, const OrtKernelInfo* info, OrtKernelImpl** out) {
  return (void)state, ep_api->CreateIfKernel(info, out);
}
static OrtStatus* make_loop(void* state, const OrtKernelInfo* info, OrtKernelImpl** out) {
  OrtLoopKernelHelper* helper = calloc(1, sizeof *helper);
  *helper = (OrtLoopKernelHelper){24, release_loop, concat};
  helpers++;
  return (void)state, ep_api->CreateLoopKernel(info, helper, out);
}
static OrtStatus* make_scan(void* state, const OrtKernelInfo* info, OrtKernelImpl** out) {
  OrtScanKernelHelper* helper = calloc(1, sizeof *helper);
  *helper = (OrtScanKernelHelper){24, release_scan, transpose};
  helpers++;
  return (void)state, ep_api->CreateScanKernel(info, helper, out);
}

/* --- the custom op --- */

static OrtCustomOpDomain* domain;

static const char* op_name(const OrtCustomOp* op) { return (void)op, "Twice"; }
static const char* op_provider(const OrtCustomOp* op) { return (void)op, "KernelEP"; }
static int op_last(const OrtCustomOp* op) { return (void)op, INT32_MAX; }
static OrtStatus* create_op(const OrtCustomOp* op, const OrtApi* table, const OrtKernelInfo* info,
                            void** kernel) {
  (void)op, (void)table, (void)info;
  *kernel = malloc(1);
  return NULL;
}
static OrtStatus* compute_op(void* kernel, OrtKernelContext* context) {
  return (void)kernel, multiply(context, 0, 1);
}

static OrtStatus* make_domain(void) {
  static OrtCustomOp op = {.version = 18,
                           PLAIN_OP,
                           .GetName = op_name,
                           .GetInputTypeCount = plain_count,
                           .GetOutputTypeCount = plain_count,
                           .KernelDestroy = free,
                           .CreateKernelV2 = create_op,
                           .KernelComputeV2 = compute_op,
                           .GetStartVersion = plain_one,
                           .GetEndVersion = op_last};
  op.GetExecutionProviderType = op_provider;
  TRY(api->CreateCustomOpDomain("kernel.own", &domain));
  return api->CustomOpDomain_Add(domain, &op);
}
static OrtStatus* count_domains(OrtEpFactory* self, size_t* count) {
  return (void)self, *count = 1, NULL;
}
static OrtStatus* domains_of(OrtEpFactory* self, OrtCustomOpDomain** out, size_t count) {
  (void)self;
  if (count > 0) out[0] = domain;
  return NULL;
}

/* --- the provider --- */

static const char* ep_name(const OrtEp* self) { return (void)self, "KernelEP"; }
static OrtStatus* get_registry(OrtEp* self, const OrtKernelRegistry** out) {
  return (void)self, *out = registry, NULL;
}
static OrtStatus* get_capability(OrtEp* self, const OrtGraph* graph, OrtEpGraphSupportInfo* info) {
  const OrtNode* nodes[64];
  size_t count;
  (void)self;
  TRY(api->Graph_GetNumNodes(graph, &count));
  TRY(api->Graph_GetNodes(graph, nodes, 64));
  for (size_t i = 0; i < count; i++) {
    const OrtKernelDef* found = NULL;
    const char* its_domain;
    TRY(api->Node_GetDomain(nodes[i], &its_domain));
    TRY(ep_api->EpGraphSupportInfo_LookUpKernel(info, nodes[i], &found));
    if (found != NULL || strcmp(its_domain, "kernel.own") == 0)
      TRY(ep_api->EpGraphSupportInfo_AddSingleNode(info, nodes[i]));
  }
  return NULL;
}

static int syncs;
int KernelEpSyncs(void) { return syncs; }
static OrtStatus* sync_all(OrtEp* self) { return (void)self, syncs++, NULL; }

static OrtEp provider = {.ort_version_supported = 25,
                         .GetName = ep_name,
                         .Sync = sync_all,
                         .GetCapability = get_capability,
                         .GetKernelRegistry = get_registry};

static const char* name(const OrtEpFactory* self) { return (void)self, "KernelEP"; }
static const char* vendor(const OrtEpFactory* self) { return (void)self, "tests"; }
static const char* version(const OrtEpFactory* self) { return (void)self, "1.0.0"; }
static OrtStatus* devices(OrtEpFactory* self, const OrtHardwareDevice* const* hardware, size_t n,
                          OrtEpDevice** out, size_t room, size_t* count) {
  if (n == 0 || room == 0) return NULL;
  TRY(ep_api->CreateEpDevice(self, hardware[0], NULL, NULL, &out[0]));
  *count = 1;
  return NULL;
}
static OrtStatus* create_ep(OrtEpFactory* self, const OrtHardwareDevice* const* hardware,
                            const OrtKeyValuePairs* const* metadata, size_t count,
                            const OrtSessionOptions* options, const OrtLogger* logger, OrtEp** ep) {
  (void)self, (void)hardware, (void)metadata, (void)count, (void)options, (void)logger;
  return *ep = &provider, NULL;
}
static void release_ep(OrtEpFactory* self, OrtEp* ep) { (void)self, (void)ep; }
static OrtStatus* no_transfer(OrtEpFactory* self, OrtDataTransferImpl** out) {
  return (void)self, *out = NULL, NULL;
}

OrtStatus* CreateEpFactories(const char* given, const OrtApiBase* base, const OrtLogger* logger,
                             OrtEpFactory** factories, size_t room, size_t* count) {
  static OrtEpFactory factory = {.ort_version_supported = 24,
                                 .GetName = name,
                                 .GetVendor = vendor,
                                 .GetVersion = version,
                                 .GetSupportedDevices = devices,
                                 .CreateEp = create_ep,
                                 .ReleaseEp = release_ep,
                                 .CreateDataTransfer = no_transfer,
                                 .GetNumCustomOpDomains = count_domains,
                                 .GetCustomOpDomains = domains_of};
  (void)logger, (void)room;
  api = base->GetApi(24);
  ep_api = api->GetEpApi();
  TRY(ep_api->CreateKernelRegistry(&registry));
  TRY(add_kernel("Mul"));
  TRY(add_kernel_of("If", make_if));
  TRY(add_kernel_of("Loop", make_loop));
  TRY(add_kernel_of("Scan", make_scan));
  TRY(make_domain());
  grows = strstr(given, "grows") != NULL;
  factories[0] = &factory;
  *count = 1;
  return NULL;
}

OrtStatus* ReleaseEpFactory(OrtEpFactory* factory) {
  ep_api->ReleaseKernelRegistry(registry);
  api->ReleaseCustomOpDomain(domain);
  return (void)factory, NULL;
}
