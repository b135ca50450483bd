/* SPDX-License-Identifier: MIT */
/* OrtGraph: what a graph says of itself. */
#include "behaviour_graph.h"

static graph_function* looking;

/* Subgraphs are shown as well. */
static void look_at_main(const OrtGraph* graph) {
  const char* name = NEW(const char, api->Graph_GetName(graph, &new_));
  graph_function* look = looking;
  if (look != NULL && strcmp(name, "main") == 0) {
    looking = NULL;
    look(graph);
  }
}

void on_graph(graph_function* look) {
  struct model_bytes model = branching_model();
  looking = look;
  OrtStatus* status = show_graph(api, model.at, model.size, look_at_main);
  if (status != NULL) {
    say_status(status);
  }
  CHECK(looking == NULL);
}

const OrtNode* node_of(const OrtGraph* graph, const char* op) {
  const OrtNode* nodes[8];
  size_t count = 0;
  const char* type = "";
  CHECK(api->Graph_GetNumNodes(graph, &count) == NULL && count <= 8);
  CHECK(api->Graph_GetNodes(graph, nodes, count) == NULL);
  for (size_t i = 0; i < count; i++) {
    CHECK(api->Node_GetOperatorType(nodes[i], &type) == NULL);
    if (strcmp(type, op) == 0) {
      return nodes[i];
    }
  }
  return NULL;
}

static const OrtValueInfo* find_value(const OrtValueInfo* const* values, size_t count,
                                      const char* name) {
  const char* text = NULL;
  for (size_t i = 0; i < count; i++) {
    CHECK(values[i] == NULL || api->GetValueInfoName(values[i], &text) == NULL);
    if (values[i] != NULL && strcmp(text, name) == 0) {
      return values[i];
    }
  }
  return NULL;
}

const OrtValueInfo* value_of_graph(const OrtGraph* graph, const char* name) {
  const OrtNode* nodes[8];
  const OrtValueInfo* values[8] = {NULL};
  size_t count = 0;
  CHECK(api->Graph_GetNumNodes(graph, &count) == NULL && count <= 8);
  CHECK(api->Graph_GetNodes(graph, nodes, count) == NULL);
  for (size_t i = 0; i < count; i++) {
    size_t inputs = 0, outputs = 0;
    CHECK(api->Node_GetNumInputs(nodes[i], &inputs) == NULL);
    CHECK(api->Node_GetNumOutputs(nodes[i], &outputs) == NULL);
    CHECK(api->Node_GetInputs(nodes[i], values, inputs) == NULL);
    CHECK(api->Node_GetOutputs(nodes[i], values + inputs, outputs) == NULL);
    const OrtValueInfo* found = find_value(values, inputs + outputs, name);
    if (found != NULL) {
      return found;
    }
  }
  return NULL;
}

void say_values(const OrtValueInfo* const* values, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const char* name = "NULL";
    CHECK(values[i] == NULL || api->GetValueInfoName(values[i], &name) == NULL);
    say("%s", name);
  }
}

void say_nodes(const OrtNode* const* nodes, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const char* op = "NULL";
    CHECK(nodes[i] == NULL || api->Node_GetOperatorType(nodes[i], &op) == NULL);
    say("%s", op);
  }
}

/* --- graphs of a model ----------------------------------------------------------------------- */

#define NO_GRAPH(text, ...)

#define READ_LIST(Name, type, say_items)                                                   \
  GRAPH_CALL(                                                                              \
      "Graph_GetNum" #Name, size_t count = 99;                                             \
      if (say_status(api->Graph_GetNum##Name(g, &count))) { say("%d", (int)count); })      \
  NO_GRAPH("Graph_GetNum" #Name, say_status(api->Graph_GetNum##Name(g, &count)))           \
  GRAPH_CALL(                                                                              \
      "Graph_Get" #Name, const type* items[8] = {NULL}; size_t count = 0;                  \
      CHECK(api->Graph_GetNum##Name(g, &count) == NULL);                                   \
      if (say_status(api->Graph_Get##Name(g, items, 8))) { say_items(items, count); })     \
  GRAPH_CALL("Graph_Get" #Name "(no room)", const type* items[8] = {UNTOUCHED};            \
             say_status(api->Graph_Get##Name(g, items, 0)); say_out(items[0], UNTOUCHED))  \
  GRAPH_CALL("Graph_Get" #Name "(out=NULL)", say_status(api->Graph_Get##Name(g, NULL, 0))) \
  NO_GRAPH("Graph_Get" #Name, const type* items[8] = {UNTOUCHED};                          \
           say_status(api->Graph_Get##Name(g, items, 8)))

READ_LIST(Inputs, OrtValueInfo, say_values)
READ_LIST(Outputs, OrtValueInfo, say_values)
READ_LIST(Initializers, OrtValueInfo, say_values)
READ_LIST(Nodes, OrtNode, say_nodes)

GRAPH_CALL(
    "Graph_GetName", const char* name = NULL;
    if (say_status(api->Graph_GetName(g, &name))) { say("%s", name); })
NO_GRAPH("Graph_GetName", const char* name = UNTOUCHED; say_status(api->Graph_GetName(g, &name));
         say_out(name, UNTOUCHED))
GRAPH_CALL(
    "Graph_GetModelPath", const ORTCHAR_T* path = NULL;
    if (say_status(api->Graph_GetModelPath(g, &path))) { say("%d", path == NULL ? -1 : path[0]); })
NO_GRAPH("Graph_GetModelPath", const ORTCHAR_T* path = UNTOUCHED;
         say_status(api->Graph_GetModelPath(g, &path)); say_out(path, UNTOUCHED))
GRAPH_CALL(
    "Graph_GetOnnxIRVersion", int64_t version = 0;
    if (say_status(api->Graph_GetOnnxIRVersion(g, &version))) { say("%d", (int)version); })
NO_GRAPH("Graph_GetOnnxIRVersion", int64_t version = 0;
         say_status(api->Graph_GetOnnxIRVersion(g, &version)))

/* Other libraries also list the operator sets that they know. */
GRAPH_CALL(
    "Graph_GetOperatorSets", const char* domains[64]; int64_t versions[64]; size_t count = 0;
    say_status(api->Graph_GetNumOperatorSets(g, &count));
    if (say_status(api->Graph_GetOperatorSets(g, domains, versions, 64))) {
      say("'%s' %d, %s", domains[0], (int)versions[0], count == 1 ? "one" : "more");
    })
NO_GRAPH("Graph_GetNumOperatorSets", say_status(api->Graph_GetNumOperatorSets(g, &count)))
GRAPH_CALL("Graph_GetOperatorSets(no room)", const char* domain = UNTOUCHED; int64_t version = 99;
           say_status(api->Graph_GetOperatorSets(g, &domain, &version, 0));
           say_out(domain, UNTOUCHED))
NO_GRAPH("Graph_GetOperatorSets", const char* domain = UNTOUCHED; int64_t version = 99;
         say_status(api->Graph_GetOperatorSets(g, &domain, &version, 1)))

GRAPH_CALL("Graph_GetParentNode", const OrtNode* node = UNTOUCHED;
           say_status(api->Graph_GetParentNode(g, &node)); say_out(node, UNTOUCHED))
NO_GRAPH("Graph_GetParentNode", const OrtNode* node = UNTOUCHED;
         say_status(api->Graph_GetParentNode(g, &node)))
GRAPH_CALL("ReleaseGraph(that of a model)", size_t count = 0; api->ReleaseGraph((OrtGraph*)g);
           say_status(api->Graph_GetNumNodes(g, &count)); say("%d", (int)count))

/* --- views ----------------------------------------------------------------------------------- */

static int compare_names(const void* a, const void* b) {
  const char *name = NULL, *other = NULL;
  CHECK(api->GetValueInfoName(*(const OrtValueInfo* const*)a, &name) == NULL);
  CHECK(api->GetValueInfoName(*(const OrtValueInfo* const*)b, &other) == NULL);
  return strcmp(name, other);
}

/* Inputs and initializers have no order elsewhere. */
static void say_view(const OrtGraph* g, const OrtNode** nodes, size_t count) {
  OrtGraph* view = UNTOUCHED;
  const OrtNode* found[8];
  const OrtValueInfo* values[8];
  if (!say_status(api->Graph_GetGraphView(g, nodes, count, &view))) {
    say_out(view, UNTOUCHED);
    return;
  }
  const char* name = NEW(const char, api->Graph_GetName(view, &new_));
  say("%s", name);
  CHECK(api->Graph_GetNumNodes(view, &count) == NULL &&
        api->Graph_GetNodes(view, found, 8) == NULL);
  say_nodes(found, count);
  say("from");
  CHECK(api->Graph_GetNumInputs(view, &count) == NULL);
  CHECK(api->Graph_GetInputs(view, values, 8) == NULL);
  qsort(values, count, sizeof *values, compare_names);
  say_values(values, count);
  say("to");
  CHECK(api->Graph_GetNumOutputs(view, &count) == NULL);
  CHECK(api->Graph_GetOutputs(view, values, 8) == NULL);
  say_values(values, count);
  say("with");
  CHECK(api->Graph_GetNumInitializers(view, &count) == NULL);
  CHECK(api->Graph_GetInitializers(view, values, 8) == NULL);
  qsort(values, count, sizeof *values, compare_names);
  say_values(values, count);
  api->ReleaseGraph(view);
}

GRAPH_CALL("Graph_GetGraphView(Add)", say_view(g, &(const OrtNode*){node_of(g, "Add")}, 1))
GRAPH_CALL("Graph_GetGraphView(If)", say_view(g, &(const OrtNode*){node_of(g, "If")}, 1))
GRAPH_CALL("Graph_GetGraphView(Softmax,Clip)",
           say_view(g, (const OrtNode*[]){node_of(g, "Softmax"), node_of(g, "Clip")}, 2))
GRAPH_CALL("Graph_GetGraphView(Add,Softmax)",
           say_view(g, (const OrtNode*[]){node_of(g, "Add"), node_of(g, "Softmax")}, 2))
GRAPH_CALL("Graph_GetGraphView(Add twice)",
           say_view(g, (const OrtNode*[]){node_of(g, "Add"), node_of(g, "Add")}, 2))
GRAPH_CALL("Graph_GetGraphView(nothing)", say_view(g, &(const OrtNode*){node_of(g, "Add")}, 0))
GRAPH_CALL("Graph_GetGraphView(node NULL)", say_view(g, &(const OrtNode*){NULL}, 1))
GRAPH_CALL("Graph_GetGraphView(node of the editor)", say_view(g, &(const OrtNode*){free_node()}, 1))
GRAPH_CALL("Graph_GetGraphView(node of a subgraph)", const OrtGraph* graphs[2];
           CHECK(api->Node_GetSubgraphs(node_of(g, "If"), graphs, 2, NULL) == NULL);
           say_view(g, &(const OrtNode*){node_of(graphs[0], "Add")}, 1))
GRAPH_CALL("Graph_GetGraphView of a view", OrtGraph* view = NULL;
           const OrtNode* nodes[] = {node_of(g, "Softmax"), node_of(g, "Clip")};
           CHECK(api->Graph_GetGraphView(g, nodes, 2, &view) == NULL);
           say_view(view, &(const OrtNode*){node_of(view, "Clip")}, 1); api->ReleaseGraph(view))
GRAPH_CALL("Graph_GetGraphView(a node of a view)", OrtGraph* view = NULL;
           const OrtNode* nodes[] = {node_of(g, "Softmax"), node_of(g, "Clip")};
           CHECK(api->Graph_GetGraphView(g, nodes, 2, &view) == NULL);
           say_view(g, &(const OrtNode*){node_of(view, "Clip")}, 1); api->ReleaseGraph(view))
