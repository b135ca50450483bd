/* SPDX-License-Identifier: MIT */
/* A run of a node on a device: inputs are copied to the device, the provider computes, outputs
 * are copied back. */

#include "compile/device.h"
#include "ep/library.h"

/* A run. `outer` is the context of the host, with tensors in the CPU's memory. The provider gets
 * `inner`, the same call with tensors on the device. */
struct run {
  struct core_device_run* on;
  OrtKernelContext* outer;
  OrtKernelContext* inner;
  const struct core_device_call* call;
  /** For each input its copy on the device, or NULL. */
  OrtValue** copies;
  /** Whether there are outputs in the CPU's memory. */
  bool has_copied_back;
};

/* --- inputs and outputs ---------------------------------------------------------------------- */

/* Strings are objects in the CPU's memory, which a device cannot read. */
static bool can_be_copied(const OrtValue* value) {
  return core_is_on_cpu(value) &&
         core_tensor_of(value)->shape.type != ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING;
}

static OrtStatus* pass_input(struct run* run, size_t i) {
  const OrtValue* given = NULL;
  struct core_passed* passed = &run->inner->passed[i];
  OrtValue* constant = run->call->constants[i];
  CORE_TRY(ort_KernelContext_GetInput(run->outer, i, &given));
  passed->is_callers = given != NULL;
  if (given == NULL) {
    return NULL;
  }
  OrtValue* used = core_target(given);
  bool is_for_cpu = core_is_for_cpu(run->call->kernel, i, false);
  if (!is_for_cpu && constant != NULL &&
      used == core_target(&run->outer->node->inputs.list[i].borrowed_constant)) {
    used = constant;
  } else if (!is_for_cpu && can_be_copied(given)) {
    CORE_TRY(core_copy_to_device(run->on->device, used, run->on->stream, &run->copies[i]));
    core_release_after(run->on, core_retain_value(used)); /* until the copy is done */
    used = run->copies[i];
  }
  core_make_borrowed(&passed->handle, core_type_of(used), used);
  return NULL;
}

/* The provider writes directly into an output that the caller gave if that is in the memory where
 * the provider writes; otherwise it gets no output, and take_output copies. */
static void pass_output(const struct run* run, size_t i) {
  const struct core_passed* given = &run->outer->passed[run->outer->input_count + i];
  struct core_passed* passed = &run->inner->passed[run->inner->input_count + i];
  passed->is_for_cpu = core_is_for_cpu(run->call->kernel, i, true);
  passed->is_callers = given->is_callers && core_is_on_cpu(&given->handle) == passed->is_for_cpu;
  core_make_borrowed(&passed->handle, ONNX_TYPE_TENSOR,
                     passed->is_callers ? core_target(&given->handle) : NULL);
}

static OrtStatus* pass_all(struct run* run) {
  for (size_t i = 0; i < run->inner->input_count; i++) {
    CORE_TRY(pass_input(run, i));
  }
  for (size_t i = 0; i < run->inner->output_count; i++) {
    pass_output(run, i);
  }
  return NULL;
}

/* Hands over an output that the provider made: as it is, or as a copy where the caller wants it. */
static OrtStatus* take_output(struct run* run, size_t i) {
  struct core_passed* made = &run->inner->passed[run->inner->input_count + i];
  OrtValue *to = NULL, *value = made->handle.target;
  if (value == NULL || made->is_callers) {
    return NULL;
  }
  if (run->call->stays[i]) {
    run->outer->passed[run->outer->input_count + i].handle.target = value;
    made->handle.target = NULL;
    return NULL;
  }
  run->has_copied_back = true;
  const struct core_shape* shape = core_shape_of(value);
  CORE_TRY(ort_KernelContext_GetOutput(run->outer, i, shape->dims, shape->rank, &to));
  return core_copy_by_device(run->on->device, value, core_target(to), run->on->stream);
}

/* --- the run --------------------------------------------------------------------------------- */

static OrtStatus* begin_run(struct run* run) {
  size_t inputs = run->outer->node->inputs.count, outputs = run->outer->output_count;
  size_t size = sizeof *run->inner + (inputs + outputs) * sizeof *run->inner->passed;
  run->inner = heap_alloc(size);
  run->copies = heap_alloc((inputs + 1) * sizeof *run->copies);
  CORE_RETURN_IF(run->inner == NULL || run->copies == NULL, core_no_memory(size));
  memset(run->inner, 0, size);
  memset(run->copies, 0, (inputs + 1) * sizeof *run->copies);
  *run->inner = (OrtKernelContext){.mark = CORE_CONTEXT_MARK,
                                   .node = run->outer->node,
                                   .input_count = inputs,
                                   .output_count = outputs,
                                   .room = inputs + outputs,
                                   .is_on_device = true,
                                   .stream = run->on->stream,
                                   .logger = run->outer->logger};
  return pass_all(run);
}

CORE_EP_CALLER(call_provider, const struct run,
               self->call->compute(self->call->argument, self->inner))

static OrtStatus* compute_inner(struct run* run, struct core_ep* ep) {
  CORE_TRY(core_begin_device_run(run->on, ep));
  CORE_TRY(begin_run(run));
  CORE_TRY(core_ep_call("Compute", call_provider, run));
  for (size_t i = 0; i < run->inner->output_count; i++) {
    CORE_TRY(take_output(run, i));
  }
  return NULL;
}

static void end_run(struct run* run) {
  OrtKernelContext* inner = run->inner;
  for (size_t i = 0; inner != NULL && run->copies != NULL && i < inner->room; i++) {
    OrtValue* made = i < inner->input_count         ? run->copies[i]
                     : !inner->passed[i].is_callers ? inner->passed[i].handle.target
                                                    : NULL;
    core_release_after(run->on, made);
    core_end_borrowed(&inner->passed[i].handle);
  }
  if (inner != NULL && run->copies != NULL) {
    core_free_scratch(inner);
  }
  heap_free(run->copies);
  heap_free(inner);
}

OrtStatus* core_compute_on_device(struct core_ep* ep, OrtKernelContext* context,
                                  const struct core_device_call* call) {
  struct core_device_run own = {0};
  bool is_of_session = context->device_run != NULL;
  struct run run = {
      .outer = context, .call = call, .on = is_of_session ? context->device_run : &own};
  OrtStatus* status = compute_inner(&run, ep);
  /* Also after a failure: the device may still read what is released now. */
  bool waits = status != NULL || run.has_copied_back || run.inner->scratch != NULL;
  if (run.on->device != NULL && waits) {
    status = core_first_failure(status, core_wait_for_device(run.on));
  }
  end_run(&run);
  return is_of_session ? status : core_end_device_run(&own, status);
}
