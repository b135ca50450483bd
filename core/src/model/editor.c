/* SPDX-License-Identifier: MIT */
/* The model editor's graphs and models. A graph owns what it is given; when a model takes it over,
 * it is written as the bytes that the model is from then on. */
#include "model/model.h"

#include "onnx/fields.h"

static void end_parts(struct core_list* parts) {
  for (size_t i = 0; i < parts->count; i++) {
    core_end_part(parts->items[i]);
  }
  core_list_end(parts);
}

static void end_graph(void* block) {
  OrtGraph* graph = block;
  end_parts(&graph->inputs);
  end_parts(&graph->outputs);
  end_parts(&graph->nodes);
  end_parts(&graph->initializers);
  core_items_end(&graph->names);
  core_items_end(&graph->added);
}

static const struct core_class graph_class = {.kind = CORE_GRAPH, .end = end_graph};

/* Whether a graph is one that can still be changed. */
#define REQUIRE_EDITABLE(function, graph)                                   \
  CORE_FAIL_IF((graph)->object.class != &graph_class, ORT_INVALID_ARGUMENT, \
               #function ": graph must be made with CreateGraph");          \
  CORE_FAIL_IF(core_is_permanent(&(graph)->object), ORT_INVALID_ARGUMENT,   \
               #function ": graph belongs to a model and cannot change")

CORE_SLOT(ort_model_editor_CreateGraph, OrtGraph** graph) {
  CORE_NEW(OrtGraph, made, &graph_class);
  made->name = CORE_EDITOR_GRAPH_NAME;
  *graph = made;
  return NULL;
}

/* Gives values back that were to become parts of a graph. */
static void give_back(struct core_list* values) {
  for (size_t i = 0; i < values->count; i++) {
    ((OrtValueInfo*)values->items[i])->object.references = 1;
  }
  core_list_end(values);
}

/* Replaces a list of values. Nothing is taken over unless all can be. */
static OrtStatus* set_values(const char* name, struct core_list* list, OrtValueInfo** values,
                             size_t count) {
  struct core_list taken = {0};
  OrtStatus* status = NULL;
  for (size_t i = 0; status == NULL && i < count; i++) {
    if (values[i] == NULL) {
      status = core_fail(ORT_INVALID_ARGUMENT, "%s must not have a NULL entry", name);
    } else if (core_is_permanent(&values[i]->object)) {
      status =
          core_fail(ORT_INVALID_ARGUMENT, "%s has a value %s", name,
                    core_list_has(&taken, values[i]) ? "twice (Duplicate OrtValueInfo)"
                                                     : "that has already been added to a graph");
    } else if (!core_list_add(&taken, values[i])) {
      status = core_no_memory(count * sizeof *values);
    } else {
      core_make_part(&values[i]->object);
    }
  }
  CORE_TRY_OR(status, give_back(&taken));
  for (size_t i = 0; i < count; i++) {
    values[i] = NULL;
  }
  end_parts(list);
  *list = taken;
  return NULL;
}

#define VALUES_SETTER(NAME, function, values)                             \
  CORE_SLOT(NAME, OrtGraph* graph, OrtValueInfo** values, size_t count) { \
    CORE_REQUIRE_IF(count > 0, function, values);                         \
    REQUIRE_EDITABLE(function, graph);                                    \
    return set_values(#values, &graph->values, values, count);            \
  }
VALUES_SETTER(ort_model_editor_SetGraphInputs, SetGraphInputs, inputs)
VALUES_SETTER(ort_model_editor_SetGraphOutputs, SetGraphOutputs, outputs)

/* What is wrong with a tensor as an initializer; NULL if nothing is. */
static const char* refuse_tensor(const OrtGraph* graph, const OrtValue* tensor,
                                 bool data_is_external) {
  if (!core_is_tensor(tensor)) {
    return "tensor must be a dense tensor";
  }
  const struct core_tensor* dense = core_tensor_of(tensor);
  if (!core_is_cpu_memory(&dense->info)) {
    return "tensor must be in CPU memory";
  }
  if (core_lacks_data(dense)) {
    return "tensor must have data";
  }
  if (core_items_find(&graph->added, &tensor, sizeof tensor) != NULL) {
    return "tensor was added before";
  }
  if (core_is_permanent(&tensor->object)) {
    return "tensor belongs to another object";
  }
  return data_is_external && dense->bytes < 128
             ? "data_is_external needs a tensor of at least 128 bytes"
             : NULL;
}

/* Adds an initializer to the lists of a graph, or to none. */
static bool add_initializer(OrtGraph* graph, OrtValueInfo* value, const OrtValue* tensor) {
  const char* name = value->name;
  size_t count = graph->initializers.count;
  if (core_list_add(&graph->initializers, value) &&
      core_items_add(&graph->names, name, strlen(name) + 1, NULL) != NULL &&
      core_items_add(&graph->added, &tensor, sizeof tensor, NULL) != NULL) {
    return true;
  }
  graph->initializers.count = count;
  core_items_cut(&graph->names, count);
  return false;
}

CORE_SLOT(ort_model_editor_AddInitializerToGraph, OrtGraph* graph, const char* name,
          OrtValue* tensor, bool data_is_external) {
  REQUIRE_EDITABLE(AddInitializerToGraph, graph);
  const char* why = name[0] == 0 ? "name must not be empty"
                    : core_items_named(&graph->names, name) != NULL
                        ? "an initializer of that name has already been added to the graph"
                        : refuse_tensor(graph, tensor, data_is_external);
  CORE_REFUSE_IF(why != NULL, ORT_INVALID_ARGUMENT, "%s", why);
  OrtValueInfo* value = NULL;
  CORE_TRY(core_new_initializer(name, &value));
  if (!add_initializer(graph, value, tensor)) {
    core_drop(value);
    return core_no_memory(sizeof value);
  }
  core_make_part(&value->object);
  value->flags |= data_is_external ? CORE_IS_IN_PLACE : 0;
  value->tensor = tensor;
  return NULL;
}

CORE_SLOT(ort_model_editor_AddNodeToGraph, OrtGraph* graph, OrtNode* node) {
  REQUIRE_EDITABLE(AddNodeToGraph, graph);
  CORE_FAIL_IF(core_is_permanent(&node->object), ORT_INVALID_ARGUMENT,
               "AddNodeToGraph: the node has already been added to a graph");
  CORE_RETURN_IF(!core_list_add(&graph->nodes, node), core_no_memory(sizeof node));
  core_make_part(&node->object);
  return NULL;
}

/* --- models ---------------------------------------------------------------------------------- */

static uint64_t format_for(const char* const* domains, const int* versions, size_t count) {
  int version = 0;
  for (size_t i = count; i > 0; i--) {
    const char* domain = domains[i - 1];
    bool is_of_onnx = domain != NULL && (domain[0] == 0 || strcmp(domain, "ai.onnx") == 0);
    version = is_of_onnx ? versions[i - 1] : version;
  }
  return (uint64_t)core_format_of(version);
}

CORE_SLOT(ort_model_editor_CreateModel, const char* const* domain_names, const int* opset_versions,
          size_t opset_entries_len, OrtModel** model) {
  struct core_writing opsets = {0};
  OrtModel* made = NULL;
  CORE_REQUIRE_IF(opset_entries_len > 0, CreateModel, domain_names, opset_versions);
  CORE_TRY(core_new_model(&made));
  core_write_number(&opsets, MODEL_IR_VERSION,
                    format_for(domain_names, opset_versions, opset_entries_len));
  for (size_t i = 0; i < opset_entries_len; i++) {
    if (domain_names[i] == NULL) {
      heap_free(opsets.bytes);
      core_drop(made);
      CORE_FAIL(ORT_INVALID_ARGUMENT, "CreateModel: domain_names must not have a NULL entry");
    }
    core_write_opset(&opsets, domain_names[i], opset_versions[i]);
  }
  made->own = opsets.bytes;
  if (opsets.has_failed) {
    core_drop(made);
    return core_no_memory(opsets.capacity);
  }
  made->bytes = (struct core_message){opsets.bytes, opsets.bytes + opsets.size};
  *model = made;
  return NULL;
}

/* Writes the model and its graph as bytes, and reads what a model must know of them. */
static OrtStatus* write_model(OrtModel* model, const OrtGraph* graph) {
  struct core_writing to = {0};
  core_write_raw(&to, model->own, core_message_size(model->bytes));
  size_t message = core_begin_message(&to, MODEL_GRAPH);
  core_write_text(&to, GRAPH_NAME, CORE_EDITOR_GRAPH_NAME);
  OrtStatus* status = core_write_editor_graph(graph, &to, model);
  core_end_message(&to, message);
  if (status == NULL && to.has_failed) {
    status = core_no_memory(to.capacity);
  }
  if (status == NULL) {
    const struct core_message before = model->bytes;
    model->bytes = (struct core_message){to.bytes, to.bytes + to.size};
    status = core_read_model(model);
    model->bytes = status == NULL ? model->bytes : before;
  }
  if (status != NULL) {
    heap_free(to.bytes);
    heap_free(model->weights);
    model->weights = NULL;
    model->weight_count = 0;
    model->graph_bytes = (struct core_message){NULL, NULL};
    model->graphs = NULL;
    return status;
  }
  heap_free(model->own);
  model->own = to.bytes;
  return NULL;
}

CORE_SLOT(ort_model_editor_AddGraphToModel, OrtModel* model, OrtGraph* graph) {
  REQUIRE_EDITABLE(AddGraphToModel, graph);
  CORE_FAIL_IF(model->graph_bytes.at != NULL, ORT_INVALID_ARGUMENT,
               "AddGraphToModel: the model has a graph already");
  CORE_TRY(write_model(model, graph));
  core_make_part(&graph->object);
  graph->model = model;
  model->editor_graph = graph;
  return NULL;
}
