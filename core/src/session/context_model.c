/* SPDX-License-Identifier: MIT */
/* Compiled models: what a session loaded, with a node EPContext in the place of each group of nodes
 * that a provider compiled. */

#include "model/model.h"
#include "onnx/fields.h"
#include "session/session.h"

/* A model that is being put together. */
struct making {
  const OrtSession* session;
  struct core_writing to;
  /* The values that nodes read, and the outputs. */
  struct core_items needed;
  enum core_contexts contexts;
};

static OrtStatus* no_memory_to_write(const struct making* making) {
  return core_no_memory(making->to.size);
}

static const OrtNode* context_of(const struct core_step* step) {
  return step->compiled != NULL ? step->compiled->context_node : NULL;
}

/* --- the values that are needed --------------------------------------------------------------- */

static bool is_needed(const struct making* making, const char* name) {
  return core_items_named(&making->needed, name) != NULL;
}

static OrtStatus* need(struct making* making, const char* name) {
  return name == NULL || name[0] == 0 || core_items_of(&making->needed, name) != NULL
             ? NULL
             : no_memory_to_write(making);
}

static OrtStatus* need_all(struct making* making) {
  const OrtSession* session = making->session;
  for (size_t s = 0; s < session->step_count; s++) {
    const struct core_step* step = &session->steps[s];
    const OrtNode* context = context_of(step);
    size_t count = context != NULL ? context->input_count : step->input_count;
    for (size_t i = 0; i < count; i++) {
      CORE_TRY(need(making, context != NULL ? context->operands[i] : step->inputs[i].name));
    }
  }
  for (size_t i = 0; i < session->outputs.count; i++) {
    CORE_TRY(need(making, session->outputs.list[i].name));
  }
  return NULL;
}

/* --- values ----------------------------------------------------------------------------------- */

static OrtStatus* write_value(struct making* making, uint32_t field, const OrtValueInfo* value) {
  const OrtTensorTypeAndShapeInfo* tensor;
  CORE_TRY(core_known_tensor(value, &tensor));
  if (tensor != NULL) {
    core_write_value(&making->to, field, value->name, tensor);
    return NULL;
  }
  size_t message = core_begin_message(&making->to, field);
  core_write_text(&making->to, VALUE_NAME, value->name);
  if (value->type_bytes.at != NULL) {
    core_write_message(&making->to, VALUE_TYPE, value->type_bytes);
  }
  core_end_message(&making->to, message);
  return NULL;
}

/* An initializer that was a node Constant is one again. */
static void write_constant(struct core_writing* to, const OrtValueInfo* value) {
  size_t node = core_begin_message(to, GRAPH_NODE);
  core_write_text(to, NODE_OUTPUT, value->name);
  core_write_text(to, NODE_OPERATOR, "Constant");
  core_write_message(to, NODE_ATTRIBUTE, value->tensor_bytes);
  core_end_message(to, node);
}

static OrtStatus* write_initializer(struct making* making, const OrtValueInfo* value) {
  const OrtValue* tensor = NULL;
  if (value->flags & CORE_IS_REPLACED) { /* also the output of a node Constant */
    CORE_TRY(core_initializer_of(value, &tensor));
    core_write_tensor(&making->to, GRAPH_INITIALIZER, value->name, tensor);
    return NULL;
  }
  if (value->flags & CORE_IS_CONSTANT_NODE) {
    write_constant(&making->to, value);
    return NULL;
  }
  core_write_message(&making->to,
                     value->flags & CORE_IS_SPARSE ? GRAPH_SPARSE_INITIALIZER : GRAPH_INITIALIZER,
                     value->tensor_bytes);
  return NULL;
}

/* The types of the values between nodes, which providers want. */
static OrtStatus* write_types(struct making* making) {
  const uint32_t others = CORE_IS_INPUT | CORE_IS_OUTPUT | CORE_IS_INITIALIZER | CORE_IS_OUTER;
  for (const OrtValueInfo* value = making->session->graph->values; value != NULL;
       value = value->next) {
    const OrtTypeInfo* type = NULL;
    if (value->graph == making->session->graph && !(value->flags & others) &&
        is_needed(making, value->name)) {
      CORE_TRY(core_known_type(value, &type));
      if (type != NULL) {
        CORE_TRY(write_value(making, GRAPH_VALUE, value));
      }
    }
  }
  return NULL;
}

static OrtStatus* write_values(struct making* making) {
  const OrtGraph* graph = making->session->graph;
  for (size_t i = 0; i < graph->initializers.count; i++) {
    const OrtValueInfo* value = graph->initializers.items[i];
    if (is_needed(making, value->name) || value->flags & CORE_IS_OVERRIDABLE) {
      CORE_TRY(write_initializer(making, value));
    }
  }
  for (size_t i = 0; i < graph->inputs.count; i++) {
    CORE_TRY(write_value(making, GRAPH_INPUT, graph->inputs.items[i]));
  }
  for (size_t i = 0; i < graph->outputs.count; i++) {
    CORE_TRY(write_value(making, GRAPH_OUTPUT, graph->outputs.items[i]));
  }
  return write_types(making);
}

/* --- subgraphs of nodes that stay ------------------------------------------------------------- */

static OrtStatus* write_node(struct making* making, const OrtNode* node);

/* Writes the body of a graph without what leads to no output of it. */
static OrtStatus* write_subgraph(struct making* making, const OrtGraph* graph,
                                 struct core_message bytes) {
  static const uint32_t written[] = {GRAPH_NODE, GRAPH_INITIALIZER, GRAPH_SPARSE_INITIALIZER,
                                     GRAPH_INPUT};
  for (size_t i = 0; i < graph->inputs.count; i++) {
    CORE_TRY(write_value(making, GRAPH_INPUT, graph->inputs.items[i]));
  }
  for (size_t i = 0; i < graph->initializers.count; i++) {
    CORE_TRY(write_initializer(making, graph->initializers.items[i]));
  }
  for (size_t i = 0; i < graph->nodes.count; i++) {
    CORE_TRY(write_node(making, graph->nodes.items[i]));
  }
  core_copy_other_fields(&making->to, bytes, written, CORE_COUNT_OF(written));
  return NULL;
}

static OrtStatus* write_attribute(struct making* making, struct core_message bytes,
                                  const OrtGraph* graph) {
  static const uint32_t written[] = {ATTRIBUTE_GRAPH};
  struct core_message body = {NULL, NULL};
  size_t attribute = core_begin_message(&making->to, NODE_ATTRIBUTE);
  core_copy_other_fields(&making->to, bytes, written, CORE_COUNT_OF(written));
  core_find_message(bytes, ATTRIBUTE_GRAPH, &body);
  size_t message = core_begin_message(&making->to, ATTRIBUTE_GRAPH);
  CORE_TRY(write_subgraph(making, graph, body));
  core_end_message(&making->to, message);
  core_end_message(&making->to, attribute);
  return NULL;
}

static OrtStatus* write_node(struct making* making, const OrtNode* node) {
  static const uint32_t written[] = {NODE_ATTRIBUTE};
  struct core_message rest = node->bytes, bytes;
  size_t index = 0, graphs = 0;
  size_t message = core_begin_message(&making->to, GRAPH_NODE);
  core_copy_other_fields(&making->to, node->bytes, written, CORE_COUNT_OF(written));
  while (core_next_message(&rest, NODE_ATTRIBUTE, &bytes)) {
    const OrtOpAttr* attribute = node->attributes.items[index++];
    if (attribute->type == ORT_OP_ATTR_GRAPH) {
      CORE_TRY(write_attribute(making, bytes, node->subgraphs.items[graphs++]));
    } else {
      core_write_message(&making->to, NODE_ATTRIBUTE, bytes);
    }
  }
  core_end_message(&making->to, message);
  return NULL;
}

/* --- nodes ------------------------------------------------------------------------------------ */

static OrtStatus* refuse_context(const struct core_step* step, const char* why) {
  return core_fail(ORT_FAIL, "%s%s", why, step->node->name);
}

/* A context stands for a node only if it has its name and makes the same values. */
static OrtStatus* check_context(const struct core_step* step, const OrtNode* context) {
  CORE_RETURN_IF(
      strcmp(context->op_type, "EPContext") != 0 || strcmp(context->domain, "com.microsoft") != 0,
      refuse_context(step,
                     "Compile of the provider must return nodes EPContext of com.microsoft, and "
                     "did not for "));
  CORE_REFUSE_IF(strcmp(context->name, step->node->name) != 0, ORT_INVALID_GRAPH,
                 "an EPContext must have the name of the node that it stands for: %s",
                 step->node->name);
  bool is_same = context->output_count == step->output_count;
  for (size_t i = 0; is_same && i < step->output_count; i++) {
    const char* name = step->outputs[i].name;
    is_same = strcmp(context->operands[context->input_count + i], name != NULL ? name : "") == 0;
  }
  return is_same ? NULL
                 : refuse_context(step,
                                  "an EPContext must have the outputs of the node that it "
                                  "stands for: ");
}

/* Whether the data of a context is in a file, as its attribute embed_mode says. */
static bool is_in_file(const OrtNode* context) {
  const OrtOpAttr* mode = core_find_attribute(context, "embed_mode");
  return mode != NULL && mode->type == ORT_OP_ATTR_INT &&
         *(const int64_t*)core_op_attr_value(mode) == 0;
}

/* Writes a number as an attribute, unless the node has one of that name. */
static void write_default(struct core_writing* to, const OrtNode* node, const char* name,
                          uint64_t number) {
  if (core_find_attribute(node, name) != NULL) {
    return;
  }
  size_t attribute = core_begin_message(to, NODE_ATTRIBUTE);
  core_write_text(to, ATTRIBUTE_NAME, name);
  core_write_number(to, ATTRIBUTE_TYPE, ATTRIBUTE_IS_INT);
  core_write_number(to, ATTRIBUTE_INT, number);
  core_end_message(to, attribute);
}

/* Providers read the defaults of EPContext as attributes, which the core knows no schema of. */
static void write_context(struct core_writing* to, const OrtNode* context) {
  size_t node = core_begin_message(to, GRAPH_NODE);
  core_write_node(to, context);
  write_default(to, context, "main_context", 1);
  write_default(to, context, "embed_mode", 1);
  write_default(to, context, "max_size", 0);
  core_end_message(to, node);
}

static OrtStatus* write_step(struct making* making, const struct core_step* step) {
  const OrtNode* context = context_of(step);
  const OrtNode* node = step->node;
  if (context != NULL) {
    CORE_TRY(check_context(step, context));
    write_context(&making->to, context);
    if (is_in_file(context)) {
      making->contexts = CORE_CONTEXTS_IN_FILES;
    } else if (making->contexts == CORE_NO_CONTEXTS) {
      making->contexts = CORE_CONTEXTS_IN_MODEL;
    }
    return NULL;
  }
  CORE_REFUSE_IF(node->bytes.at == NULL || strcmp(node->domain, CORE_CHANNELS_LAST) == 0,
                 ORT_NOT_IMPLEMENTED,
                 "a compiled model cannot have a node whose layout a provider wants changed "
                 "and that it leaves to others: %s",
                 node->name);
  return write_node(making, node);
}

/* --- all of it -------------------------------------------------------------------------------- */

static OrtStatus* write_graph(struct making* making) {
  static const uint32_t written[] = {GRAPH_NODE,  GRAPH_INITIALIZER, GRAPH_SPARSE_INITIALIZER,
                                     GRAPH_INPUT, GRAPH_OUTPUT,      GRAPH_VALUE};
  const OrtSession* session = making->session;
  size_t graph = core_begin_message(&making->to, MODEL_GRAPH);
  CORE_TRY(write_values(making)); /* nodes Constant before those that read them */
  for (size_t i = 0; i < session->step_count; i++) {
    CORE_TRY(write_step(making, &session->steps[i]));
  }
  core_copy_other_fields(&making->to, session->model->graph_bytes, written, CORE_COUNT_OF(written));
  core_end_message(&making->to, graph);
  return NULL;
}

/* Nodes EPContext are of com.microsoft. */
static void write_domain(struct making* making) {
  const struct core_opsets* opsets = &making->session->model->opsets;
  if (making->contexts != CORE_NO_CONTEXTS && core_find_opset(opsets, "com.microsoft") == NULL) {
    core_write_opset(&making->to, "com.microsoft", 1);
  }
}

/* Whether an entry of the metadata has one of the keys that are written anew. */
static bool is_replaced(const struct making* making, struct core_message entry) {
  const struct core_items* entries = &making->session->context_entries;
  struct core_message key;
  if (!core_find_message(entry, ENTRY_KEY, &key)) {
    return false;
  }
  bool answer = making->contexts != CORE_NO_CONTEXTS && core_message_is(key, CORE_DEPENDENCIES);
  for (size_t i = 0; i < entries->count; i++) {
    answer |= core_message_is(key, entries->list[i].key);
  }
  return answer;
}

static void write_metadata(struct making* making) {
  const struct core_items* entries = &making->session->context_entries;
  struct core_message model = making->session->model->bytes, own;
  while (core_next_message(&model, MODEL_METADATA, &own)) {
    if (!is_replaced(making, own)) {
      core_write_message(&making->to, MODEL_METADATA, own);
    }
  }
  for (size_t i = 0; i < entries->count; i++) {
    core_write_entry(&making->to, MODEL_METADATA, entries->list[i].key,
                     core_item_text(&entries->list[i]));
  }
}

static OrtStatus* write_contexts(struct making* making, const OrtcoreWriting* writing) {
  static const uint32_t written[] = {MODEL_GRAPH, MODEL_METADATA};
  OrtModel* model = NULL;
  const OrtGraph* graph;
  CORE_TRY(need_all(making));
  core_copy_other_fields(&making->to, making->session->model->bytes, written,
                         CORE_COUNT_OF(written));
  CORE_TRY(write_graph(making));
  write_metadata(making);
  write_domain(making);
  CORE_RETURN_IF(making->to.has_failed, no_memory_to_write(making));
  /* Opened again, because core_write_model decides which weights go to another file. */
  CORE_TRY(
      core_open_model_bytes(making->to.bytes, making->to.size, making->session->model, &model));
  /* A provider's nodes may read what nobody makes. */
  OrtStatus* status = core_model_graph(model, CORE_AS_WRITTEN, &graph);
  CORE_THEN(status, core_write_compiled_model(model, writing, making->contexts));
  core_drop(model);
  return status;
}

OrtStatus* core_write_context_model(const OrtSession* session, const OrtcoreWriting* writing) {
  struct making making = {.session = session};
  OrtStatus* status = write_contexts(&making, writing);
  core_items_end(&making.needed);
  heap_free(making.to.bytes);
  return status;
}
