/* SPDX-License-Identifier: MIT */
/* Has a provider compile what it takes of a graph, and finds its kernels for single nodes. */

#include "compile/ep.h"
#include "compile/device.h"
#include "ep/library.h"

struct compiled {
  struct OrtcoreCompiled seen;
  struct core_object object;
  struct core_ep* ep;
  /** The constants of the nodes are the model's. */
  OrtModel* model;
  /** The graph of the claims, where they made it; a reference. */
  OrtGraph* graph;
  /** Both have `seen.node_count` places, fused nodes first. */
  struct core_compiled_node* nodes;
  struct OrtcoreCompiledNode* answers;
  /** The arguments of Compile: `fused_count` of each. Infos and contexts have `room` places, so
   * that a provider that gives one for each node that it takes is found. */
  size_t fused_count;
  size_t room;
  OrtNodeComputeInfo** infos;
  OrtNode** contexts;
  const OrtGraph** views;
  const OrtNode** fused;
  /** Copies, to which the provider may write. */
  const OrtGraph** given_views;
  const OrtNode** given_nodes;
  /** The memory of all arrays here and of the nodes. */
  struct core_pool pool;
};

/* The number of places of an array up to the last that is not NULL. */
static size_t count_given(void* const* array, size_t room) {
  while (room > 0 && array[room - 1] == NULL) {
    room--;
  }
  return room;
}

/* Releases all infos in one call, if there are any. */
static OrtStatus* release_infos(void* argument) {
  struct compiled* compiled = argument;
  OrtEp* ep = compiled->ep->seen.ep;
  size_t count = count_given((void* const*)compiled->infos, compiled->room);
  if (count > 0 && ep->ReleaseNodeComputeInfos != NULL) {
    count = count > compiled->fused_count ? count : compiled->fused_count;
    ep->ReleaseNodeComputeInfos(ep, compiled->infos, count);
  }
  return NULL;
}

static void end_compiled(void* block) {
  struct compiled* compiled = block;
  if (compiled->infos != NULL) {
    core_ep_log(core_logger_of_ep(compiled->ep),
                core_ep_call("ReleaseNodeComputeInfos", release_infos, compiled));
  }
  for (size_t i = 0; compiled->contexts != NULL && i < compiled->room; i++) {
    core_drop(compiled->contexts[i]);
  }
  for (size_t i = 0; compiled->nodes != NULL && i < compiled->seen.node_count; i++) {
    const struct core_compiled_node* node = &compiled->nodes[i];
    for (size_t k = 0; node->constants != NULL && k < node->node->input_count; k++) {
      ort_ReleaseValue(node->constants[k]);
    }
    core_drop(node->kernel.def);
  }
  core_pool_end(&compiled->pool);
  core_drop(&compiled->ep->object);
  core_drop(compiled->graph);
  core_drop(compiled->model);
}

static const struct core_class compiled_class = {
    .kind = CORE_EP_COMPILED, .offset = offsetof(struct compiled, object), .end = end_compiled};

static OrtStatus* make_room(struct compiled* compiled) {
  size_t count = compiled->seen.node_count, fused = compiled->fused_count;
  struct core_pool* pool = &compiled->pool;
  CORE_TAKE_ARRAY(pool, compiled->nodes, count);
  CORE_TAKE_ARRAY(pool, compiled->answers, count);
  CORE_TAKE_ARRAY(pool, compiled->contexts, compiled->room);
  CORE_TAKE_ARRAY(pool, compiled->views, fused);
  CORE_TAKE_ARRAY(pool, compiled->fused, fused);
  CORE_TAKE_ARRAY(pool, compiled->given_views, fused);
  CORE_TAKE_ARRAY(pool, compiled->given_nodes, fused);
  CORE_TAKE_ARRAY(pool, compiled->infos, compiled->room);
  return NULL;
}

/* A number that differs between models, for the names of compiled graphs. */
static uint64_t hash_of(const OrtModel* model) {
  size_t size = core_message_size(model->graph_bytes);
  uint64_t hash = 1469598103934665603U ^ size;
  for (size_t i = 0; i < size && i < 4096; i++) {
    hash = (hash ^ model->graph_bytes.at[i]) * 1099511628211U;
  }
  return hash;
}

/* Has a provider keep a fused node; false where there is no memory. Threads may have it compile at
 * once. */
static bool keep_fused(struct core_ep* ep, OrtGraph* fused) {
  core_lock(CORE_LOCK_KERNELS);
  bool is_kept = core_list_add(&ep->fused, fused);
  core_unlock(CORE_LOCK_KERNELS);
  return is_kept;
}

/* Makes the arguments of Compile for a group: a view of its nodes, and the fused node that replaces
 * them. `hash` is that of the model. */
static OrtStatus* show_group(struct compiled* compiled, const struct core_claims* claims,
                             const OrtcoreGroup* group, uint64_t hash, size_t i) {
  char name[160], node_name[256];
  const struct core_view how = {name, true, !group->drops_constants};
  OrtGraph *view = NULL, *fused = NULL;
  snprintf(name, sizeof name, "%.64s_%" PRIu64 "_%zu", compiled->ep->name, hash, i);
  snprintf(node_name, sizeof node_name, "%.64s_%s_%zu", compiled->ep->name, name, i);
  CORE_TRY(core_make_view(claims->graph, group->nodes, group->node_count, &how, &view));
  compiled->views[i] = view;
  CORE_TRY(core_fuse(view, node_name, compiled->ep->name, claims->graph->node_numbers + i, &fused));
  if (!keep_fused(compiled->ep, fused)) {
    core_drop(fused);
    return core_no_memory(sizeof fused);
  }
  compiled->fused[i] = fused->nodes.items[0];
  return NULL;
}

static OrtStatus* describe_operand(const OrtValueInfo* value, bool with_constant,
                                   OrtcoreOperand* out) {
  const OrtTensorTypeAndShapeInfo* tensor;
  out->name = value->name;
  CORE_TRY(core_known_type(value, &out->type));
  CORE_TRY(core_known_tensor(value, &tensor));
  out->element_type = tensor != NULL ? tensor->type : ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  return with_constant ? core_initializer_of(value, &out->constant) : NULL;
}

OrtStatus* core_describe_operands(const OrtNode* node, bool with_constants, OrtcoreOperand* out) {
  for (size_t i = 0; i < node->input_count + node->output_count; i++) {
    const OrtValueInfo* value = node->values[i];
    if (value != NULL) {
      bool with_constant =
          (with_constants && core_is_constant(value)) || value->flags & CORE_IS_CONSTANT_INPUT;
      CORE_TRY(describe_operand(value, with_constant, &out[i]));
    }
  }
  return NULL;
}

/* Whether a kernel wants an input in the CPU's memory, or makes an output there. */
static bool is_for_cpu(const struct core_compiled_node* node, size_t operand) {
  size_t inputs = node->node->input_count;
  bool is_output = operand >= inputs;
  return core_is_for_cpu(node->kernel.def, is_output ? operand - inputs : operand, is_output);
}

struct core_ep* core_ep_of_compiled(const OrtcoreCompiledNode* node) {
  return core_compiled_node_of(node->op)->ep;
}

const struct core_ep* core_device_of_operand(const OrtcoreCompiledNode* node, size_t operand) {
  const struct core_ep* ep = core_ep_of_compiled(node);
  return ep->memory != NULL && !is_for_cpu(core_compiled_node_of(node->op), operand) ? ep : NULL;
}

void core_leave_on_device(const OrtcoreCompiledNode* node, size_t output) {
  core_compiled_node_of(node->op)->stays[output] = true;
}

/* Copies the constants of a node to the device of the provider, if it has one. */
static OrtStatus* move_constants(struct core_pool* pool, struct core_compiled_node* made) {
  struct core_device* device = NULL;
  size_t count = made->node->input_count;
  CORE_TAKE_ARRAY(pool, made->constants, count);
  CORE_TRY(core_device_of(made->ep, &device));
  for (size_t i = 0; device != NULL && i < count; i++) {
    const OrtValue* constant = made->operands[i].constant;
    if (constant != NULL && core_is_tensor(constant) && !is_for_cpu(made, i) &&
        core_tensor_of(constant)->shape.type != ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING) {
      CORE_TRY(core_copy_to_device(device, constant, NULL, &made->constants[i]));
    }
  }
  return NULL;
}

static OrtStatus* finish_node(struct compiled* compiled, size_t place,
                              const struct core_compiled_node* from) {
  struct core_compiled_node* made = &compiled->nodes[place];
  const OrtNode* node = from->node;
  size_t count = node->input_count + node->output_count;
  *made = *from;
  if (made->kernel.def != NULL) {
    core_retain(&made->kernel.def->object);
  }
  made->op = core_compiled_op;
  made->ep = compiled->ep;
  made->operands = core_pool_array(&compiled->pool, count, sizeof *made->operands);
  made->stays = core_pool_array(&compiled->pool, node->output_count, sizeof *made->stays);
  CORE_RETURN_IF(made->operands == NULL || made->stays == NULL,
                 core_no_memory(count * sizeof *made->operands));
  CORE_TRY(core_describe_operands(node, made->kernel.def != NULL, made->operands));
  CORE_TRY(move_constants(&compiled->pool, made));
  compiled->answers[place] =
      (OrtcoreCompiledNode){.op = &made->op,
                            .node = node,
                            .inputs = made->operands,
                            .input_count = node->input_count,
                            .outputs = made->operands + node->input_count,
                            .output_count = node->output_count,
                            .attributes = (const OrtOpAttr* const*)node->attributes.items,
                            .attribute_count = node->attributes.count};
  return NULL;
}

static OrtStatus* finish_fused(struct compiled* compiled, size_t i) {
  const struct core_compiled_node node = {.node = compiled->fused[i], .info = compiled->infos[i]};
  CORE_REFUSE_IF(node.info == NULL, ORT_FAIL, "the provider left a node without an info: %s",
                 node.node->name);
  CORE_REFUSE_IF(node.info->CreateState == NULL || node.info->Compute == NULL, ORT_FAIL,
                 "the provider gave an info without CreateState or Compute for the node %s",
                 node.node->name);
  CORE_TRY(finish_node(compiled, i, &node));
  compiled->answers[i].context_node = compiled->contexts[i];
  compiled->answers[i].info = compiled->infos[i];
  return NULL;
}

/* The places behind those of the nodes must stay as they were. */
static OrtStatus* check_count(const struct compiled* compiled) {
  const char* what =
      count_given((void* const*)compiled->infos, compiled->room) > compiled->fused_count ? "infos"
      : count_given((void* const*)compiled->contexts, compiled->room) > compiled->fused_count
          ? "EPContext nodes"
          : NULL;
  return what == NULL ? NULL
                      : core_fail(ORT_FAIL, "the provider gave more %s than there are nodes: %s",
                                  what, compiled->ep->name);
}

OrtStatus* core_copy_whole(struct core_pool* pool, const OrtNode* of, const OrtNode** out) {
  size_t outer = of->implicit_inputs.count, count = of->input_count + outer + of->output_count;
  OrtNode* node = core_pool_take(pool, sizeof *node + 2 * count * sizeof(void*));
  CORE_NEED_MEMORY(node, sizeof *node);
  *node = *of;
  node->values = (const OrtValueInfo**)(node + 1);
  node->operands = (const char**)(node->values + count);
  node->input_count += outer;
  for (size_t i = 0; i < count; i++) {
    bool is_outer = i >= of->input_count && i < node->input_count;
    size_t from = i < of->input_count ? i : i - outer;
    node->values[i] = is_outer ? of->implicit_inputs.items[i - of->input_count] : of->values[from];
    node->operands[i] = node->values[i] != NULL ? node->values[i]->name : "";
  }
  *out = node;
  return NULL;
}

/* A node that the provider takes alone has a kernel in its registry, or is a custom op, such as one
 * that came with the provider. */
static OrtStatus* finish_single(struct compiled* compiled, const OrtNode* of, size_t place) {
  const struct core_registered_kernel* found;
  struct core_compiled_node node = {.node = of};
  struct core_misfit misfit;
  CORE_TRY(core_find_kernel(compiled->ep, of, &found));
  const OrtCustomOp* op = found == NULL ? core_op_of_node(of, &misfit) : NULL;
  CORE_REFUSE_IF(found == NULL && op == NULL, ORT_FAIL,
                 "the provider takes a node that it has no kernel for: %s", of->op_type);
  node.kernel = found != NULL ? *found : core_kernel_of_op(op);
  if (of->subgraphs.count > 0) {
    CORE_TRY(core_copy_whole(&compiled->pool, of, &node.node));
  }
  return finish_node(compiled, place, &node);
}

static OrtStatus* call_compile(void* argument) {
  struct compiled* compiled = argument;
  OrtEp* ep = compiled->ep->seen.ep;
  size_t count = compiled->fused_count;
  if (count == 0) {
    return NULL;
  }
  CORE_FAIL_IF(ep->Compile == NULL, ORT_FAIL,
               "ortcore_ep_compile: the provider takes nodes fused, and has no Compile");
  return ep->Compile(ep, compiled->given_views, compiled->given_nodes, count, compiled->infos,
                     compiled->contexts);
}

/* What is wrong with a node EPContext; NULL for nothing. Each is released once, so the provider
 * must have made it, and give it once. */
static const char* fault_of_context(const struct compiled* compiled, size_t i) {
  const OrtNode* context = compiled->contexts[i];
  if (context != NULL && context->values != NULL) {
    return "the provider gave a node of a graph as the EPContext node of: ";
  }
  for (size_t k = 0; k < i && context != NULL; k++) {
    if (compiled->contexts[k] == context) {
      return "the provider gave one EPContext node for two nodes: ";
    }
  }
  return NULL;
}

/* Call it while the views are there, to which such a node may belong. */
static OrtStatus* check_contexts(struct compiled* compiled) {
  OrtStatus* status = NULL;
  for (size_t i = 0; i < compiled->room; i++) {
    const char* fault = fault_of_context(compiled, i);
    if (fault != NULL) {
      const char* name = i < compiled->fused_count ? compiled->fused[i]->name : compiled->ep->name;
      compiled->contexts[i] = NULL;
      status = core_first_failure(status, core_fail(ORT_FAIL, "%s%s", fault, name));
    }
  }
  return status;
}

/* Has the provider compile the groups that it takes fused. */
static OrtStatus* compile_fused(struct compiled* compiled, const struct core_claims* claims) {
  OrtStatus* status = NULL;
  uint64_t hash = hash_of(compiled->model);
  for (size_t i = 0, k = 0; status == NULL && i < claims->seen.group_count; i++) {
    if (claims->seen.groups[i].is_fused) {
      status = show_group(compiled, claims, &claims->seen.groups[i], hash, k++);
    }
  }
  if (status == NULL) {
    memcpy(compiled->given_views, compiled->views, compiled->fused_count * sizeof(void*));
    memcpy(compiled->given_nodes, compiled->fused, compiled->fused_count * sizeof(void*));
    status = core_ep_call("Compile", call_compile, compiled);
    status = core_first_failure(status, check_contexts(compiled));
  }
  CORE_THEN(status, check_count(compiled));
  for (size_t i = 0; i < compiled->fused_count; i++) {
    core_end_view((OrtGraph*)compiled->views[i]);
  }
  for (size_t i = 0; status == NULL && i < compiled->fused_count; i++) {
    status = finish_fused(compiled, i);
  }
  return status;
}

static OrtStatus* compile(struct compiled* compiled, const struct core_claims* claims) {
  CORE_TRY(make_room(compiled));
  CORE_TRY(compile_fused(compiled, claims));
  for (size_t i = 0, k = compiled->fused_count; i < claims->seen.group_count; i++) {
    const OrtcoreGroup* group = &claims->seen.groups[i];
    if (!group->is_fused) {
      CORE_TRY(finish_single(compiled, group->nodes[0], k++));
    }
  }
  compiled->seen.nodes = compiled->answers;
  return NULL;
}

OrtStatus* ORT_API_CALL core_ep_compile(OrtcoreClaims* claims, OrtcoreCompiled** out) {
  CORE_REQUIRE(ortcore_ep_compile, claims, out);
  const struct core_claims* own = (const struct core_claims*)claims;
  CORE_FAIL_IF(claims->group_count == 0, ORT_INVALID_ARGUMENT,
               "ortcore_ep_compile: the provider takes no node");
  struct compiled* compiled = core_new_object(&compiled_class, sizeof *compiled);
  CORE_RETURN_IF(compiled == NULL, CORE_OUT_OF_MEMORY(ortcore_ep_compile, sizeof *compiled));
  compiled->ep = own->ep;
  compiled->model = (OrtModel*)own->graph->model;
  compiled->seen.node_count = claims->group_count;
  for (size_t i = 0; i < claims->group_count; i++) {
    compiled->fused_count += claims->groups[i].is_fused != 0;
    compiled->room += claims->groups[i].node_count;
  }
  compiled->room++; /* also where each group is one node */
  core_retain(&compiled->ep->object);
  core_retain(&compiled->model->object);
  compiled->graph = own->own_graph;
  if (compiled->graph != NULL) {
    core_retain(&compiled->graph->object);
  }
  OrtStatus* status = compile(compiled, own);
  CORE_TRY_OR(core_named("ortcore_ep_compile", status), core_drop(&compiled->object));
  *out = &compiled->seen;
  return NULL;
}

void ORT_API_CALL core_release_compiled(OrtcoreCompiled* compiled) {
  core_drop(compiled != NULL ? &((struct compiled*)compiled)->object : NULL);
}
