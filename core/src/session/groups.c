/* SPDX-License-Identifier: MIT */
/* Which of its claims a provider gets: groups of nodes that are still free, and that no path leaves
 * and comes back to. */

#include "session/session.h"

const char* core_first_output(const OrtNode* node) {
  for (size_t i = node->input_count; i < node->input_count + node->output_count; i++) {
    if (node->values[i] != NULL) {
      return node->values[i]->name;
    }
  }
  return NULL;
}

bool core_is_taken(const struct core_partition* partition, const OrtNode* node) {
  const char* name = core_first_output(node);
  return name == NULL || core_items_named(&partition->taken, name) != NULL;
}

/* Notes that a provider has taken a group. */
static OrtStatus* take_group(struct core_partition* partition, const OrtcoreGroup* group) {
  size_t number = group->node_count > 1 ? ++partition->group_count : 0;
  for (size_t i = 0; i < group->node_count; i++) {
    const char* name = core_first_output(group->nodes[i]);
    struct core_item* item =
        name != NULL ? core_items_add(&partition->taken, name, strlen(name) + 1, NULL) : NULL;
    CORE_RETURN_IF(item == NULL && name != NULL, core_no_memory(strlen(name)));
    if (item != NULL) {
      item->number = (int64_t)number;
    }
  }
  return NULL;
}

/* Has the nodes that earlier providers have taken as one lead to each other. */
static OrtStatus* link_groups(struct core_partition* partition, const OrtGraph* graph,
                              struct core_pool* pool) {
  size_t count = graph->nodes.count;
  partition->circles = NULL;
  if (partition->group_count == 0) {
    return NULL;
  }
  size_t* circles = core_pool_array(pool, count, sizeof *circles);
  size_t* ends = core_pool_array(pool, partition->group_count + 1, sizeof *ends); /* place + 1 */
  CORE_RETURN_IF(circles == NULL || ends == NULL, core_no_memory(count * sizeof *circles));
  for (size_t place = 0; place < count; place++) {
    const char* name = core_first_output(graph->nodes.items[place]);
    const struct core_item* item = name != NULL ? core_items_named(&partition->taken, name) : NULL;
    size_t number = item != NULL ? (size_t)item->number : 0;
    circles[place] = place;
    if (number > 0 && ends[number] > 0) {
      circles[place] = circles[ends[number] - 1];
      circles[ends[number] - 1] = place;
    }
    ends[number] = place + 1;
  }
  partition->circles = circles;
  return NULL;
}

enum mark { NOT_SEEN, IN_GROUP, BEHIND_GROUP };

/* The part of a graph from the first node of a group to its last one, and the mark of each node. It
 * is all of the graph where earlier groups may lead back to any node. */
struct stretch {
  size_t first, last;
  uint8_t* marks;
};

static uint8_t* mark_of(const struct stretch* stretch, const OrtNode* node) {
  return &stretch->marks[node->place - stretch->first];
}

static OrtStatus* find_stretch(const struct core_partition* partition, const OrtcoreGroup* group,
                               struct core_pool* pool, struct stretch* out) {
  *out = (struct stretch){.first = SIZE_MAX};
  for (size_t i = 0; i < group->node_count; i++) {
    size_t place = group->nodes[i]->place;
    out->first = place < out->first ? place : out->first;
    out->last = place > out->last ? place : out->last;
  }
  if (partition->circles != NULL) {
    *out = (struct stretch){.last = group->nodes[0]->graph->nodes.count - 1};
  }
  size_t count = out->last - out->first + 1;
  CORE_TAKE_ARRAY(pool, out->marks, count);
  for (size_t i = 0; i < group->node_count; i++) {
    *mark_of(out, group->nodes[i]) = IN_GROUP;
  }
  return NULL;
}

/* Marks a node as behind the group and queues it, with all that are taken together with it. */
static bool mark_behind(const struct core_partition* partition, const OrtNode* node,
                        const struct stretch* stretch, struct core_list* queue) {
  const struct core_list* nodes = &node->graph->nodes;
  size_t at = node->place;
  bool has_memory = true;
  do {
    *mark_of(stretch, nodes->items[at]) = BEHIND_GROUP;
    has_memory = has_memory && core_list_add(queue, nodes->items[at]);
    at = partition->circles != NULL ? partition->circles[at] : at;
  } while (at != node->place);
  return has_memory;
}

/* Marks the nodes that use the outputs of a node, and queues them; false if the node is behind the
 * group and one that uses its outputs is in the group. Nodes after the last one of the group do not
 * lead back to it, unless earlier groups do. */
static bool leaves_group(const struct core_partition* partition, const OrtNode* node,
                         const struct stretch* stretch, struct core_list* queue, bool* has_memory) {
  bool is_behind = *mark_of(stretch, node) == BEHIND_GROUP;
  for (size_t i = node->input_count; i < node->input_count + node->output_count; i++) {
    const OrtValueInfo* value = node->values[i];
    for (size_t k = 0; value != NULL && k < value->use_count; k++) {
      const OrtNode* user = value->uses[k].node;
      if (user->place > stretch->last) {
        continue;
      }
      uint8_t mark = *mark_of(stretch, user);
      if (mark == IN_GROUP && is_behind) {
        return false;
      }
      if (mark == NOT_SEEN) {
        *has_memory = *has_memory && mark_behind(partition, user, stretch, queue);
      }
    }
  }
  return true;
}

/* Whether no path leaves a group of nodes and comes back to it. The group becomes one step, which
 * would have to wait for itself otherwise. */
static OrtStatus* is_convex(const struct core_partition* partition, const OrtcoreGroup* group,
                            bool* answer) {
  struct core_pool pool = {0};
  struct core_list queue = {0};
  struct stretch stretch = {0};
  *answer = true;
  OrtStatus* status = find_stretch(partition, group, &pool, &stretch);
  bool has_memory = true;
  for (size_t i = 0; status == NULL && has_memory && i < group->node_count; i++) {
    has_memory = core_list_add(&queue, (void*)group->nodes[i]);
  }
  for (size_t i = 0; has_memory && *answer && i < queue.count; i++) {
    *answer = leaves_group(partition, queue.items[i], &stretch, &queue, &has_memory);
  }
  size_t size = queue.count * sizeof *queue.items;
  core_list_end(&queue);
  core_pool_end(&pool);
  return has_memory ? status : core_no_memory(size);
}

static void log_dropped(const OrtSession* session, const char* name) {
  core_session_log(session, ORT_LOGGING_LEVEL_WARNING, "groups.c",
                   "the nodes that '%.80s' takes as one depend on their own outputs through other "
                   "nodes: it gets no nodes",
                   name);
}

/* Cuts a group where other nodes stand between its own in the order of the graph: no path leaves
 * one of the parts and comes back to it, but through earlier groups. With `singly` each node is a
 * part. The parts are added, and the group is left empty. */
static OrtStatus* cut_group(const struct core_partition* partition, struct core_claims* claims,
                            size_t index, bool singly) {
  OrtcoreGroup group = claims->seen.groups[index];
  struct core_pool pool = {0};
  struct stretch stretch = {0};
  const OrtNode** part = core_pool_array(&pool, group.node_count, sizeof *part);
  OrtStatus* status = part == NULL ? core_no_memory(group.node_count * sizeof *part)
                                   : find_stretch(partition, &group, &pool, &stretch);
  size_t count = 0;
  for (size_t i = stretch.first; status == NULL && i <= stretch.last + 1; i++) {
    const OrtNode* node = i <= stretch.last ? claims->graph->nodes.items[i] : NULL;
    bool is_own = node != NULL && *mark_of(&stretch, node) == IN_GROUP;
    if (is_own) {
      part[count++] = node;
    }
    if (count > 0 && (singly || !is_own)) {
      status = core_add_group(claims, group, part, count);
      count = 0;
    }
  }
  core_pool_end(&pool);
  ((OrtcoreGroup*)claims->seen.groups)[index].node_count = 0;
  return status;
}

/* Removes from a group the nodes that are taken already; whether there were any. */
static bool drop_nodes(const struct core_partition* partition, OrtcoreGroup* group) {
  const OrtNode** nodes = (const OrtNode**)group->nodes;
  size_t kept = 0;
  for (size_t i = 0; i < group->node_count; i++) {
    if (!core_is_taken(partition, nodes[i])) {
      nodes[kept++] = nodes[i];
    }
  }
  bool has_dropped = kept < group->node_count;
  group->node_count = kept;
  return has_dropped;
}

/* Whether a group is convex where each earlier group counts as its nodes, which is all that a
 * provider knows. */
static OrtStatus* is_convex_alone(const struct core_partition* partition, const OrtcoreGroup* group,
                                  bool* answer) {
  struct core_partition alone = *partition;
  alone.circles = NULL;
  return is_convex(&alone, group, answer);
}

/* Removes nodes that are taken from the groups of a provider, and cuts a group that is not convex
 * without them or because of earlier groups, and a part that is not convex either. `is_fine` is
 * false if one is not convex as the provider claims it. */
static OrtStatus* fit_groups(const struct core_partition* partition, struct core_claims* claims,
                             bool* is_fine) {
  *is_fine = true;
  for (size_t i = 0; *is_fine && i < claims->seen.group_count; i++) {
    OrtcoreGroup* group = (OrtcoreGroup*)&claims->seen.groups[i];
    bool has_dropped = drop_nodes(partition, group);
    if (group->node_count > 1) {
      CORE_TRY(is_convex(partition, group, is_fine));
    }
    if (*is_fine) {
      continue;
    }
    CORE_TRY(is_convex_alone(partition, group, is_fine));
    if (*is_fine || has_dropped) {
      CORE_TRY(cut_group(partition, claims, i, *is_fine));
      *is_fine = true;
    }
  }
  return NULL;
}

OrtStatus* core_choose_groups(struct core_partition* partition, OrtcoreClaims* claims,
                              const struct core_ep* ep) {
  struct core_pool pool = {0};
  size_t kept = 0;
  bool is_fine = false;
  OrtStatus* status = link_groups(partition, claims->graph, &pool);
  CORE_THEN(status, fit_groups(partition, (struct core_claims*)claims, &is_fine));
  partition->circles = NULL;
  core_pool_end(&pool);
  CORE_TRY(status);
  OrtcoreGroup* groups = (OrtcoreGroup*)claims->groups;
  if (!is_fine) {
    log_dropped(partition->session, ep->name);
    for (; kept < claims->group_count; kept++) {
      heap_free((void*)groups[kept].nodes);
    }
    claims->group_count = 0;
    return NULL;
  }
  for (size_t i = 0; i < claims->group_count; i++) {
    OrtcoreGroup group = groups[i];
    groups[i].nodes = NULL;
    /* Again: groups of one provider may share nodes. */
    drop_nodes(partition, &group);
    if (group.node_count == 0) {
      heap_free((void*)group.nodes);
      continue;
    }
    groups[kept++] = group;
    CORE_TRY(take_group(partition, &group));
  }
  claims->group_count = kept;
  return NULL;
}
