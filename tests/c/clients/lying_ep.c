/* SPDX-License-Identifier: MIT */
/* The execution provider of the guide, which lies as the words of its registration say. */
#include <unwind.h>

#define CreateEpFactories CreateHonestFactories
#include "../../../docs/guide/add_ep.c"
#undef CreateEpFactories

OrtStatus* CreateEpFactories(const char* name, const OrtApiBase* base, const OrtLogger* logger,
                             OrtEpFactory** factories, size_t room, size_t* count);

static const Factory* of(const void* ep) { return ((const Provider*)ep)->factory; }
static int lies(const void* ep, const char* word) { return strstr(of(ep)->name, word) != NULL; }

/* What happened, for tests: states and infos that are not released yet, and ends of runs. */
int LyingStates = 0;
int LyingInfos = 0;
int LyingEnds = 0;

/* What a throw does in C++, which the guide's provider is not written in. */
static OrtStatus* throw_it(void) {
  static __thread struct _Unwind_Exception thrown;
  memset(&thrown, 0, sizeof thrown);
  _Unwind_RaiseException(&thrown);
  return NULL;
}

static OrtStatus* claim(OrtEp* self, const OrtGraph* graph, OrtEpGraphSupportInfo* info) {
  const OrtApi* api = of(self)->api;
  const OrtEpApi* ep_api = of(self)->ep_api;
  const OrtNode* nodes[16];
  size_t count = 0;
  if (lies(self, "no-claims")) {
    return api->CreateStatus(ORT_EP_FAIL, "it does not know what it takes");
  }
  OrtStatus* status = api->Graph_GetNumNodes(graph, &count);
  if (status == NULL && (lies(self, "one-node") || lies(self, "middle"))) {
    size_t place = lies(self, "middle") ? count / 2 : 0;
    status = api->Graph_GetNodes(graph, nodes, 16);
    return status != NULL ? status
                          : ep_api->EpGraphSupportInfo_AddNodesToFuse(info, &nodes[place], 1, NULL);
  }
  if (status == NULL && lies(self, "twice")) {
    status = get_capability(self, graph, info);
  }
  if (status == NULL && lies(self, "around")) { /* the first and the last node as one */
    status = api->Graph_GetNodes(graph, nodes, 16);
    nodes[1] = nodes[count - 1];
    return status != NULL ? status
                          : ep_api->EpGraphSupportInfo_AddNodesToFuse(info, nodes, 2, NULL);
  }
  if (status == NULL && lies(self, "each")) { /* all as one */
    status = api->Graph_GetNodes(graph, nodes, 16);
    return status != NULL ? status
                          : ep_api->EpGraphSupportInfo_AddNodesToFuse(info, nodes, count, NULL);
  }
  return status != NULL ? status : get_capability(self, graph, info);
}

static OrtStatus* compile_less(OrtEp* self, const OrtGraph** graphs, const OrtNode** nodes,
                               size_t count, OrtNodeComputeInfo** infos, OrtNode** contexts) {
  size_t made = lies(self, "one-info")     ? count - 1
                : lies(self, "each-infos") ? 3 /* the nodes of the group */
                : lies(self, "more-infos") ? count + 1
                                           : 0;
  LyingInfos += (int)made;
  return compile(self, graphs, nodes, made, infos, contexts);
}

static void uncount_infos(OrtEp* self, OrtNodeComputeInfo** infos, size_t count) {
  for (size_t i = 0; i < count; i++) {
    LyingInfos -= infos[i] != NULL;
  }
  release_infos(self, infos, count);
}

static OrtStatus* compile_and_write(OrtEp* self, const OrtGraph** graphs, const OrtNode** nodes,
                                    size_t count, OrtNodeComputeInfo** infos, OrtNode** contexts) {
  OrtStatus* status = compile(self, graphs, nodes, count, infos, contexts);
  OrtNode* node = NULL;
  if (status == NULL && lies(self, "one-context")) {
    status = of(self)->api->GetModelEditorApi()->CreateNode("EPContext", "com.microsoft", "context",
                                                            NULL, 0, NULL, 0, NULL, 0, &node);
  }
  for (size_t i = 0; status == NULL && i < count; i++) {
    if (lies(self, "own-context")) { /* that of a node which ends with the view */
      status = of(self)->api->Graph_GetNodes(graphs[i], (const OrtNode**)&node, 1);
    }
    contexts[lies(self, "more-context") ? count : i] =
        lies(self, "given-context") ? (OrtNode*)nodes[i] : node;
    graphs[i] = NULL;
    nodes[i] = NULL;
  }
  return status;
}

static OrtStatus* compute_nothing(OrtNodeComputeInfo* self, void* state,
                                  OrtKernelContext* context) {
  return (void)self, (void)state, (void)context, NULL;
}

static OrtStatus* compile_nothing(OrtEp* self, const OrtGraph** graphs, const OrtNode** nodes,
                                  size_t count, OrtNodeComputeInfo** infos, OrtNode** contexts) {
  OrtStatus* status = compile(self, graphs, nodes, count, infos, contexts);
  for (size_t i = 0; status == NULL && i < count; i++) {
    infos[i]->Compute = compute_nothing;
  }
  return status;
}

static OrtStatus* throw_state(OrtNodeComputeInfo* self, OrtNodeComputeContext* context,
                              void** state) {
  return (void)self, (void)context, (void)state, throw_it();
}
static OrtStatus* count_state(OrtNodeComputeInfo* self, OrtNodeComputeContext* context,
                              void** state) {
  LyingStates++;
  return create_state(self, context, state);
}
static void uncount_state(OrtNodeComputeInfo* self, void* state) {
  LyingStates--;
  release_state(self, state);
}

static OrtStatus* compile_states(OrtEp* self, const OrtGraph** graphs, const OrtNode** nodes,
                                 size_t count, OrtNodeComputeInfo** infos, OrtNode** contexts) {
  OrtStatus* status = compile(self, graphs, nodes, count, infos, contexts);
  for (size_t i = 0; status == NULL && i < count; i++) {
    if (lies(self, "no-release")) {
      infos[i]->ReleaseState = NULL;
      continue;
    }
    infos[i]->CreateState = lies(self, "throws-state") ? throw_state : count_state;
    infos[i]->ReleaseState = uncount_state;
    if (lies(self, "no-state")) {
      infos[i]->CreateState = NULL;
    }
    if (lies(self, "no-compute")) {
      infos[i]->Compute = NULL;
    }
  }
  return status;
}

static OrtStatus* refuse_session(OrtEp* self) {
  return of(self)->api->CreateStatus(ORT_EP_FAIL, "it does not like the session");
}
static OrtStatus* throw_sync(OrtEp* self) { return (void)self, throw_it(); }
static OrtStatus* count_end(OrtEp* self, const OrtRunOptions* options, bool sync) {
  (void)options, (void)sync;
  LyingEnds++;
  return lies(self, "throws-end") ? throw_it() : NULL;
}

static OrtStatus* refuse_run(OrtEp* self, const OrtRunOptions* options) {
  return (void)options, of(self)->api->CreateStatus(ORT_EP_FAIL, "it does not begin");
}
static OrtStatus* refuse_end(OrtEp* self, const OrtRunOptions* options, bool sync) {
  return (void)options, (void)sync, of(self)->api->CreateStatus(ORT_EP_FAIL, "it does not end");
}
static OrtStatus* one_at_a_time(OrtEp* self, bool* answer) {
  return (void)self, *answer = false, NULL;
}
static OrtStatus* set_options(OrtEp* self, const char* const* keys, const char* const* values,
                              size_t count) {
  (void)count;
  return strcmp(keys[0], "known") == 0
             ? NULL
             : of(self)->api->CreateStatus(ORT_INVALID_ARGUMENT, values[0]);
}

static OrtStatus* create_liar(OrtEpFactory* self, const OrtHardwareDevice* const* devices,
                              const OrtKeyValuePairs* const* metadata, size_t count,
                              const OrtSessionOptions* options, const OrtLogger* logger,
                              OrtEp** ep) {
  OrtStatus* status = create_ep(self, devices, metadata, count, options, logger, ep);
  if (status != NULL) {
    return status;
  }
  OrtEp* made = *ep;
  made->ort_version_supported = 27;
  made->GetCapability = claim;
  made->SetDynamicOptions = set_options;
  if (lies(made, "info")) {
    made->Compile = compile_less;
    made->ReleaseNodeComputeInfos = uncount_infos;
  }
  if (lies(made, "arguments")) made->Compile = compile_and_write;
  if (lies(made, "no-output")) made->Compile = compile_nothing;
  if (lies(made, "no-start")) made->OnRunStart = refuse_run;
  if (lies(made, "no-end")) made->OnRunEnd = refuse_end;
  if (lies(made, "ends")) made->OnRunEnd = count_end;
  if (lies(made, "throws-end")) made->OnRunEnd = count_end;
  if (lies(made, "throws-sync")) made->Sync = throw_sync;
  if (lies(made, "state")) made->Compile = compile_states;
  if (lies(made, "no-session")) made->OnSessionInitializationEnd = refuse_session;
  if (lies(made, "alone")) made->IsConcurrentRunSupported = one_at_a_time;
  return NULL;
}

OrtStatus* CreateEpFactories(const char* name, const OrtApiBase* base, const OrtLogger* logger,
                             OrtEpFactory** factories, size_t room, size_t* count) {
  OrtStatus* status = CreateHonestFactories(name, base, logger, factories, room, count);
  if (status == NULL) {
    factories[0]->CreateEp = create_liar;
    if (strstr(name, "two-factories") != NULL) {
      factories[(*count)++] = factories[0];
    }
  }
  return status;
}
