/* SPDX-License-Identifier: MIT */
/* Trials of sessions: the provider of the guide, on y = x + x, and providers that claim nodes which
 * another one has taken, on a model without types of inner values. */
#include "faults.h"

#include "../clients/model_bytes.h"

static OrtEnv* env;
static OrtSessionOptions* session_options;
static OrtSession* session;
static OrtValue* x;
static struct model_bytes model;

/* The nodes are Add, each of what the one before makes, up to y. */
static void write_model(const char* const* made, size_t count) {
  const char* before = "x";
  model = (struct model_bytes){.size = 0};
  put_number(&model, 1, 8);
  begin_message(&model, 8);
  put_text(&model, 1, "");
  put_number(&model, 2, 18);
  end_message(&model);
  begin_message(&model, 7);
  put_text(&model, 2, "graph");
  for (size_t i = 0; i < count; before = made[i++]) {
    char operands[8];
    snprintf(operands, sizeof operands, "%s %s", before, before);
    put_node(&model, "Add", operands, made[i]);
  }
  put_value(&model, 11, "x", 1, 2, NULL);
  put_value(&model, 12, "y", 1, 2, NULL);
  end_message(&model);
}

static void begin_options(void) {
  CHECK(api->CreateEnv(ORT_LOGGING_LEVEL_FATAL, "id", &env) == NULL);
  CHECK(api->CreateSessionOptions(&session_options) == NULL);
  CHECK(api->AddSessionConfigEntry(session_options, "session.record_ep_graph_assignment_info",
                                   "1") == NULL);
}

static void with_options(void) {
  static const char* const made[] = {"y"};
  const OrtEpDevice* const* devices = NULL;
  size_t count = 0;
  write_model(made, 1);
  begin_options();
  CHECK(api->RegisterExecutionProviderLibrary(env, "add", ADD_EP) == NULL);
  CHECK(api->GetEpDevices(env, &devices, &count) == NULL && count == 2);
  CHECK(api->SessionOptionsAppendExecutionProvider_V2(session_options, env, &devices[1], 1, NULL,
                                                      NULL, 0) == NULL);
}

/* The first provider takes the node in the middle, the second claims all as one group. */
static void with_two_providers(void) {
  static const char* const names[] = {"middle", "each"};
  static const char* const made[] = {"a", "b", "y"};
  const OrtEpDevice* const* devices = NULL;
  size_t count = 0;
  write_model(made, 3);
  begin_options();
  for (size_t i = 0; i < 2; i++) {
    CHECK(api->RegisterExecutionProviderLibrary(env, names[i], LYING_EP) == NULL);
    CHECK(api->GetEpDevices(env, &devices, &count) == NULL && count == i + 2);
    CHECK(api->SessionOptionsAppendExecutionProvider_V2(session_options, env, &devices[i + 1], 1,
                                                        NULL, NULL, 0) == NULL);
  }
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

static void with_choice(void) {
  with_options();
  api->ReleaseSessionOptions(session_options);
  CHECK(api->CreateSessionOptions(&session_options) == NULL);
  CHECK(api->SessionOptionsSetEpSelectionPolicyDelegate(session_options, choose_all, NULL) == NULL);
}
static void with_policy(void) {
  with_choice();
  CHECK(api->SessionOptionsSetEpSelectionPolicy(
            session_options, OrtExecutionProviderDevicePolicy_MAX_PERFORMANCE) == NULL);
}

/* The provider takes a lack of memory for a value whose type is not known, and leaves the node. */
static OrtStatus* make_session(void** out) {
  OrtStatus* status =
      api->CreateSessionFromArray(env, model.at, model.size, session_options, (OrtSession**)out);
  if (api->GetErrorCode(status) == ORT_NOT_IMPLEMENTED) {
    api->ReleaseStatus(status);
    return failed_without_status();
  }
  return status;
}
/* If the first provider lacks memory to claim its node, the second one gets all as one group. */
static OrtStatus* make_cut_session(void** out) {
  const OrtEpAssignedSubgraph* const* parts = NULL;
  size_t count = 0;
  OrtStatus* status = make_session(out);
  if (status == NULL) {
    CHECK(api->Session_GetEpGraphAssignmentInfo(*out, &parts, &count) == NULL);
    CHECK(count == 3 || (count == 1 && heap_faults.calls > heap_faults.first));
  }
  return status;
}
static void release_session(void* out) { api->ReleaseSession(out); }

static void with_session(void) {
  const int64_t dims[] = {2};
  with_options();
  CHECK(make_session((void**)&session) == NULL);
  CHECK(api->CreateTensorAsOrtValue(allocator, dims, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &x) ==
        NULL);
}

static const char* const inputs[] = {"x"};
static const char* const outputs[] = {"y"};

static OrtStatus* run(void** out) {
  OrtValue* y = NULL;
  OrtStatus* status =
      api->Run(session, NULL, inputs, (const OrtValue* const*)&x, 1, outputs, 1, &y);
  CHECK((status == NULL) == (y != NULL));
  *out = status == NULL ? y : *out;
  return as_lack_of_memory(status);
}
static void release_value(void* out) { api->ReleaseValue(out); }

/* They need no memory. */
static OrtStatus* ask_assigned(void** out) {
  static const char* const option[] = {"key"};
  const OrtEpAssignedSubgraph* const* parts = NULL;
  const OrtEpAssignedNode* const* nodes = NULL;
  size_t count = 0;
  const char *name = NULL, *domain = NULL, *op = NULL;
  (void)out;
  CHECK(api->Session_GetEpGraphAssignmentInfo(session, &parts, &count) == NULL && count == 1);
  CHECK(api->EpAssignedSubgraph_GetEpName(parts[0], &name) == NULL && strcmp(name, "add") == 0);
  CHECK(api->EpAssignedSubgraph_GetNodes(parts[0], &nodes, &count) == NULL && count == 1);
  CHECK(api->EpAssignedNode_GetName(nodes[0], &name) == NULL && strcmp(name, "y") == 0);
  CHECK(api->EpAssignedNode_GetDomain(nodes[0], &domain) == NULL && domain[0] == 0);
  CHECK(api->EpAssignedNode_GetOperatorType(nodes[0], &op) == NULL && strcmp(op, "Add") == 0);
  CHECK(api->SetEpDynamicOptions(session, option, option, 1) == NULL);
  return api->SessionReleaseCapturedGraph(session, 1);
}

/* Of RunAsync itself: the thread that it starts needs memory for its counters first. */
static OrtStatus* refuse_async(void** out) {
  (void)out;
  return api->RunAsync(session, NULL, inputs, (const OrtValue* const*)&x, 1, outputs, 1, &x, NULL,
                       NULL);
}

static const struct trial trials[] = {
    TRIAL("CreateSessionFromArray SessionOptionsSetEpSelectionPolicyDelegate", with_choice,
          make_session, release_session),
    TRIAL("CreateSessionFromArray SessionOptionsSetEpSelectionPolicy", with_policy, make_session,
          release_session),
    TRIAL("CreateSessionFromArray ReleaseSession", with_options, make_session, release_session),
    TRIAL("CreateSessionFromArray with a group that is cut", with_two_providers, make_cut_session,
          release_session),
    TRIAL("Run", with_session, run, release_value),
    TRIAL("Session_GetEpGraphAssignmentInfo EpAssignedSubgraph_GetEpName "
          "EpAssignedSubgraph_GetNodes EpAssignedNode_GetName EpAssignedNode_GetDomain "
          "EpAssignedNode_GetOperatorType SetEpDynamicOptions SessionReleaseCapturedGraph",
          with_session, ask_assigned, NULL),
    {"RunAsync", with_session, refuse_async, NULL, ORT_INVALID_ARGUMENT},
    {NULL},
};

static void clean(void) {
  api->ReleaseValue(x);
  api->ReleaseSession(session);
  api->ReleaseSessionOptions(session_options);
  api->ReleaseEnv(env);
}

const struct section ep_sessions = {trials, clean};
