/* SPDX-License-Identifier: MIT */
/* Which provider runs which nodes of a session, if its options ask for that record. */
#include <string.h>

#include "session/session.h"

/* Nodes that were given to a provider together. An OrtEpAssignedNode is the OrtNode itself. */
struct OrtEpAssignedSubgraph {
  const char* provider;
  const OrtNode* const* nodes;
  size_t count;
};

static void list_groups(OrtSession* session, struct OrtEpAssignedSubgraph* list) {
  for (size_t i = 0; i < session->ep_count; i++) {
    const OrtcoreClaims* claims = session->eps[i].claims;
    for (size_t k = 0; claims != NULL && k < claims->group_count; k++) {
      const OrtcoreGroup* group = &claims->groups[k];
      list[session->assigned_count++] =
          (struct OrtEpAssignedSubgraph){session->eps[i].ep->name, group->nodes, group->node_count};
    }
  }
}

OrtStatus* core_note_assigned(const char* function, OrtSession* session) {
  const char* wanted = core_config_get(&session->options->lists[CORE_SESSION_CONFIG],
                                       "session.record_ep_graph_assignment_info");
  if (wanted == NULL || strcmp(wanted, "1") != 0) {
    return NULL;
  }
  size_t count = session->step_count;
  struct OrtEpAssignedSubgraph* list = core_pool_array(&session->pool, count, sizeof *list);
  session->assigned = core_pool_array(&session->pool, count, sizeof(void*));
  /* Pointers to nodes, not to steps: those move when they are put in order. */
  const OrtNode** nodes = core_pool_array(&session->pool, count, sizeof *nodes);
  if (list == NULL || session->assigned == NULL || nodes == NULL) {
    return core_no_memory(function, count * sizeof *list);
  }
  list_groups(session, list);
  /* The steps of providers come first, one for each group. */
  for (size_t i = session->assigned_count; i < count; i++) {
    nodes[i] = session->steps[i].node;
    list[i] = (struct OrtEpAssignedSubgraph){CORE_NO_PROVIDER, &nodes[i], 1};
  }
  for (size_t i = 0; i < count; i++) {
    session->assigned[i] = &list[i];
  }
  session->assigned_count = count;
  return NULL;
}

ORT_API_STATUS_IMPL(ort_Session_GetEpGraphAssignmentInfo, const OrtSession* session,
                    const OrtEpAssignedSubgraph* const** ep_subgraphs, size_t* num_ep_subgraphs) {
  CORE_REQUIRE(Session_GetEpGraphAssignmentInfo, session, ep_subgraphs, num_ep_subgraphs);
  if (session->assigned == NULL) {
    CORE_FAIL(ORT_FAIL,
              "Session_GetEpGraphAssignmentInfo: Session configuration entry "
              "\"session.record_ep_graph_assignment_info\" must be set to \"1\"");
  }
  *ep_subgraphs = session->assigned;
  *num_ep_subgraphs = session->assigned_count;
  return NULL;
}

ORT_API_STATUS_IMPL(ort_EpAssignedSubgraph_GetEpName, const OrtEpAssignedSubgraph* ep_subgraph,
                    const char** out) {
  CORE_REQUIRE(EpAssignedSubgraph_GetEpName, ep_subgraph, out);
  *out = ep_subgraph->provider;
  return NULL;
}

ORT_API_STATUS_IMPL(ort_EpAssignedSubgraph_GetNodes, const OrtEpAssignedSubgraph* ep_subgraph,
                    const OrtEpAssignedNode* const** ep_nodes, size_t* num_ep_nodes) {
  CORE_REQUIRE(EpAssignedSubgraph_GetNodes, ep_subgraph, ep_nodes, num_ep_nodes);
  *ep_nodes = (const OrtEpAssignedNode* const*)ep_subgraph->nodes;
  *num_ep_nodes = ep_subgraph->count;
  return NULL;
}

ORT_API_STATUS_IMPL(ort_EpAssignedNode_GetName, const OrtEpAssignedNode* ep_node,
                    const char** out) {
  CORE_REQUIRE(EpAssignedNode_GetName, ep_node, out);
  *out = ((const OrtNode*)ep_node)->name;
  return NULL;
}

ORT_API_STATUS_IMPL(ort_EpAssignedNode_GetDomain, const OrtEpAssignedNode* ep_node,
                    const char** out) {
  CORE_REQUIRE(EpAssignedNode_GetDomain, ep_node, out);
  *out = ((const OrtNode*)ep_node)->domain;
  return NULL;
}

ORT_API_STATUS_IMPL(ort_EpAssignedNode_GetOperatorType, const OrtEpAssignedNode* ep_node,
                    const char** out) {
  CORE_REQUIRE(EpAssignedNode_GetOperatorType, ep_node, out);
  *out = ((const OrtNode*)ep_node)->op_type;
  return NULL;
}
