/* SPDX-License-Identifier: MIT */
/* The slots that read an OrtGraph. */
#include <string.h>

#include "graph/graph.h"

CORE_SLOT(ort_Graph_GetNumInputs, const OrtGraph* graph, size_t* num_inputs) {
  CORE_REQUIRE(Graph_GetNumInputs, graph, num_inputs);
  *num_inputs = graph->inputs.count;
  return NULL;
}

CORE_SLOT(ort_Graph_GetInputs, const OrtGraph* graph, const OrtValueInfo** inputs,
          size_t num_inputs) {
  CORE_REQUIRE(Graph_GetInputs, graph);
  CORE_REQUIRE_IF(graph->inputs.count > 0, Graph_GetInputs, inputs);
  return core_copy_list("num_inputs", &graph->inputs, (const void**)inputs, num_inputs);
}

CORE_SLOT(ort_Graph_GetNumOutputs, const OrtGraph* graph, size_t* num_outputs) {
  CORE_REQUIRE(Graph_GetNumOutputs, graph, num_outputs);
  *num_outputs = graph->outputs.count;
  return NULL;
}

CORE_SLOT(ort_Graph_GetOutputs, const OrtGraph* graph, const OrtValueInfo** outputs,
          size_t num_outputs) {
  CORE_REQUIRE(Graph_GetOutputs, graph);
  CORE_REQUIRE_IF(graph->outputs.count > 0, Graph_GetOutputs, outputs);
  return core_copy_list("num_outputs", &graph->outputs, (const void**)outputs, num_outputs);
}

CORE_SLOT(ort_Graph_GetNumInitializers, const OrtGraph* graph, size_t* num_initializers) {
  CORE_REQUIRE(Graph_GetNumInitializers, graph, num_initializers);
  *num_initializers = graph->initializers.count;
  return NULL;
}

CORE_SLOT(ort_Graph_GetInitializers, const OrtGraph* graph, const OrtValueInfo** initializers,
          size_t num_initializers) {
  CORE_REQUIRE(Graph_GetInitializers, graph);
  CORE_REQUIRE_IF(graph->initializers.count > 0, Graph_GetInitializers, initializers);
  return core_copy_list("num_initializers", &graph->initializers, (const void**)initializers,
                        num_initializers);
}

CORE_SLOT(ort_Graph_GetNumNodes, const OrtGraph* graph, size_t* num_nodes) {
  CORE_REQUIRE(Graph_GetNumNodes, graph, num_nodes);
  *num_nodes = graph->nodes.count;
  return NULL;
}

CORE_SLOT(ort_Graph_GetNodes, const OrtGraph* graph, const OrtNode** nodes, size_t num_nodes) {
  CORE_REQUIRE(Graph_GetNodes, graph);
  CORE_REQUIRE_IF(graph->nodes.count > 0, Graph_GetNodes, nodes);
  return core_copy_list("num_nodes", &graph->nodes, (const void**)nodes, num_nodes);
}

void ORT_API_CALL ort_ReleaseGraph(OrtGraph* input) NO_EXCEPTION { core_drop(input); }

CORE_SLOT(ort_Graph_GetName, const OrtGraph* graph, const char** graph_name) {
  CORE_REQUIRE(Graph_GetName, graph, graph_name);
  *graph_name = graph->name;
  return NULL;
}

CORE_SLOT(ort_Graph_GetModelPath, const OrtGraph* graph, const ORTCHAR_T** model_path) {
  static const ORTCHAR_T nowhere[1] = {0};
  CORE_REQUIRE(Graph_GetModelPath, graph, model_path);
  *model_path = graph->model != NULL ? graph->model->path : nowhere;
  return NULL;
}

CORE_SLOT(ort_Graph_GetOnnxIRVersion, const OrtGraph* graph, int64_t* onnx_ir_version) {
  CORE_REQUIRE(Graph_GetOnnxIRVersion, graph, onnx_ir_version);
  *onnx_ir_version = graph->model != NULL ? graph->model->ir_version : CORE_EDITOR_IR_VERSION;
  return NULL;
}

CORE_SLOT(ort_Graph_GetNumOperatorSets, const OrtGraph* graph, size_t* num_operator_sets) {
  CORE_REQUIRE(Graph_GetNumOperatorSets, graph, num_operator_sets);
  CORE_REQUIRE_MODEL(Graph_GetNumOperatorSets, graph, graph->model);
  *num_operator_sets = core_opsets_of(graph)->count;
  return NULL;
}

CORE_SLOT(ort_Graph_GetOperatorSets, const OrtGraph* graph, const char** domains,
          int64_t* opset_versions, size_t num_operator_sets) {
  CORE_REQUIRE(Graph_GetOperatorSets, graph, domains, opset_versions);
  CORE_REQUIRE_MODEL(Graph_GetOperatorSets, graph, graph->model);
  const struct core_opsets* opsets = core_opsets_of(graph);
  if (num_operator_sets < opsets->count) {
    CORE_FAIL(ORT_INVALID_ARGUMENT,
              "Graph_GetOperatorSets: num_operator_sets is less than the items of the list");
  }
  for (size_t i = 0; i < opsets->count; i++) {
    domains[i] = opsets->domains[i];
    opset_versions[i] = opsets->versions[i];
  }
  return NULL;
}

CORE_SLOT(ort_Graph_GetParentNode, const OrtGraph* graph, const OrtNode** node) {
  CORE_REQUIRE(Graph_GetParentNode, graph, node);
  *node = graph->parent;
  return NULL;
}
