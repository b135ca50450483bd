/* SPDX-License-Identifier: MIT */
/* The slots that read an OrtGraph. */
#include <string.h>

#include "graph/graph.h"

CORE_GETTER(ort_Graph_GetNumInputs, size_t, graph->inputs.count, const OrtGraph* graph)

CORE_SLOT(ort_Graph_GetInputs, const OrtGraph* graph, const OrtValueInfo** inputs,
          size_t num_inputs) {
  CORE_REQUIRE_IF(graph->inputs.count > 0, Graph_GetInputs, inputs);
  return core_copy_list("num_inputs", &graph->inputs, (const void**)inputs, num_inputs);
}

CORE_GETTER(ort_Graph_GetNumOutputs, size_t, graph->outputs.count, const OrtGraph* graph)

CORE_SLOT(ort_Graph_GetOutputs, const OrtGraph* graph, const OrtValueInfo** outputs,
          size_t num_outputs) {
  CORE_REQUIRE_IF(graph->outputs.count > 0, Graph_GetOutputs, outputs);
  return core_copy_list("num_outputs", &graph->outputs, (const void**)outputs, num_outputs);
}

CORE_GETTER(ort_Graph_GetNumInitializers, size_t, graph->initializers.count, const OrtGraph* graph)

CORE_SLOT(ort_Graph_GetInitializers, const OrtGraph* graph, const OrtValueInfo** initializers,
          size_t num_initializers) {
  CORE_REQUIRE_IF(graph->initializers.count > 0, Graph_GetInitializers, initializers);
  return core_copy_list("num_initializers", &graph->initializers, (const void**)initializers,
                        num_initializers);
}

CORE_GETTER(ort_Graph_GetNumNodes, size_t, graph->nodes.count, const OrtGraph* graph)

CORE_SLOT(ort_Graph_GetNodes, const OrtGraph* graph, const OrtNode** nodes, size_t num_nodes) {
  CORE_REQUIRE_IF(graph->nodes.count > 0, Graph_GetNodes, nodes);
  return core_copy_list("num_nodes", &graph->nodes, (const void**)nodes, num_nodes);
}

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
