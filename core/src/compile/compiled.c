/* SPDX-License-Identifier: MIT */
/* Compiled nodes: what a provider makes of groups of nodes. Each is a custom op of its own, whose
 * kernel has what CreateState made. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "compile/ep.h"
#include "ep/compute_context.h"
#include "ep/library.h"
#include "kernels/kernel.h"
#include "object/keyed_list.h"

static const char function[] = "ortcore_ep_compile";

struct compiled;

/* A compiled node. The op comes first: the functions of the op get it as their argument. */
struct compiled_node {
  OrtCustomOp op;
  struct compiled* of;
  const OrtNode* fused;
  OrtNodeComputeInfo* info;
  OrtcoreOperand* operands;
};

struct compiled {
  struct OrtcoreCompiled seen;
  struct core_object object;
  struct core_ep* ep;
  /** The constants of the nodes are the model's. */
  OrtModel* model;
  /** All have `seen.node_count` places. */
  struct compiled_node* nodes;
  OrtNodeComputeInfo** infos;
  OrtNode** contexts;
  const OrtGraph** views;
  const OrtNode** fused;
  struct OrtcoreCompiledNode* answers;
};

/* --- the op of a node ------------------------------------------------------------------------ */

static const struct compiled_node* node_of(const OrtCustomOp* op) {
  return (const struct compiled_node*)op;
}

static const char* ORT_API_CALL get_name(const OrtCustomOp* op) {
  return node_of(op)->fused->op_type;
}
static const char* ORT_API_CALL get_provider(const OrtCustomOp* op) {
  return node_of(op)->of->ep->name;
}
static size_t ORT_API_CALL get_input_count(const OrtCustomOp* op) {
  return node_of(op)->fused->input_count;
}
static size_t ORT_API_CALL get_output_count(const OrtCustomOp* op) {
  return node_of(op)->fused->output_count;
}
static ONNXTensorElementDataType ORT_API_CALL get_input_type(const OrtCustomOp* op, size_t index) {
  return node_of(op)->operands[index].element_type;
}
static ONNXTensorElementDataType ORT_API_CALL get_output_type(const OrtCustomOp* op, size_t index) {
  return node_of(op)->operands[node_of(op)->fused->input_count + index].element_type;
}

/* What CreateState made for one kernel. */
struct state {
  const struct compiled_node* node;
  void* state;
};

static OrtStatusPtr ORT_API_CALL create_kernel(const OrtCustomOp* op, const OrtApi* api,
                                               const OrtKernelInfo* info, void** kernel) {
  const struct compiled_node* node = node_of(op);
  struct OrtNodeComputeContext context = {node->fused->name};
  struct state* state = heap_alloc(sizeof *state);
  (void)api, (void)info;
  if (state == NULL) {
    return core_no_memory("CreateState", sizeof *state);
  }
  *state = (struct state){node, NULL};
  OrtStatus* status = node->info->CreateState(node->info, &context, &state->state);
  OrtEp* ep = node->of->ep->seen.ep;
  if (status == NULL && ep->ort_version_supported >= 27 && ep->OnSessionInitializationEnd != NULL) {
    status = ep->OnSessionInitializationEnd(ep);
  }
  if (status != NULL) {
    heap_free(state);
    return status;
  }
  *kernel = state;
  return NULL;
}

static void ORT_API_CALL destroy_kernel(void* kernel) {
  struct state* state = kernel;
  if (state != NULL) {
    state->node->info->ReleaseState(state->node->info, state->state);
    heap_free(state);
  }
}

/* Refuses an input of another shape than the model says: providers trust the host in that. */
static OrtStatus* check_shape(const OrtcoreOperand* operand, const OrtValue* value) {
  const struct core_shape* shape = value != NULL ? core_shape_of(value) : NULL;
  if (operand->type == NULL || operand->type->kind != ONNX_TYPE_TENSOR || shape == NULL ||
      !operand->type->tensor->has_shape) {
    return NULL;
  }
  const OrtTensorTypeAndShapeInfo* info = operand->type->tensor;
  bool fits = info->rank == shape->rank;
  for (size_t i = 0; fits && i < info->rank; i++) {
    fits = info->dims[i] < 0 || info->dims[i] == shape->dims[i];
  }
  return fits ? NULL
              : core_status(ORT_INVALID_ARGUMENT, "the input '", operand->name,
                            "' has another shape than in the model");
}

static OrtStatus* run(const struct state* state, OrtKernelContext* context) {
  const struct compiled_node* node = state->node;
  OrtEp* ep = node->of->ep->seen.ep;
  const OrtRunOptions* options = node->of->ep->run_options;
  if (ep->OnRunStart != NULL) {
    CORE_TRY(ep->OnRunStart(ep, options));
  }
  OrtStatus* status = node->info->Compute(node->info, state->state, context);
  if (status == NULL && ep->ort_version_supported >= 25 && ep->Sync != NULL) {
    status = ep->Sync(ep);
  }
  if (ep->OnRunEnd != NULL) {
    OrtStatus* end = ep->OnRunEnd(ep, options, status == NULL);
    if (status == NULL) {
      return end;
    }
    ort_ReleaseStatus(end);
  }
  return status;
}

static OrtStatusPtr ORT_API_CALL compute_kernel(void* kernel, OrtKernelContext* context) {
  const struct state* state = kernel;
  for (size_t i = 0; i < state->node->fused->input_count; i++) {
    const OrtValue* value = NULL;
    CORE_TRY(ort_KernelContext_GetInput(context, i, &value));
    CORE_TRY(check_shape(&state->node->operands[i], value));
  }
  return run(state, context);
}

static const OrtCustomOp op_of_nodes = {
    .version = 16,
    .GetName = get_name,
    .GetExecutionProviderType = get_provider,
    .GetInputTypeCount = get_input_count,
    .GetInputType = get_input_type,
    .GetOutputTypeCount = get_output_count,
    .GetOutputType = get_output_type,
    .KernelDestroy = destroy_kernel,
    .CreateKernelV2 = create_kernel,
    .KernelComputeV2 = compute_kernel,
};

/* --- compilation ----------------------------------------------------------------------------- */

/* Releases the infos: all at once, and only where there are any. */
static OrtStatus* release_infos(void* argument) {
  struct compiled* compiled = argument;
  OrtEp* ep = compiled->ep->seen.ep;
  bool is_any = false;
  for (size_t i = 0; i < compiled->seen.node_count; i++) {
    is_any |= compiled->infos[i] != NULL;
  }
  if (is_any && ep->ReleaseNodeComputeInfos != NULL) {
    ep->ReleaseNodeComputeInfos(ep, compiled->infos, compiled->seen.node_count);
  }
  return NULL;
}

static void end_compiled(void* block) {
  struct compiled* compiled = block;
  if (compiled->infos != NULL) {
    ort_ReleaseStatus(core_ep_call("ReleaseNodeComputeInfos", release_infos, compiled));
  }
  for (size_t i = 0; i < compiled->seen.node_count; i++) {
    if (compiled->contexts != NULL) {
      core_drop(compiled->contexts[i]);
    }
    if (compiled->nodes != NULL) {
      heap_free(compiled->nodes[i].operands);
    }
  }
  heap_free(compiled->nodes);
  heap_free(compiled->infos);
  heap_free(compiled->contexts);
  heap_free(compiled->views);
  heap_free(compiled->fused);
  heap_free(compiled->answers);
  core_drop(&compiled->ep->object);
  core_drop(compiled->model);
}

static const struct core_class compiled_class = {
    .kind = CORE_EP_COMPILED, .offset = offsetof(struct compiled, object), .end = end_compiled};

static void* new_array(size_t count, size_t size) {
  void* array = heap_alloc(count * size);
  return array != NULL ? memset(array, 0, count * size) : NULL;
}

static OrtStatus* make_room(struct compiled* compiled) {
  size_t count = compiled->seen.node_count;
  compiled->nodes = new_array(count, sizeof *compiled->nodes);
  compiled->contexts = new_array(count, sizeof *compiled->contexts);
  compiled->views = new_array(count, sizeof *compiled->views);
  compiled->fused = new_array(count, sizeof *compiled->fused);
  compiled->answers = new_array(count, sizeof *compiled->answers);
  compiled->infos = new_array(count, sizeof *compiled->infos);
  return compiled->nodes != NULL && compiled->contexts != NULL && compiled->views != NULL &&
                 compiled->fused != NULL && compiled->answers != NULL && compiled->infos != NULL
             ? NULL
             : core_no_memory(function, count * sizeof *compiled->nodes);
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

/* Makes what the provider is shown of a group: a graph of its nodes, and a node for that. */
static OrtStatus* show_group(struct compiled* compiled, const struct core_claims* claims,
                             size_t i) {
  const OrtcoreGroup* group = &claims->seen.groups[i];
  char name[160], node_name[256];
  const struct core_view how = {name, true, !group->drops_constants};
  OrtGraph *view = NULL, *fused = NULL;
  snprintf(name, sizeof name, "%.64s_%" PRIu64 "_%zu", compiled->ep->name, hash_of(compiled->model),
           i);
  snprintf(node_name, sizeof node_name, "%.64s_%s_%zu", compiled->ep->name, name, i);
  CORE_TRY(core_make_view(function, claims->graph, group->nodes, group->node_count, &how, &view));
  compiled->views[i] = view;
  CORE_TRY(core_fuse(function, view, node_name, compiled->ep->name, claims->graph->node_numbers + i,
                     &fused));
  if (!core_list_add(&compiled->ep->fused, fused)) {
    core_drop(fused);
    return core_no_memory(function, sizeof fused);
  }
  compiled->fused[i] = fused->nodes.items[0];
  return NULL;
}

/* What a kernel must know of an operand of a fused node. A value without a type has any. */
static OrtStatus* describe(const OrtValueInfo* value, OrtcoreOperand* operand) {
  const OrtTypeInfo* type = NULL;
  OrtStatus* status = ort_GetValueInfoTypeInfo(value, &type);
  if (status != NULL && ort_GetErrorCode(status) != ORT_FAIL) {
    return status;
  }
  ort_ReleaseStatus(status);
  *operand = (OrtcoreOperand){.name = value->name, .type = type};
  if (type != NULL && type->kind == ONNX_TYPE_TENSOR) {
    operand->element_type = type->tensor->type;
  }
  if (value->flags & CORE_IS_CONSTANT_INPUT) {
    return core_initializer_of(function, value, &operand->constant);
  }
  return NULL;
}

static OrtStatus* finish_node(struct compiled* compiled, size_t i) {
  struct compiled_node* node = &compiled->nodes[i];
  const OrtNode* fused = compiled->fused[i];
  size_t count = fused->input_count + fused->output_count;
  if (compiled->infos[i] == NULL) {
    return core_status(ORT_FAIL, function,
                       ": the provider left a node without an info: ", fused->name);
  }
  *node = (struct compiled_node){op_of_nodes, compiled, fused, compiled->infos[i], NULL};
  node->operands = new_array(count + 1, sizeof *node->operands);
  if (node->operands == NULL) {
    return core_no_memory(function, count * sizeof *node->operands);
  }
  for (size_t k = 0; k < count; k++) {
    CORE_TRY(describe(fused->values[k], &node->operands[k]));
  }
  compiled->answers[i] = (OrtcoreCompiledNode){.op = &node->op,
                                               .node = fused,
                                               .inputs = node->operands,
                                               .input_count = fused->input_count,
                                               .outputs = node->operands + fused->input_count,
                                               .output_count = fused->output_count,
                                               .context_node = compiled->contexts[i]};
  return NULL;
}

static OrtStatus* call_compile(void* argument) {
  struct compiled* compiled = argument;
  OrtEp* ep = compiled->ep->seen.ep;
  return ep->Compile(ep, compiled->views, compiled->fused, compiled->seen.node_count,
                     compiled->infos, compiled->contexts);
}

static OrtStatus* compile(struct compiled* compiled, const struct core_claims* claims) {
  size_t count = compiled->seen.node_count;
  OrtStatus* status = make_room(compiled);
  for (size_t i = 0; status == NULL && i < count; i++) {
    status = show_group(compiled, claims, i);
  }
  status = status == NULL ? core_ep_call("Compile", call_compile, compiled) : status;
  for (size_t i = 0; compiled->views != NULL && i < count; i++) {
    core_drop((OrtGraph*)compiled->views[i]);
  }
  for (size_t i = 0; status == NULL && i < count; i++) {
    status = finish_node(compiled, i);
  }
  compiled->seen.nodes = compiled->answers;
  return status;
}

OrtStatus* ORT_API_CALL core_ep_compile(OrtcoreClaims* claims, OrtcoreCompiled** out) {
  CORE_REQUIRE(ortcore_ep_compile, claims, out);
  const struct core_claims* own = (const struct core_claims*)claims;
  if (claims->group_count == 0) {
    CORE_FAIL(ORT_INVALID_ARGUMENT, "ortcore_ep_compile: the provider takes no node");
  }
  for (size_t i = 0; i < claims->group_count; i++) {
    if (!claims->groups[i].is_fused) {
      CORE_FAIL(ORT_NOT_IMPLEMENTED,
                "ortcore_ep_compile: kernels of a provider's registry are not called yet");
    }
  }
  if (own->ep->seen.ep->Compile == NULL) {
    CORE_FAIL(ORT_FAIL, "ortcore_ep_compile: the provider takes nodes fused, and has no Compile");
  }
  struct compiled* compiled = core_new_object(&compiled_class, sizeof *compiled);
  if (compiled == NULL) {
    return CORE_OUT_OF_MEMORY(ortcore_ep_compile, sizeof *compiled);
  }
  compiled->ep = own->ep;
  compiled->model = (OrtModel*)own->graph->model;
  compiled->seen.node_count = claims->group_count;
  core_retain(&compiled->ep->object);
  core_retain(&compiled->model->object);
  OrtStatus* status = compile(compiled, own);
  if (status != NULL) {
    core_drop(&compiled->object);
    return status;
  }
  *out = &compiled->seen;
  return NULL;
}

void ORT_API_CALL core_release_compiled(OrtcoreCompiled* compiled) {
  if (compiled != NULL) {
    core_drop(&((struct compiled*)compiled)->object);
  }
}
