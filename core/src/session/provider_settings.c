/* SPDX-License-Identifier: MIT */
/* Settings for the providers of a session that has been made. */
#include "ep/library.h"
#include "session/session.h"

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
