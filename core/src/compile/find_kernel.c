/* SPDX-License-Identifier: MIT */
/* Finds the kernel for a single node in the registry of its provider. */
#include "compile/ep.h"
#include "values/type_info.h"
#include "kernels/kernel.h"

static bool has_type(const struct core_type_constraint* constraint,
                     ONNXTensorElementDataType type) {
  size_t i = 0;
  while (i < constraint->count && constraint->types[i]->type != type) {
    i++;
  }
  return i < constraint->count;
}

/* Whether a constraint is about the i-th input or output: it has the name of the operand, or of its
 * type parameter. */
static bool is_about(const struct core_type_constraint* constraint,
                     const struct core_schema* schema, bool is_output, size_t i) {
  size_t count = core_schema_operand_count(schema, is_output);
  if (count == 0) {
    return false;
  }
  const struct core_schema_operand operand =
      core_schema_operand_at(schema, is_output, i < count ? i : count - 1);
  return strcmp(operand.type, constraint->name) == 0 || strcmp(operand.name, constraint->name) == 0;
}

/* Whether all operands that a constraint is about have one of its types. */
static OrtStatus* satisfies(const OrtNode* node, const struct core_schema* schema,
                            const struct core_type_constraint* constraint, bool* answer) {
  const OrtTensorTypeAndShapeInfo* tensor;
  *answer = true;
  for (size_t i = 0; *answer && i < node->input_count + node->output_count; i++) {
    bool is_output = i >= node->input_count;
    if (node->values[i] != NULL &&
        is_about(constraint, schema, is_output, is_output ? i - node->input_count : i)) {
      CORE_TRY(core_known_tensor(node->values[i], &tensor));
      *answer = has_type(constraint, tensor != NULL ? tensor->type : 0);
    }
  }
  return NULL;
}

static OrtStatus* fits(const struct core_ep* ep, const OrtNode* node, const OrtKernelDef* def,
                       bool* answer) {
  const struct core_schema* schema = core_schema_of(node);
  int since = schema != NULL ? core_schema_since(schema) : 1;
  *answer = core_is_same_text(def->op_type, node->op_type) &&
            core_is_same_text(def->domain, node->domain) &&
            (def->provider == NULL || strcmp(def->provider, ep->name) == 0) &&
            since >= def->first && since <= core_last_of(def);
  for (size_t i = 0; *answer && schema != NULL && i < def->constraint_count; i++) {
    CORE_TRY(satisfies(node, schema, &def->constraints[i], answer));
  }
  return NULL;
}

OrtStatus* core_find_kernel(struct core_ep* ep, const OrtNode* node,
                            const struct core_registered_kernel** out) {
  const OrtKernelRegistry* registry = ep->registry;
  *out = NULL;
  for (size_t i = 0; registry != NULL && i < registry->count; i++) {
    const struct core_registered_kernel* kernel = &registry->kernels[i];
    bool is_found;
    CORE_TRY(fits(ep, node, kernel->def, &is_found));
    if (is_found) {
      *out = kernel;
      return NULL;
    }
  }
  return NULL;
}

CORE_SLOT(ort_ep_EpGraphSupportInfo_LookUpKernel, OrtEpGraphSupportInfo* graph_support_info,
          const OrtNode* node, const OrtKernelDef** out_kernel_def) {
  const struct core_registered_kernel* found = NULL;
  CORE_REQUIRE_IN_CALL(EpGraphSupportInfo_LookUpKernel, graph_support_info);
  CORE_REQUIRE_MODEL(EpGraphSupportInfo_LookUpKernel, node, node->values);
  CORE_TRY(core_find_kernel(graph_support_info->claims->ep, node, &found));
  *out_kernel_def = found != NULL ? found->def : NULL;
  return NULL;
}

struct op_kernel {
  OrtKernelImpl base;
  const OrtCustomOp* op;
  void* kernel;
};

static OrtStatus* ORT_API_CALL compute(OrtKernelImpl* self, OrtKernelContext* context) {
  const struct op_kernel* own = (const struct op_kernel*)self;
  if (core_computes_with_status(own->op)) {
    return own->op->KernelComputeV2(own->kernel, context);
  }
  own->op->KernelCompute(own->kernel, context);
  return NULL;
}

static void ORT_API_CALL destroy(OrtKernelImpl* self) {
  const struct op_kernel own = *(const struct op_kernel*)self;
  heap_free(self);
  if (own.op->KernelDestroy != NULL) {
    own.op->KernelDestroy(own.kernel);
  }
}

static OrtStatus* ORT_API_CALL create(void* op, const OrtKernelInfo* info, OrtKernelImpl** out) {
  struct op_kernel* made = heap_alloc(sizeof *made);
  CORE_NEED_MEMORY(made, sizeof *made);
  *made = (struct op_kernel){
      {.ort_version_supported = ORT_API_VERSION, .Compute = compute, .Release = destroy}, op, NULL};
  CORE_TRY_OR(core_create_of_op(op, info->node->api, info, &made->kernel), heap_free(made));
  *out = &made->base;
  return NULL;
}

struct core_registered_kernel core_kernel_of_op(const OrtCustomOp* op) {
  static struct OrtKernelDef any = {.object = {.references = CORE_PERMANENT}};
  return (struct core_registered_kernel){&any, create, (void*)op};
}
