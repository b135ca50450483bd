/* SPDX-License-Identifier: MIT */
/* Execution providers in sessions and without: that of the guide, one with memory of its own that
 * wants the channels last, and two that claim nodes which another one has taken. */
#include "faults.h"

#include "../clients/model_bytes.h"
#include "ortcore.h"

#define CORE(Type, name) ((Type)(void (*)(void))api->GetExperimentalFunction(name))

static OrtEnv* env;

/* The device of a library that is registered under words which say what its provider does. */
static const OrtEpDevice* device_of(const char* words, const char* path) {
  const OrtEpDevice* const* devices = NULL;
  size_t count = 0;
  CHECK(env != NULL || api->CreateEnv(ORT_LOGGING_LEVEL_FATAL, "faults", &env) == NULL);
  CHECK(api->RegisterExecutionProviderLibrary(env, words, path) == NULL);
  CHECK(api->GetEpDevices(env, &devices, &count) == NULL && count >= 2);
  return devices[count - 1];
}

static OrtValue* new_tensor(const int64_t* shape, size_t rank) {
  size_t size = 0;
  OrtAllocator* allocator = NEW(OrtAllocator, api->GetAllocatorWithDefaultOptions(&new_));
  OrtValue* made =
      NEW(OrtValue, api->CreateTensorAsOrtValue(allocator, shape, rank,
                                                ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &new_));
  void* data = NEW(void, api->GetTensorMutableData(made, &new_));
  CHECK(api->GetTensorSizeInBytes(made, &size) == NULL);
  memset(data, 0, size);
  return made;
}

/* --- sessions --------------------------------------------------------------------------------- */

static OrtSessionOptions* new_options(void) {
  const char* key = "session.record_ep_graph_assignment_info";
  OrtSessionOptions* made = NEW(OrtSessionOptions, api->CreateSessionOptions(&new_));
  CHECK(api->AddSessionConfigEntry(made, key, "1") == NULL);
  return made;
}
static void append(OrtSessionOptions* options, const OrtEpDevice* device) {
  CHECK(api->SessionOptionsAppendExecutionProvider_V2(options, env, &device, 1, NULL, NULL, 0) ==
        NULL);
}

/* A session of nodes Add, each of what the one before makes, up to y. */
static OrtSession* session_of(OrtSessionOptions* options, const char* made) {
  struct model_bytes model = model_of("1:8 8{1'' 2:18} 7{2'graph'");
  OrtSession* session = NULL;
  char node[64], operand = 'x';
  for (; *made != 0; operand = *made++) {
    snprintf(node, sizeof node, NODE("Add", "1'%c' 1'%c'", "%c", ""), operand, operand, *made,
             *made);
    put(&model, node);
  }
  put(&model, PORT(11, "x", 1, TWO) PORT(12, "y", 1, TWO) "}");
  if (!say_status(api->CreateSessionFromArray(env, model.at, model.size, options, &session))) {
    exit(0);
  }
  return session;
}

static OrtStatus* ORT_API_CALL choose_all(const OrtEpDevice** devices, size_t count,
                                          const OrtKeyValuePairs* of_model,
                                          const OrtKeyValuePairs* of_runtime,
                                          const OrtEpDevice** chosen, size_t room,
                                          size_t* chosen_count, void* state) {
  (void)of_model, (void)of_runtime, (void)state;
  CHECK(count <= room);
  memcpy(chosen, devices, count * sizeof *chosen);
  *chosen_count = count;
  return NULL;
}
CALL("session: a provider that a function chooses") {
  OrtSessionOptions* options = new_options();
  device_of("add", ADD_EP);
  CHECK(api->SessionOptionsSetEpSelectionPolicyDelegate(options, choose_all, NULL) == NULL);
  session_of(options, "y");
}
CALL("session: a provider that a policy chooses") {
  OrtSessionOptions* options = new_options();
  device_of("add", ADD_EP);
  CHECK(api->SessionOptionsSetEpSelectionPolicy(
            options, OrtExecutionProviderDevicePolicy_MAX_PERFORMANCE) == NULL);
  session_of(options, "y");
}
CALL("session: runs") {
  static const char *const x = "x", *const y = "y";
  const int64_t two = 2;
  OrtSessionOptions* options = new_options();
  append(options, device_of("add", ADD_EP));
  OrtSession* session = session_of(options, "y");
  const OrtValue* in = new_tensor(&two, 1);
  OrtValue* out = NULL;
  say_status(api->Run(session, NULL, &x, &in, 1, &y, 1, &out));
  say_pointer(out);
  say_status(api->SetEpDynamicOptions(session, &x, &y, 1));
  say_status(api->SessionReleaseCapturedGraph(session, 1));
  api->ReleaseSession(session);
}
/* The first provider takes the node in the middle, the second claims all as one group. */
CALL("session: a group that is cut") {
  const OrtEpAssignedSubgraph* const* parts = NULL;
  size_t count = 0;
  OrtSessionOptions* options = new_options();
  append(options, device_of("middle", LYING_EP));
  append(options, device_of("each", LYING_EP));
  OrtSession* session = session_of(options, "aby");
  CHECK(api->Session_GetEpGraphAssignmentInfo(session, &parts, &count) == NULL);
  say("%zu", count);
}

/* --- without a session ------------------------------------------------------------------------ */

static const OrtModelEditorApi* editor(void) { return api->GetModelEditorApi(); }

static OrtValueInfo* float_value(const char* name, const int64_t* dims, size_t rank) {
  OrtTensorTypeAndShapeInfo* shape =
      NEW(OrtTensorTypeAndShapeInfo, api->CreateTensorTypeAndShapeInfo(&new_));
  CHECK(api->SetTensorElementType(shape, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT) == NULL);
  CHECK(api->SetDimensions(shape, dims, rank) == NULL);
  OrtTypeInfo* type = NEW(OrtTypeInfo, editor()->CreateTensorTypeInfo(shape, &new_));
  return NEW(OrtValueInfo, editor()->CreateValueInfo(name, type, &new_));
}
static void add_node(OrtGraph* to, const char* op, const char* const* inputs, size_t count,
                     const char* output) {
  OrtNode* node = NULL;
  CHECK(editor()->CreateNode(op, "", op, inputs, count, &output, 1, NULL, 0, &node) == NULL);
  CHECK(editor()->AddNodeToGraph(to, node) == NULL);
}
static const OrtGraph* prepared(OrtGraph* graph, OrtValueInfo** inputs, OrtValueInfo** outputs,
                                size_t output_count) {
  OrtModel* model = NULL;
  CHECK(editor()->SetGraphInputs(graph, inputs, 1) == NULL);
  CHECK(editor()->SetGraphOutputs(graph, outputs, output_count) == NULL);
  CHECK(editor()->CreateModel((const char* const[]){""}, (const int[]){18}, 1, &model) == NULL);
  CHECK(editor()->AddGraphToModel(model, graph) == NULL);
  OrtcoreModelGraph graph_of = CORE(OrtcoreModelGraph, ORTCORE_MODEL_GRAPH);
  return MADE(const OrtGraph, graph_of(model, ORTCORE_GRAPH_PREPARED, &made));
}

/* Claims, compiles, makes a kernel of the first node, and computes. */
static void use(const OrtEpDevice* device, const OrtGraph* graph, OrtValue* x, size_t input_count) {
  const OrtValue* const inputs[] = {x, NULL};
  OrtValue* out = NULL;
  OrtSessionOptions* options = NEW(OrtSessionOptions, api->CreateSessionOptions(&new_));
  OrtcoreEp* provider =
      MADE(OrtcoreEp, CORE(OrtcoreCreateEp, ORTCORE_CREATE_EP)(&device, 1, options, NULL, &made));
  OrtcoreClaims* claims =
      MADE(OrtcoreClaims, CORE(OrtcoreEpClaim, ORTCORE_EP_CLAIM)(provider, graph, &made));
  may_keep = true; /* the model keeps the graphs of nodes that could not be compiled */
  OrtcoreCompiled* compiled =
      MADE(OrtcoreCompiled, CORE(OrtcoreEpCompile, ORTCORE_EP_COMPILE)(claims, &made));
  may_keep = false;
  const OrtcoreCompiledNode* node = &compiled->nodes[0];
  const OrtcoreNode of = {.version = ORT_API_VERSION,
                          .op = node->op,
                          .inputs = node->inputs,
                          .input_count = node->input_count,
                          .outputs = node->outputs,
                          .output_count = node->output_count};
  OrtcoreKernel* kernel =
      MADE(OrtcoreKernel, CORE(OrtcoreKernelCreate, ORTCORE_KERNEL_CREATE)(&of, &made));
  say("%zu %zu", claims->group_count, compiled->node_count);
  say_status(TRIED(
      CORE(OrtcoreKernelCompute, ORTCORE_KERNEL_COMPUTE)(kernel, inputs, input_count, &out, 1)));
  CORE(OrtcoreKernelRelease, ORTCORE_KERNEL_RELEASE)(kernel);
  CORE(OrtcoreReleaseCompiled, ORTCORE_RELEASE_COMPILED)(compiled);
  CORE(OrtcoreReleaseClaims, ORTCORE_RELEASE_CLAIMS)(claims);
  CORE(OrtcoreReleaseEp, ORTCORE_RELEASE_EP)(provider);
}
CALL("provider: of the guide") {
  static const char* const inputs[] = {"x", "x"};
  const int64_t two = 2;
  OrtValueInfo *x = float_value("x", &two, 1), *y = float_value("y", &two, 1);
  OrtGraph* graph = NEW(OrtGraph, editor()->CreateGraph(&new_));
  add_node(graph, "Add", inputs, 2, "y");
  use(device_of("add", ADD_EP), prepared(graph, &x, &y, 1), new_tensor(&two, 1), 1);
}
/* y = the mean of x * w. */
CALL("provider: on a device, with another layout") {
  static const int64_t shape[] = {1, 2, 3, 3}, mean[] = {1, 2, 1, 1};
  static const char *const factors[] = {"x", "w"}, *const product[] = {"p"};
  OrtValueInfo* x = float_value("x", shape, 4);
  OrtValueInfo* outputs[] = {float_value("p", shape, 4), float_value("y", mean, 4)};
  OrtGraph* graph = NEW(OrtGraph, editor()->CreateGraph(&new_));
  CHECK(editor()->AddInitializerToGraph(graph, "w", new_tensor(shape, 4), false) == NULL);
  add_node(graph, "Mul", factors, 2, "p");
  add_node(graph, "GlobalAveragePool", product, 1, "y");
  use(device_of("nhwc memory streams", DEVICE_EP), prepared(graph, &x, outputs, 2),
      new_tensor(shape, 4), 2);
}

/* --- profiles --------------------------------------------------------------------------------- */

static const char* end_of_profiler;
static void count_event(void* state, const OrtProfilingEvent* event) {
  (void)event;
  ++*(size_t*)state;
}
/* More events than a container has room for at first, in several calls. */
static OrtStatus* ORT_API_CALL end_profiling(OrtEpProfilerImpl* self,
                                             OrtProfilingEventsContainer* container) {
  static const char *const keys[] = {"kernel", "bytes"}, *const values[] = {"gemm", "4096"};
  const OrtEpApi* ep = api->GetEpApi();
  OrtProfilingEvent* event = NULL;
  OrtStatus* status = ep->CreateProfilingEvent(OrtProfilingEventCategory_KERNEL, 1, 2, "gemm_1", 3,
                                               4, keys, values, 2, &event);
  (void)self;
  for (int i = 0; status == NULL && i < 5; i++) {
    const OrtProfilingEvent* events[] = {event, event, event};
    status = ep->ProfilingEventsContainer_AddEvents(container, events, 3);
  }
  ep->ReleaseProfilingEvent(event);
  return status != NULL || end_of_profiler == NULL
             ? status
             : api->CreateStatus(ORT_EP_FAIL, end_of_profiler);
}
static void profile(const char* end) {
  OrtEpProfilerImpl profiler = {.ort_version_supported = ORT_API_VERSION,
                                .EndProfiling = end_profiling};
  size_t taken = 0;
  end_of_profiler = end;
  say_status(
      TRIED(CORE(OrtcoreEndProfiling, ORTCORE_END_PROFILING)(&profiler, count_event, &taken)));
  say("%zu", taken);
}
CALL("profile: events") { profile(NULL); }
CALL("profile: a profiler that fails") { profile("the device is lost"); }
