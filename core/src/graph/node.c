/* SPDX-License-Identifier: MIT */
/* OrtNode: one call of an operator. */

#include "graph/graph.h"

static void end_node(void* block) {
  struct OrtNode* node = block;
  for (size_t i = 0; i < node->attributes.count; i++) {
    core_end_part(node->attributes.items[i]);
  }
  core_list_end(&node->attributes);
}

static const struct core_class node_class = {.kind = CORE_NODE, .end = end_node};

/* The arguments of CreateNode. */
struct given {
  const char* texts[3]; /* operator, domain, name */
  const char* const* inputs;
  size_t input_count;
  const char* const* outputs;
  size_t output_count;
};

/* Copies all texts into one block with the node. */
static OrtStatus* new_node(const struct given* given, struct OrtNode** out) {
  size_t inputs = core_texts_size(given->inputs, given->input_count);
  size_t outputs = core_texts_size(given->outputs, given->output_count);
  CORE_FAIL_IF(inputs == SIZE_MAX || outputs == SIZE_MAX, ORT_RUNTIME_EXCEPTION,
               "CreateNode: neither input_names nor output_names may have a NULL entry");
  size_t operands = given->input_count + given->output_count;
  size_t names = (operands + 3) * sizeof(char*);
  size_t size =
      sizeof(struct OrtNode) + names + core_texts_size(given->texts, 3) + inputs + outputs;
  struct OrtNode* node = core_new_object(&node_class, size);
  CORE_NEED_MEMORY(node, size);
  node->operands = (const char**)(void*)(node + 1);
  node->input_count = given->input_count;
  node->output_count = given->output_count;
  char* at = (char*)(node + 1) + names;
  const char** own = node->operands + operands;
  at = core_copy_texts(given->inputs, given->input_count, at, node->operands);
  at =
      core_copy_texts(given->outputs, given->output_count, at, node->operands + given->input_count);
  core_copy_texts(given->texts, 3, at, own);
  node->op_type = own[0];
  node->domain = own[1];
  node->name = own[2];
  *out = node;
  return NULL;
}

/* Lists the attributes; the caller still owns them. */
static OrtStatus* list_attributes(struct OrtNode* node, OrtOpAttr** attributes, size_t count) {
  for (size_t i = 0; i < count; i++) {
    CORE_FAIL_IF(attributes[i] == NULL, ORT_INVALID_ARGUMENT,
                 "CreateNode: attributes must not have a NULL entry (null entries)");
    CORE_FAIL_IF(core_is_permanent(&attributes[i]->object) ||
                     core_list_has(&node->attributes, attributes[i]),
                 ORT_INVALID_ARGUMENT,
                 "CreateNode: an attribute can belong to one node only (Duplicate OrtOpAttr)");
    CORE_RETURN_IF(!core_list_add(&node->attributes, attributes[i]),
                   core_no_memory((i + 1) * sizeof(void*)));
  }
  return NULL;
}

CORE_SLOT(ort_model_editor_CreateNode, const char* operator_name, const char* domain_name,
          const char* node_name, const char* const* input_names, size_t input_names_len,
          const char* const* output_names, size_t output_names_len, OrtOpAttr** attributes,
          size_t attribs_len, OrtNode** node) {
  struct OrtNode* made = NULL;
  CORE_REQUIRE_IF(input_names_len > 0, CreateNode, input_names);
  CORE_REQUIRE_IF(output_names_len > 0, CreateNode, output_names);
  const struct given given = {{operator_name, domain_name, node_name},
                              input_names,
                              input_names_len,
                              output_names,
                              output_names_len};
  CORE_TRY(new_node(&given, &made));
  size_t count = attributes == NULL ? 0 : attribs_len;
  CORE_TRY_OR(list_attributes(made, attributes, count), core_list_end(&made->attributes);
              core_drop(made));
  for (size_t i = 0; i < count; i++) {
    core_make_part(&attributes[i]->object);
    attributes[i] = NULL;
  }
  *node = made;
  return NULL;
}

CORE_RELEASER(ort_ReleaseNode, OrtNode)

CORE_QUICK_GETTER(ort_Node_GetName, Node_GetName, const char*, node_name, node->name,
                  const OrtNode*, node)
CORE_QUICK_GETTER(ort_Node_GetOperatorType, Node_GetOperatorType, const char*, operator_type,
                  node->op_type, const OrtNode*, node)
CORE_QUICK_GETTER(ort_Node_GetDomain, Node_GetDomain, const char*, domain_name, node->domain,
                  const OrtNode*, node)
CORE_QUICK_GETTER(ort_Node_GetNumInputs, Node_GetNumInputs, size_t, num_inputs, node->input_count,
                  const OrtNode*, node)
CORE_QUICK_GETTER(ort_Node_GetNumOutputs, Node_GetNumOutputs, size_t, num_outputs,
                  node->output_count, const OrtNode*, node)
CORE_QUICK_GETTER(ort_Node_GetNumAttributes, Node_GetNumAttributes, size_t, num_attributes,
                  node->attributes.count, const OrtNode*, node)

ORT_API_STATUS_IMPL(ort_Node_GetAttributes, const OrtNode* node, const OrtOpAttr** attributes,
                    size_t num_attributes) {
  CORE_REQUIRE(Node_GetAttributes, node);
  CORE_REQUIRE_IF(node->attributes.count > 0, Node_GetAttributes, attributes);
  return core_named("Node_GetAttributes", core_copy_list("num_attributes", &node->attributes,
                                                         (const void**)attributes, num_attributes));
}

const OrtOpAttr* core_find_attribute(const OrtNode* node, const char* name) {
  for (size_t i = 0; i < node->attributes.count; i++) {
    const OrtOpAttr* attribute = node->attributes.items[i];
    if (strcmp(attribute->name, name) == 0) {
      return attribute;
    }
  }
  return NULL;
}

CORE_SLOT(ort_Node_GetAttributeByName, const OrtNode* node, const char* attribute_name,
          const OrtOpAttr** attribute) {
  const OrtOpAttr* found = core_find_attribute(node, attribute_name);
  if (found != NULL) {
    *attribute = found;
    return NULL;
  }
  struct core_schema_attribute known;
  const struct core_schema* schema = core_schema_of(node);
  if (schema != NULL && core_schema_find_attribute(schema, attribute_name, &known)) {
    *attribute = NULL;
    return NULL;
  }
  return core_fail(ORT_NOT_FOUND, "the node has no attribute '%s'", attribute_name);
}

/* --- only for nodes of a model's graph ------------------------------------------------------- */

/* CORE_GETTER for such nodes. */
#define MODEL_GETTER(NAME, function, type, expression) \
  CORE_SLOT(NAME, const OrtNode* node, type* out) {    \
    CORE_REQUIRE_MODEL(function, node, node->values);  \
    *out = expression;                                 \
    return NULL;                                       \
  }

MODEL_GETTER(ort_Node_GetId, Node_GetId, size_t, node->id)

static int since_version(const OrtNode* node) {
  const struct core_schema* schema = core_schema_of(node);
  bool is_fused = node->graph == NULL;
  return schema != NULL ? core_schema_since(schema) : is_fused ? 1 : -1;
}

MODEL_GETTER(ort_Node_GetSinceVersion, Node_GetSinceVersion, int, since_version(node))

#define OPERANDS_GETTER(NAME, function, first, count, out, room)                          \
  ORT_API_STATUS_IMPL(NAME, const OrtNode* node, const OrtValueInfo** out, size_t room) { \
    CORE_REQUIRE(function, node);                                                         \
    CORE_REQUIRE_IF(node->count > 0, function, out);                                      \
    CORE_REQUIRE_MODEL(function, node, node->values);                                     \
    const struct core_list list = {(void**)node->values + (first), node->count, 0};       \
    return core_named(#function, core_copy_list(#room, &list, (const void**)out, room));  \
  }
OPERANDS_GETTER(ort_Node_GetInputs, Node_GetInputs, 0, input_count, inputs, num_inputs)
OPERANDS_GETTER(ort_Node_GetOutputs, Node_GetOutputs, node->input_count, output_count, outputs,
                num_outputs)

MODEL_GETTER(ort_Node_GetNumImplicitInputs, Node_GetNumImplicitInputs, size_t,
             node->implicit_inputs.count)

CORE_SLOT(ort_Node_GetImplicitInputs, const OrtNode* node, const OrtValueInfo** implicit_inputs,
          size_t num_implicit_inputs) {
  CORE_REQUIRE_IF(node->implicit_inputs.count > 0, Node_GetImplicitInputs, implicit_inputs);
  CORE_REQUIRE_MODEL(Node_GetImplicitInputs, node, node->values);
  return core_copy_list("num_implicit_inputs", &node->implicit_inputs,
                        (const void**)implicit_inputs, num_implicit_inputs);
}

MODEL_GETTER(ort_Node_GetNumSubgraphs, Node_GetNumSubgraphs, size_t, node->subgraphs.count)

CORE_SLOT(ort_Node_GetSubgraphs, const OrtNode* node, const OrtGraph** subgraphs,
          size_t num_subgraphs, const char** attribute_names) {
  CORE_REQUIRE_IF(node->subgraphs.count > 0, Node_GetSubgraphs, subgraphs);
  CORE_REQUIRE_MODEL(Node_GetSubgraphs, node, node->values);
  CORE_TRY(
      core_copy_list("num_subgraphs", &node->subgraphs, (const void**)subgraphs, num_subgraphs));
  for (size_t i = 0; attribute_names != NULL && i < node->subgraphs.count; i++) {
    attribute_names[i] = node->subgraph_names[i];
  }
  return NULL;
}

CORE_GETTER(ort_Node_GetGraph, const OrtGraph*, node->graph, const OrtNode* node)
CORE_GETTER(ort_Node_GetEpName, const char*, node->provider != NULL ? node->provider : "",
            const OrtNode* node)
