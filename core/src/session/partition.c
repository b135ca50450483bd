/* SPDX-License-Identifier: MIT */
/* Decides what runs each node: the providers of the options in their order, then custom ops. */

#include "ep/library.h"
#include "session/session.h"
#include "table/versions.h"

/* --- steps ------------------------------------------------------------------------------------ */

static OrtStatus* add_step(struct core_partition* partition, const OrtcoreNode* node,
                           const OrtNode* of, const OrtcoreCompiledNode* compiled) {
  OrtSession* session = partition->session;
  CORE_RETURN_IF(!core_grow((void**)&session->steps, session->step_count, &session->step_room,
                            sizeof *session->steps),
                 core_no_memory(sizeof *session->steps));
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

/* What a kernel is made of; the outputs are behind the inputs. */
static OrtcoreNode node_for(const OrtSession* session, const OrtNode* of, const OrtCustomOp* op,
                            const OrtcoreOperand* operands) {
  return (OrtcoreNode){.version = ORT_API_VERSION,
                       .op = op,
                       .domain = of->domain,
                       .name = of->name,
                       .attributes = (const OrtOpAttr* const*)of->attributes.items,
                       .attribute_count = of->attributes.count,
                       .inputs = operands,
                       .input_count = of->input_count,
                       .outputs = operands + of->input_count,
                       .output_count = of->output_count,
                       .logger = &session->logger,
                       .options = session->options};
}

static OrtStatus* add_compiled(struct core_partition* partition, const OrtcoreCompiled* compiled) {
  for (size_t i = 0; i < compiled->node_count; i++) {
    const OrtcoreCompiledNode* from = &compiled->nodes[i];
    const OrtcoreNode node = node_for(partition->session, from->node, from->op, from->inputs);
    CORE_TRY(add_step(partition, &node, from->node, from));
  }
  return NULL;
}

CORE_EP_CALLER(end_initialization, OrtEp,
               self->ort_version_supported >= 27 && self->OnSessionInitializationEnd != NULL
                   ? self->OnSessionInitializationEnd(self)
                   : NULL)

/* Refuses the provider that was made last, if one before has its name. */
static OrtStatus* check_name(const OrtSession* session) {
  const char* name = core_last_ep(session)->ep->name;
  for (size_t i = 0; i + 1 < session->ep_count; i++) {
    CORE_RETURN_IF(strcmp(session->eps[i].ep->name, name) == 0,
                   core_status(ORT_FAIL, "Provider %s has already been registered.", name));
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
      CORE_RETURN_IF(!is_context(group->nodes[k]),
                     core_status(ORT_MODEL_REQUIRES_COMPILATION,
                                 "The provider '%s' must compile nodes, which the options refuse "
                                 "(session.disable_model_compile)",
                                 own->ep->name));
    }
  }
  return NULL;
}

/* Makes a provider, and has it take and compile nodes that are left. */
static OrtStatus* add_provider(struct core_partition* partition,
                               const struct core_ep_choice* choice) {
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
  CORE_TRY(core_ask_provider(session));
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
  CORE_TRY(core_choose_groups(partition, own->claims, own->ep));
  if (own->claims->group_count > 0) {
    session->last_graph = ((const struct core_claims*)own->claims)->graph;
    struct core_weightless weightless = {session, choice->devices, choice->count};
    CORE_TRY(core_ep_call(NULL, core_ask_for_weightless, &weightless));
    CORE_TRY(check_compilation(session));
    CORE_TRY(core_ep_compile(own->claims, &own->compiled));
    CORE_TRY(core_check_compiled(session));
    CORE_TRY(add_compiled(partition, own->compiled));
    name_last_ep(session);
  }
  return core_ep_call("OnSessionInitializationEnd", end_initialization, own->ep->seen.ep);
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

/* Nodes that nothing runs, of one operator. */
struct left {
  const OrtNode* first;
  size_t count;
};

/* Counts the nodes that nothing runs, by operator, and returns how many operators there are: as
 * many as there is room for. */
static size_t count_left(const struct core_partition* partition, struct left* left, size_t room) {
  const struct core_list* nodes = &partition->session->last_graph->nodes;
  size_t count = 0;
  for (size_t i = 0; i < nodes->count; i++) {
    const OrtNode* node = nodes->items[i];
    struct core_misfit misfit;
    if (core_is_taken(partition, node) || core_op_of_node(node, &misfit) != NULL) {
      continue;
    }
    size_t k = 0;
    while (k < count && (strcmp(left[k].first->op_type, node->op_type) != 0 ||
                         strcmp(left[k].first->domain, node->domain) != 0)) {
      k++;
    }
    if (k == count && count < room) {
      left[count++] = (struct left){node, 0};
    }
    if (k < count) {
      left[k].count++;
    }
  }
  return count;
}

/* Lists the operators that nothing runs, each with its count and a node; "" for a single node. */
static void list_left(const struct core_partition* partition, char* text, size_t room) {
  struct left left[16];
  size_t count = count_left(partition, left, CORE_COUNT_OF(left));
  size_t length = 0;
  text[0] = 0;
  for (size_t i = 0; i < count && length < room && (count > 1 || left[0].count > 1); i++) {
    const OrtNode* node = left[i].first;
    length += (size_t)snprintf(text + length, room - length, "%s%s%s%.40s (%zu, such as '%.40s')",
                               i == 0 ? "; nodes left: " : ", ", node->domain,
                               node->domain[0] != 0 ? "." : "", node->op_type, left[i].count,
                               core_first_output(node));
  }
}

static OrtStatus* refuse_node(const struct core_partition* partition, const OrtNode* node) {
  char asked[400], left[700];
  list_providers(partition->session, asked, sizeof asked);
  CORE_REFUSE_IF(
      is_context(node), ORT_NOT_IMPLEMENTED,
      "the model was compiled for an execution provider that the session does not have: "
      "EPContext node '%.100s' is not compatible with any execution provider added to the "
      "session: %s",
      node->name, asked);
  list_left(partition, left, sizeof left);
  bool is_of_onnx = core_newest_opset(node->domain) > 0;
  bool is_unknown = is_of_onnx && core_opset_version_of(node) > 0 && core_schema_of(node) == NULL;
  return core_fail(
      is_unknown ? ORT_INVALID_GRAPH : ORT_NOT_IMPLEMENTED,
      "no execution provider and no custom op runs node '%.100s', which makes '%.100s': "
      "operator %.100s of the domain '%.100s'%s%s%s; providers asked: %s",
      node->name, core_first_output(node), node->op_type,
      node->domain[0] == 0 ? "ai.onnx" : node->domain,
      is_unknown                         ? ", which the model's version of it does not have"
      : core_is_function(node)           ? ", a function of the model, which nobody computes here"
      : core_opset_version_of(node) == 0 ? " (Error No opset import for domain)"
                                         : "",
      has_only_constants(node) ? ", whose inputs are constants: other libraries may compute "
                                 "such a node beforehand, this one does not"
                               : "",
      left, asked);
}

static OrtStatus* refuse_misfit(const OrtNode* node, const struct core_misfit* misfit) {
  return core_fail(ORT_INVALID_GRAPH,
                   "Error Node (%.100s) %s: it does not fit the custom op %.100s of the domain "
                   "'%.100s'",
                   node->name, misfit->text, node->op_type, node->domain);
}

static OrtStatus* describe(OrtSession* session, const OrtNode* node, bool with_constants,
                           OrtcoreOperand** out) {
  CORE_TAKE_ARRAY(&session->pool, *out, node->input_count + node->output_count);
  return core_describe_operands(node, with_constants, *out);
}

/* Makes the kernel of a custom op for a node that no provider takes. */
static OrtStatus* add_custom_op(struct core_partition* partition, const OrtNode* node) {
  OrtSession* session = partition->session;
  struct core_misfit misfit;
  const OrtCustomOp* op = core_op_of_node(node, &misfit);
  CORE_RETURN_IF(op == NULL && misfit.text[0] != 0, refuse_misfit(node, &misfit));
  CORE_RETURN_IF(op == NULL || node->subgraphs.count > 0, refuse_node(partition, node));
  CORE_RETURN_IF(
      core_session_wants(session, "session.disable_cpu_ep_fallback"),
      core_status(ORT_FAIL,
                  "No provider takes the node '%s', and the options refuse the CPU for it "
                  "(session.disable_cpu_ep_fallback)",
                  node->name));
  OrtcoreOperand* operands;
  CORE_TRY(describe(session, node, true, &operands));
  const OrtcoreNode made = node_for(session, node, op, operands);
  return add_step(partition, &made, node, NULL);
}

/* A node that stays in a compiled model. What its subgraphs read must be there before it, too. */
static OrtStatus* add_left(struct core_partition* partition, const OrtNode* node) {
  OrtSession* session = partition->session;
  const OrtNode* whole;
  OrtcoreOperand* operands;
  CORE_TRY(core_copy_whole(&session->pool, node, &whole));
  CORE_TRY(describe(session, whole, false, &operands));
  const OrtcoreNode left = node_for(session, whole, NULL, operands);
  return add_step(partition, &left, node, NULL);
}

static OrtStatus* add_rest(struct core_partition* partition) {
  const OrtSession* session = partition->session;
  const struct core_list* nodes = &session->last_graph->nodes;
  for (size_t i = 0; i < nodes->count; i++) {
    const OrtNode* node = nodes->items[i];
    if (!core_is_taken(partition, node)) {
      CORE_TRY(session->only_compiles ? add_left(partition, node) : add_custom_op(partition, node));
    }
  }
  return NULL;
}

/* If nothing runs a node, the likely reason is that a provider failed: its status is returned
 * instead. Otherwise that is logged only. */
static OrtStatus* explain(const struct core_partition* partition, OrtStatus* status) {
  if (partition->failed != NULL && ort_GetErrorCode(status) == ORT_NOT_IMPLEMENTED) {
    ort_ReleaseStatus(status);
    return partition->failed;
  }
  core_ep_log(&partition->session->logger, partition->failed);
  return status;
}

OrtStatus* core_partition(OrtSession* session) {
  const struct core_list* choices = &session->options->ep_choices;
  struct core_partition partition = {.session = session};
  session->last_graph = session->graph;
  session->eps = core_pool_array(&session->pool, choices->count, sizeof *session->eps);
  OrtStatus* status =
      session->eps != NULL ? NULL : core_no_memory(choices->count * sizeof *session->eps);
  for (size_t i = 0; status == NULL && i < choices->count; i++) {
    status = add_provider(&partition, choices->items[i]);
  }
  CORE_THEN(status, add_rest(&partition));
  core_items_end(&partition.taken);
  return explain(&partition, status);
}
