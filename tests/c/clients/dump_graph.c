/* SPDX-License-Identifier: MIT */
/*
 *     dump_graph LIBRARY < PATHS
 *
 * Prints for each model, whose path is a line of the input, all that its graph answers, in lines
 * that are sorted: what has no order in one library has the same place in both. Nodes go by the
 * name of their first output. The record of a model begins with ASCII 30 and its path.
 */
#include "dump_lines.h"
#include "graph_reader.h"

const OrtApi* api;

static void each_line_of_graph(const OrtGraph* graph, const char* prefix, bool has_views);

/* The first output that a node has, by which it is known. */
static const char* id_of(const OrtNode* node) {
  const OrtValueInfo* outputs[64];
  size_t count = 0;
  LIST(outputs, count, Node_GetNumOutputs, Node_GetOutputs, node);
  for (size_t i = 0; i < count; i++) {
    if (outputs[i] != NULL) {
      return name_of(outputs[i]);
    }
  }
  return "nothing";
}

/* --- values ----------------------------------------------------------------------------------- */

static void line_of_value(const char* prefix, const OrtValueInfo* value) {
  struct text text = {.size = 0};
  bool required, optional, output, constant, outer;
  const OrtNode* producer = NULL;
  size_t index = 0;
  DO(ValueInfo_IsRequiredGraphInput(value, &required));
  DO(ValueInfo_IsOptionalGraphInput(value, &optional));
  DO(ValueInfo_IsGraphOutput(value, &output));
  DO(ValueInfo_IsConstantInitializer(value, &constant));
  DO(ValueInfo_IsFromOuterScope(value, &outer));
  DO(ValueInfo_GetValueProducer(value, &producer, &index));
  add(&text, "%svalue %s:%s%s%s%s%s made by %s", prefix, name_of(value),
      required ? " required" : "", optional ? " optional" : "", output ? " output" : "",
      constant ? " constant" : "", outer ? " outer" : "",
      producer == NULL ? "nobody" : id_of(producer));
  if (producer != NULL) {
    add(&text, " %d", (int)index);
  }
  line(&text);
  add_type(&text, prefix, value);
  line(&text);
}

/* Each consumer is a line. */
static void lines_of_consumers(const char* prefix, const OrtValueInfo* value) {
  const OrtNode* nodes[256];
  int64_t indices[256];
  size_t count = 0;
  DO(ValueInfo_GetValueNumConsumers(value, &count));
  SAY("%suses %s %d", prefix, name_of(value), (int)count);
  CHECK(count <= 256);
  DO(ValueInfo_GetValueConsumers(value, nodes, indices, count));
  for (size_t i = 0; i < count; i++) {
    SAY("%suse %s by %s %d", prefix, name_of(value), id_of(nodes[i]), (int)indices[i]);
  }
}

static void lines_of_values(const char* prefix, const OrtValueInfo* const* values, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (values[i] != NULL) {
      line_of_value(prefix, values[i]);
      lines_of_consumers(prefix, values[i]);
      lines_of_tensor(prefix, values[i]);
    }
  }
}

static int compare_names(const void* a, const void* b) {
  return strcmp(name_of(*(const OrtValueInfo* const*)a), name_of(*(const OrtValueInfo* const*)b));
}

static void add_names(struct text* text, const char* what, const OrtValueInfo** values,
                      size_t count, bool sorted) {
  if (sorted) {
    qsort(values, count, sizeof *values, compare_names);
  }
  add(text, " %s", what);
  for (size_t i = 0; i < count; i++) {
    add(text, " %s", values[i] == NULL ? "-" : name_of(values[i]));
  }
}

/* --- nodes ------------------------------------------------------------------------------------ */

static void lines_of_attributes(const char* prefix, const OrtNode* node) {
  const OrtOpAttr* attributes[64];
  size_t count = 0;
  LIST(attributes, count, Node_GetNumAttributes, Node_GetAttributes, node);
  for (size_t i = 0; i < count; i++) {
    struct text text = {.size = 0};
    add(&text, "%sattribute %s ", prefix, id_of(node));
    add_attribute(&text, attributes[i]);
    line(&text);
  }
}

static void lines_of_subgraphs(const char* prefix, const OrtNode* node) {
  const OrtGraph* graphs[8];
  const char* names[8];
  const OrtNode* parent = NULL;
  size_t count = 0;
  DO(Node_GetNumSubgraphs(node, &count));
  CHECK(count <= 8);
  DO(Node_GetSubgraphs(node, graphs, count, names));
  for (size_t i = 0; i < count; i++) {
    struct text inner = {.size = 0};
    DO(Graph_GetParentNode(graphs[i], &parent));
    CHECK(parent != NULL && strcmp(id_of(parent), id_of(node)) == 0);
    add(&inner, "%s%s.%s>> ", prefix, id_of(node), names[i]);
    each_line_of_graph(graphs[i], inner.at, false);
  }
}

static void lines_of_node(const char* prefix, const OrtNode* node) {
  const OrtValueInfo* values[256];
  const char *type, *domain, *name, *provider;
  struct text text = {.size = 0};
  size_t inputs = 0, outputs = 0, implicit = 0;
  int since = 0;
  DO(Node_GetOperatorType(node, &type));
  DO(Node_GetDomain(node, &domain));
  DO(Node_GetName(node, &name));
  DO(Node_GetEpName(node, &provider));
  DO(Node_GetSinceVersion(node, &since));
  add(&text, "%snode %s: '%s'.%s %d '%s' '%s'", prefix, id_of(node), domain, type, since, name,
      provider);
  DO(Node_GetNumInputs(node, &inputs));
  DO(Node_GetNumOutputs(node, &outputs));
  DO(Node_GetNumImplicitInputs(node, &implicit));
  CHECK(inputs + outputs + implicit <= 256);
  DO(Node_GetInputs(node, values, inputs));
  DO(Node_GetOutputs(node, values + inputs, outputs));
  DO(Node_GetImplicitInputs(node, values + inputs + outputs, implicit));
  lines_of_values(prefix, values, inputs + outputs + implicit);
  add_names(&text, "from", values, inputs, false);
  add_names(&text, "to", values + inputs, outputs, false);
  add_names(&text, "implicitly", values + inputs + outputs, implicit, true);
  line(&text);
  lines_of_attributes(prefix, node);
  lines_of_subgraphs(prefix, node);
}

/* --- graphs ----------------------------------------------------------------------------------- */

static void line_of_list(const char* prefix, const char* what, const OrtGraph* graph, bool sorted,
                         OrtStatus*(ORT_API_CALL* count_of)(const OrtGraph*, size_t*),
                         OrtStatus*(ORT_API_CALL* list)(const OrtGraph*, const OrtValueInfo**,
                                                        size_t)) {
  size_t count = 0;
  struct text text = {.size = 0};
  CHECK(count_of(graph, &count) == NULL);
  const OrtValueInfo** values = calloc(count + 1, sizeof *values);
  CHECK(values != NULL && list(graph, values, count) == NULL);
  add(&text, "%sgraph", prefix);
  add_names(&text, what, values, count, sorted);
  line(&text);
  lines_of_values(prefix, values, count);
  free(values);
}

static int compare_nodes(const void* a, const void* b) {
  return strcmp(id_of(*(const OrtNode* const*)a), id_of(*(const OrtNode* const*)b));
}

static void lines_of_view(const OrtGraph* graph, const char* prefix, const OrtNode** nodes,
                          size_t count) {
  OrtGraph* view = NULL;
  struct text inner = {.size = 0};
  add(&inner, "%sview %s %d>> ", prefix, id_of(nodes[0]), (int)count);
  DO(Graph_GetGraphView(graph, nodes, count, &view));
  each_line_of_graph(view, inner.at, false);
  api->ReleaseGraph(view);
}

/* Whether what each node uses was made before. */
static bool is_in_order(const OrtNode* const* nodes, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const OrtValueInfo* values[256];
    size_t inputs = 0;
    LIST(values, inputs, Node_GetNumInputs, Node_GetInputs, nodes[i]);
    for (size_t k = 0; k < inputs; k++) {
      const OrtNode* producer = NULL;
      if (values[k] != NULL) {
        DO(ValueInfo_GetValueProducer(values[k], &producer, NULL));
      }
      for (size_t later = i; later < count; later++) {
        if (producer != NULL && producer == nodes[later]) {
          return false;
        }
      }
    }
  }
  return true;
}

static void each_line_of_graph(const OrtGraph* graph, const char* prefix, bool has_views) {
  size_t count = 0;
  const char* name = NULL;
  int64_t version = 0;
  DO(Graph_GetName(graph, &name));
  DO(Graph_GetOnnxIRVersion(graph, &version));
  DO(Graph_GetNumNodes(graph, &count));
  const OrtNode** nodes = calloc(count + 1, sizeof *nodes);
  CHECK(nodes != NULL);
  DO(Graph_GetNodes(graph, nodes, count));
  SAY("%sgraph '%s' version %d nodes %d %s", prefix, name, (int)version, (int)count,
      is_in_order(nodes, count) ? "in order" : "not in order");
  /* Inputs and outputs of views have no order. */
  bool is_view = strstr(prefix, "view ") != NULL;
  line_of_list(prefix, "takes", graph, is_view, api->Graph_GetNumInputs, api->Graph_GetInputs);
  line_of_list(prefix, "gives", graph, is_view, api->Graph_GetNumOutputs, api->Graph_GetOutputs);
  line_of_list(prefix, "has", graph, true, api->Graph_GetNumInitializers,
               api->Graph_GetInitializers);
  qsort(nodes, count, sizeof *nodes, compare_nodes);
  for (size_t i = 0; i < count; i++) {
    lines_of_node(prefix, nodes[i]);
    if (has_views && i < 50) {
      lines_of_view(graph, prefix, &nodes[i], 1);
    }
  }
  if (has_views && count > 1) {
    lines_of_view(graph, prefix, nodes, count / 2);
  }
  free(nodes);
}

static void lines_of_model(const OrtGraph* graph) {
  const char* domains[64];
  int64_t versions[64];
  size_t count = 0;
  DO(Graph_GetNumOperatorSets(graph, &count));
  CHECK(count <= 64);
  DO(Graph_GetOperatorSets(graph, domains, versions, count));
  for (size_t i = 0; i < count; i++) {
    SAY("opset '%s' %d", domains[i], (int)versions[i]);
  }
  lines_of_metadata(graph);
}

static bool was_shown;

/* Subgraphs, which have a parent, are shown as well. */
static void look(const OrtGraph* graph) {
  const OrtNode* parent = NULL;
  DO(Graph_GetParentNode(graph, &parent));
  if (parent == NULL && !was_shown) {
    was_shown = true;
    lines_of_model(graph);
    each_line_of_graph(graph, "", true);
  }
}

int main(int argc, char** argv) {
  char path[4096];
  CHECK(argc == 2);
  api = table_of(argv[1]);
  while (fgets(path, sizeof path, stdin) != NULL) {
    path[strcspn(path, "\n")] = 0;
    was_shown = false;
    OrtStatus* status = show_graph_of_file(api, path, look);
    printf("\x1e%s\n", path);
    if (!was_shown) {
      printf("not shown: %s\n", status == NULL ? "" : api->GetErrorMessage(status));
    }
    print_lines();
    api->ReleaseStatus(status);
  }
  return 0;
}
