/* SPDX-License-Identifier: MIT */
/* The nodes that a provider on a device takes, compiles and computes. */
#ifndef ORTCFFI_TESTS_PROVIDER_NODES_H_
#define ORTCFFI_TESTS_PROVIDER_NODES_H_

#include "memory.h"

#define LARGEST_RANK 8

/* --- computing ------------------------------------------------------------------------------- */

enum op { MUL, AVERAGE, MAXIMUM, ELU, TRANSPOSE, OTHER };

static enum op op_of(const OrtNode* node) {
  static const char* const names[] = {"Mul", "GlobalAveragePool", "GlobalMaxPool", "Elu",
                                      "Transpose"};
  const char* type = "";
  api->ReleaseStatus(api->Node_GetOperatorType(node, &type));
  int i = 0;
  while (i < OTHER && strcmp(type, names[i]) != 0) i++;
  return (enum op)i;
}

typedef struct {
  OrtNodeComputeInfo base;
  const Maker* maker;
  enum op op;
} Node;

typedef struct {
  float* data;
  int64_t shape[LARGEST_RANK];
  size_t rank, count;
} Tensor;

/* The data of a value, which of a device must be where the provider computes. */
static OrtStatus* data_of(const Maker* maker, const OrtValue* value, float** out) {
  void* data;
  int is_elsewhere = IS(DEVICE) && asks(maker, "memory") && !asks(maker, "default-cpu");
  TRY(api->GetTensorMutableData((OrtValue*)value, &data));
  if (data != NULL && is_elsewhere != (((uintptr_t)data & TAG) != 0)) {
    return fail("a tensor is not where the provider computes");
  }
  *out = plain(data);
  return NULL;
}

static OrtStatus* read_input(const Maker* maker, OrtKernelContext* context, size_t i, Tensor* out) {
  const OrtValue* value;
  OrtTensorTypeAndShapeInfo* info;
  TRY(api->KernelContext_GetInput(context, i, &value));
  TRY(data_of(maker, value, &out->data));
  TRY(api->GetTensorTypeAndShape(value, &info));
  OrtStatus* status = api->GetDimensionsCount(info, &out->rank);
  if (status == NULL) status = api->GetDimensions(info, out->shape, out->rank);
  if (status == NULL) status = api->GetTensorShapeElementCount(info, &out->count);
  api->ReleaseTensorTypeAndShapeInfo(info);
  return status;
}

static OrtStatus* make_output(const Maker* maker, OrtKernelContext* context, const int64_t* shape,
                              size_t rank, float** out) {
  OrtValue* value;
  TRY(api->KernelContext_GetOutput(context, 0, shape, rank, &value));
  return data_of(maker, value, out);
}

/* The product of two inputs times a factor. */
static OrtStatus* multiply(const Maker* maker, OrtKernelContext* context, float factor) {
  Tensor x, w;
  float* y;
  TRY(read_input(maker, context, 0, &x));
  TRY(read_input(maker, context, 1, &w));
  TRY(make_output(maker, context, x.shape, x.rank, &y));
  for (size_t i = 0; i < x.count; i++) {
    float a, b; /* weights may be at any address */
    memcpy(&a, x.data + i, sizeof a);
    memcpy(&b, w.data + i, sizeof b);
    y[i] = a * b * factor;
  }
  return NULL;
}

static OrtStatus* pool(const Node* node, OrtKernelContext* context) {
  Tensor x;
  float* y;
  int is_average = node->op == AVERAGE, is_last = is_average && asks(node->maker, "nhwc");
  TRY(read_input(node->maker, context, 0, &x));
  size_t channel = is_last ? x.rank - 1 : 1;
  int64_t shape[LARGEST_RANK] = {x.shape[0], 1, 1, 1, 1, 1, 1, 1};
  shape[channel] = x.shape[channel];
  TRY(make_output(node->maker, context, shape, x.rank, &y));
  size_t channels = (size_t)x.shape[channel], places = x.count / channels / (size_t)x.shape[0];
  for (size_t i = 0; i < channels * (size_t)x.shape[0]; i++) {
    const float* from =
        is_last ? x.data + i / channels * channels * places + i % channels : x.data + i * places;
    y[i] = is_average ? 0 : from[0];
    for (size_t k = 0; k < places; k++) {
      float each = from[k * (is_last ? channels : 1)];
      y[i] = is_average ? y[i] + each / (float)places : each > y[i] ? each : y[i];
    }
  }
  return NULL;
}

/* What has channels alone has the same elements where they are last. */
static OrtStatus* turn(const Node* node, OrtKernelContext* context) {
  Tensor x;
  float* y;
  TRY(read_input(node->maker, context, 0, &x));
  int64_t shape[] = {x.shape[0], x.shape[3], x.shape[2], x.shape[1]};
  TRY(make_output(node->maker, context, shape, 4, &y));
  memcpy(y, x.data, x.count * sizeof *y);
  return NULL;
}

static void note_if(int answer, const char* event) { note(answer ? event : "otherwise"); }

static OrtStatus* note_memory(const OrtAllocator* allocator, const OrtMemoryInfo* expected,
                              int wanted, const char* event) {
  const OrtMemoryInfo* info;
  int differs;
  TRY(api->AllocatorGetInfo(allocator, &info));
  TRY(api->CompareMemoryInfo(info, expected, &differs));
  return note_if((differs == 0) == wanted, event), NULL;
}

/* Notes what a context and its values say of memory and streams. */
static OrtStatus* ask_context(const Maker* maker, OrtKernelContext* context) {
  const OrtMemoryInfo *info, *memory = maker->infos[OWN], *cpu = maker->infos[CPU];
  const OrtValue *x, *w;
  OrtValue* output;
  OrtAllocator* allocator;
  OrtSyncStream* stream;
  const OrtLogger* logger;
  OrtLoggingLevel severity;
  void* scratch;
  int differs;
  TRY(api->KernelContext_GetInput(context, 0, &x));
  TRY(api->KernelContext_GetInput(context, 1, &w));
  TRY(api->GetTensorMemoryInfo(x, &info));
  TRY(api->CompareMemoryInfo(info, memory, &differs));
  note_if(differs == 0, "input-there");
  note_if(is_on_device(ep_api->Value_GetMemoryDevice(w)), "weight-there");
  TRY(api->KernelContext_GetAllocator(context, memory, &allocator));
  TRY(note_memory(allocator, memory, 1, "allocator"));
  TRY(api->KernelContext_GetScratchBuffer(context, memory, 16, &scratch));
  note_if(((uintptr_t)scratch & TAG) != 0, "scratch");
  TRY(api->KernelContext_GetAllocator(context, cpu, &allocator));
  TRY(note_memory(allocator, memory, 0, "cpu-allocator"));
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

static OrtStatus* compute_on_device(const Node* node, OrtKernelContext* context) {
  void* stream = NULL;
  TRY(api->KernelContext_GetGPUComputeStream(context, &stream));
  note(stream == &stream_handle ? "compute-in-stream" : "compute");
  is_pending = asks(node->maker, "frees");
  if (asks(node->maker, "asks")) TRY(ask_context(node->maker, context));
  TRY(fail_if(node->maker, "no-compute"));
  return node->op == MUL         ? multiply(node->maker, context, 1)
         : node->op == TRANSPOSE ? turn(node, context)
                                 : pool(node, context);
}
static OrtStatus* ORT_API_CALL compute_node(OrtNodeComputeInfo* self, void* state,
                                            OrtKernelContext* context) {
  (void)state;
  DO("Compute", compute_on_device((Node*)self, context));
}

static void ORT_API_CALL release_node_state(OrtNodeComputeInfo* self, void* state) {
  (void)self, end(state, sizeof(void*));
}
static OrtStatus* ORT_API_CALL make_node_state(OrtNodeComputeInfo* self,
                                               OrtNodeComputeContext* context, void** state) {
  (void)context;
  MAKE("CreateState", (*state = calloc(1, sizeof(void*)), NULL), release_node_state(self, *state));
}

/* --- taking nodes ----------------------------------------------------------------------------- */

/* Where the channels are last, nodes are taken a second time if they show that they were taken. */
static OrtStatus* is_wanted(const Maker* maker, const OrtNode* node, int* answer) {
  const char *domain, *owner;
  TRY(api->Node_GetDomain(node, &domain));
  TRY(api->Node_GetEpName(node, &owner));
  *answer = (asks(maker, "transposes") ? op_of(node) == TRANSPOSE : op_of(node) < TRANSPOSE) &&
            (domain[0] == 0 || strcmp(domain, "device.own") == 0 ||
             (strcmp(domain, "com.ms.internal.nhwc") == 0 && strcmp(owner, maker->name) == 0));
  return NULL;
}

static OrtStatus* take_on_device(const Maker* maker, const OrtGraph* graph,
                                 OrtEpGraphSupportInfo* info) {
  const OrtNode* nodes[128];
  const char* name;
  size_t number;
  if (asks(maker, "graphs")) {
    TRY(api->Graph_GetName(graph, &name));
    return noted(name);
  }
  TRY(api->Graph_GetNumNodes(graph, &number));
  TRY(api->Graph_GetNodes(graph, nodes, 128));
  for (size_t i = 0; i < number; i++) {
    int answer;
    TRY(is_wanted(maker, nodes[i], &answer));
    if (answer) TRY(ep_api->EpGraphSupportInfo_AddNodesToFuse(info, &nodes[i], 1, NULL));
  }
  return NULL;
}
static OrtStatus* ORT_API_CALL take_nodes(OrtEp* self, const OrtGraph* graph,
                                          OrtEpGraphSupportInfo* info) {
  DO("GetCapability", take_on_device(maker_of(self), graph, info));
}

static OrtStatus* compile_all(const Maker* maker, const OrtGraph** graphs, size_t number,
                              OrtNodeComputeInfo** infos) {
  for (size_t i = 0; i < number; i++) {
    const OrtNode* node;
    TRY(api->Graph_GetNodes(graphs[i], &node, 1));
    Node* made = calloc(1, sizeof *made);
    made->base.ort_version_supported = 24;
    made->base.CreateState = make_node_state;
    made->base.Compute = compute_node;
    made->base.ReleaseState = release_node_state;
    made->maker = maker;
    made->op = op_of(node);
    infos[i] = &made->base;
    count(1);
  }
  return NULL;
}
/* The host releases the infos that a failing call has made, as ONNX Runtime does. */
static OrtStatus* ORT_API_CALL compile_nodes(OrtEp* self, const OrtGraph** graphs,
                                             const OrtNode** fused, size_t number,
                                             OrtNodeComputeInfo** infos, OrtNode** contexts) {
  (void)fused, (void)contexts;
  DO("Compile", compile_all(maker_of(self), graphs, number, infos));
}
static void ORT_API_CALL release_nodes(OrtEp* self, OrtNodeComputeInfo** infos, size_t number) {
  (void)self;
  for (size_t i = 0; i < number; i++) {
    if (infos[i] != NULL) end(infos[i], sizeof(Node));
  }
}

/* --- what else a host may call ---------------------------------------------------------------- */

static OrtStatus* ORT_API_CALL get_layout(OrtEp* self, OrtEpDataLayout* out) {
  *out = asks(maker_of(self), "nhwc") ? OrtEpDataLayout_NHWC : OrtEpDataLayout_NCHW;
  DO("GetPreferredDataLayout", NULL);
}
static OrtStatus* ORT_API_CALL should_convert(OrtEp* self, const char* domain, const char* type,
                                              OrtEpDataLayout layout, int* out) {
  (void)domain, (void)layout;
  int converts = asks(maker_of(self), "transposes") || strcmp(type, "Elu") == 0;
  *out = strcmp(type, "GlobalMaxPool") == 0 ? 0 : converts ? 1 : -1;
  DO("ShouldConvertDataLayoutForOp", NULL);
}
static OrtStatus* ORT_API_CALL get_memory(const OrtEp* self, const OrtMemoryDevice** out) {
  const Maker* maker = maker_of(self);
  *out = asks(maker, "default-null") ? NULL
                                     : ep_api->MemoryInfo_GetMemoryDevice(
                                           maker->infos[asks(maker, "default-cpu") ? CPU : OWN]);
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
static OrtStatus* ORT_API_CALL sync_device(OrtEp* self) {
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

static void on_device(OrtEp* made, const Maker* maker) {
  made->GetCapability = take_nodes;
  made->Compile = compile_nodes;
  made->ReleaseNodeComputeInfos = release_nodes;
  made->GetPreferredDataLayout = get_layout;
  made->ShouldConvertDataLayoutForOp = should_convert;
  made->GetDefaultMemoryDevice = get_memory;
  if (!asks(maker, "every-call")) return;
  made->OnRunStart = run_start;
  made->OnRunEnd = run_end;
  made->CreateAllocator = allocator_of_ep;
  made->CreateSyncStreamForDevice = stream_of_ep;
  made->Sync = sync_device;
  made->OnSessionInitializationEnd = initialized;
  made->IsConcurrentRunSupported = concurrent;
}

#endif /* ORTCFFI_TESTS_PROVIDER_NODES_H_ */
