/* SPDX-License-Identifier: MIT */
/* The slots that read an OrtGraph. */

#include "graph/graph.h"

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
