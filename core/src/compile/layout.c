/* SPDX-License-Identifier: MIT */
/* Providers that read and write the channels last (NHWC): which nodes of their claims change. */

#include "compile/ep.h"
#include "ep/library.h"

/* A question to a provider, about one node or about all. */
struct asking {
  OrtEp* ep;
  const OrtNode* node;
  OrtEpDataLayout layout;
  int should_convert;
};

CORE_EP_CALLER(ask_layout, struct asking, self->ep->GetPreferredDataLayout(self->ep, &self->layout))

CORE_EP_CALLER(ask_node, struct asking,
               self->ep->ShouldConvertDataLayoutForOp(self->ep, self->node->domain,
                                                      self->node->op_type, self->layout,
                                                      &self->should_convert))

/* Operators of ONNX whose meaning depends on which dimension the channels are. */
static bool depends_on_layout(const OrtNode* node) {
  static const char* const names[] = {
      "AveragePool",   "BatchNormalization",
      "Conv",          "ConvInteger",
      "ConvTranspose", "DepthToSpace",
      "GridSample",    "GlobalAveragePool",
      "GlobalLpPool",  "GlobalMaxPool",
      "LRN",           "InstanceNormalization",
      "LpPool",        "MaxPool",
      "MaxRoiPool",    "MaxUnpool",
      "QLinearConv",   "Resize",
      "SpaceToDepth",
  };
  size_t i = 0;
  while (i < CORE_COUNT_OF(names) && strcmp(names[i], node->op_type) != 0) {
    i++;
  }
  return node->domain[0] == 0 && i < CORE_COUNT_OF(names);
}

/* A Transpose that an earlier change has added, which is of no file, stays as it is. */
static OrtStatus* is_to_change(struct asking* asking, const OrtNode* node, bool* answer) {
  *answer = false;
  if (node->bytes.at == NULL || node->provider[0] != 0 ||
      strcmp(node->domain, CORE_CHANNELS_LAST) == 0 || node->input_count == 0 ||
      node->output_count == 0 || node->values[0] == NULL ||
      node->values[node->input_count] == NULL) {
    return NULL;
  }
  asking->node = node;
  asking->should_convert = -1;
  if (asking->ep->ShouldConvertDataLayoutForOp != NULL) {
    CORE_TRY(core_ep_call("ShouldConvertDataLayoutForOp", ask_node, asking));
  }
  *answer =
      asking->should_convert == 1 || (asking->should_convert == -1 && depends_on_layout(node));
  return NULL;
}

/* Lists the numbers of the nodes that change, in the order of the claims. */
static OrtStatus* choose(const struct core_claims* claims, struct asking* asking,
                         struct core_pool* pool, size_t** out, size_t* count) {
  size_t room = 0;
  bool answer;
  for (size_t i = 0; i < claims->seen.group_count; i++) {
    room += claims->seen.groups[i].node_count;
  }
  size_t* ids = core_pool_array(pool, room, sizeof *ids);
  bool* is_chosen = core_pool_array(pool, claims->graph->node_numbers, sizeof *is_chosen);
  CORE_RETURN_IF(ids == NULL || is_chosen == NULL, core_no_memory(room * sizeof *ids));
  for (size_t i = 0; i < claims->seen.group_count; i++) {
    const OrtcoreGroup* group = &claims->seen.groups[i];
    for (size_t k = 0; k < group->node_count; k++) {
      CORE_TRY(is_to_change(asking, group->nodes[k], &answer));
      if (answer && !is_chosen[group->nodes[k]->id]) {
        is_chosen[group->nodes[k]->id] = true;
        ids[(*count)++] = group->nodes[k]->id;
      }
    }
  }
  *out = ids;
  return NULL;
}

/* Shows in a new graph which nodes the provider has claimed, and which earlier ones have taken. */
static OrtStatus* name_providers(const struct core_claims* claims, OrtGraph* graph) {
  size_t known = claims->graph->node_numbers; /* nodes that are new have higher numbers */
  const char** names = core_pool_array(&graph->pool, known, sizeof *names);
  CORE_NEED_MEMORY(names, known * sizeof *names);
  for (size_t i = 0; i < claims->graph->nodes.count; i++) {
    const OrtNode* node = claims->graph->nodes.items[i];
    names[node->id] = node->provider;
  }
  for (size_t g = 0; g < claims->seen.group_count; g++) {
    for (size_t k = 0; k < claims->seen.groups[g].node_count; k++) {
      const OrtNode* node = claims->seen.groups[g].nodes[k];
      names[node->id] = node->provider[0] != 0 ? node->provider : claims->ep->name;
    }
  }
  for (size_t i = 0; i < graph->nodes.count; i++) {
    OrtNode* node = graph->nodes.items[i];
    node->provider = node->id < known ? names[node->id] : "";
  }
  return NULL;
}

OrtStatus* core_prefer_layout(const struct core_claims* claims, OrtGraph** out) {
  struct asking asking = {.ep = claims->ep->seen.ep, .layout = OrtEpDataLayout_NCHW};
  struct core_pool pool = {0};
  size_t *ids = NULL, count = 0;
  OrtGraph* made = NULL;
  *out = NULL;
  if (claims->graph->parent != NULL || claims->graph->source != NULL ||
      asking.ep->GetPreferredDataLayout == NULL) {
    return NULL;
  }
  CORE_TRY(core_ep_call("GetPreferredDataLayout", ask_layout, &asking));
  if (asking.layout != OrtEpDataLayout_NHWC) {
    return NULL;
  }
  OrtStatus* status = choose(claims, &asking, &pool, &ids, &count);
  if (status == NULL && count > 0) {
    status = core_move_channels(claims->graph, ids, count, &made);
  }
  if (status == NULL && made != NULL) {
    status = name_providers(claims, made);
  }
  core_pool_end(&pool);
  CORE_HAND_OUT(status, made, out);
}
