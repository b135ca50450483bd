/* SPDX-License-Identifier: MIT */
/* What the caller of a run gives and gets: inputs and outputs are checked, results handed over. */

#include "memory/allocator.h"
#include "options/session_options.h"
#include "session/session.h"

/* --- checks ----------------------------------------------------------------------------------- */

#define TYPE_ROOM 120

/* A type as ONNX writes it, such as "seq(map(string,tensor(float)))". */
static void name_type(const OrtTypeInfo* type, char text[TYPE_ROOM]) {
  static const char* const kinds[] = {[ONNX_TYPE_TENSOR] = "tensor",
                                      [ONNX_TYPE_SEQUENCE] = "seq",
                                      [ONNX_TYPE_MAP] = "map",
                                      [ONNX_TYPE_SPARSETENSOR] = "sparse_tensor",
                                      [ONNX_TYPE_OPTIONAL] = "optional"};
  bool is_map = type->kind == ONNX_TYPE_MAP;
  char inner[TYPE_ROOM] = "";
  if (type->inner != NULL) {
    name_type(type->inner, inner);
  }
  snprintf(text, TYPE_ROOM, "%s(%s%s%.90s)", kinds[type->kind],
           is_map ? core_element_name(type->key) : "", is_map ? "," : "",
           type->inner != NULL ? inner : core_element_name(type->tensor->type));
}

/* In these texts a side is "input" or "output". */

static CORE_COLD OrtStatus* wrong_type(const OrtValue* value, const OrtTypeInfo* type,
                                       const char* side) {
  char actual[TYPE_ROOM] = "an optional that holds nothing", wanted[TYPE_ROOM];
  OrtTypeInfo* own = NULL;
  if (core_type_of(value) != ONNX_TYPE_OPTIONAL) {
    CORE_TRY(ort_GetTypeInfo(value, &own));
    name_type(own, actual);
  }
  name_type(type, wanted);
  ort_ReleaseTypeInfo(own);
  return core_status(ORT_INVALID_ARGUMENT, "Unexpected %s data type. Actual: (%s) , expected: (%s)",
                     side, actual, wanted);
}

#define HINT " Please fix either the inputs/outputs or the model."

/* The shape of a tensor that a port is or may hold. */
static const OrtTensorTypeAndShapeInfo* shape_of(const struct core_port* port) {
  const OrtTypeInfo* type = port->type;
  return type->kind == ONNX_TYPE_OPTIONAL ? type->inner->tensor : type->tensor;
}

static CORE_COLD OrtStatus* wrong_rank(const struct core_port* port, size_t rank,
                                       const char* side) {
  return core_status(ORT_INVALID_ARGUMENT, "Invalid rank for %s: %s Got: %zu Expected: %zu" HINT,
                     side, port->name, rank, shape_of(port)->rank);
}

static CORE_COLD OrtStatus* wrong_dimensions(const struct core_port* port,
                                             const struct core_shape* shape, const char* side) {
  char text[600] = "";
  size_t length = 0;
  for (size_t i = 0; i < shape->rank && length < sizeof text - 200; i++) {
    int64_t wanted = shape_of(port)->dims[i];
    if (wanted >= 0 && wanted != shape->dims[i]) {
      length += (size_t)snprintf(text + length, sizeof text - length,
                                 " index: %zu Got: %" PRId64 " Expected: %" PRId64 "\n", i,
                                 shape->dims[i], wanted);
    }
  }
  return core_status(ORT_INVALID_ARGUMENT,
                     "Got invalid dimensions for %s: %s for the following indices\n%s" HINT, side,
                     port->name, text);
}

/* Refuses a value that the model does not allow for a port. */
static OrtStatus* check_value(const struct core_port* port, const OrtValue* value,
                              const char* side) {
  const OrtTypeInfo* type = port->type;
  if (type == NULL) {
    return NULL;
  }
  if (CORE_UNLIKELY(!core_is_of_type(value, type))) {
    return wrong_type(value, type, side);
  }
  const struct core_shape* shape = core_shape_of(value);
  if (shape == NULL) {
    return NULL;
  }
  const OrtTensorTypeAndShapeInfo* info = shape_of(port);
  if (!info->has_shape || info->rank == 0) { /* as in ONNX Runtime, no dimensions mean any shape */
    return NULL;
  }
  if (CORE_LIKELY(core_fits_dimensions(shape, info->dims, info->rank))) {
    return NULL;
  }
  return shape->rank != info->rank ? wrong_rank(port, shape->rank, side)
                                   : wrong_dimensions(port, shape, side);
}

static OrtStatus* set_input(const OrtSession* session, struct core_frame* frame, const char* name,
                            const OrtValue* value, size_t i) {
  CORE_FAIL_IF(name == NULL, ORT_INVALID_ARGUMENT, "Run: input_names must not have NULL");
  CORE_REFUSE_IF(value == NULL, ORT_INVALID_ARGUMENT, "NULL input supplied for input %s", name);
  const struct core_port* port = core_find_port(&session->inputs, name, i);
  port = port != NULL ? port : core_find_port(&session->overridable, name, 0);
  CORE_RETURN_IF(port == NULL, core_status(ORT_INVALID_ARGUMENT, "Invalid input name: %s", name));
  CORE_TRY(check_value(port, value, "input"));
  frame->values[port->value] = (OrtValue*)value;
  return NULL;
}

static OrtStatus* set_adapters(const OrtSession* session, struct core_frame* frame,
                               const OrtRunOptions* options) {
  for (size_t i = 0; options != NULL && i < options->adapters.count; i++) {
    const OrtLoraAdapter* adapter = options->adapters.items[i];
    for (size_t k = adapter->count; k-- > 0;) {
      const struct core_lora_parameter* parameter = &adapter->parameters[k];
      CORE_TRY(set_input(session, frame, parameter->name, parameter->value, 0));
    }
  }
  return NULL;
}

/* An optional input that is left out holds nothing. */
static CORE_COLD OrtStatus* leave_out_input(struct core_frame* frame,
                                            const struct core_port* port) {
  CORE_RETURN_IF(port->type == NULL || port->type->kind != ONNX_TYPE_OPTIONAL,
                 core_status(ORT_INVALID_ARGUMENT, "Missing Input: %s", port->name));
  CORE_TRY(core_empty_optional(&frame->values[port->value]));
  frame->is_own[port->value] = true;
  return NULL;
}

OrtStatus* core_set_inputs(const OrtSession* session, struct core_frame* frame,
                           const OrtRunOptions* options, const struct core_feeds* feeds) {
  for (size_t i = 0; i < feeds->input_count; i++) {
    CORE_TRY(set_input(session, frame, feeds->input_names[i], feeds->inputs[i], i));
  }
  CORE_TRY(set_adapters(session, frame, options));
  for (size_t i = 0; i < session->inputs.count; i++) {
    const struct core_port* port = &session->inputs.list[i];
    if (CORE_UNLIKELY(frame->values[port->value] == NULL)) {
      CORE_TRY(leave_out_input(frame, port));
    }
  }
  return NULL;
}

OrtStatus* core_set_outputs(const OrtSession* session, struct core_frame* frame,
                            const struct core_feeds* feeds) {
  for (size_t i = 0; i < feeds->output_count; i++) {
    const char* name = feeds->output_names[i];
    CORE_FAIL_IF(name == NULL, ORT_INVALID_ARGUMENT, "Run: output_names must not have NULL");
    const struct core_port* port = core_find_port(&session->outputs, name, i);
    CORE_RETURN_IF(port == NULL,
                   core_status(ORT_INVALID_ARGUMENT, "Invalid output name: %s", name));
    if (feeds->outputs[i] == NULL) {
      continue;
    }
    CORE_TRY(check_value(port, feeds->outputs[i], "output"));
    bool can_be_left_out = port->type != NULL && port->type->kind == ONNX_TYPE_OPTIONAL;
    if (frame->values[port->value] == NULL && !can_be_left_out) {
      frame->values[port->value] = feeds->outputs[i];
    }
  }
  return NULL;
}

/* --- outputs ---------------------------------------------------------------------------------- */

/* Returns a value that the run did not make: an input or a constant. A tensor is copied, because
 * its memory may end before the output does. */
static OrtStatus* copy_output(const OrtValue* from, OrtValue** out) {
  struct core_tensor* copy = NULL;
  if (!core_is_tensor(from)) {
    *out = core_retain_value(from);
    return NULL;
  }
  CORE_TRY(core_copy_tensor(core_tensor_of(from), CORE_DEFAULT_ALLOCATOR, &copy));
  *out = &copy->base;
  return NULL;
}

/* Copies into the tensor of the caller. */
static OrtStatus* fill_output(const OrtValue* from, OrtValue* to) {
  const struct core_shape* wanted = core_shape_of(to);
  CORE_FAIL_IF(!core_is_tensor(from) || !core_is_tensor(to) ||
                   !core_has_shape(core_shape_of(from), wanted->type, wanted->dims, wanted->rank),
               ORT_INVALID_ARGUMENT,
               "Run: an output that is given must have the element type and shape of the result");
  return core_copy_elements(core_tensor_of(from), core_tensor_of(to));
}

static OrtStatus* hand_over_one(const struct core_frame* frame, core_value_number value,
                                OrtValue** out) {
  const OrtValue* made = frame->values[value];
  CORE_FAIL_IF(made == NULL, ORT_FAIL, "Run: the model left out an output that is asked for");
  if (*out == made) {
    return NULL;
  }
  if (*out != NULL) {
    return fill_output(made, *out);
  }
  if (frame->is_own[value]) {
    *out = core_retain_value(made);
    return NULL;
  }
  return copy_output(made, out);
}

/* `is_new` has a place for each output. */
static OrtStatus* hand_each_over(const OrtSession* session, const struct core_frame* frame,
                                 const struct core_feeds* feeds, bool* is_new) {
  OrtStatus* status = NULL;
  size_t done = 0;
  for (; status == NULL && done < feeds->output_count; done++) {
    const struct core_port* port =
        core_find_port(&session->outputs, feeds->output_names[done], done);
    is_new[done] = feeds->outputs[done] == NULL;
    status = hand_over_one(frame, port->value, &feeds->outputs[done]);
  }
  for (size_t i = 0; status != NULL && i < done; i++) {
    if (is_new[i]) {
      ort_ReleaseValue(feeds->outputs[i]);
      feeds->outputs[i] = NULL;
    }
  }
  return status;
}

OrtStatus* core_hand_over(const OrtSession* session, const struct core_frame* frame,
                          const struct core_feeds* feeds) {
  bool few[64];
  if (CORE_LIKELY(feeds->output_count <= CORE_COUNT_OF(few))) {
    return hand_each_over(session, frame, feeds, few);
  }
  bool* many = heap_alloc(feeds->output_count);
  CORE_NEED_MEMORY(many, feeds->output_count);
  OrtStatus* status = hand_each_over(session, frame, feeds, many);
  heap_free(many);
  return status;
}
