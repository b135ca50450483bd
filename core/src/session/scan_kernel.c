/* SPDX-License-Identifier: MIT */
/* The kernel of Scan, as it is from version 9 of ONNX's operators on. */
#include "memory/allocator.h"
#include "session/body.h"

/* What attributes say of an input or output that is cut into parts, or put together of them. */
struct part {
  int64_t axis;
  bool is_reversed;
};

/* The number that a list of an attribute has at a place; 0 where it has none. */
static int64_t number_at(const OrtNode* node, const char* name, size_t i) {
  const OrtOpAttr* attribute = core_find_attribute(node, name);
  return attribute != NULL && i < attribute->size / sizeof(int64_t)
             ? ((const int64_t*)core_op_attr_value(attribute))[i]
             : 0;
}

static struct part part_of(const OrtNode* node, bool is_output, size_t i) {
  return (struct part){
      number_at(node, is_output ? "scan_output_axes" : "scan_input_axes", i),
      number_at(node, is_output ? "scan_output_directions" : "scan_input_directions", i) != 0};
}

/* A call. */
struct scan {
  const struct core_flow* flow;
  OrtKernelContext* context;
  const struct core_body* body;
  size_t states, inputs, outputs;
  int64_t length;
  /** The scanned inputs with the axis first, and the scan outputs so. */
  OrtValue** wholes;
  OrtValue** results;
  /** The inputs of a turn, and which of them are made here; what it makes. */
  const OrtValue** values;
  OrtValue** own;
  OrtValue** made;
};

static OrtStatus* new_tensor(const int64_t* dims, size_t rank, ONNXTensorElementDataType type,
                             OrtValue** out) {
  return core_new_tensor(CORE_DEFAULT_ALLOCATOR, dims, rank, type, (struct core_tensor**)out);
}

/* Moves an axis to another place: `permutation` and `dims` are those of the result. */
static void move_axis(const struct core_shape* shape, size_t from, size_t to, size_t* permutation,
                      int64_t* dims) {
  for (size_t i = 0, k = 0; i < shape->rank; i++) {
    k += k == from;
    permutation[i] = i == to ? from : k++;
    dims[i] = shape->dims[permutation[i]];
  }
}

static OrtStatus* refuse_axis(void) {
  return core_fail(ORT_INVALID_ARGUMENT, "an axis of Scan is not one of the tensor");
}

/* Has an input of the node with the axis first. */
static OrtStatus* begin_input(struct scan* scan, size_t i) {
  OrtScanKernelHelper* helper = scan->flow->scan;
  struct part part = part_of(scan->flow->node, false, i);
  const OrtValue* value = core_context_input(scan->context, scan->states + i);
  const struct core_shape* shape =
      value != NULL && core_is_tensor(value) ? core_shape_of(value) : NULL;
  size_t permutation[CORE_LARGEST_RANK];
  int64_t dims[CORE_LARGEST_RANK];
  CORE_FAIL_IF(shape == NULL || shape->type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING,
               ORT_NOT_IMPLEMENTED, "inputs of Scan must be tensors of numbers");
  part.axis += part.axis < 0 ? (int64_t)shape->rank : 0;
  CORE_RETURN_IF(part.axis < 0 || (size_t)part.axis >= shape->rank, refuse_axis());
  int64_t length = shape->dims[part.axis];
  CORE_FAIL_IF(i > 0 && length != scan->length, ORT_INVALID_ARGUMENT,
               "the inputs of Scan have not one length");
  scan->length = length;
  if (part.axis == 0) {
    scan->wholes[i] = core_retain_value(value);
    return NULL;
  }
  move_axis(shape, (size_t)part.axis, 0, permutation, dims);
  CORE_TRY(new_tensor(dims, shape->rank, shape->type, &scan->wholes[i]));
  return helper->Transpose(helper, permutation, shape->rank, value, NULL, scan->wholes[i]);
}

/* Makes the value that an input of a turn is: a part of the tensor, in place. */
static OrtStatus* cut(struct scan* scan, size_t i, int64_t turn) {
  const struct core_tensor* whole = core_tensor_of(scan->wholes[i]);
  bool is_reversed = part_of(scan->flow->node, false, i).is_reversed;
  size_t bytes = whole->bytes / (size_t)scan->length;
  size_t at = (size_t)(is_reversed ? scan->length - 1 - turn : turn);
  struct core_tensor* made = NULL;
  CORE_TRY(core_borrow_tensor(&core_cpu_memory_info, (char*)whole->data + at * bytes, bytes,
                              whole->shape.dims + 1, whole->shape.rank - 1, whole->shape.type,
                              &made));
  ort_ReleaseValue(scan->own[scan->states + i]);
  scan->values[scan->states + i] = scan->own[scan->states + i] = &made->base;
  return NULL;
}

/* Copies what a turn has made to its place in the whole output. */
static OrtStatus* put(struct scan* scan, size_t i, int64_t turn) {
  const OrtValue* made = scan->made[scan->states + i];
  const struct core_shape* shape = core_is_tensor(made) ? core_shape_of(made) : NULL;
  CORE_FAIL_IF(shape == NULL || shape->type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING ||
                   shape->rank == CORE_LARGEST_RANK,
               ORT_NOT_IMPLEMENTED, "outputs of Scan must be tensors of numbers");
  if (scan->results[i] == NULL) {
    int64_t dims[CORE_LARGEST_RANK] = {scan->length};
    for (size_t k = 0; k < shape->rank; k++) {
      dims[k + 1] = shape->dims[k];
    }
    CORE_TRY(new_tensor(dims, shape->rank + 1, shape->type, &scan->results[i]));
  }
  const struct core_tensor *part = core_tensor_of(made), *whole = core_tensor_of(scan->results[i]);
  CORE_FAIL_IF(
      !core_has_shape(shape, whole->shape.type, whole->shape.dims + 1, whole->shape.rank - 1) ||
          part->bytes * (size_t)scan->length != whole->bytes,
      ORT_FAIL, "an output of Scan has not one shape in all turns");
  bool is_reversed = part_of(scan->flow->node, true, i).is_reversed;
  size_t at = (size_t)(is_reversed ? scan->length - 1 - turn : turn);
  if (part->bytes > 0) {
    memcpy((char*)whole->data + at * part->bytes, part->data, part->bytes);
  }
  return NULL;
}

static OrtStatus* take_turn(struct scan* scan, int64_t turn) {
  OrtStatus* status = NULL;
  for (size_t i = 0; i < scan->inputs; i++) {
    CORE_TRY(cut(scan, i, turn));
  }
  CORE_TRY(core_run_body(scan->body, scan->context, scan->values, scan->made));
  for (size_t i = 0; i < scan->outputs && status == NULL; i++) {
    status = put(scan, i, turn);
  }
  for (size_t i = 0; i < scan->states; i++) {
    ort_ReleaseValue(scan->own[i]);
    scan->values[i] = scan->own[i] = scan->made[i];
    scan->made[i] = NULL;
  }
  core_release_values(scan->made, scan->body->output_count);
  return status;
}

/* Gives a whole output to the caller, with its axis in its place. */
static OrtStatus* give(struct scan* scan, size_t i) {
  OrtScanKernelHelper* helper = scan->flow->scan;
  int64_t axis = part_of(scan->flow->node, true, i).axis;
  size_t permutation[CORE_LARGEST_RANK], place = scan->states + i;
  int64_t dims[CORE_LARGEST_RANK];
  OrtValue* out = NULL;
  CORE_FAIL_IF(scan->results[i] == NULL, ORT_NOT_IMPLEMENTED,
               "Scan has no turns, so that the shapes of its outputs are not "
               "known");
  const struct core_shape* shape = core_shape_of(scan->results[i]);
  axis += axis < 0 ? (int64_t)shape->rank : 0;
  CORE_RETURN_IF(axis < 0 || (size_t)axis >= shape->rank, refuse_axis());
  if (axis == 0) {
    return core_set_output_of(scan->context, place, scan->results[i]);
  }
  move_axis(shape, 0, (size_t)axis, permutation, dims);
  CORE_TRY(ort_KernelContext_GetOutput(scan->context, place, dims, shape->rank, &out));
  return out == NULL
             ? NULL
             : helper->Transpose(helper, permutation, shape->rank, scan->results[i], NULL, out);
}

static OrtStatus* run(struct scan* scan) {
  CORE_TRY(core_begin_carried(scan->context, 0, scan->states, scan->values));
  for (size_t i = 0; i < scan->inputs; i++) {
    CORE_TRY(begin_input(scan, i));
  }
  for (int64_t turn = 0; turn < scan->length; turn++) {
    CORE_TRY(take_turn(scan, turn));
  }
  CORE_TRY(core_set_outputs_of(scan->context, (OrtValue* const*)scan->values, scan->states));
  for (size_t i = 0; i < scan->outputs; i++) {
    CORE_TRY(give(scan, i));
  }
  return NULL;
}

/* Makes room for a call. */
static OrtStatus* begin(struct scan* scan, struct core_pool* pool) {
  CORE_TAKE_ARRAY(pool, scan->wholes, scan->inputs);
  CORE_TAKE_ARRAY(pool, scan->results, scan->outputs);
  CORE_TAKE_ARRAY(pool, scan->values, scan->body->own_count);
  CORE_TAKE_ARRAY(pool, scan->made, scan->body->output_count);
  CORE_TAKE_ARRAY(pool, scan->own, scan->body->own_count);
  return NULL;
}

static OrtStatus* ORT_API_CALL compute(OrtKernelImpl* self, OrtKernelContext* context) {
  const struct core_flow* flow = (const struct core_flow*)self;
  const struct core_body* body = &flow->bodies[0];
  struct scan scan = {.flow = flow, .context = context, .body = body};
  struct core_pool pool = {0};
  scan.inputs = (size_t)number_at(flow->node, "num_scan_inputs", 0);
  scan.states = body->own_count - scan.inputs;
  scan.outputs = body->output_count - scan.states;
  OrtStatus* status = begin(&scan, &pool);
  if (status == NULL) {
    status = run(&scan);
    core_release_values(scan.wholes, scan.inputs);
    core_release_values(scan.results, scan.outputs);
    core_release_values(scan.own, body->own_count);
  }
  core_pool_end(&pool);
  return status;
}

CORE_SLOT(ort_ep_CreateScanKernel, const OrtKernelInfo* kernel_info, OrtScanKernelHelper* helper,
          OrtKernelImpl** kernel_out) {
  static const char* const names[] = {"body", NULL};
  CORE_FAIL_IF(helper->Release == NULL || helper->Transpose == NULL, ORT_INVALID_ARGUMENT,
               "CreateScanKernel: helper must have the functions Release and Transpose");
  CORE_FAIL_IF(kernel_info->node->of != NULL && core_opset_version_of(kernel_info->node->of) < 9,
               ORT_FAIL, "CreateScanKernel: Scan must be of version 9 or later");
  struct core_flow* flow = NULL;
  CORE_TRY(core_new_flow(kernel_info, names, compute, &flow));
  const struct core_body* body = &flow->bodies[0];
  int64_t inputs = number_at(flow->node, "num_scan_inputs", 0);
  if (body->own_count != core_explicit_inputs(flow) || inputs < 1 ||
      (uint64_t)inputs > body->own_count || body->output_count != flow->node->output_count ||
      body->output_count + (size_t)inputs < body->own_count) {
    flow->base.Release(&flow->base);
    CORE_FAIL(ORT_INVALID_GRAPH, "CreateScanKernel: the body of Scan does not fit the node");
  }
  flow->scan = helper;
  *kernel_out = &flow->base;
  return NULL;
}
