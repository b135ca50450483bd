/* SPDX-License-Identifier: MIT */
/* What a session asks the provider that it has made last, and checks of it. */
#include "ep/library.h"
#include "session/session.h"

static OrtStatus* ask_concurrency(void* argument) {
  OrtSession* session = argument;
  OrtEp* ep = core_last_ep(session)->ep->seen.ep;
  bool is_supported = true;
  if (ep->ort_version_supported >= 24 && ep->IsConcurrentRunSupported != NULL) {
    CORE_TRY(ep->IsConcurrentRunSupported(ep, &is_supported));
  }
  session->runs_alone |= !is_supported;
  return NULL;
}

/* If the options have a function that takes compiled data (ep_context.write), refuses a provider
 * that cannot call it. */
static OrtStatus* ask_for_writing(void* argument) {
  OrtSession* session = argument;
  const struct core_ep* own = core_last_ep(session)->ep;
  OrtEp* ep = own->seen.ep;
  uint32_t flags = 0;
  if (!session->makes_contexts || session->options->settings.ep_context.write == NULL) {
    return NULL;
  }
  if (ep->ort_version_supported >= 31 && ep->GetEpContextDataCallbackSupport != NULL) {
    CORE_TRY(ep->GetEpContextDataCallbackSupport(ep, &flags));
  }
  return (flags & 2) != 0
             ? NULL
             : core_status(ORT_FAIL,
                           "EP '%s' does not support the registered EPContext data write callback.",
                           own->name);
}

/* For a compiled model, a provider must have made a node EPContext for each node that it fused. */
static OrtStatus* check_contexts(const struct core_session_ep* own) {
  for (size_t i = 0; i < own->compiled->node_count; i++) {
    const OrtcoreCompiledNode* node = &own->compiled->nodes[i];
    CORE_RETURN_IF(node->node->graph == NULL && node->context_node == NULL,
                   core_status(ORT_FAIL, "%s: OrtEp::Compile() returned a NULL EPContext node.",
                               own->ep->name));
  }
  return NULL;
}

/* Notes what a provider marks compiled models with, for its factory to read. */
static OrtStatus* note_mark(void* argument) {
  OrtSession* session = argument;
  const struct core_ep* own = core_last_ep(session)->ep;
  OrtEp* ep = own->seen.ep;
  char key[300];
  const char* mark =
      ep->ort_version_supported >= 23 && ep->GetCompiledModelCompatibilityInfo != NULL
          ? ep->GetCompiledModelCompatibilityInfo(ep, session->graph)
          : NULL;
  if (mark == NULL || mark[0] == 0) {
    return NULL;
  }
  int size = snprintf(key, sizeof key, "ep_compatibility_info.%s", own->name);
  return size < (int)sizeof key &&
                 core_items_add(&session->context_entries, key, (size_t)size + 1, mark) == NULL
             ? core_no_memory((size_t)size)
             : NULL;
}

OrtStatus* core_ask_provider(OrtSession* session) {
  CORE_TRY(core_ep_call(NULL, ask_concurrency, session));
  return core_ep_call(NULL, ask_for_writing, session);
}

OrtStatus* core_check_compiled(OrtSession* session) {
  if (!session->makes_contexts) {
    return NULL;
  }
  CORE_TRY(check_contexts(core_last_ep(session)));
  CORE_TRY(core_ep_call(NULL, note_mark, session));
  return core_note_weightless(session);
}

/* A call of each provider in turn; the first failure ends it. */
struct call {
  const OrtSession* session;
  const char* const* keys;
  const char* const* values;
  size_t count;
  int graph;
};

static OrtStatus* set_options(void* argument) {
  const struct call* self = argument;
  for (size_t i = 0; i < self->session->ep_count; i++) {
    OrtEp* ep = self->session->eps[i].ep->seen.ep;
    if (ep->SetDynamicOptions != NULL) {
      CORE_TRY(ep->SetDynamicOptions(ep, self->keys, self->values, self->count));
    }
  }
  return NULL;
}

static OrtStatus* release_graph(void* argument) {
  const struct call* self = argument;
  for (size_t i = 0; i < self->session->ep_count; i++) {
    OrtEp* ep = self->session->eps[i].ep->seen.ep;
    if (ep->ort_version_supported >= 28 && ep->ReleaseCapturedGraph != NULL) {
      CORE_TRY(ep->ReleaseCapturedGraph(ep, self->graph));
    }
  }
  return NULL;
}

CORE_SLOT(ort_SetEpDynamicOptions, OrtSession* sess, const char* const* keys,
          const char* const* values, size_t kv_len) {
  CORE_FAIL_IF(kv_len == 0, ORT_INVALID_ARGUMENT, "SetEpDynamicOptions: kv_len must not be 0");
  struct call call = {sess, keys, values, kv_len, 0};
  return core_ep_call("SetDynamicOptions", set_options, &call);
}

CORE_SLOT(ort_SessionReleaseCapturedGraph, OrtSession* session, int graph_annotation_id) {
  struct call call = {.session = session, .graph = graph_annotation_id};
  return core_ep_call("ReleaseCapturedGraph", release_graph, &call);
}
