/* SPDX-License-Identifier: MIT */
/* Kernels in a registry: Mul of float tensors of one shape, times the number of weights that it has
 * packed plus one, and the library's If, Loop and Scan. The word "grows" has the first kernel add
 * others. */
#ifndef ORTCFFI_TESTS_PROVIDER_KERNELS_H_
#define ORTCFFI_TESTS_PROVIDER_KERNELS_H_

#include "nodes.h"

static OrtKernelRegistry* registry;

typedef struct {
  OrtKernelImpl base;
  const Maker* maker;
  int packed;
} Kernel;

static OrtStatus* ORT_API_CALL compute_kernel(OrtKernelImpl* self, OrtKernelContext* context) {
  const Kernel* kernel = (Kernel*)self;
  return multiply(kernel->maker, context, (float)(1 + kernel->packed));
}
static void ORT_API_CALL release_kernel(OrtKernelImpl* self) { free(self); }
static OrtStatus* ORT_API_CALL pack(OrtKernelImpl* self, const OrtValue* tensor, int index,
                                    OrtAllocator* allocator, OrtSharedPrePackedWeightCache* cache,
                                    bool* packed) {
  (void)tensor, (void)index, (void)allocator, (void)cache;
  ((Kernel*)self)->packed++;
  return *packed = false, NULL;
}

static OrtStatus* ORT_API_CALL make_kernel(void* state, const OrtKernelInfo* info,
                                           OrtKernelImpl** out);

static OrtStatus* describe(OrtKernelDefBuilder* builder, const char* op, int is_plain) {
  const OrtDataType* type;
  TRY(ep_api->KernelDefBuilder_SetOperatorType(builder, op));
  TRY(ep_api->KernelDefBuilder_SetDomain(builder, ""));
  TRY(ep_api->KernelDefBuilder_SetSinceVersion(builder, is_plain ? 7 : 1, is_plain ? 14 : 25));
  TRY(ep_api->KernelDefBuilder_SetExecutionProvider(builder, "KernelEP"));
  TRY(ep_api->GetTensorDataType(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &type));
  return is_plain ? ep_api->KernelDefBuilder_AddTypeConstraint(builder, "T", &type, 1) : NULL;
}
/* Adds a kernel; one of another function takes any types, and is of any version. */
static OrtStatus* add_kernel(const void* maker, const char* op, OrtKernelCreateFunc make) {
  OrtKernelDefBuilder* builder = NULL;
  OrtKernelDef* def = NULL;
  TRY(ep_api->CreateKernelDefBuilder(&builder));
  OrtStatus* status = describe(builder, op, make == make_kernel);
  if (status == NULL) status = ep_api->KernelDefBuilder_Build(builder, &def);
  ep_api->ReleaseKernelDefBuilder(builder);
  if (status == NULL) status = ep_api->KernelRegistry_AddKernel(registry, def, make, (void*)maker);
  ep_api->ReleaseKernelDef(def);
  return status;
}

/* Adds kernels for operators that no model has, so that the registry moves its rows, and then
 * writes over the freed memory: rows that the host still reads there would be wrong. */
static OrtStatus* grow_registry(const Maker* maker) {
  OrtAllocator* allocator;
  void* blocks[64];
  char op[24];
  for (int i = 0; i < 100; i++) {
    snprintf(op, sizeof op, "Other%d", i);
    TRY(add_kernel(maker, op, make_kernel));
  }
  TRY(api->GetAllocatorWithDefaultOptions(&allocator));
  for (size_t i = 0; i < 64; i++) {
    blocks[i] = allocator->Alloc(allocator, 64 * (i + 1));
    if (blocks[i] != NULL) memset(blocks[i], 0xff, 64 * (i + 1));
  }
  for (size_t i = 0; i < 64; i++) allocator->Free(allocator, blocks[i]);
  return NULL;
}

static OrtStatus* ORT_API_CALL make_kernel(void* state, const OrtKernelInfo* info,
                                           OrtKernelImpl** out) {
  static const void* grown;
  size_t inputs;
  const OrtEp* ep;
  if (asks(state, "grows") && grown != state) {
    grown = state;
    TRY(grow_registry(state));
  }
  TRY(api->KernelInfo_GetInputCount(info, &inputs));
  TRY(ep_api->KernelInfo_GetEp(info, &ep));
  if (maker_of(ep) != state) return fail("the kernel is of another provider");
  if (inputs != 2) return fail("the kernel takes two inputs");
  Kernel* kernel = calloc(1, sizeof *kernel);
  kernel->base.ort_version_supported = 24;
  kernel->base.Compute = compute_kernel;
  kernel->base.Release = release_kernel;
  kernel->base.PrePackWeight = pack;
  kernel->maker = state;
  return *out = &kernel->base, NULL;
}

/* --- graphs in nodes -------------------------------------------------------------------------- */

static int helpers;
ORT_EXPORT int KernelEpHelpers(void) { return helpers; }
static void ORT_API_CALL release_loop(OrtLoopKernelHelper* self) { free(self), helpers--; }
static void ORT_API_CALL release_scan(OrtScanKernelHelper* self) { free(self), helpers--; }
static OrtStatus* ORT_API_CALL concat(OrtLoopKernelHelper* self, void* stream,
                                      const OrtValue* const* values, size_t number, void* out,
                                      size_t size) {
  (void)self, (void)stream;
  for (size_t i = 0; i < number; i++) {
    void* data;
    TRY(api->GetTensorMutableData((OrtValue*)values[i], &data));
    memcpy((char*)out + i * (size / number), data, size / number);
  }
  return NULL;
}
/* Of matrices of float. */
static OrtStatus* ORT_API_CALL transpose(OrtScanKernelHelper* self, const size_t* permutation,
                                         size_t rank, const OrtValue* from, OrtSyncStream* stream,
                                         OrtValue* to) {
  OrtTensorTypeAndShapeInfo* info;
  int64_t shape[2];
  float *in, *out;
  (void)self, (void)stream;
  if (rank != 2 || permutation[0] != 1) return fail("not a matrix");
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
static OrtStatus* ORT_API_CALL make_if(void* state, const OrtKernelInfo* info,
                                       OrtKernelImpl** out) {
  return (void)state, ep_api->CreateIfKernel(info, out);
}
static OrtStatus* ORT_API_CALL make_loop(void* state, const OrtKernelInfo* info,
                                         OrtKernelImpl** out) {
  OrtLoopKernelHelper* helper = calloc(1, sizeof *helper);
  *helper = (OrtLoopKernelHelper){24, release_loop, concat};
  helpers++;
  return (void)state, ep_api->CreateLoopKernel(info, helper, out);
}
static OrtStatus* ORT_API_CALL make_scan(void* state, const OrtKernelInfo* info,
                                         OrtKernelImpl** out) {
  OrtScanKernelHelper* helper = calloc(1, sizeof *helper);
  *helper = (OrtScanKernelHelper){24, release_scan, transpose};
  helpers++;
  return (void)state, ep_api->CreateScanKernel(info, helper, out);
}

static OrtStatus* make_registry(const Maker* maker) {
  TRY(ep_api->CreateKernelRegistry(&registry));
  TRY(add_kernel(maker, "Mul", make_kernel));
  TRY(add_kernel(maker, "If", make_if));
  TRY(add_kernel(maker, "Loop", make_loop));
  return add_kernel(maker, "Scan", make_scan);
}

/* --- the provider ----------------------------------------------------------------------------- */

static OrtStatus* ORT_API_CALL get_registry(OrtEp* self, const OrtKernelRegistry** out) {
  return (void)self, *out = registry, NULL;
}
static OrtStatus* ORT_API_CALL take_single_nodes(OrtEp* self, const OrtGraph* graph,
                                                 OrtEpGraphSupportInfo* info) {
  const OrtNode* nodes[64];
  size_t number;
  (void)self;
  TRY(api->Graph_GetNumNodes(graph, &number));
  TRY(api->Graph_GetNodes(graph, nodes, 64));
  for (size_t i = 0; i < number; i++) {
    const OrtKernelDef* found = NULL;
    const char* domain;
    TRY(api->Node_GetDomain(nodes[i], &domain));
    TRY(ep_api->EpGraphSupportInfo_LookUpKernel(info, nodes[i], &found));
    if (found != NULL || strcmp(domain, "kernel.own") == 0) {
      TRY(ep_api->EpGraphSupportInfo_AddSingleNode(info, nodes[i]));
    }
  }
  return NULL;
}

static int syncs;
ORT_EXPORT int KernelEpSyncs(void) { return syncs; }
static OrtStatus* ORT_API_CALL count_sync(OrtEp* self) { return (void)self, syncs++, NULL; }

static void with_kernels(OrtEp* made) {
  made->Sync = count_sync;
  made->GetCapability = take_single_nodes;
  made->Compile = NULL;
  made->ReleaseNodeComputeInfos = NULL;
  made->GetKernelRegistry = get_registry;
}

#endif /* ORTCFFI_TESTS_PROVIDER_KERNELS_H_ */
