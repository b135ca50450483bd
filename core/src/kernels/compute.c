/* SPDX-License-Identifier: MIT */
/* One call of a kernel: what goes in and comes out is checked against what the op declares. */

#include "kernels/kernel.h"

static OrtStatus* missing(const struct core_node* node, size_t i) {
  const char* name = i < node->inputs.count ? node->inputs.list[i].name : "";
  return core_node_status(node, ORT_INVALID_ARGUMENT, "input %zu ('%.120s') is required", i, name);
}

static OrtStatus* wrong_type(const struct core_node* node, size_t i,
                             ONNXTensorElementDataType wanted, const OrtValue* value) {
  const char* name = i < node->inputs.count ? node->inputs.list[i].name : "";
  const char* kind =
      core_is_tensor(value) ? core_element_name(core_tensor_of(value)->shape.type) : NULL;
  return core_node_status(node, ORT_INVALID_ARGUMENT,
                          "input %zu ('%.120s') must be a tensor of %s, but is %s%s", i, name,
                          core_element_name(wanted), kind != NULL ? "one of " : "no dense tensor",
                          kind != NULL ? kind : "");
}

/* Whether a value is a dense tensor of a type. */
static bool is_tensor_of(const OrtValue* value, ONNXTensorElementDataType type) {
  return core_is_tensor(value) && core_tensor_of(value)->shape.type == type;
}

/* Operands that the node does not list are of a variadic input. */
static OrtStatus* check_absent(const struct core_node* node, size_t i) {
  bool is_required = i >= node->inputs.count || node->inputs.expected[i].is_required;
  return is_required ? missing(node, i) : NULL;
}

static OrtStatus* check_present(const struct core_node* node, size_t i, const OrtValue* value) {
  CORE_RETURN_IF(!core_node_has(&node->inputs, i),
                 core_node_status(node, ORT_INVALID_ARGUMENT,
                                  "input %zu must be NULL, because the node leaves it out", i));
  ONNXTensorElementDataType type = core_node_type(&node->inputs, i);
  return CORE_LIKELY(type == 0 || is_tensor_of(value, type)) ? NULL
                                                             : wrong_type(node, i, type, value);
}

/* The values of a variadic input of any type must be of one type, unless the op says otherwise. */
static OrtStatus* check_homogeneous(const struct core_node* node, const OrtValue* const* inputs,
                                    size_t count) {
  size_t first = node->inputs.declared_count - 1;
  if (CORE_LIKELY(!node->inputs.is_homogeneous)) {
    return NULL;
  }
  for (size_t i = first + 1; i < count && inputs[first] != NULL; i++) {
    const struct core_shape* shape = core_shape_of(inputs[first]);
    if (shape != NULL && inputs[i] != NULL && !is_tensor_of(inputs[i], shape->type)) {
      return wrong_type(node, i, shape->type, inputs[i]);
    }
  }
  return NULL;
}

static OrtStatus* check_inputs(const struct core_node* node, const OrtValue* const* inputs,
                               size_t count) {
  const struct core_side* side = &node->inputs;
  size_t needed = side->is_open ? side->least : side->count;
  for (size_t i = 0; i < count; i++) {
    bool can_be = i < side->count ||
                  (side->is_open && i < CORE_MOST_OPERANDS && core_declared(side, i) != NULL);
    CORE_RETURN_IF(!can_be,
                   core_node_status(node, ORT_INVALID_ARGUMENT,
                                    "there are %zu inputs, but only %zu can be", count, i));
    CORE_TRY(inputs[i] != NULL ? check_present(node, i, inputs[i]) : check_absent(node, i));
  }
  for (size_t i = count; i < needed; i++) {
    CORE_TRY(check_absent(node, i));
  }
  return check_homogeneous(node, inputs, count);
}

static OrtStatus* check_outputs(const struct core_node* node, OrtValue* const* outputs,
                                size_t count) {
  const struct core_side* side = &node->outputs;
  bool is_too_many = count > side->count && (!side->is_open || count > CORE_MOST_OPERANDS ||
                                             core_declared(side, count - 1) == NULL);
  CORE_RETURN_IF(
      is_too_many || count < side->least,
      core_node_status(node, ORT_INVALID_ARGUMENT, "there cannot be %zu outputs", count));
  for (size_t i = 0; i < count; i++) {
    ONNXTensorElementDataType type = outputs[i] != NULL ? core_node_type(side, i) : 0;
    CORE_RETURN_IF(outputs[i] != NULL && !(core_node_has(side, i) && core_is_tensor(outputs[i]) &&
                                           (type == 0 || is_tensor_of(outputs[i], type))),
                   core_node_status(node, ORT_INVALID_ARGUMENT,
                                    "output %zu cannot be written to: it must be a tensor of %s", i,
                                    core_element_name(type)));
  }
  return NULL;
}

void core_begin_context(OrtKernelContext* context, const OrtcoreKernel* kernel, size_t room) {
  *context = (OrtKernelContext){.kernel = kernel, .node = kernel->node, .room = room};
}

/* A context that no call uses, with room for so many inputs and outputs. The lock of all kernels'
 * lists is taken only where calls of a kernel overlap. */
static OrtKernelContext* take_context(OrtcoreKernel* kernel, size_t count) {
  OrtKernelContext* context = __atomic_exchange_n(&kernel->spare, NULL, __ATOMIC_ACQUIRE);
  if (CORE_UNLIKELY(context == NULL)) {
    core_lock(CORE_LOCK_KERNELS);
    context = kernel->contexts;
    kernel->contexts = context != NULL ? context->next : NULL;
    core_unlock(CORE_LOCK_KERNELS);
  }
  if (CORE_LIKELY(context != NULL && context->room >= count)) {
    return context;
  }
  heap_free(context);
  size_t room = count < 6 ? 6 : count;
  context = heap_alloc(core_context_size(room));
  if (context != NULL) {
    core_begin_context(context, kernel, room);
  }
  return context;
}

static void give_context_back(OrtcoreKernel* kernel, OrtKernelContext* context) {
  OrtKernelContext* other = __atomic_exchange_n(&kernel->spare, context, __ATOMIC_ACQ_REL);
  if (CORE_UNLIKELY(other != NULL)) {
    core_lock(CORE_LOCK_KERNELS);
    other->next = kernel->contexts;
    kernel->contexts = other;
    core_unlock(CORE_LOCK_KERNELS);
  }
}

/* What GetOutput makes is a tensor. */
static void pass(struct core_passed* passed, const OrtValue* value) {
  passed->is_callers = value != NULL;
  core_make_borrowed(&passed->handle, value != NULL ? core_type_of(value) : ONNX_TYPE_TENSOR,
                     value != NULL ? core_target(value) : NULL);
}

static void pass_all(OrtKernelContext* context, const OrtValue* const* inputs, size_t input_count,
                     OrtValue* const* outputs, size_t output_count) {
  context->input_count = input_count;
  context->output_count = output_count;
  context->scratch = NULL;
  for (size_t i = 0; i < input_count; i++) {
    pass(&context->passed[i], inputs[i]);
  }
  for (size_t i = 0; i < output_count; i++) {
    pass(&context->passed[input_count + i], outputs[i]);
  }
  __atomic_store_n(&context->mark, CORE_CONTEXT_MARK, __ATOMIC_RELEASE);
}

static bool must_make(const struct core_side* side, size_t i) {
  return i < side->count
             ? side->expected[i].is_required
             : side->is_open && core_declared(side, i)->characteristic != INPUT_OUTPUT_OPTIONAL;
}

/* An output that the kernel did not make: an optional holds nothing then. */
static CORE_COLD OrtStatus* leave_out(const struct core_node* node, size_t i, OrtValue** out) {
  const struct core_side* side = &node->outputs;
  const OrtTypeInfo* type = i < side->count ? side->list[i].type_info : NULL;
  if (!must_make(side, i)) {
    return NULL;
  }
  return type != NULL && type->kind == ONNX_TYPE_OPTIONAL
             ? core_empty_optional(out)
             : core_node_status(node, ORT_FAIL, "the kernel did not make output %zu", i);
}

/* Ends a call: with success its outputs are the caller's. */
static OrtStatus* finish(OrtKernelContext* context, OrtStatus* status, OrtValue** outputs) {
  struct core_passed* made = context->passed + context->input_count;
  for (size_t i = 0; status == NULL && i < context->output_count; i++) {
    if (CORE_UNLIKELY(made[i].handle.target == NULL)) {
      status = leave_out(context->node, i, &made[i].handle.target);
    }
  }
  if (context->idle != NULL && context->output_count > 0 &&
      *context->idle == made[0].handle.target) {
    *context->idle = NULL;
  }
  for (size_t i = 0; i < context->output_count; i++) {
    if (made[i].is_callers) {
      continue;
    }
    if (status == NULL) {
      outputs[i] = made[i].handle.target;
    } else {
      ort_ReleaseValue(made[i].handle.target);
    }
  }
  for (size_t i = 0; i < context->input_count + context->output_count; i++) {
    core_end_borrowed(&context->passed[i].handle);
  }
  if (CORE_UNLIKELY(context->scratch != NULL)) {
    core_free_scratch(context);
  }
  __atomic_store_n(&context->mark, 0, __ATOMIC_RELAXED);
  return status;
}

struct compute_call {
  struct core_op_call call;
  OrtKernelContext* context;
};

static void compute(struct core_op_call* call) {
  OrtKernelContext* context = ((const struct compute_call*)call)->context;
  const OrtcoreKernel* kernel = context->kernel;
  if (kernel->compute != NULL) {
    call->status = kernel->compute(kernel->state, context);
  } else {
    call->node->op->KernelCompute(kernel->state, context);
  }
}

static OrtStatus* compute_checked(OrtKernelContext* context, const OrtValue* const* inputs,
                                  size_t input_count, OrtValue** outputs, size_t output_count) {
  pass_all(context, inputs, input_count, outputs, output_count);
  struct compute_call own = {{context->node, compute, NULL}, context};
  return finish(context, core_call_op(&own.call), outputs);
}

OrtStatus* core_kernel_compute_in(OrtKernelContext* context, const OrtValue* const* inputs,
                                  size_t input_count, OrtValue** outputs, size_t output_count) {
  CORE_TRY(check_inputs(context->node, inputs, input_count));
  CORE_TRY(check_outputs(context->node, outputs, output_count));
  return compute_checked(context, inputs, input_count, outputs, output_count);
}

OrtStatus* ORT_API_CALL core_kernel_compute(OrtcoreKernel* kernel, const OrtValue* const* inputs,
                                            size_t input_count, OrtValue** outputs,
                                            size_t output_count) {
  CORE_REQUIRE(ortcore_kernel_compute, kernel);
  CORE_REQUIRE_IF(input_count > 0, ortcore_kernel_compute, inputs);
  CORE_REQUIRE_IF(output_count > 0, ortcore_kernel_compute, outputs);
  CORE_TRY(check_inputs(kernel->node, inputs, input_count));
  CORE_TRY(check_outputs(kernel->node, outputs, output_count));
  OrtKernelContext* context = take_context(kernel, input_count + output_count);
  CORE_RETURN_IF(context == NULL, CORE_OUT_OF_MEMORY(ortcore_kernel_compute, sizeof *context));
  OrtStatus* status = compute_checked(context, inputs, input_count, outputs, output_count);
  give_context_back(kernel, context);
  return core_named("ortcore_kernel_compute", status);
}
