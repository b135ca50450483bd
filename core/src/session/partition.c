/* SPDX-License-Identifier: MIT */
/* Decides what runs each node: the providers of the options in their order, then custom ops. */
#include <stdio.h>
#include <string.h>

#include "ep/library.h"
#include "object/keyed_list.h"
#include "session/session.h"
#include "table/versions.h"

/* The work on one session. Nodes are known by the names of their outputs: these stay the same when
 * the graph is copied in another layout for a provider. */
struct partition {
  const char* function;
  OrtSession* session;
  /* The outputs of the nodes that a provider has taken; the number is that of the group of several
   * nodes, which counts from 1, or 0. */
  struct core_items taken;
  size_t group_count;
  /* While a provider gets its groups, by place in the graph: of the nodes that an earlier provider
   * has taken as one, each leads to the next one, and the last to the first. NULL where there are
   * no such groups. */
  const size_t* circles;
  /* The failure of the first provider that could not say what it takes; may be NULL. */
  OrtStatus* failed;
};

/* The name of a node's first output; NULL for a node without outputs, which need not run. */
static const char* output_of(const OrtNode* node) {
  for (size_t i = node->input_count; i < node->input_count + node->output_count; i++) {
    if (node->values[i] != NULL) {
      return node->values[i]->name;
    }
  }
  return NULL;
}

static bool is_taken(const struct partition* partition, const OrtNode* node) {
  const char* name = output_of(node);
  return name == NULL || core_items_find(&partition->taken, name, strlen(name) + 1) != NULL;
}

/* Notes that a provider has taken a group. */
static OrtStatus* take_group(struct partition* partition, const OrtcoreGroup* group) {
  size_t number = group->node_count > 1 ? ++partition->group_count : 0;
  for (size_t i = 0; i < group->node_count; i++) {
    const char* name = output_of(group->nodes[i]);
    struct core_item* item =
        name != NULL ? core_items_add(&partition->taken, name, strlen(name) + 1, NULL) : NULL;
    if (item == NULL && name != NULL) {
      return core_no_memory(partition->function, strlen(name));
    }
    if (item != NULL) {
      item->number = (int64_t)number;
    }
  }
  return NULL;
}

/* Has the nodes that earlier providers have taken as one lead to each other. */
static OrtStatus* link_groups(struct partition* partition, const OrtGraph* graph,
                              struct core_pool* pool) {
  size_t count = graph->nodes.count;
  partition->circles = NULL;
  if (partition->group_count == 0) {
    return NULL;
  }
  size_t* circles = core_pool_array(pool, count, sizeof *circles);
  size_t* ends = core_pool_array(pool, partition->group_count + 1, sizeof *ends); /* place + 1 */
  if (circles == NULL || ends == NULL) {
    return core_no_memory(partition->function, count * sizeof *circles);
  }
  for (size_t place = 0; place < count; place++) {
    const char* name = output_of(graph->nodes.items[place]);
    const struct core_item* item =
        name != NULL ? core_items_find(&partition->taken, name, strlen(name) + 1) : NULL;
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

/* --- custom ops ------------------------------------------------------------------------------- */

/* Whether an op takes the element types of a node's inputs, as far as op and model state them. */
static OrtStatus* fits(const OrtCustomOp* op, const OrtNode* node, bool* answer) {
  *answer = true;
  for (size_t i = 0; *answer && i < node->input_count; i++) {
    const OrtTensorTypeAndShapeInfo* known = NULL;
    if (node->values[i] != NULL) {
      CORE_TRY(core_known_tensor(node->values[i], &known));
    }
    *answer = core_op_takes(op, false, i,
                            known != NULL ? known->type : ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED);
  }
  return NULL;
}

/* Several ops may have one name, for other types or versions: of those that fit, the newest that
 * the graph's version of their operator set has, and of one version the first. */
static OrtStatus* find_op(const OrtSession* session, const OrtNode* node, const OrtCustomOp** out) {
  struct core_op_search search = {.ops = &session->options->custom_ops,
                                  .domain = node->domain,
                                  .name = node->op_type,
                                  .version = core_opset_version_of(node)};
  const OrtCustomOp* op;
  *out = NULL;
  while ((op = core_next_op(&search)) != NULL) {
    bool is_found = *out == NULL || core_op_is_newer(op, *out);
    if (is_found) {
      CORE_TRY(fits(op, node, &is_found));
    }
    *out = is_found ? op : *out;
  }
  return NULL;
}

/* --- which of its claims a provider gets ------------------------------------------------------ */

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

static OrtStatus* find_stretch(const struct partition* partition, const OrtcoreGroup* group,
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
  out->marks = core_pool_array(pool, count, sizeof *out->marks);
  if (out->marks == NULL) {
    return core_no_memory(partition->function, count);
  }
  for (size_t i = 0; i < group->node_count; i++) {
    *mark_of(out, group->nodes[i]) = IN_GROUP;
  }
  return NULL;
}

/* Marks a node as behind the group and queues it, with all that are taken together with it. */
static bool mark_behind(const struct partition* partition, const OrtNode* node,
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
static bool leaves_group(const struct partition* partition, const OrtNode* node,
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
static OrtStatus* is_convex(const struct partition* partition, const OrtcoreGroup* group,
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
  return has_memory ? status : core_no_memory(partition->function, size);
}

static void log_dropped(const OrtSession* session, const char* name) {
  char text[200];
  snprintf(text, sizeof text,
           "the nodes that '%.80s' takes as one depend on their own outputs through other nodes: "
           "it gets no nodes",
           name);
  core_session_log(session, ORT_LOGGING_LEVEL_WARNING, "partition.c", text);
}

/* Adds a part of a group to the groups. */
static OrtStatus* add_part(const struct partition* partition, struct core_claims* claims,
                           OrtcoreGroup part, const OrtNode* const* nodes, size_t count) {
  OrtcoreGroup* groups = (OrtcoreGroup*)claims->seen.groups;
  const OrtNode** own = heap_alloc(count * sizeof *own);
  if (own == NULL ||
      !core_grow((void**)&groups, claims->seen.group_count, &claims->capacity, sizeof *groups)) {
    heap_free(own);
    return core_no_memory(partition->function, count * sizeof *own);
  }
  claims->seen.groups = groups;
  memcpy(own, nodes, count * sizeof *own);
  part.nodes = own;
  part.node_count = count;
  groups[claims->seen.group_count++] = part;
  return NULL;
}

/* Cuts a group where other nodes stand between its own in the order of the graph: no path leaves
 * one of the parts and comes back to it, but through earlier groups. With `singly` each node is a
 * part. The parts are added, and the group is left empty. */
static OrtStatus* cut_group(const struct partition* partition, struct core_claims* claims,
                            size_t index, bool singly) {
  OrtcoreGroup group = claims->seen.groups[index];
  struct core_pool pool = {0};
  struct stretch stretch = {0};
  const OrtNode** part = core_pool_array(&pool, group.node_count, sizeof *part);
  OrtStatus* status = part == NULL
                          ? core_no_memory(partition->function, group.node_count * sizeof *part)
                          : find_stretch(partition, &group, &pool, &stretch);
  size_t count = 0;
  for (size_t i = stretch.first; status == NULL && i <= stretch.last + 1; i++) {
    const OrtNode* node = i <= stretch.last ? claims->graph->nodes.items[i] : NULL;
    bool is_own = node != NULL && *mark_of(&stretch, node) == IN_GROUP;
    if (is_own) {
      part[count++] = node;
    }
    if (count > 0 && (singly || !is_own)) {
      status = add_part(partition, claims, group, part, count);
      count = 0;
    }
  }
  core_pool_end(&pool);
  ((OrtcoreGroup*)claims->seen.groups)[index].node_count = 0;
  return status;
}

/* Removes from a group the nodes that are taken already; whether there were any. */
static bool drop_nodes(const struct partition* partition, OrtcoreGroup* group) {
  const OrtNode** nodes = (const OrtNode**)group->nodes;
  size_t kept = 0;
  for (size_t i = 0; i < group->node_count; i++) {
    if (!is_taken(partition, nodes[i])) {
      nodes[kept++] = nodes[i];
    }
  }
  bool has_dropped = kept < group->node_count;
  group->node_count = kept;
  return has_dropped;
}

/* Whether a group is convex where each earlier group counts as its nodes, which is all that a
 * provider knows. */
static OrtStatus* is_convex_alone(const struct partition* partition, const OrtcoreGroup* group,
                                  bool* answer) {
  struct partition alone = *partition;
  alone.circles = NULL;
  return is_convex(&alone, group, answer);
}

/* Removes nodes that are taken from the groups of a provider, and cuts a group that is not convex
 * without them or because of earlier groups, and a part that is not convex either. `is_fine` is
 * false if one is not convex as the provider claims it. */
static OrtStatus* fit_groups(const struct partition* partition, struct core_claims* claims,
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

/* Takes for a provider the nodes of its groups that are still free. If one group is not convex, the
 * provider gets none. */
static OrtStatus* choose_groups(struct partition* partition, OrtcoreClaims* claims,
                                const struct core_ep* ep) {
  struct core_pool pool = {0};
  size_t kept = 0;
  bool is_fine = false;
  OrtStatus* status = link_groups(partition, claims->graph, &pool);
  status = status == NULL ? fit_groups(partition, (struct core_claims*)claims, &is_fine) : status;
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

/* --- steps ------------------------------------------------------------------------------------ */

static OrtStatus* add_step(struct partition* partition, const OrtcoreNode* node, const OrtNode* of,
                           const OrtcoreCompiledNode* compiled) {
  OrtSession* session = partition->session;
  if (!core_grow((void**)&session->steps, session->step_count, &session->step_room,
                 sizeof *session->steps)) {
    return core_no_memory(partition->function, sizeof *session->steps);
  }
  struct core_step* step = &session->steps[session->step_count];
  *step = (struct core_step){.inputs = node->inputs,
                             .input_count = node->input_count,
                             .outputs = node->outputs,
                             .output_count = node->output_count,
                             .node = of,
                             .compiled = compiled,
                             .provider = compiled != NULL
                                             ? compiled->op->GetExecutionProviderType(compiled->op)
                                             : CORE_NO_PROVIDER};
  if (!session->only_compiles) {
    CORE_TRY(core_host_kernel(node, &step->kernel));
    step->kernel->node->threads = session->kernel_threads;
    step->kernel->node->pool = session->shares_threads ? &session->env->threads : &session->threads;
  }
  session->step_count++;
  return NULL;
}

static OrtStatus* add_compiled(struct partition* partition, const OrtcoreCompiled* compiled) {
  for (size_t i = 0; i < compiled->node_count; i++) {
    const OrtcoreCompiledNode* from = &compiled->nodes[i];
    const OrtcoreNode node = {.version = ORT_API_VERSION,
                              .op = from->op,
                              .domain = from->node->domain,
                              .name = from->node->name,
                              .attributes = from->attributes,
                              .attribute_count = from->attribute_count,
                              .inputs = from->inputs,
                              .input_count = from->input_count,
                              .outputs = from->outputs,
                              .output_count = from->output_count,
                              .logger = &partition->session->logger,
                              .options = partition->session->options};
    CORE_TRY(add_step(partition, &node, from->node, from));
  }
  return NULL;
}

static OrtStatus* end_initialization(void* argument) {
  const struct core_ep* ep = argument;
  OrtEp* made = ep->seen.ep;
  return made->ort_version_supported >= 27 && made->OnSessionInitializationEnd != NULL
             ? made->OnSessionInitializationEnd(made)
             : NULL;
}

/* Refuses the provider that was made last, if one before has its name. */
static OrtStatus* check_name(const OrtSession* session) {
  const char* name = core_last_ep(session)->ep->name;
  for (size_t i = 0; i + 1 < session->ep_count; i++) {
    if (strcmp(session->eps[i].ep->name, name) == 0) {
      return core_status(ORT_FAIL, "Provider ", name, " has already been registered.");
    }
  }
  return NULL;
}

/* Shows later providers, if there are any, that the last one has taken nodes. Others may have the
 * model of a session with one provider. */
static void name_last_ep(const OrtSession* session) {
  const struct core_session_ep* own = core_last_ep(session);
  bool is_seen = session->ep_count < session->options->ep_choices.count;
  for (size_t i = 0; is_seen && i < own->claims->group_count; i++) {
    const OrtcoreGroup* group = &own->claims->groups[i];
    for (size_t k = 0; k < group->node_count; k++) {
      ((OrtNode*)group->nodes[k])->provider = own->ep->name;
    }
  }
}

static bool is_context(const OrtNode* node) {
  return strcmp(node->op_type, "EPContext") == 0 && strcmp(node->domain, "com.microsoft") == 0;
}

/* Where the options want no compilation, the last provider may only take nodes for which it has
 * kernels, and what it compiled before. */
static OrtStatus* check_compilation(const OrtSession* session) {
  const struct core_session_ep* own = core_last_ep(session);
  bool is_wanted = !core_session_wants(session, "session.disable_model_compile");
  for (size_t i = 0; !is_wanted && i < own->claims->group_count; i++) {
    const OrtcoreGroup* group = &own->claims->groups[i];
    for (size_t k = 0; group->is_fused && k < group->node_count; k++) {
      if (!is_context(group->nodes[k])) {
        return core_status(ORT_MODEL_REQUIRES_COMPILATION, "The provider '", own->ep->name,
                           "' must compile nodes, which the options refuse "
                           "(session.disable_model_compile)");
      }
    }
  }
  return NULL;
}

/* Makes a provider, and has it take and compile nodes that are left. */
static OrtStatus* add_provider(struct partition* partition, const struct core_ep_choice* choice) {
  OrtSession* session = partition->session;
  struct core_session_ep* own = &session->eps[session->ep_count];
  OrtcoreEp* made = NULL;
  CORE_TRY(core_check_cancelled(session));
  CORE_TRY(core_check_weightless_devices(session, choice->devices, choice->count));
  CORE_TRY(
      core_create_ep(choice->devices, choice->count, session->options, &session->logger, &made));
  own->ep = core_ep_of(made);
  own->ep->is_of_session = true;
  session->ep_count++;
  CORE_TRY(check_name(session));
  CORE_TRY(core_ask_provider(partition->function, session));
  OrtStatus* status = core_ep_claim(made, session->last_graph, &own->claims);
  if (status != NULL) {
    /* As in ONNX Runtime, a provider that cannot say what it takes gets no nodes. */
    if (partition->failed == NULL) {
      partition->failed = status;
    } else {
      core_ep_log(&session->logger, status);
    }
    return NULL;
  }
  CORE_TRY(choose_groups(partition, own->claims, own->ep));
  if (own->claims->group_count > 0) {
    session->last_graph = ((const struct core_claims*)own->claims)->graph;
    struct core_weightless weightless = {session, choice->devices, choice->count};
    CORE_TRY(core_ep_call(partition->function, core_ask_for_weightless, &weightless));
    CORE_TRY(check_compilation(session));
    CORE_TRY(core_ep_compile(own->claims, &own->compiled));
    CORE_TRY(core_check_compiled(partition->function, session));
    CORE_TRY(add_compiled(partition, own->compiled));
    name_last_ep(session);
  }
  return core_ep_call("OnSessionInitializationEnd", end_initialization, own->ep);
}

/* --- nodes that no provider takes ------------------------------------------------------------- */

/* The names of the providers of a session, or "none". */
static void list_providers(const OrtSession* session, char* text, size_t room) {
  size_t length = (size_t)snprintf(text, room, "%s", session->ep_count > 0 ? "" : "none");
  for (size_t i = 0; i < session->ep_count && length < room; i++) {
    length += (size_t)snprintf(text + length, room - length, "%s'%.80s'", i > 0 ? ", " : "",
                               session->eps[i].ep->name);
  }
}

/* Whether all inputs are constants, so that ONNX Runtime may compute the node beforehand. */
static bool has_only_constants(const OrtNode* node) {
  for (size_t i = 0; i < node->input_count; i++) {
    if (node->values[i] != NULL && !core_is_constant(node->values[i])) {
      return false;
    }
  }
  return node->input_count > 0;
}

static OrtStatus* refuse_node(const struct partition* partition, const OrtNode* node) {
  char text[800], asked[400];
  list_providers(partition->session, asked, sizeof asked);
  if (is_context(node)) {
    snprintf(text, sizeof text,
             ": the model was compiled for an execution provider that the session does not have: "
             "EPContext node '%.100s' is not compatible with any execution provider added to the "
             "session: ",
             node->name);
    return core_status(ORT_NOT_IMPLEMENTED, partition->function, text, asked);
  }
  bool is_of_onnx = core_newest_opset(node->domain) > 0;
  bool is_unknown = is_of_onnx && core_opset_version_of(node) > 0 && core_schema_of(node) == NULL;
  snprintf(text, sizeof text,
           ": no execution provider and no custom op runs node '%.100s', which makes '%.100s': "
           "operator %.100s of the domain '%.100s'%s%s; providers asked: ",
           node->name, output_of(node), node->op_type,
           node->domain[0] == 0 ? "ai.onnx" : node->domain,
           is_unknown ? ", which the model's version of it does not have" : "",
           has_only_constants(node) ? ", whose inputs are constants: other libraries may compute "
                                      "such a node beforehand, this one does not"
                                    : "");
  return core_status(is_unknown ? ORT_INVALID_GRAPH : ORT_NOT_IMPLEMENTED, partition->function,
                     text, asked);
}

/* Makes the kernel of a custom op for a node that no provider takes. */
static OrtStatus* add_custom_op(struct partition* partition, const OrtNode* node) {
  OrtSession* session = partition->session;
  const OrtCustomOp* op;
  CORE_TRY(find_op(session, node, &op));
  if (op == NULL || node->subgraphs.count > 0) {
    return refuse_node(partition, node);
  }
  if (core_session_wants(session, "session.disable_cpu_ep_fallback")) {
    return core_status(ORT_FAIL, "No provider takes the node '", node->name,
                       "', and the options refuse the CPU for it "
                       "(session.disable_cpu_ep_fallback)");
  }
  size_t count = node->input_count + node->output_count;
  OrtcoreOperand* operands = core_pool_array(&session->pool, count, sizeof *operands);
  if (operands == NULL) {
    return core_no_memory(partition->function, count * sizeof *operands);
  }
  for (size_t i = 0; i < count; i++) {
    const OrtValueInfo* value = node->values[i];
    bool with_constant = value != NULL && core_is_constant(value);
    CORE_TRY(core_describe_operand(partition->function, value, with_constant, &operands[i]));
  }
  const OrtcoreNode made = {.version = ORT_API_VERSION,
                            .op = op,
                            .domain = node->domain,
                            .name = node->name,
                            .attributes = (const OrtOpAttr* const*)node->attributes.items,
                            .attribute_count = node->attributes.count,
                            .inputs = operands,
                            .input_count = node->input_count,
                            .outputs = operands + node->input_count,
                            .output_count = node->output_count,
                            .logger = &session->logger,
                            .options = session->options};
  return add_step(partition, &made, node, NULL);
}

/* A node that stays in a compiled model. What its subgraphs read must be there before it, too. */
static OrtStatus* add_left(struct partition* partition, const OrtNode* node) {
  size_t inputs = node->input_count + node->implicit_inputs.count;
  size_t count = inputs + node->output_count;
  OrtcoreOperand* operands = core_pool_array(&partition->session->pool, count, sizeof *operands);
  if (operands == NULL) {
    return core_no_memory(partition->function, count * sizeof *operands);
  }
  for (size_t i = 0; i < count; i++) {
    const OrtValueInfo* value = i < node->input_count ? node->values[i]
                                : i < inputs ? node->implicit_inputs.items[i - node->input_count]
                                             : node->values[i - node->implicit_inputs.count];
    CORE_TRY(core_describe_operand(partition->function, value, false, &operands[i]));
  }
  const OrtcoreNode left = {.inputs = operands,
                            .input_count = inputs,
                            .outputs = operands + inputs,
                            .output_count = node->output_count};
  return add_step(partition, &left, node, NULL);
}

static OrtStatus* add_rest(struct partition* partition) {
  const OrtSession* session = partition->session;
  const struct core_list* nodes = &session->last_graph->nodes;
  for (size_t i = 0; i < nodes->count; i++) {
    const OrtNode* node = nodes->items[i];
    if (!is_taken(partition, node)) {
      CORE_TRY(session->only_compiles ? add_left(partition, node) : add_custom_op(partition, node));
    }
  }
  return NULL;
}

/* If nothing runs a node, the likely reason is that a provider failed: its status is returned
 * instead. Otherwise that is logged only. */
static OrtStatus* explain(const struct partition* partition, OrtStatus* status) {
  if (partition->failed != NULL && ort_GetErrorCode(status) == ORT_NOT_IMPLEMENTED) {
    ort_ReleaseStatus(status);
    return partition->failed;
  }
  core_ep_log(&partition->session->logger, partition->failed);
  return status;
}

OrtStatus* core_partition(const char* function, OrtSession* session) {
  const struct core_list* choices = &session->options->ep_choices;
  struct partition partition = {.function = function, .session = session};
  session->last_graph = session->graph;
  session->eps = core_pool_array(&session->pool, choices->count, sizeof *session->eps);
  OrtStatus* status =
      session->eps != NULL ? NULL : core_no_memory(function, choices->count * sizeof *session->eps);
  for (size_t i = 0; status == NULL && i < choices->count; i++) {
    status = add_provider(&partition, choices->items[i]);
  }
  status = status == NULL ? add_rest(&partition) : status;
  core_items_end(&partition.taken);
  return explain(&partition, status);
}
