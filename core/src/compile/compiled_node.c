/* SPDX-License-Identifier: MIT */
/* The op of what a provider runs, and its kernels. */
#include "compile/ep.h"

#include "compile/device.h"
#include "ep/library.h"
#include "memory/allocator.h"

/* The argument of CreateState. */
struct OrtNodeComputeContext {
  const char* node_name;
};

CORE_VALUE_GETTER(ort_ep_NodeComputeContext_NodeName, const char*, context->node_name,
                  const OrtNodeComputeContext*, context)

static const char* ORT_API_CALL get_name(const OrtCustomOp* op) {
  return core_compiled_node_of(op)->node->op_type;
}
static const char* ORT_API_CALL get_provider(const OrtCustomOp* op) {
  return core_compiled_node_of(op)->ep->name;
}
static size_t ORT_API_CALL get_input_count(const OrtCustomOp* op) {
  return core_compiled_node_of(op)->node->input_count;
}
static size_t ORT_API_CALL get_output_count(const OrtCustomOp* op) {
  return core_compiled_node_of(op)->node->output_count;
}
static ONNXTensorElementDataType ORT_API_CALL get_input_type(const OrtCustomOp* op, size_t index) {
  return core_compiled_node_of(op)->operands[index].element_type;
}
static ONNXTensorElementDataType ORT_API_CALL get_output_type(const OrtCustomOp* op, size_t index) {
  return core_compiled_node_of(op)
      ->operands[core_compiled_node_of(op)->node->input_count + index]
      .element_type;
}

/* An operand that a node leaves out is an optional one. */
static OrtCustomOpInputOutputCharacteristic ORT_API_CALL get_input_kind(const OrtCustomOp* op,
                                                                        size_t index) {
  return core_compiled_node_of(op)->node->values[index] != NULL ? INPUT_OUTPUT_REQUIRED
                                                                : INPUT_OUTPUT_OPTIONAL;
}
static OrtCustomOpInputOutputCharacteristic ORT_API_CALL get_output_kind(const OrtCustomOp* op,
                                                                         size_t index) {
  return get_input_kind(op, core_compiled_node_of(op)->node->input_count + index);
}
static int ORT_API_CALL get_version(const OrtCustomOp* op) {
  int since = 1;
  ort_ReleaseStatus(ort_Node_GetSinceVersion(core_compiled_node_of(op)->node, &since));
  return since > 0 ? since : 1;
}

/* One kernel, and together all that a call of it reads. */
struct state {
  const struct core_compiled_node* node;
  const struct core_ep* ep;
  /* What CreateState made, or the provider's kernel. */
  OrtNodeComputeInfo* info;
  void* state;
  OrtKernelImpl* kernel;
  bool has_state;
  uint32_t input_count;
  /* For each input the rank that it must have, and so many dimensions, of which an unknown one is
   * negative; or ANY_RANK, also where the model declares no dimensions. */
  int64_t shapes[];
};
#define ANY_RANK (-1)

static const OrtTensorTypeAndShapeInfo* shape_of(const OrtcoreOperand* operand) {
  const OrtTypeInfo* type = operand->type;
  bool has_shape = type != NULL && type->kind == ONNX_TYPE_TENSOR && type->tensor->has_shape &&
                   type->tensor->rank > 0;
  return has_shape ? type->tensor : NULL;
}

static struct state* new_state(const struct core_compiled_node* node) {
  size_t count = node->node->input_count, numbers = count;
  for (size_t i = 0; i < count; i++) {
    const OrtTensorTypeAndShapeInfo* shape = shape_of(&node->operands[i]);
    numbers += shape != NULL ? shape->rank : 0;
  }
  struct state* state = heap_alloc(sizeof *state + numbers * sizeof *state->shapes);
  if (state == NULL) {
    return NULL;
  }
  *state = (struct state){
      .node = node, .ep = node->ep, .info = node->info, .input_count = (uint32_t)count};
  int64_t* next = state->shapes;
  for (size_t i = 0; i < count; i++) {
    const OrtTensorTypeAndShapeInfo* shape = shape_of(&node->operands[i]);
    *next++ = shape != NULL ? (int64_t)shape->rank : ANY_RANK;
    for (size_t k = 0; shape != NULL && k < shape->rank; k++) {
      *next++ = shape->dims[k];
    }
  }
  return state;
}

/* Lets a kernel store its constants in a form of its own (PrePackWeight). */
static OrtStatus* pack_weights(const struct state* state) {
  OrtKernelImpl* kernel = state->kernel;
  bool is_packed = false;
  for (size_t i = 0; kernel->PrePackWeight != NULL && i < state->node->node->input_count; i++) {
    const OrtValue* weight = state->node->constants[i];
    weight = weight != NULL ? weight : state->node->operands[i].constant;
    if (weight != NULL) {
      CORE_TRY(
          kernel->PrePackWeight(kernel, weight, (int)i, CORE_DEFAULT_ALLOCATOR, NULL, &is_packed));
    }
  }
  return NULL;
}

static OrtStatus* make_kernel(struct state* state, const OrtKernelInfo* info) {
  const struct core_registered_kernel* of = &state->node->kernel;
  OrtKernelImpl* made = NULL;
  CORE_TRY(of->create(of->state, info, &made));
  CORE_FAIL_IF(made == NULL || made->Compute == NULL || made->Release == NULL, ORT_FAIL,
               "the provider made no kernel with Compute and Release");
  state->kernel = made;
  return pack_weights(state);
}

static OrtStatus* make_state(struct state* state) {
  OrtNodeComputeInfo* info = state->info;
  struct OrtNodeComputeContext context = {state->node->node->name};
  OrtEp* ep = state->ep->seen.ep;
  CORE_TRY(info->CreateState(info, &context, &state->state));
  state->has_state = true;
  return !state->ep->is_of_session && ep->ort_version_supported >= 27 &&
                 ep->OnSessionInitializationEnd != NULL
             ? ep->OnSessionInitializationEnd(ep)
             : NULL;
}

/* The struct is freed first, because the provider's functions may throw. */
static void ORT_API_CALL destroy_kernel(void* kernel) {
  if (kernel == NULL) {
    return;
  }
  const struct state state = *(struct state*)kernel;
  heap_free(kernel);
  if (state.kernel != NULL) {
    state.kernel->Release(state.kernel);
  }
  if (state.has_state && state.info->ReleaseState != NULL) {
    state.info->ReleaseState(state.info, state.state);
  }
}

struct creation {
  struct state* state;
  const OrtKernelInfo* info;
};

CORE_EP_CALLER(create, const struct creation,
               self->state->node->kernel.def != NULL ? make_kernel(self->state, self->info)
                                                     : make_state(self->state))

static OrtStatusPtr ORT_API_CALL create_kernel(const OrtCustomOp* op, const OrtApi* api,
                                               const OrtKernelInfo* info, void** kernel) {
  struct state* state = new_state(core_compiled_node_of(op));
  CORE_NEED_MEMORY(state, sizeof *state);
  const struct core_ep* ep = state->ep;
  info->node->ep = ep->seen.ep;
  info->node->of = state->node->node;
  info->node->device_allocator = ep->device != NULL ? ep->device->allocator : NULL;
  struct creation creation = {state, info};
  CORE_TRY_OR(core_ep_call("CreateState", create, &creation), destroy_kernel(state));
  *kernel = state;
  return NULL;
}

static bool has_shape(const OrtValue* value, size_t rank, const int64_t* dims) {
  const struct core_shape* shape = value != NULL ? core_shape_of(value) : NULL;
  return shape == NULL || core_fits_dimensions(shape, dims, rank);
}

/* Refuses an input whose shape differs from the model's: providers rely on the host to check it. */
static OrtStatus* check_shapes(const struct state* state, const OrtKernelContext* context) {
  const int64_t* next = state->shapes;
  for (size_t i = 0; i < state->input_count; i++) {
    int64_t rank = *next++;
    if (rank == ANY_RANK) {
      continue;
    }
    CORE_RETURN_IF(
        !has_shape(core_context_input(context, i), (size_t)rank, next),
        core_status(ORT_INVALID_ARGUMENT, "the input '%s' has another shape than in the model",
                    state->node->operands[i].name));
    next += rank;
  }
  return NULL;
}

static OrtStatus* call_compute(void* argument, OrtKernelContext* context) {
  const struct state* state = argument;
  OrtNodeComputeInfo* info = state->info;
  return info != NULL ? info->Compute(info, state->state, context)
                      : state->kernel->Compute(state->kernel, context);
}

static OrtStatus* compute(struct state* state, OrtKernelContext* context) {
  OrtEp* ep = state->ep->seen.ep;
  if (state->ep->memory != NULL) {
    const struct core_compiled_node* node = state->node;
    const struct core_device_call call = {call_compute, state, node->constants, node->stays,
                                          node->kernel.def};
    return core_compute_on_device(node->ep, context, &call);
  }
  CORE_TRY(call_compute(state, context));
  bool waits = !state->ep->is_of_session && ep->ort_version_supported >= 25 && ep->Sync != NULL;
  return waits ? ep->Sync(ep) : NULL;
}

/* A call of a node outside of a session. */
struct single_run {
  struct state* state;
  OrtKernelContext* context;
};

CORE_EP_CALLER(compute_single, const struct single_run, compute(self->state, self->context))

static OrtStatus* run(struct state* state, OrtKernelContext* context) {
  if (state->ep->is_of_session) {
    return compute(state, context);
  }
  OrtEp* ep = state->ep->seen.ep;
  const OrtRunOptions* options = state->ep->run_options;
  if (ep->OnRunStart != NULL) {
    CORE_TRY(ep->OnRunStart(ep, options));
  }
  struct single_run single = {state, context};
  OrtStatus* status = core_ep_call("Compute", compute_single, &single);
  return ep->OnRunEnd != NULL
             ? core_first_failure(status, ep->OnRunEnd(ep, options, status == NULL))
             : status;
}

static OrtStatusPtr ORT_API_CALL compute_kernel(void* kernel, OrtKernelContext* context) {
  struct state* state = kernel;
  CORE_TRY(check_shapes(state, context));
  return run(state, context);
}

const OrtCustomOp core_compiled_op = {
    .version = 18,
    .GetName = get_name,
    .GetExecutionProviderType = get_provider,
    .GetInputTypeCount = get_input_count,
    .GetInputType = get_input_type,
    .GetOutputTypeCount = get_output_count,
    .GetOutputType = get_output_type,
    .GetInputCharacteristic = get_input_kind,
    .GetOutputCharacteristic = get_output_kind,
    .GetStartVersion = get_version,
    .KernelDestroy = destroy_kernel,
    .CreateKernelV2 = create_kernel,
    .KernelComputeV2 = compute_kernel,
};
