/* SPDX-License-Identifier: MIT */
/* OrtGraph: what is in a graph. */
#include <string.h>

#include "graph/graph.h"

OrtStatus* core_copy_list(const char* function, const char* room_name, const struct core_list* list,
                          const void** out, size_t room) {
  if (room < list->count) {
    return core_status(ORT_INVALID_ARGUMENT, function, room_name,
                       " is less than the items of the list");
  }
  if (list->count > 0) {
    memcpy(out, list->items, list->count * sizeof *out);
  }
  return NULL;
}

/* The two slots of a list of a graph: its length, and its items. */
#define LIST_OF_GRAPH(Name, list, Item, num, array)                                              \
  ORT_API_STATUS_IMPL(ort_Graph_GetNum##Name, const OrtGraph* graph, size_t* num) {              \
    CORE_REQUIRE(Graph_GetNum##Name, graph, num);                                                \
    *num = graph->list.count;                                                                    \
    return NULL;                                                                                 \
  }                                                                                              \
  ORT_API_STATUS_IMPL(ort_Graph_Get##Name, const OrtGraph* graph, const Item** array,            \
                      size_t num) {                                                              \
    CORE_REQUIRE(Graph_Get##Name, graph, array);                                                 \
    return core_copy_list("Graph_Get" #Name, ": " #num, &graph->list, (const void**)array, num); \
  }

LIST_OF_GRAPH(Inputs, inputs, OrtValueInfo, num_inputs, inputs)
LIST_OF_GRAPH(Outputs, outputs, OrtValueInfo, num_outputs, outputs)
LIST_OF_GRAPH(Initializers, initializers, OrtValueInfo, num_initializers, initializers)
LIST_OF_GRAPH(Nodes, nodes, OrtNode, num_nodes, nodes)

void ORT_API_CALL ort_ReleaseGraph(OrtGraph* input) NO_EXCEPTION { core_drop(input); }

ORT_API_STATUS_IMPL(ort_Graph_GetName, const OrtGraph* graph, const char** graph_name) {
  CORE_REQUIRE(Graph_GetName, graph, graph_name);
  *graph_name = graph->name;
  return NULL;
}

ORT_API_STATUS_IMPL(ort_Graph_GetModelPath, const OrtGraph* graph, const ORTCHAR_T** model_path) {
  static const ORTCHAR_T nowhere[1] = {0};
  CORE_REQUIRE(Graph_GetModelPath, graph, model_path);
  *model_path = graph->model != NULL ? graph->model->path : nowhere;
  return NULL;
}

ORT_API_STATUS_IMPL(ort_Graph_GetOnnxIRVersion, const OrtGraph* graph, int64_t* onnx_ir_version) {
  CORE_REQUIRE(Graph_GetOnnxIRVersion, graph, onnx_ir_version);
  *onnx_ir_version = graph->model != NULL ? graph->model->ir_version : CORE_EDITOR_IR_VERSION;
  return NULL;
}

ORT_API_STATUS_IMPL(ort_Graph_GetNumOperatorSets, const OrtGraph* graph,
                    size_t* num_operator_sets) {
  CORE_REQUIRE(Graph_GetNumOperatorSets, graph, num_operator_sets);
  CORE_REQUIRE_MODEL(Graph_GetNumOperatorSets, graph, graph->model);
  *num_operator_sets = graph->model->opset_count;
  return NULL;
}

ORT_API_STATUS_IMPL(ort_Graph_GetOperatorSets, const OrtGraph* graph, const char** domains,
                    int64_t* opset_versions, size_t num_operator_sets) {
  CORE_REQUIRE(Graph_GetOperatorSets, graph, domains, opset_versions);
  CORE_REQUIRE_MODEL(Graph_GetOperatorSets, graph, graph->model);
  if (num_operator_sets < graph->model->opset_count) {
    CORE_FAIL(ORT_INVALID_ARGUMENT,
              "Graph_GetOperatorSets: num_operator_sets is less than the items of the list");
  }
  for (size_t i = 0; i < graph->model->opset_count; i++) {
    domains[i] = graph->model->domains[i];
    opset_versions[i] = graph->model->versions[i];
  }
  return NULL;
}

ORT_API_STATUS_IMPL(ort_Graph_GetParentNode, const OrtGraph* graph, const OrtNode** node) {
  CORE_REQUIRE(Graph_GetParentNode, graph, node);
  *node = graph->parent;
  return NULL;
}
