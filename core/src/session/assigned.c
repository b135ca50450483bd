/* SPDX-License-Identifier: MIT */
/* Which provider runs which nodes of a session: the record that its options may ask for, and the
 * log. */

#include "session/session.h"

/* Nodes that were given to a provider together. An OrtEpAssignedNode is the OrtNode itself. */
struct OrtEpAssignedSubgraph {
  const char* provider;
  const OrtNode* const* nodes;
  size_t count;
};

/* Lists what providers have taken; returns how many subgraphs that are. */
static size_t list_groups(const OrtSession* session, struct OrtEpAssignedSubgraph* list) {
  size_t count = 0;
  for (size_t i = 0; i < session->ep_count; i++) {
    const OrtcoreClaims* claims = session->eps[i].claims;
    for (size_t k = 0; claims != NULL && k < claims->group_count; k++) {
      const OrtcoreGroup* group = &claims->groups[k];
      list[count++] =
          (struct OrtEpAssignedSubgraph){session->eps[i].ep->name, group->nodes, group->node_count};
    }
  }
  return count;
}

#define LOG(session, ...) \
  core_session_log(session, ORT_LOGGING_LEVEL_VERBOSE, "assigned.c", __VA_ARGS__)

static void log_nodes(const OrtSession* session, const struct OrtEpAssignedSubgraph* subgraph) {
  for (size_t i = 0; i < subgraph->count; i++) {
    const OrtNode* node = subgraph->nodes[i];
    LOG(session, "  %.100s (%.180s)", node->op_type, node->name);
  }
}

/* Logs in the form of ONNX Runtime, which people search logs for. The subgraphs of each provider
 * are next to each other. */
static void log_placements(const OrtSession* session, const struct OrtEpAssignedSubgraph* list,
                           size_t count) {
  LOG(session, "Node placements");
  for (size_t first = 0, end; first < count; first = end) {
    size_t nodes = 0;
    for (end = first; end < count && list[end].provider == list[first].provider; end++) {
      nodes += list[end].count;
    }
    bool has_all = first == 0 && end == count;
    LOG(session, " %s placed on [%.100s]. Number of nodes: %zu", has_all ? "All nodes" : "Node(s)",
        list[first].provider, nodes);
    for (size_t i = first; i < end && !has_all; i++) {
      log_nodes(session, &list[i]);
    }
  }
}

OrtStatus* core_note_assigned(OrtSession* session) {
  bool is_recorded = core_session_wants(session, "session.record_ep_graph_assignment_info");
  bool is_logged = core_logger_takes(&session->logger, ORT_LOGGING_LEVEL_VERBOSE);
  if (!is_recorded && !is_logged) {
    return NULL;
  }
  size_t count = session->step_count;
  struct OrtEpAssignedSubgraph* list = core_pool_array(&session->pool, count, sizeof *list);
  const OrtEpAssignedSubgraph** assigned = core_pool_array(&session->pool, count, sizeof *assigned);
  /* Pointers to nodes, not to steps: those move when they are put in order. */
  const OrtNode** nodes = core_pool_array(&session->pool, count, sizeof *nodes);
  CORE_RETURN_IF(list == NULL || assigned == NULL || nodes == NULL,
                 core_no_memory(count * sizeof *list));
  /* The steps of providers come first, one for each group. */
  for (size_t i = list_groups(session, list); i < count; i++) {
    nodes[i] = session->steps[i].node;
    list[i] = (struct OrtEpAssignedSubgraph){CORE_NO_PROVIDER, &nodes[i], 1};
  }
  if (is_logged) {
    log_placements(session, list, count);
  }
  for (size_t i = 0; i < count; i++) {
    assigned[i] = &list[i];
  }
  session->assigned = is_recorded ? assigned : NULL;
  session->assigned_count = count;
  return NULL;
}

CORE_SLOT(ort_Session_GetEpGraphAssignmentInfo, const OrtSession* session,
          const OrtEpAssignedSubgraph* const** ep_subgraphs, size_t* num_ep_subgraphs) {
  CORE_FAIL_IF(session->assigned == NULL, ORT_FAIL,
               "Session_GetEpGraphAssignmentInfo: Session configuration entry "
               "'session.record_ep_graph_assignment_info' must be set to \"1\"");
  *ep_subgraphs = session->assigned;
  *num_ep_subgraphs = session->assigned_count;
  return NULL;
}

CORE_GETTER(ort_EpAssignedSubgraph_GetEpName, const char*, ep_subgraph->provider,
            const OrtEpAssignedSubgraph* ep_subgraph)

CORE_PAIR_GETTER(ort_EpAssignedSubgraph_GetNodes, const OrtEpAssignedNode* const*,
                 (const OrtEpAssignedNode* const*)ep_subgraph->nodes, size_t, ep_subgraph->count,
                 const OrtEpAssignedSubgraph* ep_subgraph)
CORE_GETTER(ort_EpAssignedNode_GetName, const char*, ((const OrtNode*)ep_node)->name,
            const OrtEpAssignedNode* ep_node)
CORE_GETTER(ort_EpAssignedNode_GetDomain, const char*, ((const OrtNode*)ep_node)->domain,
            const OrtEpAssignedNode* ep_node)
CORE_GETTER(ort_EpAssignedNode_GetOperatorType, const char*, ((const OrtNode*)ep_node)->op_type,
            const OrtEpAssignedNode* ep_node)
