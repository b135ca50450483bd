/* SPDX-License-Identifier: MIT */
/*
 * A library with an execution provider that computes Mul, GlobalAveragePool and GlobalMaxPool, in
 * the ways that the name asks under which it is registered:
 *
 * nhwc         it wants the channels last, and computes GlobalAveragePool so
 * memory       it computes in memory of its own, whose addresses fault when they are used as they
 * are streams      it has streams of work
 *
 * graphs       it takes nothing, and DeviceEpEvents has the name of each graph that it is shown
 *
 * transposes   it is SecondEP, which takes Transpose instead, of values with channels alone, and
 * wants the channels last of each node
 *
 * every-call   it brings all that a host may call; one of these calls may fail: device_ep.h
 * default-cpu  it computes in the CPU's memory, although its device has its own
 * asks         while it computes it asks where things are, which DeviceEpEvents tells
 * frees        it notes what is freed while the stream has work that nobody has waited for
 *
 * and what the words no-transfer, without-transfers, no-copy and no-compute say fails or is
 * missing. own-op has it bring an operator, and huge-domains more domains of them than memory has
 * room for.
 *
 * DeviceEpEvents answers what was called since the last time, in order.
 */
#include "device_ep.h"

#include "plain_op.h"

#define LARGEST_RANK 8

/* --- computing ------------------------------------------------------------------------------- */

enum kind { MUL, AVERAGE, MAXIMUM, ELU, TRANSPOSE, OTHER };

static enum kind kind_of(const OrtNode* node) {
  static const char* const names[] = {"Mul", "GlobalAveragePool", "GlobalMaxPool", "Elu",
                                      "Transpose"};
  const char* type = "";
  api->ReleaseStatus(api->Node_GetOperatorType(node, &type));
  int i = 0;
  while (i < OTHER && strcmp(type, names[i]) != 0) i++;
  return (enum kind)i;
}

typedef struct {
  OrtNodeComputeInfo base;
  enum kind kind;
} Node;

typedef struct {
  float* data;
  int64_t shape[LARGEST_RANK];
  size_t rank, count;
} Tensor;

/* The data of a value, which must be where the provider computes. */
static OrtStatus* data_of(const OrtValue* value, float** out) {
  void* data;
  TRY(api->GetTensorMutableData((OrtValue*)value, &data));
  if (data != NULL && is_elsewhere() != (((uintptr_t)data & TAG) != 0)) {
    return fail("a tensor is not where the provider computes");
  }
  *out = plain(data);
  return NULL;
}

static OrtStatus* read_input(OrtKernelContext* context, size_t i, Tensor* out) {
  const OrtValue* value;
  OrtTensorTypeAndShapeInfo* info;
  TRY(api->KernelContext_GetInput(context, i, &value));
  TRY(data_of(value, &out->data));
  TRY(api->GetTensorTypeAndShape(value, &info));
  OrtStatus* status = api->GetDimensionsCount(info, &out->rank);
  if (status == NULL) status = api->GetDimensions(info, out->shape, out->rank);
  if (status == NULL) status = api->GetTensorShapeElementCount(info, &out->count);
  api->ReleaseTensorTypeAndShapeInfo(info);
  return status;
}

static OrtStatus* make_output(OrtKernelContext* context, const int64_t* shape, size_t rank,
                              float** out) {
  OrtValue* value;
  TRY(api->KernelContext_GetOutput(context, 0, shape, rank, &value));
  return data_of(value, out);
}

static OrtStatus* multiply(OrtKernelContext* context) {
  Tensor x, w;
  float* y;
  TRY(read_input(context, 0, &x));
  TRY(read_input(context, 1, &w));
  TRY(make_output(context, x.shape, x.rank, &y));
  for (size_t i = 0; i < x.count; i++) {
    float a, b; /* weights may be at any address */
    memcpy(&a, x.data + i, sizeof a);
    memcpy(&b, w.data + i, sizeof b);
    y[i] = a * b;
  }
  return NULL;
}

static OrtStatus* pool(OrtKernelContext* context, enum kind kind) {
  Tensor x;
  float* y;
  int is_last = kind == AVERAGE && asks("nhwc");
  TRY(read_input(context, 0, &x));
  size_t channel = is_last ? x.rank - 1 : 1;
  int64_t shape[LARGEST_RANK] = {x.shape[0], 1, 1, 1, 1, 1, 1, 1};
  shape[channel] = x.shape[channel];
  TRY(make_output(context, shape, x.rank, &y));
  size_t channels = (size_t)x.shape[channel], places = x.count / channels / (size_t)x.shape[0];
  for (size_t i = 0; i < channels * (size_t)x.shape[0]; i++) {
    const float* from =
        is_last ? x.data + i / channels * channels * places + i % channels : x.data + i * places;
    y[i] = kind == AVERAGE ? 0 : from[0];
    for (size_t k = 0; k < places; k++) {
      float each = from[k * (is_last ? channels : 1)];
      y[i] = kind == AVERAGE ? y[i] + each / (float)places : each > y[i] ? each : y[i];
    }
  }
  return NULL;
}

/* What has channels alone has the same elements where they are last. */
static OrtStatus* transpose(OrtKernelContext* context) {
  Tensor x;
  float* y;
  TRY(read_input(context, 0, &x));
  int64_t shape[] = {x.shape[0], x.shape[3], x.shape[2], x.shape[1]};
  TRY(make_output(context, shape, 4, &y));
  memcpy(y, x.data, x.count * sizeof *y);
  return NULL;
}

static void note_if(int answer, const char* event) { note(answer ? event : "otherwise"); }

/* Notes what a context and its values say of memory and streams. */
static OrtStatus* ask_context(OrtKernelContext* context) {
  const OrtValue *x, *w;
  OrtValue* output;
  OrtAllocator* allocator;
  const OrtMemoryInfo* info;
  OrtSyncStream* stream;
  const OrtLogger* logger;
  OrtLoggingLevel severity;
  void* scratch;
  int equal;
  TRY(api->KernelContext_GetInput(context, 0, &x));
  TRY(api->KernelContext_GetInput(context, 1, &w));
  TRY(api->GetTensorMemoryInfo(x, &info));
  TRY(api->CompareMemoryInfo(info, memory, &equal));
  note_if(equal == 0, "input-there");
  note_if(ep_api->MemoryDevice_GetVendorId(ep_api->Value_GetMemoryDevice(w)) == VENDOR,
          "weight-there");
  TRY(api->KernelContext_GetAllocator(context, memory, &allocator));
  TRY(api->AllocatorGetInfo(allocator, &info));
  TRY(api->CompareMemoryInfo(info, memory, &equal));
  note_if(equal == 0, "allocator");
  TRY(api->KernelContext_GetScratchBuffer(context, memory, 16, &scratch));
  note_if(((uintptr_t)scratch & TAG) != 0, "scratch");
  TRY(api->KernelContext_GetAllocator(context, cpu, &allocator));
  TRY(api->AllocatorGetInfo(allocator, &info));
  TRY(api->CompareMemoryInfo(info, memory, &equal));
  note_if(equal != 0, "cpu-allocator");
  TRY(api->KernelContext_GetSyncStream(context, &stream));
  note_if(stream != NULL && api->SyncStream_GetHandle(stream) == &stream_handle, "sync-stream");
  note_if(ep_api->SyncStream_GetSyncId(stream) == 0, "first-sync");
  TRY(api->KernelContext_GetPreallocatedOutput(context, 0, &output));
  note_if(output == NULL, "no-output-yet");
  TRY(api->KernelContext_GetLogger(context, &logger));
  TRY(api->Logger_GetLoggingSeverityLevel(logger, &severity));
  note_if(severity == ORT_LOGGING_LEVEL_FATAL, "logger-of-run");
  return NULL;
}

static OrtStatus* compute_node(enum kind kind, OrtKernelContext* context) {
  void* stream = NULL;
  TRY(api->KernelContext_GetGPUComputeStream(context, &stream));
  note(stream == &stream_handle ? "compute-in-stream" : "compute");
  is_pending = asks("frees");
  if (asks("asks")) TRY(ask_context(context));
  if (asks("no-compute")) return fail("no-compute");
  return kind == MUL         ? multiply(context)
         : kind == TRANSPOSE ? transpose(context)
                             : pool(context, kind);
}

static OrtStatus* ORT_API_CALL compute(OrtNodeComputeInfo* self, void* state,
                                       OrtKernelContext* context) {
  (void)state;
  DO("Compute", compute_node(((Node*)self)->kind, context));
}

static void ORT_API_CALL release_state(OrtNodeComputeInfo* self, void* state) {
  (void)self, end(state, sizeof(void*));
}
static OrtStatus* ORT_API_CALL make_state(OrtNodeComputeInfo* self, OrtNodeComputeContext* context,
                                          void** state) {
  (void)context;
  MAKE("CreateState", (*state = calloc(1, sizeof(void*)), NULL), release_state(self, *state));
}

/* --- the provider ---------------------------------------------------------------------------- */

static const char* own_name(void) { return asks("transposes") ? "SecondEP" : "DeviceEP"; }
static const char* ORT_API_CALL ep_name(const OrtEp* self) { return (void)self, own_name(); }

/* Where the channels are last, nodes are taken a second time if they show that they were taken. */
static OrtStatus* is_wanted(const OrtNode* node, int* answer) {
  const char *domain, *owner;
  TRY(api->Node_GetDomain(node, &domain));
  TRY(api->Node_GetEpName(node, &owner));
  *answer = (asks("transposes") ? kind_of(node) == TRANSPOSE : kind_of(node) < TRANSPOSE) &&
            (domain[0] == 0 || strcmp(domain, "device.own") == 0 ||
             (strcmp(domain, "com.ms.internal.nhwc") == 0 && strcmp(owner, own_name()) == 0));
  return NULL;
}

static OrtStatus* take_nodes(const OrtGraph* graph, OrtEpGraphSupportInfo* info) {
  const OrtNode* nodes[128];
  size_t number;
  if (asks("graphs")) {
    const char* name;
    TRY(api->Graph_GetName(graph, &name));
    return note(name), NULL;
  }
  TRY(api->Graph_GetNumNodes(graph, &number));
  TRY(api->Graph_GetNodes(graph, nodes, 128));
  for (size_t i = 0; i < number; i++) {
    int answer;
    TRY(is_wanted(nodes[i], &answer));
    if (answer) TRY(ep_api->EpGraphSupportInfo_AddNodesToFuse(info, &nodes[i], 1, NULL));
  }
  return NULL;
}

static OrtStatus* ORT_API_CALL get_capability(OrtEp* self, const OrtGraph* graph,
                                              OrtEpGraphSupportInfo* info) {
  (void)self;
  DO("GetCapability", take_nodes(graph, info));
}

static OrtStatus* compile_all(const OrtGraph** graphs, size_t number, OrtNodeComputeInfo** infos) {
  for (size_t i = 0; i < number; i++) {
    const OrtNode* node;
    TRY(api->Graph_GetNodes(graphs[i], &node, 1));
    Node* made = calloc(1, sizeof *made);
    made->base.ort_version_supported = 24;
    made->base.CreateState = make_state;
    made->base.Compute = compute;
    made->base.ReleaseState = release_state;
    made->kind = kind_of(node);
    infos[i] = &made->base;
    count(1);
  }
  return NULL;
}
/* The host releases the infos that a failing call has made, as ONNX Runtime does. */
static OrtStatus* ORT_API_CALL compile(OrtEp* self, const OrtGraph** graphs, const OrtNode** fused,
                                       size_t number, OrtNodeComputeInfo** infos,
                                       OrtNode** context_nodes) {
  (void)self, (void)fused, (void)context_nodes;
  DO("Compile", compile_all(graphs, number, infos));
}

static void ORT_API_CALL release_infos(OrtEp* self, OrtNodeComputeInfo** infos, size_t number) {
  (void)self;
  for (size_t i = 0; i < number; i++) {
    if (infos[i] != NULL) end(infos[i], sizeof(Node));
  }
}

static OrtStatus* ORT_API_CALL get_layout(OrtEp* self, OrtEpDataLayout* out) {
  (void)self;
  *out = asks("nhwc") ? OrtEpDataLayout_NHWC : OrtEpDataLayout_NCHW;
  DO("GetPreferredDataLayout", NULL);
}

static OrtStatus* ORT_API_CALL should_convert(OrtEp* self, const char* domain, const char* type,
                                              OrtEpDataLayout layout, int* out) {
  (void)self, (void)domain, (void)layout;
  int converts = asks("transposes") || strcmp(type, "Elu") == 0;
  *out = strcmp(type, "GlobalMaxPool") == 0 ? 0 : converts ? 1 : -1;
  DO("ShouldConvertDataLayoutForOp", NULL);
}

static OrtStatus* ORT_API_CALL get_memory(const OrtEp* self, const OrtMemoryDevice** out) {
  (void)self;
  *out = asks("default-null")
             ? NULL
             : ep_api->MemoryInfo_GetMemoryDevice(asks("default-cpu") ? cpu : memory);
  DO("GetDefaultMemoryDevice", NULL);
}

static OrtStatus* start_run(void) { DO("OnRunStart", NULL); }
static OrtStatus* ORT_API_CALL run_start(OrtEp* self, const OrtRunOptions* options) {
  (void)self, (void)options;
  OrtStatus* status = start_run();
  count(status == NULL);
  return status;
}
static OrtStatus* ORT_API_CALL run_end(OrtEp* self, const OrtRunOptions* options, bool sync) {
  (void)self, (void)options, (void)sync;
  count(-1);
  DO("OnRunEnd", NULL);
}
static OrtStatus* ORT_API_CALL sync(OrtEp* self) {
  (void)self;
  DO("Sync", NULL);
}
static OrtStatus* ORT_API_CALL initialized(OrtEp* self) {
  (void)self;
  DO("OnSessionInitializationEnd", NULL);
}
static OrtStatus* ORT_API_CALL concurrent(OrtEp* self, bool* out) {
  (void)self;
  *out = true;
  DO("IsConcurrentRunSupported", NULL);
}

/* --- the factory ----------------------------------------------------------------------------- */

static const char* ORT_API_CALL name(const OrtEpFactory* self) { return (void)self, own_name(); }
static const char* ORT_API_CALL vendor(const OrtEpFactory* self) { return (void)self, "tests"; }
static uint32_t ORT_API_CALL vendor_id(const OrtEpFactory* self) { return (void)self, VENDOR; }
static const char* ORT_API_CALL version(const OrtEpFactory* self) { return (void)self, "1.0.0"; }

static OrtStatus* ORT_API_CALL devices(OrtEpFactory* self, const OrtHardwareDevice* const* hardware,
                                       size_t n, OrtEpDevice** out, size_t room, size_t* count) {
  if (n == 0 || room == 0) return NULL;
  TRY(ep_api->CreateEpDevice(self, hardware[0], NULL, NULL, &out[0]));
  *count = 1;
  return asks("memory") ? ep_api->EpDevice_AddAllocatorInfo(out[0], memory) : NULL;
}

static void ORT_API_CALL release_ep(OrtEpFactory* self, OrtEp* ep) {
  (void)self, end(ep, sizeof *ep);
}
static OrtStatus* new_ep(OrtEp** out) {
  OrtEp* made = calloc(1, sizeof *made);
  made->ort_version_supported = asks("default") || asks("every-call") ? 28 : 24;
  made->GetName = ep_name;
  made->GetCapability = get_capability;
  made->Compile = compile;
  made->ReleaseNodeComputeInfos = release_infos;
  made->GetPreferredDataLayout = get_layout;
  made->ShouldConvertDataLayoutForOp = should_convert;
  made->GetDefaultMemoryDevice = get_memory;
  if (asks("every-call")) {
    made->OnRunStart = run_start;
    made->OnRunEnd = run_end;
    made->CreateAllocator = allocator_of_ep;
    made->CreateSyncStreamForDevice = stream_of_ep;
    made->Sync = sync;
    made->OnSessionInitializationEnd = initialized;
    made->IsConcurrentRunSupported = concurrent;
    made->CreateProfiler = make_profiler;
  }
  return *out = made, NULL;
}
static OrtStatus* ORT_API_CALL create_ep(OrtEpFactory* self,
                                         const OrtHardwareDevice* const* hardware,
                                         const OrtKeyValuePairs* const* metadata, size_t number,
                                         const OrtSessionOptions* options, const OrtLogger* logger,
                                         OrtEp** ep) {
  (void)hardware, (void)metadata, (void)number, (void)options, (void)logger;
  MAKE("CreateEp", new_ep(ep), release_ep(self, *ep));
}

/* --- an operator of its own, which is Mul in another domain ---------------------------------- */

static OrtCustomOpDomain* domain;

static const char* ORT_API_CALL op_name(const OrtCustomOp* op) { return (void)op, "Mul"; }
static size_t ORT_API_CALL two(const OrtCustomOp* op) { return (void)op, 2; }
static int ORT_API_CALL op_last(const OrtCustomOp* op) { return (void)op, INT32_MAX; }
static OrtStatus* ORT_API_CALL no_kernel(const OrtCustomOp* op, const OrtApi* table,
                                         const OrtKernelInfo* info, void** kernel) {
  return (void)op, (void)table, (void)info, (void)kernel, fail("the provider computes it");
}
static OrtStatus* ORT_API_CALL compute_nothing(void* kernel, OrtKernelContext* context) {
  return (void)kernel, (void)context, fail("the provider computes it");
}
static void ORT_API_CALL destroy(void* kernel) { (void)kernel; }

static OrtStatus* make_domain(void) {
  static const OrtCustomOp op = {.version = 18,
                                 .GetName = op_name,
                                 PLAIN_OP,
                                 .GetInputTypeCount = two,
                                 .GetOutputTypeCount = plain_count,
                                 .KernelDestroy = destroy,
                                 .CreateKernelV2 = no_kernel,
                                 .KernelComputeV2 = compute_nothing,
                                 .GetStartVersion = plain_one,
                                 .GetEndVersion = op_last};
  TRY(api->CreateCustomOpDomain("device.own", &domain));
  return api->CustomOpDomain_Add(domain, &op);
}

static OrtStatus* ORT_API_CALL count_domains(OrtEpFactory* self, size_t* count) {
  (void)self;
  *count = asks("huge-domains") ? SIZE_MAX / sizeof domain + 2 : domain != NULL;
  return NULL;
}
static OrtStatus* ORT_API_CALL domains_of(OrtEpFactory* self, OrtCustomOpDomain** out,
                                          size_t count) {
  (void)self;
  if (count > 0) out[0] = domain;
  return NULL;
}

ORT_EXPORT OrtStatus* CreateEpFactories(const char* given, const OrtApiBase* base,
                                        const OrtLogger* logger, OrtEpFactory** factories,
                                        size_t room, size_t* count) {
  static OrtEpFactory factory = {.ort_version_supported = 24,
                                 .GetName = name,
                                 .GetVendor = vendor,
                                 .GetVendorId = vendor_id,
                                 .GetVersion = version,
                                 .GetSupportedDevices = devices,
                                 .CreateEp = create_ep,
                                 .ReleaseEp = release_ep,
                                 .CreateAllocator = make_allocator,
                                 .ReleaseAllocator = release_allocator,
                                 .CreateDataTransfer = make_transfer,
                                 .IsStreamAware = is_stream_aware,
                                 .CreateSyncStreamForDevice = make_stream,
                                 .GetNumCustomOpDomains = count_domains,
                                 .GetCustomOpDomains = domains_of};
  (void)logger, (void)room;
  snprintf(asked, sizeof asked, "%s", given);
  api = base->GetApi(28);
  ep_api = api->GetEpApi();
  TRY(api->CreateMemoryInfo_V2("device", OrtMemoryInfoDeviceType_GPU, VENDOR, 0,
                               OrtDeviceMemoryType_DEFAULT, 0, OrtDeviceAllocator, &memory));
  TRY(api->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &cpu));
  if (asks("own-op")) TRY(make_domain());
  factory.CreateDataTransfer = asks("without-transfers") ? NULL : make_transfer;
  factories[0] = &factory;
  *count = 1;
  return NULL;
}

ORT_EXPORT OrtStatus* ReleaseEpFactory(OrtEpFactory* factory) {
  api->ReleaseMemoryInfo(memory);
  api->ReleaseMemoryInfo(cpu);
  if (domain != NULL) api->ReleaseCustomOpDomain(domain);
  domain = NULL;
  return (void)factory, NULL;
}
