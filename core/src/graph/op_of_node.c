/* SPDX-License-Identifier: MIT */
/* Finds the custom op of a session that fits a node. */

#include "graph/graph.h"

#define MISFIT(out, ...) snprintf((out)->text, sizeof(out)->text, __VA_ARGS__)

static void check_count(const OrtCustomOp* op, const OrtNode* node, bool is_output,
                        struct core_misfit* out) {
  const char* side = is_output ? "output" : "input";
  size_t count = is_output ? node->output_count : node->input_count;
  size_t least = 0, declared = core_op_operand_count(op, is_output), most = declared;
  for (size_t i = 0; i < declared; i++) {
    const struct core_operand operand = core_op_operand(op, is_output, i);
    size_t needed = core_operands_needed(&operand, i);
    least = needed > least ? needed : least;
    if (operand.characteristic != INPUT_OUTPUT_VARIADIC) {
      continue;
    }
    most = INT_MAX;
    if (i + 1 < declared) {
      MISFIT(out, "Only the last %s to a custom op may be marked variadic.", side);
      return;
    }
  }
  if (count < least || count > most) {
    MISFIT(out, "has %s size %zu not in range [min=%zu, max=%zu]", side, count, least, most);
  }
}

/* The element type of the first of the variadic inputs that must have one type, where the input at
 * a place is among them; else that of the input itself. */
static ONNXTensorElementDataType wanted_type(const OrtCustomOp* op, const OrtNode* node, size_t i) {
  size_t last = core_op_operand_count(op, false) - 1;
  const struct core_operand operand = core_op_operand(op, false, i < last ? i : last);
  bool is_bound =
      i > last && operand.characteristic == INPUT_OUTPUT_VARIADIC && operand.is_homogeneous;
  return core_element_type_of(node->values[is_bound ? last : i]);
}

/* Compares the element types of inputs, as far as op and model state them. */
static void check_types(const OrtCustomOp* op, const OrtNode* node, struct core_misfit* out) {
  for (size_t i = 0; out->text[0] == 0 && i < node->input_count; i++) {
    ONNXTensorElementDataType type = core_element_type_of(node->values[i]);
    if (type == 0) {
      continue;
    }
    ONNXTensorElementDataType wanted = wanted_type(op, node, i);
    if (!core_op_takes(op, false, i, type)) {
      MISFIT(out, "has the input '%.100s' of the type %s", node->values[i]->name,
             core_element_name(type));
    } else if (wanted != 0 && wanted != type) {
      MISFIT(out, "has variadic inputs bound to different types (%s and %s)",
             core_element_name(wanted), core_element_name(type));
    }
  }
}

static struct core_misfit find_misfit(const OrtCustomOp* op, const OrtNode* node) {
  struct core_misfit misfit = {0};
  check_count(op, node, false, &misfit);
  if (misfit.text[0] == 0) {
    check_count(op, node, true, &misfit);
  }
  if (misfit.text[0] == 0) {
    check_types(op, node, &misfit);
  }
  return misfit;
}

const OrtCustomOp* core_op_of_node(const OrtNode* node, struct core_misfit* misfit) {
  struct core_op_search search = {.ops = node->graph->model->changes.custom_ops,
                                  .domain = node->domain,
                                  .name = node->op_type,
                                  .version = core_opset_version_of(node)};
  const OrtCustomOp *op, *found = NULL;
  *misfit = (struct core_misfit){0};
  while (search.ops != NULL && (op = core_next_op(&search)) != NULL) {
    if (found == NULL || core_op_is_newer(op, found)) {
      const struct core_misfit own = find_misfit(op, node);
      found = own.text[0] == 0 ? op : found;
      *misfit = misfit->text[0] == 0 ? own : *misfit;
    }
  }
  return found;
}
