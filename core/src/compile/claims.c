/* SPDX-License-Identifier: MIT */
/* OrtEpGraphSupportInfo: the nodes of a graph that a provider takes. */

#include "compile/ep.h"
#include "ep/library.h"

static void forget_groups(struct core_claims* claims) {
  for (size_t i = 0; i < claims->seen.group_count; i++) {
    heap_free((void*)claims->seen.groups[i].nodes);
  }
  claims->seen.group_count = 0;
}

static void end_claims(void* block) {
  struct core_claims* claims = block;
  forget_groups(claims);
  heap_free((void*)claims->seen.groups);
  core_drop(claims->own_graph);
  core_drop(&claims->ep->object);
}

static const struct core_class claims_class = {
    .kind = CORE_EP_CLAIMS, .offset = offsetof(struct core_claims, object), .end = end_claims};

/* The node of a graph that a provider means: the node itself, or the one that it is a view's copy
 * of. NULL for a node of another graph. */
static const OrtNode* node_in(const OrtGraph* graph, const OrtNode* node) {
  const OrtGraph* of = node != NULL ? node->graph : NULL;
  if (of == graph) {
    return node;
  }
  while (of != NULL && of != graph) {
    of = of->source;
  }
  for (size_t i = 0; of != NULL && i < graph->nodes.count; i++) {
    const OrtNode* own = graph->nodes.items[i];
    if (own->id == node->id) {
      return own;
    }
  }
  return NULL;
}

OrtStatus* core_add_group(struct core_claims* claims, OrtcoreGroup group,
                          const OrtNode* const* nodes, size_t count) {
  OrtcoreGroup* groups = (OrtcoreGroup*)claims->seen.groups;
  const OrtNode** own = core_copy_bytes(nodes, count * sizeof *own);
  if (own == NULL ||
      !core_grow((void**)&groups, claims->seen.group_count, &claims->capacity, sizeof *groups)) {
    heap_free(own);
    return core_no_memory(count * sizeof *own);
  }
  claims->seen.groups = groups;
  group.nodes = own;
  group.node_count = count;
  groups[claims->seen.group_count++] = group;
  return NULL;
}

static OrtStatus* add_group(const OrtEpGraphSupportInfo* info, const OrtNode* const* nodes,
                            size_t count, OrtcoreGroup group) {
  struct core_claims* claims = info->claims;
  CORE_TRY(core_add_group(claims, group, nodes, count));
  const OrtNode** own = (const OrtNode**)claims->seen.groups[claims->seen.group_count - 1].nodes;
  for (size_t i = 0; i < count; i++) {
    own[i] = node_in(info->graph, nodes[i]);
    if (own[i] == NULL) {
      heap_free(own);
      claims->seen.group_count--;
      return core_fail(ORT_FAIL, "a node is not of the graph of the call");
    }
  }
  return NULL;
}

CORE_SLOT(ort_ep_EpGraphSupportInfo_AddNodesToFuse, OrtEpGraphSupportInfo* graph_support_info,
          const OrtNode* const* nodes, size_t num_nodes,
          const OrtNodeFusionOptions* node_fusion_options) {
  CORE_REQUIRE_IN_CALL(EpGraphSupportInfo_AddNodesToFuse, graph_support_info);
  CORE_FAIL_IF(num_nodes == 0, ORT_INVALID_ARGUMENT,
               "EpGraphSupportInfo_AddNodesToFuse: num_nodes must not be 0");
  const OrtcoreGroup group = {.is_fused = 1,
                              .drops_constants = node_fusion_options != NULL &&
                                                 node_fusion_options->drop_constant_initializers};
  return add_group(graph_support_info, nodes, num_nodes, group);
}

CORE_SLOT(ort_ep_EpGraphSupportInfo_AddSingleNode, OrtEpGraphSupportInfo* graph_support_info,
          const OrtNode* node) {
  CORE_REQUIRE_IN_CALL(EpGraphSupportInfo_AddSingleNode, graph_support_info);
  return add_group(graph_support_info, &node, 1, (OrtcoreGroup){0});
}

static OrtStatus* get_capability(void* argument) {
  struct core_claims* claims = argument;
  OrtEp* ep = claims->ep->seen.ep;
  const OrtGraph* graph = claims->graph;
  if (!core_closes_shown_graphs() || graph->parent != NULL) {
    return ep->GetCapability(ep, graph, &claims->info);
  }
  const struct core_view how = {.name = graph->name};
  OrtGraph* view = NULL;
  CORE_TRY(core_make_view(graph, (const OrtNode* const*)graph->nodes.items, graph->nodes.count,
                          &how, &view));
  OrtStatus* status = ep->GetCapability(ep, view, &claims->info);
  core_end_view(view);
  return status;
}

static void set_graph(struct core_claims* claims, const OrtGraph* graph) {
  claims->graph = claims->seen.graph = graph;
  claims->info = (OrtEpGraphSupportInfo){graph, claims};
}

/* Shows the provider the subgraphs of a graph, the innermost ones first, as ONNX Runtime does. What
 * it takes in them is ignored, and so is a failure: a node with subgraphs is run whole, by the
 * provider that takes it. */
static void show_subgraphs(struct core_claims* claims, const OrtGraph* graph) {
  for (size_t i = 0; i < graph->nodes.count; i++) {
    const OrtNode* node = graph->nodes.items[i];
    for (size_t k = 0; node->provider[0] == 0 && k < node->subgraphs.count; k++) {
      const OrtGraph* inner = node->subgraphs.items[k];
      show_subgraphs(claims, inner);
      if (inner->nodes.count > 0) {
        set_graph(claims, inner);
        core_ep_log(NULL, core_ep_call("GetCapability", get_capability, claims));
        forget_groups(claims);
      }
    }
  }
}

/* Asks what the provider takes, and once more if it prefers another layout for that. */
static OrtStatus* ask_all(struct core_claims* claims, const OrtGraph* graph) {
  show_subgraphs(claims, graph);
  set_graph(claims, graph);
  if (graph->nodes.count == 0) {
    return NULL;
  }
  CORE_TRY(core_ep_call("GetCapability", get_capability, claims));
  CORE_TRY(core_prefer_layout(claims, &claims->own_graph));
  if (claims->own_graph == NULL) {
    return NULL;
  }
  forget_groups(claims);
  set_graph(claims, claims->own_graph);
  CORE_TRY(core_ep_call("GetCapability", get_capability, claims));
  for (size_t i = 0; i < claims->own_graph->nodes.count; i++) {
    OrtNode* node = claims->own_graph->nodes.items[i];
    node->provider = node->provider == claims->ep->name ? "" : node->provider;
  }
  return NULL;
}

OrtStatus* ORT_API_CALL core_ep_claim(OrtcoreEp* ep, const OrtGraph* graph, OrtcoreClaims** out) {
  CORE_REQUIRE(ortcore_ep_claim, ep, graph, out);
  CORE_FAIL_IF(core_is_edited(graph), ORT_INVALID_ARGUMENT,
               "ortcore_ep_claim: graph must be the graph of a model");
  struct core_claims* claims = core_new_object(&claims_class, sizeof *claims);
  CORE_RETURN_IF(claims == NULL, CORE_OUT_OF_MEMORY(ortcore_ep_claim, sizeof *claims));
  claims->ep = core_ep_of(ep);
  core_retain(&claims->ep->object);
  OrtStatus* status = ask_all(claims, graph);
  claims->info.graph = NULL;
  CORE_TRY_OR(core_named("ortcore_ep_claim", status), core_drop(&claims->object));
  *out = &claims->seen;
  return NULL;
}

void ORT_API_CALL core_release_claims(OrtcoreClaims* claims) {
  core_drop(claims != NULL ? &((struct core_claims*)claims)->object : NULL);
}
