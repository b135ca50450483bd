/* SPDX-License-Identifier: MIT */
/* Views: graphs that have some of the nodes of another graph. Nodes and values are copied; the
 * copies share attributes, subgraphs, types and tensors with the originals. */
#include <stdlib.h>
#include "graph/reading.h"
#include "graph/graph.h"

/* A view that is being made. */
struct making {
  struct core_scope scope;
  const OrtGraph* from;
  const struct core_view* how;
  /** The nodes of the source that the view has, once each, in the order of the source. */
  const OrtNode** nodes;
  size_t count;
};

static int compare_places(const void* a, const void* b) {
  size_t first = (*(const OrtNode* const*)a)->place, second = (*(const OrtNode* const*)b)->place;
  return (first > second) - (first < second);
}

static bool is_chosen(const struct making* making, const OrtNode* node) {
  const OrtNode* const* found =
      bsearch(&node, making->nodes, making->count, sizeof node, compare_places);
  return found != NULL && *found == node;
}

/* Finds or makes the copy of a value. A new one is also listed where it belongs: among the
 * initializers, and among the inputs if no node of the view makes it. sort_inputs lists those that
 * are inputs of the source. */
static OrtStatus* copy_value(struct making* making, const OrtValueInfo* of, OrtValueInfo** out) {
  OrtGraph* view = making->scope.graph;
  const struct core_message name = core_message_of(of->name);
  CORE_TRY(core_find_value(&making->scope, name, out));
  if (*out != NULL) {
    return NULL;
  }
  CORE_TRY(core_define_value(&making->scope, name, out));
  OrtValueInfo* value = *out;
  value->origin = core_origin(of);
  value->flags = of->flags & ~(uint32_t)(CORE_IS_INPUT | CORE_IS_OUTPUT);
  if (of->flags & CORE_IS_INITIALIZER && !(of->flags & CORE_IS_OUTER)) {
    CORE_TRY(core_scope_add(&making->scope, &view->initializers, value));
  }
  if (core_is_constant(of) && making->how->keeps_constants) {
    value->flags |= CORE_IS_CONSTANT_INPUT;
  }
  bool is_made_here = of->producer != NULL && is_chosen(making, of->producer);
  if (!is_made_here && (!core_is_constant(of) || making->how->keeps_constants)) {
    value->flags |= CORE_IS_INPUT;
    if (making->how->is_fused || !(of->flags & CORE_IS_INPUT)) {
      CORE_TRY(core_scope_add(&making->scope, &view->inputs, value));
    }
  }
  return NULL;
}

/* Whether something outside of the view uses a value. */
static bool is_needed_outside(const struct making* making, const OrtValueInfo* of) {
  bool is_needed = of->flags & CORE_IS_OUTPUT;
  for (size_t i = 0; !is_needed && i < of->use_count; i++) {
    is_needed = !is_chosen(making, of->uses[i].node);
  }
  return is_needed;
}

static OrtStatus* copy_operands(struct making* making, const OrtNode* of, OrtNode* node) {
  OrtValueInfo* value;
  for (size_t i = 0; i < of->input_count + of->output_count; i++) {
    if (of->values[i] == NULL) {
      continue;
    }
    CORE_TRY(copy_value(making, of->values[i], &value));
    node->values[i] = value;
    if (i >= of->input_count) {
      value->producer = node;
      value->producer_index = i - of->input_count;
      if (is_needed_outside(making, of->values[i])) {
        value->flags |= CORE_IS_OUTPUT;
        CORE_TRY(core_scope_add(&making->scope, &making->scope.graph->outputs, value));
      }
    }
  }
  node->implicit_inputs = (struct core_list){0};
  for (size_t i = 0; i < of->implicit_inputs.count; i++) {
    CORE_TRY(copy_value(making, of->implicit_inputs.items[i], &value));
    CORE_TRY(core_scope_add(&making->scope, &node->implicit_inputs, value));
  }
  return NULL;
}

/* Texts that end with the view. Others are the source's, which stays. */
static OrtStatus* copy_texts(struct making* making, OrtNode* node) {
  const char** texts[] = {&node->name, &node->op_type, &node->domain, &node->provider};
  for (size_t i = 0; i < CORE_COUNT_OF(texts); i++) {
    CORE_TRY(core_read_text(&making->scope, core_message_of(*texts[i]), texts[i]));
  }
  return NULL;
}

static OrtStatus* copy_node(struct making* making, const OrtNode* of) {
  struct core_pool* pool = &making->scope.root->pool;
  OrtNode* node = core_pool_take(pool, sizeof *node);
  size_t operands = of->input_count + of->output_count;
  const OrtValueInfo** values = core_pool_array(pool, operands, sizeof *values);
  CORE_RETURN_IF(node == NULL || values == NULL,
                 core_no_memory(sizeof *node + operands * sizeof *values));
  *node = *of;
  node->graph = making->scope.graph;
  node->place = making->scope.graph->nodes.count;
  node->values = values;
  if (pool->closes) {
    CORE_TRY(copy_texts(making, node));
  }
  CORE_TRY(copy_operands(making, of, node));
  return core_scope_add(&making->scope, &making->scope.graph->nodes, node);
}

/* Lists the inputs of the source that the view uses, in their order, before the other inputs. */
static OrtStatus* sort_inputs(struct making* making) {
  struct core_list* others = &making->scope.graph->inputs;
  struct core_list inputs = {0};
  for (size_t i = 0; i < making->from->inputs.count; i++) {
    const OrtValueInfo* of = making->from->inputs.items[i];
    OrtValueInfo* value;
    CORE_TRY(core_find_value(&making->scope, core_message_of(of->name), &value));
    if (value != NULL && value->flags & CORE_IS_INPUT) {
      CORE_TRY(core_scope_add(&making->scope, &inputs, value));
    }
  }
  for (size_t i = 0; i < others->count; i++) {
    CORE_TRY(core_scope_add(&making->scope, &inputs, others->items[i]));
  }
  *others = inputs;
  return NULL;
}

/* Notes the nodes of the view. */
static OrtStatus* choose(struct making* making, const OrtNode* const* nodes, size_t count) {
  CORE_TAKE_ARRAY(&making->scope.root->pool, making->nodes, count);
  for (size_t i = 0; i < count; i++) {
    CORE_REFUSE_IF(nodes[i] == NULL || nodes[i]->graph != making->from, ORT_INVALID_ARGUMENT,
                   "nodes must be nodes of the graph");
    making->nodes[i] = nodes[i];
  }
  qsort(making->nodes, count, sizeof *making->nodes, compare_places);
  for (size_t i = 0; i < count; i++) {
    if (i == 0 || making->nodes[i] != making->nodes[i - 1]) {
      making->nodes[making->count++] = making->nodes[i];
    }
  }
  return NULL;
}

static OrtStatus* fill(struct making* making, const OrtNode* const* nodes, size_t count) {
  CORE_TRY(choose(making, nodes, count));
  for (size_t i = 0; i < making->count; i++) {
    CORE_TRY(copy_node(making, making->nodes[i]));
  }
  if (!making->how->is_fused) {
    CORE_TRY(sort_inputs(making));
  }
  return core_list_uses(&making->scope.root->pool, &making->scope.graph->nodes);
}

/* A struct in a page of its own, which can be closed. */
static OrtGraph* new_closing_struct(void) {
  OrtGraph* graph = core_map(core_page_size());
  if (graph != NULL) {
    core_begin(&graph->object, &core_graph_class, 0);
    graph->pool.closes = true;
  }
  return graph;
}

/* Makes an empty graph of the same model. */
static OrtStatus* new_graph(const OrtGraph* from, bool closes, OrtGraph** out) {
  OrtGraph* graph =
      closes ? new_closing_struct() : core_new_object(&core_graph_class, sizeof *graph);
  CORE_NEED_MEMORY(graph, sizeof *graph);
  graph->model = from->model;
  graph->opsets = from->opsets;
  graph->form = from->form;
  graph->node_numbers = from->node_numbers;
  *out = graph;
  return NULL;
}

OrtStatus* core_make_view(const OrtGraph* from, const OrtNode* const* nodes, size_t count,
                          const struct core_view* how, OrtGraph** out) {
  OrtGraph* view = NULL;
  CORE_TRY(new_graph(from, core_closes_shown_graphs(), &view));
  view->source = from;
  struct making making = {.scope = {.root = view, .graph = view}, .from = from, .how = how};
  OrtStatus* status = core_read_text(&making.scope, core_message_of(how->name), &view->name);
  CORE_THEN(status, fill(&making, nodes, count));
  CORE_TRY_OR(status, core_end_view(view));
  *out = view;
  return NULL;
}

static bool closes_shown; /* atomic */

void core_close_shown_graphs(bool wanted) {
  __atomic_store_n(&closes_shown, wanted, __ATOMIC_RELAXED);
}

bool core_closes_shown_graphs(void) { return __atomic_load_n(&closes_shown, __ATOMIC_RELAXED); }

void core_end_view(OrtGraph* view) {
  if (view == NULL || !view->pool.closes) {
    core_drop(view);
    return;
  }
  view->object.class->end(view);
  core_address_close(view, core_page_size());
}

CORE_SLOT(ort_Graph_GetGraphView, const OrtGraph* src_graph, const OrtNode** nodes,
          size_t num_nodes, OrtGraph** dst_graph) {
  static const struct core_view how = {"sub_graph", false, false};
  CORE_FAIL_IF(num_nodes == 0, ORT_INVALID_ARGUMENT, "Graph_GetGraphView: num_nodes must not be 0");
  CORE_FAIL_IF(core_is_edited(src_graph), ORT_INVALID_ARGUMENT,
               "Graph_GetGraphView: src_graph must not be made with the model editor");
  return core_make_view(src_graph, nodes, num_nodes, &how, dst_graph);
}

/* --- fused nodes ----------------------------------------------------------------------------- */

/* Copies values of a view as operands of a node. */
static OrtStatus* copy_values(struct core_scope* scope, const struct core_list* values,
                              const OrtValueInfo** out) {
  OrtValueInfo* value;
  for (size_t i = 0; i < values->count; i++) {
    const OrtValueInfo* of = values->items[i];
    CORE_TRY(core_define_value(scope, core_message_of(of->name), &value));
    value->graph = NULL;
    value->origin = core_origin(of);
    value->flags = of->flags;
    out[i] = value;
  }
  return NULL;
}

static OrtStatus* fuse(struct core_scope* scope, const OrtGraph* view, const char* name,
                       const char* provider, OrtNode* node) {
  node->input_count = view->inputs.count;
  node->output_count = view->outputs.count;
  CORE_TAKE_ARRAY(&scope->root->pool, node->values, node->input_count + node->output_count);
  CORE_TRY(core_read_text(scope, core_message_of(view->name), &node->op_type));
  CORE_TRY(core_read_text(scope, core_message_of(name), &node->name));
  CORE_TRY(core_read_text(scope, core_message_of(provider), &node->domain));
  node->provider = node->domain;
  CORE_TRY(copy_values(scope, &view->inputs, node->values));
  CORE_TRY(copy_values(scope, &view->outputs, node->values + node->input_count));
  return core_scope_add(scope, &scope->graph->nodes, node);
}

OrtStatus* core_fuse(const OrtGraph* view, const char* name, const char* provider, size_t id,
                     OrtGraph** out) {
  OrtGraph* graph = NULL;
  CORE_TRY(new_graph(view, false, &graph));
  struct core_scope scope = {.root = graph, .graph = graph};
  OrtNode* node = core_pool_take(&graph->pool, sizeof *node);
  OrtStatus* status = node == NULL ? core_no_memory(sizeof *node) : NULL;
  if (node != NULL) {
    node->object.references = CORE_PERMANENT;
    node->id = id;
    status = fuse(&scope, view, name, provider, node);
  }
  CORE_HAND_OUT(status, graph, out);
}

CORE_GETTER(ort_Graph_GetNumInputs, size_t, graph->inputs.count, const OrtGraph* graph)
CORE_LIST_GETTER(ort_Graph_GetInputs, Graph_GetInputs, graph->inputs, OrtValueInfo, inputs,
                 num_inputs, OrtGraph, graph)
CORE_GETTER(ort_Graph_GetNumOutputs, size_t, graph->outputs.count, const OrtGraph* graph)
CORE_LIST_GETTER(ort_Graph_GetOutputs, Graph_GetOutputs, graph->outputs, OrtValueInfo, outputs,
                 num_outputs, OrtGraph, graph)
CORE_GETTER(ort_Graph_GetNumInitializers, size_t, graph->initializers.count, const OrtGraph* graph)
CORE_LIST_GETTER(ort_Graph_GetInitializers, Graph_GetInitializers, graph->initializers,
                 OrtValueInfo, initializers, num_initializers, OrtGraph, graph)
CORE_GETTER(ort_Graph_GetNumNodes, size_t, graph->nodes.count, const OrtGraph* graph)
CORE_LIST_GETTER(ort_Graph_GetNodes, Graph_GetNodes, graph->nodes, OrtNode, nodes, num_nodes,
                 OrtGraph, graph)

CORE_RELEASER(ort_ReleaseGraph, OrtGraph)
CORE_GETTER(ort_Graph_GetName, const char*, graph->name, const OrtGraph* graph)

CORE_SLOT(ort_Graph_GetModelPath, const OrtGraph* graph, const ORTCHAR_T** model_path) {
  static const ORTCHAR_T nowhere[1] = {0};
  *model_path = graph->model != NULL ? graph->model->path : nowhere;
  return NULL;
}

CORE_GETTER(ort_Graph_GetOnnxIRVersion, int64_t,
            graph->model != NULL ? graph->model->ir_version : CORE_EDITOR_IR_VERSION,
            const OrtGraph* graph)

CORE_SLOT(ort_Graph_GetNumOperatorSets, const OrtGraph* graph, size_t* num_operator_sets) {
  CORE_REQUIRE_MODEL(Graph_GetNumOperatorSets, graph, graph->model);
  *num_operator_sets = core_opsets_of(graph)->count;
  return NULL;
}

CORE_SLOT(ort_Graph_GetOperatorSets, const OrtGraph* graph, const char** domains,
          int64_t* opset_versions, size_t num_operator_sets) {
  CORE_REQUIRE_MODEL(Graph_GetOperatorSets, graph, graph->model);
  const struct core_opsets* opsets = core_opsets_of(graph);
  CORE_FAIL_IF(num_operator_sets < opsets->count, ORT_INVALID_ARGUMENT,
               "Graph_GetOperatorSets: num_operator_sets is less than the items of the list");
  for (size_t i = 0; i < opsets->count; i++) {
    domains[i] = opsets->domains[i];
    opset_versions[i] = opsets->versions[i];
  }
  return NULL;
}

CORE_GETTER(ort_Graph_GetParentNode, const OrtNode*, graph->parent, const OrtGraph* graph)
