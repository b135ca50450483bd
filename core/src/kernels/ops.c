/* SPDX-License-Identifier: MIT */
/* Ops that kernels make and call: those that are registered where the kernel runs. */

#include "kernels/kernel.h"

/* What CreateOp looks for. */
struct request {
  /* Calls functions of ops, for the node of the kernel that asks. */
  struct core_op_call call;
  struct core_op_search search;
  struct core_pool pool;
  const OrtCustomOp* found;
  OrtcoreOperand* operands;
  size_t input_count;
  size_t output_count;
};

/* An OrtOp is a kernel. */
static OrtcoreKernel* kernel_of(const OrtOp* op) { return (OrtcoreKernel*)op; }

#define NAME_ROOM 24

/* Names operands as ONNX Runtime names those of custom ops: Input0, Input1, ..., Output0, ... */
static OrtStatus* name_operands(struct request* request) {
  size_t inputs = request->input_count, count = inputs + request->output_count;
  char* names = core_pool_array(&request->pool, count, NAME_ROOM);
  request->operands = core_pool_array(&request->pool, count, sizeof *request->operands);
  CORE_RETURN_IF(names == NULL || request->operands == NULL,
                 core_no_memory(count * sizeof *request->operands));
  for (size_t i = 0; i < count; i++, names += NAME_ROOM) {
    snprintf(names, NAME_ROOM, "%s%zu", i < inputs ? "Input" : "Output",
             i < inputs ? i : i - inputs);
    request->operands[i].name = names;
  }
  return NULL;
}

static OrtStatus* constrain(const struct request* request, const char* name,
                            ONNXTensorElementDataType type) {
  size_t count = request->input_count + request->output_count;
  for (size_t i = 0; name != NULL && i < count; i++) {
    if (strcmp(request->operands[i].name, name) == 0) {
      request->operands[i].element_type = type;
      return NULL;
    }
  }
  return core_fail(ORT_INVALID_ARGUMENT,
                   "type_constraint_names of a custom op must be names of its operands, Input0, "
                   "Output0 and so on, and not %s",
                   name != NULL ? name : "NULL");
}

/* Whether a number of operands with types can be those of an op. */
static bool fits(const OrtCustomOp* op, bool is_output, const OrtcoreOperand* operands,
                 size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (!core_op_takes(op, is_output, i, operands[i].element_type)) {
      return false;
    }
  }
  return true;
}

/* Finds the newest that the version has, as sessions do. */
static void find_newest(struct core_op_call* call) {
  struct request* request = (struct request*)call;
  const OrtcoreOperand* outputs = request->operands + request->input_count;
  const OrtCustomOp* op;
  request->found = NULL;
  while ((op = core_next_op(&request->search)) != NULL) {
    if ((request->found == NULL || core_op_is_newer(op, request->found)) &&
        fits(op, false, request->operands, request->input_count) &&
        fits(op, true, outputs, request->output_count)) {
      request->found = op;
    }
  }
}

static OrtStatus* refuse(const struct request* request) {
  return core_fail(ORT_NOT_IMPLEMENTED,
                   "no custom op of these operands is registered for operator %.100s of version "
                   "%d of the domain '%.100s', and this library has no kernels of its own",
                   request->search.name, request->search.version, request->search.domain);
}

/* Each call says which optional inputs there are. */
static void let_leave_out(struct core_side* side) {
  for (size_t i = 0; i < side->count; i++) {
    side->expected[i].is_required &=
        core_declared(side, i)->characteristic != INPUT_OUTPUT_OPTIONAL;
  }
}

/* Makes the kernel; all but the op and its operands is as for the kernel that asks. */
static OrtStatus* make_kernel(const struct request* request, const OrtOpAttr* const* attributes,
                              size_t count, OrtcoreKernel** out) {
  const struct core_node* node = request->call.node;
  const OrtcoreNode made = {.version = ORT_API_VERSION,
                            .op = request->found,
                            .api = node->api,
                            .domain = request->search.domain,
                            .name = node->name,
                            .attributes = attributes,
                            .attribute_count = count,
                            .inputs = request->operands,
                            .input_count = request->input_count,
                            .outputs = request->operands + request->input_count,
                            .output_count = request->output_count,
                            .allocator = node->allocator,
                            .logger = node->logger,
                            .config = node->config,
                            .threads = node->threads,
                            .options = node->options};
  CORE_TRY(core_kernel_create(node->host, &made, out));
  (*out)->node->pool = node->pool;
  let_leave_out(&(*out)->node->inputs);
  return NULL;
}

static OrtStatus* find_op(struct request* request) {
  const struct core_node* node = request->call.node;
  CORE_RETURN_IF(node->options == NULL, refuse(request));
  request->search.ops = node->host->custom_ops(node->options);
  request->search.at_domain = request->search.at_op = 0;
  CORE_TRY(core_call_op(&request->call));
  return request->found != NULL ? NULL : refuse(request);
}

/* Of an op that nobody has under any types, that is what is said, and not which names are wrong. */
static OrtStatus* find_typed_op(struct request* request, const char* const* names,
                                const ONNXTensorElementDataType* types, int count) {
  CORE_TRY(name_operands(request));
  CORE_TRY(find_op(request));
  for (int i = 0; i < count; i++) {
    CORE_TRY(constrain(request, names[i], types[i]));
  }
  return count > 0 ? find_op(request) : NULL;
}

#define REQUIRE_COUNT(function, count)                                                 \
  if ((count) < 0 || (count) > CORE_MOST_OPERANDS) {                                   \
    CORE_FAIL(ORT_INVALID_ARGUMENT, #function ": " #count " must be from 0 to 65536"); \
  }

CORE_SLOT(ort_CreateOp, const OrtKernelInfo* info, const char* op_name, const char* domain,
          int version, const char** type_constraint_names,
          const ONNXTensorElementDataType* type_constraint_values, int type_constraint_count,
          const OrtOpAttr* const* attr_values, int attr_count, int input_count, int output_count,
          OrtOp** ort_op) {
  REQUIRE_COUNT(CreateOp, type_constraint_count);
  REQUIRE_COUNT(CreateOp, attr_count);
  REQUIRE_COUNT(CreateOp, input_count);
  REQUIRE_COUNT(CreateOp, output_count);
  CORE_REQUIRE_IF(type_constraint_count > 0, CreateOp, type_constraint_names,
                  type_constraint_values);
  CORE_REQUIRE_IF(attr_count > 0, CreateOp, attr_values);
  CORE_FAIL_IF(version < 1, ORT_INVALID_ARGUMENT, "CreateOp: version must be 1 or more");
  struct request request = {.call = {info->node, find_newest, NULL},
                            .search = {.domain = domain, .name = op_name, .version = version},
                            .input_count = (size_t)input_count,
                            .output_count = (size_t)output_count};
  OrtcoreKernel* kernel = NULL;
  OrtStatus* status =
      find_typed_op(&request, type_constraint_names, type_constraint_values, type_constraint_count);
  CORE_THEN(status, make_kernel(&request, attr_values, (size_t)attr_count, &kernel));
  core_pool_end(&request.pool);
  if (status == NULL) {
    *ort_op = (OrtOp*)kernel;
  }
  return status;
}

CORE_SLOT(ort_InvokeOp, const OrtKernelContext* context, const OrtOp* ort_op,
          const OrtValue* const* input_values, int input_count, OrtValue* const* output_values,
          int output_count) {
  const struct core_node* node = kernel_of(ort_op)->node;
  CORE_RETURN_IF(
      input_count < 0 || (size_t)input_count != node->inputs.count || output_count < 0 ||
          (size_t)output_count != node->outputs.count,
      core_node_status(node, ORT_INVALID_ARGUMENT,
                       "InvokeOp: there must be %zu inputs and %zu outputs, as for CreateOp",
                       node->inputs.count, node->outputs.count));
  CORE_REQUIRE_IF(input_count > 0, InvokeOp, input_values);
  CORE_REQUIRE_IF(output_count > 0, InvokeOp, output_values);
  for (int i = 0; i < output_count; i++) {
    CORE_FAIL_IF(output_values[i] == NULL, ORT_INVALID_ARGUMENT,
                 "InvokeOp: output_values must not have NULL");
  }
  return core_kernel_compute(kernel_of(ort_op), input_values, (size_t)input_count,
                             (OrtValue**)output_values, (size_t)output_count);
}

void ORT_API_CALL ort_ReleaseOp(OrtOp* input) NO_EXCEPTION {
  core_kernel_release(kernel_of(input));
}
