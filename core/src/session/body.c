/* SPDX-License-Identifier: MIT */
/* Bodies of If, Loop and Scan: the subgraph becomes the graph of a model, whose inputs are also the
 * outer values that it reads. */
#include "session/body.h"

#include "model/model.h"
#include "onnx/fields.h"
#include "onnx/writing.h"

static void write_input(struct core_writing* to, const OrtValueInfo* value) {
  struct core_message type = core_origin(value)->type_bytes;
  const OrtTensorTypeAndShapeInfo element = {.type = core_element_type_of(value)};
  if (type.at == NULL) {
    core_write_value(to, GRAPH_INPUT, value->name, &element);
    return;
  }
  size_t input = core_begin_message(to, GRAPH_INPUT);
  core_write_text(to, VALUE_NAME, value->name);
  core_write_message(to, VALUE_TYPE, type);
  core_end_message(to, input);
}

/* Whether a graph, or one within it, reads an outer value. */
static bool reads(const OrtGraph* graph, const char* name) {
  const OrtGraph* root = graph;
  while (root->parent != NULL) {
    root = root->parent->graph;
  }
  const OrtValueInfo* value = root->values;
  while (value != NULL && !(value->graph == graph && value->flags & CORE_IS_OUTER &&
                            strcmp(value->name, name) == 0)) {
    value = value->next;
  }
  return value != NULL;
}

static OrtStatus* list_names(struct core_body* body, const OrtNode* node, const OrtGraph* graph) {
  size_t inputs = graph->inputs.count, outer = node->implicit_inputs.count;
  body->own_count = inputs;
  body->output_count = graph->outputs.count;
  CORE_TAKE_ARRAY(&body->pool, body->inputs, inputs + outer);
  CORE_TAKE_ARRAY(&body->pool, body->places, outer);
  CORE_TAKE_ARRAY(&body->pool, body->outputs, graph->outputs.count);
  for (size_t i = 0; i < inputs; i++) {
    body->inputs[i] = ((const OrtValueInfo*)graph->inputs.items[i])->name;
  }
  for (size_t i = 0; i < outer; i++) {
    const OrtValueInfo* value = node->implicit_inputs.items[i];
    if (reads(graph, value->name)) {
      body->inputs[inputs + body->outer_count] = value->name;
      body->places[body->outer_count++] = node->input_count - outer + i;
    }
  }
  for (size_t i = 0; i < graph->outputs.count; i++) {
    body->outputs[i] = ((const OrtValueInfo*)graph->outputs.items[i])->name;
  }
  return NULL;
}

/* The serialized GraphProto of an attribute. */
static struct core_message bytes_of(const OrtNode* node, const char* name) {
  struct core_message attribute, graph = {NULL, NULL};
  if (core_find_attribute_bytes(node, name, &attribute)) {
    core_find_message(attribute, ATTRIBUTE_GRAPH, &graph);
  }
  return graph;
}

static OrtStatus* write_model(struct core_body* body, const OrtNode* node, const OrtGraph* graph,
                              struct core_message bytes, OrtModel** out) {
  static const uint32_t graphs[] = {MODEL_GRAPH}, inputs[] = {GRAPH_INPUT};
  struct core_writing to = {0};
  core_copy_other_fields(&to, graph->model->bytes, graphs, 1);
  size_t begin = core_begin_message(&to, MODEL_GRAPH);
  core_copy_other_fields(&to, bytes, inputs, 1);
  for (size_t i = 0; i < graph->inputs.count; i++) {
    write_input(&to, graph->inputs.items[i]);
  }
  for (size_t i = 0; i < body->outer_count; i++) {
    write_input(&to, node->values[body->places[i]]);
  }
  core_end_message(&to, begin);
  body->bytes = to.bytes;
  return to.has_failed ? core_no_memory(to.capacity)
                       : core_open_model_bytes(to.bytes, to.size, (OrtModel*)graph->model, out);
}

/* The providers, ops and entries of the session around it. */
static OrtStatus* new_options(const OrtSessionOptions* of, OrtSessionOptions** out) {
  CORE_TRY(ort_CreateSessionOptions(out));
  OrtSessionOptions* made = *out;
  struct core_items* entries = &made->lists[CORE_SESSION_CONFIG];
  made->settings.optimization_level = of->settings.optimization_level;
  made->settings.log_severity = of->settings.log_severity;
  made->settings.intra_op_threads = 1;
  return core_copy_ep_choices(&of->ep_choices, &made->ep_choices) &&
                 core_custom_ops_copy(&of->custom_ops, &made->custom_ops) &&
                 core_items_copy(&of->lists[CORE_SESSION_CONFIG], entries) &&
                 core_items_copy(&of->lists[CORE_EXTERNAL_FILES],
                                 &made->lists[CORE_EXTERNAL_FILES]) &&
                 core_items_copy(&of->lists[CORE_FREE_DIMENSIONS],
                                 &made->lists[CORE_FREE_DIMENSIONS])
             ? core_config_set(entries, "ep.context_enable", "0")
             : core_no_memory(sizeof *made);
}

static OrtStatus* new_session(const OrtSessionOptions* of, OrtModel* model, OrtSession** out) {
  const struct core_source source = {.model = model};
  OrtSessionOptions* options = NULL;
  OrtEnv* env = core_env_use();
  CORE_FAIL_IF(env == NULL, ORT_FAIL, "there is no environment");
  OrtStatus* status = new_options(of, &options);
  CORE_THEN(status, core_new_session(env, options, &source, false, out));
  ort_ReleaseSessionOptions(options);
  core_drop(env);
  return status;
}

OrtStatus* core_new_body(const struct core_node* kernel, const char* attribute,
                         struct core_body* out) {
  const OrtNode* node = kernel->of;
  OrtModel* model = NULL;
  size_t i = 0;
  while (i < node->subgraphs.count && strcmp(node->subgraph_names[i], attribute) != 0) {
    i++;
  }
  CORE_REFUSE_IF(i == node->subgraphs.count, ORT_INVALID_ARGUMENT, "the node has no graph %s",
                 attribute);
  const OrtGraph* graph = node->subgraphs.items[i];
  CORE_TRY(list_names(out, node, graph));
  CORE_TRY(write_model(out, node, graph, bytes_of(node, attribute), &model));
  OrtStatus* status = new_session(kernel->options, model, &out->session);
  core_drop(model);
  return core_about(status, "the body '%.100s' of the node '%.100s'", attribute, node->name);
}

void core_end_body(struct core_body* body) {
  ort_ReleaseSession(body->session);
  core_pool_end(&body->pool);
  heap_free(body->bytes);
}

OrtStatus* core_run_body(const struct core_body* body, const OrtKernelContext* context,
                         const OrtValue* const* own, OrtValue** outputs) {
  size_t count = body->own_count + body->outer_count;
  const OrtValue** inputs = heap_alloc((count + 1) * sizeof *inputs);
  CORE_NEED_MEMORY(inputs, count * sizeof *inputs);
  for (size_t i = 0; i < count; i++) {
    inputs[i] = i < body->own_count
                    ? own[i]
                    : core_context_input(context, body->places[i - body->own_count]);
  }
  for (size_t i = 0; i < body->output_count; i++) {
    outputs[i] = NULL;
  }
  const struct core_feeds feeds = {body->inputs,  inputs,  count,
                                   body->outputs, outputs, body->output_count};
  OrtStatus* status = core_run(body->session, context->run_options, &feeds);
  heap_free(inputs);
  return status;
}
