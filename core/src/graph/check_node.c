/* SPDX-License-Identifier: MIT */
/* Refuses nodes that differ from the schema of their operator. A node without a schema is taken:
 * an execution provider may have the operator. */

#include "graph/reading.h"
#include "onnx/fields.h"

/* The status for what is wrong about a node, as by printf. */
#define REFUSE(node, format, ...)                                                          \
  core_fail(ORT_INVALID_GRAPH, "the node '%.80s' of operator %.80s " format, (node)->name, \
            (node)->op_type, __VA_ARGS__)

/* --- operands -------------------------------------------------------------------------------- */

/* How many inputs or outputs a schema takes. */
struct arity {
  size_t least, most;
};

static struct arity arity_of(const struct core_schema* schema, bool is_output) {
  size_t count = core_schema_operand_count(schema, is_output);
  struct arity arity = {0, count};
  for (size_t i = 0; i < count; i++) {
    const struct core_schema_operand operand = core_schema_operand_at(schema, is_output, i);
    if (operand.characteristic == INPUT_OUTPUT_VARIADIC) {
      arity.most = SIZE_MAX;
      arity.least = operand.least > 0 ? i + (size_t)operand.least : arity.least;
    } else if (operand.characteristic == INPUT_OUTPUT_REQUIRED) {
      arity.least = i + 1;
    }
  }
  return arity;
}

static OrtStatus* check_operands(const OrtNode* node, const struct core_schema* schema,
                                 bool is_output) {
  const struct arity arity = arity_of(schema, is_output);
  size_t count = is_output ? node->output_count : node->input_count;
  const OrtValueInfo** values = node->values + (is_output ? node->input_count : 0);
  CORE_RETURN_IF(
      count < arity.least || count > arity.most,
      REFUSE(node, "has %zu %s; it must have %s %zu", count, is_output ? "outputs" : "inputs",
             count < arity.least ? "at least" : "at most",
             count < arity.least ? arity.least : arity.most));
  for (size_t i = 0; i < count && i < core_schema_operand_count(schema, is_output); i++) {
    const struct core_schema_operand operand = core_schema_operand_at(schema, is_output, i);
    CORE_RETURN_IF(values[i] == NULL && operand.characteristic == INPUT_OUTPUT_REQUIRED,
                   REFUSE(node, "leaves out '%.80s', which it must have", operand.name));
  }
  return NULL;
}

/* --- attributes ------------------------------------------------------------------------------ */

static OrtStatus* check_attribute(const OrtNode* node, const struct core_schema* schema,
                                  size_t index) {
  const OrtOpAttr* attribute = node->attributes.items[index];
  struct core_schema_attribute expected;
  int type = (int)core_onnx_of_attribute(attribute->type);
  CORE_RETURN_IF(core_find_attribute(node, attribute->name) != attribute,
                 REFUSE(node, "has the attribute '%.80s' twice", attribute->name));
  if (!core_schema_find_attribute(schema, attribute->name, &expected)) {
    /* Names that begin so are for what tools add. */
    return strncmp(attribute->name, "__", 2) == 0
               ? NULL
               : REFUSE(node, "has no attribute '%.80s'", attribute->name);
  }
  return type == 0 || type == expected.type
             ? NULL
             : REFUSE(node, "has the attribute '%.80s' of another type", attribute->name);
}

static OrtStatus* check_attributes(const OrtNode* node, const struct core_schema* schema) {
  for (size_t i = 0; i < node->attributes.count; i++) {
    CORE_TRY(check_attribute(node, schema, i));
  }
  for (size_t i = 0; i < core_schema_attribute_count(schema); i++) {
    const struct core_schema_attribute expected = core_schema_attribute_at(schema, i);
    CORE_RETURN_IF(expected.is_required && core_find_attribute(node, expected.name) == NULL,
                   REFUSE(node, "lacks the attribute '%.80s'", expected.name));
  }
  return NULL;
}

/* --- the node -------------------------------------------------------------------------------- */

static bool are_equal(struct core_message a, struct core_message b) {
  return core_message_size(a) == core_message_size(b) &&
         (core_message_size(a) == 0 || memcmp(a.at, b.at, core_message_size(a)) == 0);
}

/* The place of the function that an operator of a domain is; the count where it is none. */
static size_t find_function(const OrtModel* model, struct core_message op,
                            struct core_message domain) {
  size_t i = 0;
  for (; i < model->function_count; i++) {
    struct core_message name = {NULL, NULL}, its_domain = {NULL, NULL};
    core_find_message(model->functions[i], FUNCTION_NAME, &name);
    core_find_message(model->functions[i], FUNCTION_DOMAIN, &its_domain);
    if (are_equal(name, op) && are_equal(domain, its_domain)) {
      break;
    }
  }
  return i;
}

bool core_is_function(const OrtNode* node) {
  const OrtModel* model = node->graph->model;
  return find_function(model, core_message_of(node->op_type), core_message_of(node->domain)) <
         model->function_count;
}

bool core_is_described(const OrtNode* node) {
  return !core_is_custom_op(node) && !core_is_function(node);
}

/* Loop and Scan have a value for each output, so that one cannot be left out. */
static OrtStatus* check_bodies(const OrtNode* node) {
  for (size_t i = 0; node->subgraphs.count > 0 && i < node->output_count; i++) {
    CORE_RETURN_IF(node->values[node->input_count + i] == NULL && strcmp(node->op_type, "If") != 0,
                   REFUSE(node, "%s", "leaves out an output, which has a value in its body"));
  }
  return NULL;
}

OrtStatus* core_check_node(const OrtNode* node) {
  const struct core_schema* schema = node->schema;
  CORE_RETURN_IF(core_schema_is_deprecated(schema),
                 REFUSE(node, "%s", "is no longer in the version of its operator set"));
  CORE_TRY(check_operands(node, schema, false));
  CORE_TRY(check_operands(node, schema, true));
  CORE_TRY(check_bodies(node));
  return check_attributes(node, schema);
}

/* --- the names of nodes ---------------------------------------------------------------------- */

OrtStatus* core_check_node_names(const struct core_scope* scope) {
  const struct core_list* nodes = &scope->graph->nodes;
  struct core_items names = {0};
  OrtStatus* status = NULL;
  for (size_t i = 0; status == NULL && i < nodes->count; i++) {
    const char* name = ((const OrtNode*)nodes->items[i])->name;
    size_t size = strlen(name) + 1;
    if (size > 1 && core_items_find(&names, name, size) != NULL) {
      status = core_fail(ORT_FAIL, "two nodes have the name '%.127s'", name);
    } else if (size > 1 && core_items_add(&names, name, size, NULL) == NULL) {
      status = core_no_memory(size);
    }
  }
  core_items_end(&names);
  return status;
}
