/* SPDX-License-Identifier: MIT */
/* Kernels of If and Loop for providers that have kernels for single nodes. */
#include "memory/allocator.h"
#include "session/body.h"

/* --- what all have in common ------------------------------------------------------------------ */

static void ORT_API_CALL release(OrtKernelImpl* self) {
  struct core_flow* flow = (struct core_flow*)self;
  core_end_body(&flow->bodies[0]);
  core_end_body(&flow->bodies[1]);
  if (flow->loop != NULL) {
    flow->loop->Release(flow->loop);
  }
  if (flow->scan != NULL) {
    flow->scan->Release(flow->scan);
  }
  heap_free(flow);
}

OrtStatus* core_new_flow(const OrtKernelInfo* info, const char* const names[2],
                         core_flow_function* compute, struct core_flow** out) {
  const struct core_node* kernel = info->node;
  CORE_FAIL_IF(kernel->of == NULL || kernel->options == NULL || kernel->device_allocator != NULL,
               ORT_NOT_IMPLEMENTED,
               "kernels with subgraphs are made for sessions of the core, and for providers that "
               "compute in the memory of the CPU");
  struct core_flow* flow = heap_alloc(sizeof *flow);
  CORE_NEED_MEMORY(flow, sizeof *flow);
  *flow = (struct core_flow){
      .base = {.ort_version_supported = ORT_API_VERSION, .Compute = compute, .Release = release},
      .node = kernel->of};
  OrtStatus* status = core_new_body(kernel, names[0], &flow->bodies[0]);
  if (status == NULL && names[1] != NULL) {
    status = core_new_body(kernel, names[1], &flow->bodies[1]);
  }
  CORE_TRY_OR(status, release(&flow->base));
  *out = flow;
  return NULL;
}

size_t core_explicit_inputs(const struct core_flow* flow) {
  return flow->node->input_count - flow->node->implicit_inputs.count;
}

void core_release_values(OrtValue** values, size_t count) {
  for (size_t i = 0; i < count; i++) {
    ort_ReleaseValue(values[i]);
    values[i] = NULL;
  }
}

/* The elements of an input that is one number; NULL where it is left out or not such a tensor. */
static const void* number_of(const OrtValue* value, ONNXTensorElementDataType type) {
  bool is_number = value != NULL && core_is_tensor(value) &&
                   core_tensor_of(value)->shape.type == type &&
                   core_tensor_of(value)->shape.count == 1;
  return is_number ? core_tensor_of(value)->data : NULL;
}

static OrtStatus* new_number(ONNXTensorElementDataType type, const void* number, size_t size,
                             OrtValue** out) {
  CORE_TRY(core_new_tensor(CORE_DEFAULT_ALLOCATOR, NULL, 0, type, (struct core_tensor**)out));
  memcpy(core_tensor_of(*out)->data, number, size);
  return NULL;
}

OrtStatus* core_begin_carried(const OrtKernelContext* context, size_t first, size_t count,
                              const OrtValue** values) {
  for (size_t i = 0; i < count; i++) {
    values[i] = core_context_input(context, first + i);
    CORE_FAIL_IF(values[i] == NULL, ORT_INVALID_ARGUMENT,
                 "a value that a body carries on is left out");
  }
  return NULL;
}

OrtStatus* core_set_output_of(OrtKernelContext* context, size_t i, const OrtValue* value) {
  if (!core_is_tensor(value)) {
    return core_kernel_set_output(context, i, value);
  }
  const struct core_shape* shape = core_shape_of(value);
  OrtValue* out = NULL;
  CORE_TRY(ort_KernelContext_GetOutput(context, i, shape->dims, shape->rank, &out));
  CORE_FAIL_IF(out != NULL && core_shape_of(out)->type != shape->type, ORT_FAIL,
               "a body makes another element type than its node");
  return out == NULL ? NULL : core_copy_elements(core_tensor_of(value), core_tensor_of(out));
}

OrtStatus* core_set_outputs_of(OrtKernelContext* context, OrtValue* const* values, size_t count) {
  for (size_t i = 0; i < count; i++) {
    CORE_TRY(core_set_output_of(context, i, values[i]));
  }
  return NULL;
}

/* --- If --------------------------------------------------------------------------------------- */

static OrtStatus* ORT_API_CALL compute_if(OrtKernelImpl* self, OrtKernelContext* context) {
  const struct core_flow* flow = (const struct core_flow*)self;
  const bool* condition =
      number_of(core_context_input(context, 0), ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL);
  CORE_FAIL_IF(condition == NULL, ORT_INVALID_ARGUMENT, "the condition of If must be one bool");
  const struct core_body* body = &flow->bodies[*condition ? 0 : 1];
  OrtValue** made = heap_alloc((body->output_count + 1) * sizeof *made);
  CORE_NEED_MEMORY(made, body->output_count * sizeof *made);
  OrtStatus* status = core_run_body(body, context, NULL, made);
  if (status == NULL) {
    status = core_set_outputs_of(context, made, body->output_count);
    core_release_values(made, body->output_count);
  }
  heap_free(made);
  return status;
}

CORE_SLOT(ort_ep_CreateIfKernel, const OrtKernelInfo* kernel_info, OrtKernelImpl** kernel_out) {
  static const char* const names[] = {"then_branch", "else_branch"};
  struct core_flow* flow = NULL;
  CORE_TRY(core_new_flow(kernel_info, names, compute_if, &flow));
  *kernel_out = &flow->base;
  return NULL;
}

/* --- Loop ------------------------------------------------------------------------------------- */

/* A call. The values are, for a turn: its number, the condition, those that are carried on. */
struct turns {
  const struct core_flow* flow;
  OrtKernelContext* context;
  const struct core_body* body;
  size_t carried, scans;
  /** Those of the turn, and which of them are made here. */
  const OrtValue** values;
  OrtValue** own;
  OrtValue** made;
  /** For each scan output the tensors of all turns. */
  struct core_list* lists;
};

/* Makes room for a call. */
static OrtStatus* begin_turns(struct turns* turns, struct core_pool* pool) {
  CORE_TAKE_ARRAY(pool, turns->values, turns->body->own_count);
  CORE_TAKE_ARRAY(pool, turns->made, turns->body->output_count);
  CORE_TAKE_ARRAY(pool, turns->lists, turns->scans);
  CORE_TAKE_ARRAY(pool, turns->own, turns->body->own_count);
  return NULL;
}

static void end_turns(struct turns* turns) {
  core_release_values(turns->own, turns->body->own_count);
  for (size_t i = 0; i < turns->scans; i++) {
    core_release_values((OrtValue**)turns->lists[i].items, turns->lists[i].count);
    core_list_end(&turns->lists[i]);
  }
}

static void set_own(struct turns* turns, size_t i, OrtValue* value) {
  ort_ReleaseValue(turns->own[i]);
  turns->values[i] = turns->own[i] = value;
}

/* Runs the body once, and takes what it made over. */
static OrtStatus* take_turn(struct turns* turns, int64_t number, bool* goes_on) {
  OrtValue* value = NULL;
  CORE_TRY(new_number(ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, &number, sizeof number, &value));
  set_own(turns, 0, value);
  CORE_TRY(new_number(ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL, goes_on, sizeof *goes_on, &value));
  set_own(turns, 1, value);
  CORE_TRY(core_run_body(turns->body, turns->context, turns->values, turns->made));
  const bool* condition = number_of(turns->made[0], ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL);
  OrtStatus* status =
      condition != NULL ? NULL : core_fail(ORT_FAIL, "the condition of Loop must be one bool");
  *goes_on = condition != NULL && *condition;
  ort_ReleaseValue(turns->made[0]);
  for (size_t i = 0; i < turns->carried; i++) {
    set_own(turns, 2 + i, turns->made[1 + i]);
  }
  for (size_t i = 0; i < turns->scans; i++) {
    OrtValue* each = turns->made[1 + turns->carried + i];
    if (status != NULL || !core_list_add(&turns->lists[i], each)) {
      ort_ReleaseValue(each);
      status = status != NULL ? status : core_no_memory(sizeof each);
    }
  }
  return status;
}

/* Finds the shape of a scan output; of no turns it is that of the model, where what is not known is
 * 0. */
static OrtStatus* shape_of_all(const struct turns* turns, size_t i,
                               int64_t dims[CORE_LARGEST_RANK + 1], size_t* rank) {
  const struct core_list* list = &turns->lists[i];
  const OrtTypeInfo* type = turns->body->session->outputs.list[1 + turns->carried + i].type;
  const struct core_shape* first = list->count > 0 ? core_shape_of(list->items[0]) : NULL;
  const OrtTensorTypeAndShapeInfo* known =
      type != NULL && type->kind == ONNX_TYPE_TENSOR ? type->tensor : NULL;
  *rank = 1 + (first != NULL ? first->rank : known != NULL ? known->rank : 0);
  dims[0] = (int64_t)list->count;
  for (size_t k = 1; k < *rank; k++) {
    dims[k] = first != NULL ? first->dims[k - 1] : known->dims[k - 1] > 0 ? known->dims[k - 1] : 0;
  }
  for (size_t k = 0; k < list->count; k++) {
    const OrtValue* each = list->items[k];
    CORE_REFUSE_IF(!core_is_tensor(each) ||
                       !core_has_shape(core_shape_of(each), first->type, first->dims, first->rank),
                   ORT_FAIL, "an output of Loop has not one shape in all turns");
  }
  return NULL;
}

static OrtStatus* join(const struct turns* turns, size_t i) {
  const struct core_list* list = &turns->lists[i];
  OrtLoopKernelHelper* helper = turns->flow->loop;
  int64_t dims[CORE_LARGEST_RANK + 1];
  OrtValue* out = NULL;
  size_t rank;
  CORE_TRY(shape_of_all(turns, i, dims, &rank));
  CORE_TRY(ort_KernelContext_GetOutput(turns->context, turns->carried + i, dims, rank, &out));
  if (out == NULL || list->count == 0) {
    return NULL;
  }
  const struct core_tensor* tensor = core_tensor_of(out);
  CORE_FAIL_IF(tensor->shape.type != core_shape_of(list->items[0])->type, ORT_FAIL,
               "a body makes another element type than its node");
  return helper->ConcatOutput(helper, NULL, (const OrtValue* const*)list->items, list->count,
                              tensor->data, tensor->bytes);
}

static OrtStatus* loop(struct turns* turns) {
  const int64_t* most =
      number_of(core_context_input(turns->context, 0), ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64);
  const bool* condition =
      number_of(core_context_input(turns->context, 1), ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL);
  bool goes_on = condition == NULL || *condition;
  CORE_TRY(core_begin_carried(turns->context, 2, turns->carried, turns->values + 2));
  for (int64_t i = 0; goes_on && (most == NULL || i < *most); i++) {
    CORE_TRY(take_turn(turns, i, &goes_on));
  }
  CORE_TRY(
      core_set_outputs_of(turns->context, (OrtValue* const*)turns->values + 2, turns->carried));
  for (size_t i = 0; i < turns->scans; i++) {
    CORE_TRY(join(turns, i));
  }
  return NULL;
}

static OrtStatus* ORT_API_CALL compute_loop(OrtKernelImpl* self, OrtKernelContext* context) {
  const struct core_flow* flow = (const struct core_flow*)self;
  struct turns turns = {.flow = flow, .context = context, .body = &flow->bodies[0]};
  turns.carried = turns.body->own_count - 2;
  turns.scans = turns.body->output_count - 1 - turns.carried;
  struct core_pool pool = {0};
  OrtStatus* status = begin_turns(&turns, &pool);
  if (status == NULL) {
    status = loop(&turns);
    end_turns(&turns);
  }
  core_pool_end(&pool);
  return status;
}

CORE_SLOT(ort_ep_CreateLoopKernel, const OrtKernelInfo* kernel_info, OrtLoopKernelHelper* helper,
          OrtKernelImpl** kernel_out) {
  static const char* const names[] = {"body", NULL};
  CORE_FAIL_IF(helper->Release == NULL || helper->ConcatOutput == NULL, ORT_INVALID_ARGUMENT,
               "CreateLoopKernel: helper must have the functions Release and ConcatOutput");
  struct core_flow* flow = NULL;
  CORE_TRY(core_new_flow(kernel_info, names, compute_loop, &flow));
  const struct core_body* body = &flow->bodies[0];
  size_t inputs = core_explicit_inputs(flow), outputs = flow->node->output_count;
  if (inputs < 2 || body->own_count != inputs || body->output_count != outputs + 1 ||
      body->output_count + 1 < body->own_count) {
    release(&flow->base);
    CORE_FAIL(ORT_INVALID_GRAPH, "CreateLoopKernel: the body of Loop does not fit the node");
  }
  flow->loop = helper;
  *kernel_out = &flow->base;
  return NULL;
}
