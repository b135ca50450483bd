/* SPDX-License-Identifier: MIT */
/* The guide's provider, which lies as its words say. */
#ifndef ORTCFFI_TESTS_PROVIDER_LIES_H_
#define ORTCFFI_TESTS_PROVIDER_LIES_H_

#include "provider.h"

static int lies(const void* provider, const char* word) { return asks(maker_of(provider), word); }

/* What happened, for tests: states and infos that are not released yet, and ends of runs. */
ORT_EXPORT int LyingStates = 0;
ORT_EXPORT int LyingInfos = 0;
ORT_EXPORT int LyingEnds = 0;

static OrtStatus* ORT_API_CALL claim(OrtEp* self, const OrtGraph* graph,
                                     OrtEpGraphSupportInfo* info) {
  const OrtNode* nodes[16];
  size_t number = 0;
  if (lies(self, "no-claims")) return fail("it does not know what it takes");
  TRY(api->Graph_GetNumNodes(graph, &number));
  if (lies(self, "twice")) TRY(get_capability(self, graph, info));
  int is_single = lies(self, "one-node") || lies(self, "middle");
  if (!is_single && !lies(self, "around") && !lies(self, "each")) {
    return get_capability(self, graph, info);
  }
  TRY(api->Graph_GetNodes(graph, nodes, 16));
  size_t first = lies(self, "middle") ? number / 2 : 0;
  if (lies(self, "around")) nodes[1] = nodes[number - 1];
  size_t taken = is_single ? 1 : lies(self, "around") ? 2 : number; /* as one */
  return ep_api->EpGraphSupportInfo_AddNodesToFuse(info, &nodes[first], taken, NULL);
}

static OrtStatus* ORT_API_CALL compile_less(OrtEp* self, const OrtGraph** graphs,
                                            const OrtNode** nodes, size_t number,
                                            OrtNodeComputeInfo** infos, OrtNode** contexts) {
  size_t made = lies(self, "one-info")     ? number - 1
                : lies(self, "each-infos") ? 3 /* the nodes of the group */
                : lies(self, "more-infos") ? number + 1
                                           : 0;
  LyingInfos += (int)made;
  return compile(self, graphs, nodes, made, infos, contexts);
}
static void ORT_API_CALL uncount_infos(OrtEp* self, OrtNodeComputeInfo** infos, size_t number) {
  for (size_t i = 0; i < number; i++) LyingInfos -= infos[i] != NULL;
  release_infos(self, infos, number);
}

static OrtStatus* ORT_API_CALL compile_and_write(OrtEp* self, const OrtGraph** graphs,
                                                 const OrtNode** nodes, size_t number,
                                                 OrtNodeComputeInfo** infos, OrtNode** contexts) {
  OrtNode* node = NULL;
  TRY(compile(self, graphs, nodes, number, infos, contexts));
  if (lies(self, "one-context")) {
    TRY(api->GetModelEditorApi()->CreateNode("EPContext", "com.microsoft", "context", NULL, 0, NULL,
                                             0, NULL, 0, &node));
  }
  for (size_t i = 0; i < number; i++) {
    if (lies(self, "own-context")) { /* that of a node which ends with the view */
      TRY(api->Graph_GetNodes(graphs[i], (const OrtNode**)&node, 1));
    }
    contexts[lies(self, "more-context") ? number : i] =
        lies(self, "given-context") ? (OrtNode*)nodes[i] : node;
    graphs[i] = NULL;
    nodes[i] = NULL;
  }
  return NULL;
}

static OrtStatus* ORT_API_CALL compute_nothing(OrtNodeComputeInfo* self, void* state,
                                               OrtKernelContext* context) {
  return (void)self, (void)state, (void)context, NULL;
}
static OrtStatus* ORT_API_CALL count_state(OrtNodeComputeInfo* self, OrtNodeComputeContext* context,
                                           void** state) {
  LyingStates++;
  return create_state(self, context, state);
}
static OrtStatus* ORT_API_CALL throw_state(OrtNodeComputeInfo* self, OrtNodeComputeContext* context,
                                           void** state) {
  return (void)self, (void)context, (void)state, throw_it();
}
static void ORT_API_CALL uncount_state(OrtNodeComputeInfo* self, void* state) {
  LyingStates--;
  release_state(self, state);
}

static void change_info(const OrtEp* ep, OrtNodeComputeInfo* info) {
  if (lies(ep, "no-output")) {
    info->Compute = compute_nothing;
  } else if (lies(ep, "no-release")) {
    info->ReleaseState = NULL;
  } else {
    info->CreateState = lies(ep, "throws-state") ? throw_state
                        : lies(ep, "no-state")   ? NULL
                                                 : count_state;
    info->ReleaseState = uncount_state;
    if (lies(ep, "no-compute")) info->Compute = NULL;
  }
}
static OrtStatus* ORT_API_CALL compile_otherwise(OrtEp* self, const OrtGraph** graphs,
                                                 const OrtNode** nodes, size_t number,
                                                 OrtNodeComputeInfo** infos, OrtNode** contexts) {
  TRY(compile(self, graphs, nodes, number, infos, contexts));
  for (size_t i = 0; i < number; i++) change_info(self, infos[i]);
  return NULL;
}

static OrtStatus* ORT_API_CALL refuse_session(OrtEp* self) {
  return (void)self, fail("it does not like the session");
}
static OrtStatus* ORT_API_CALL throw_sync(OrtEp* self) { return (void)self, throw_it(); }
static OrtStatus* ORT_API_CALL begin_run(OrtEp* self, const OrtRunOptions* options) {
  return (void)options, lies(self, "no-start") ? fail("it does not begin") : NULL;
}
static OrtStatus* ORT_API_CALL count_end(OrtEp* self, const OrtRunOptions* options, bool sync) {
  (void)options, (void)sync;
  LyingEnds++;
  if (lies(self, "no-end")) return fail("it does not end");
  return lies(self, "throws-end") ? throw_it() : NULL;
}
static OrtStatus* ORT_API_CALL one_at_a_time(OrtEp* self, bool* answer) {
  return (void)self, *answer = false, NULL;
}
static OrtStatus* ORT_API_CALL set_options(OrtEp* self, const char* const* keys,
                                           const char* const* values, size_t number) {
  (void)self, (void)number;
  return strcmp(keys[0], "known") == 0 ? NULL : api->CreateStatus(ORT_INVALID_ARGUMENT, values[0]);
}

static void with_lies(OrtEp* made) {
  made->GetCapability = claim;
  made->SetDynamicOptions = set_options;
  made->OnRunStart = begin_run;
  made->OnRunEnd = count_end;
  if (lies(made, "info")) {
    made->Compile = compile_less;
    made->ReleaseNodeComputeInfos = uncount_infos;
  }
  if (lies(made, "arguments")) made->Compile = compile_and_write;
  if (lies(made, "state") || lies(made, "no-output")) made->Compile = compile_otherwise;
  if (lies(made, "throws-sync")) made->Sync = throw_sync;
  if (lies(made, "no-session")) made->OnSessionInitializationEnd = refuse_session;
  if (lies(made, "alone")) made->IsConcurrentRunSupported = one_at_a_time;
}

#endif /* ORTCFFI_TESTS_PROVIDER_LIES_H_ */
