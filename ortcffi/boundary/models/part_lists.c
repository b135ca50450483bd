/* SPDX-License-Identifier: MIT */
/* Lists that a graph or a node has. */
#include "boundary/models/models.h"

int check_call(const struct handle* graph, OrtStatus* status, const char* function) {
  return status == NULL ? 0 : ortcffi_fail(graph->api, status, function);
}

static const char* const slots[] = {
    "Graph_GetInputs", "Graph_GetOutputs", "Graph_GetInitializers",  "Graph_GetNodes",
    "Node_GetInputs",  "Node_GetOutputs",  "Node_GetImplicitInputs", "Node_GetAttributes"};

static OrtStatus* count_items(const OrtApi* api, ortcffi_parts list, const void* of, size_t* out) {
  switch (list) {
    case ORTCFFI_GRAPH_INPUTS:
      return api->Graph_GetNumInputs(of, out);
    case ORTCFFI_GRAPH_OUTPUTS:
      return api->Graph_GetNumOutputs(of, out);
    case ORTCFFI_GRAPH_INITIALIZERS:
      return api->Graph_GetNumInitializers(of, out);
    case ORTCFFI_GRAPH_NODES:
      return api->Graph_GetNumNodes(of, out);
    case ORTCFFI_NODE_INPUTS:
      return api->Node_GetNumInputs(of, out);
    case ORTCFFI_NODE_OUTPUTS:
      return api->Node_GetNumOutputs(of, out);
    case ORTCFFI_NODE_ATTRIBUTES:
      return api->Node_GetNumAttributes(of, out);
    default:
      return api->Node_GetNumImplicitInputs(of, out);
  }
}

static OrtStatus* get_items(const OrtApi* api, ortcffi_parts list, const void* of,
                            const struct parts_list* to) {
  const OrtValueInfo** values = (const OrtValueInfo**)to->items;
  switch (list) {
    case ORTCFFI_GRAPH_INPUTS:
      return api->Graph_GetInputs(of, values, to->count);
    case ORTCFFI_GRAPH_OUTPUTS:
      return api->Graph_GetOutputs(of, values, to->count);
    case ORTCFFI_GRAPH_INITIALIZERS:
      return api->Graph_GetInitializers(of, values, to->count);
    case ORTCFFI_GRAPH_NODES:
      return api->Graph_GetNodes(of, (const OrtNode**)to->items, to->count);
    case ORTCFFI_NODE_INPUTS:
      return api->Node_GetInputs(of, values, to->count);
    case ORTCFFI_NODE_OUTPUTS:
      return api->Node_GetOutputs(of, values, to->count);
    case ORTCFFI_NODE_ATTRIBUTES:
      return api->Node_GetAttributes(of, (const OrtOpAttr**)to->items, to->count);
    default:
      return api->Node_GetImplicitInputs(of, values, to->count);
  }
}

int begin_parts(struct parts_list* self, const struct handle* graph, ortcffi_parts list,
                const void* of) {
  self->count = 0;
  self->items = self->few;
  if (check_call(graph, count_items(graph->api, list, of, &self->count), slots[list]) < 0) {
    return -1;
  }
  if (self->count > FEW_PARTS) {
    self->items = PyMem_Calloc(self->count, sizeof *self->items);
    if (self->items == NULL) {
      PyErr_NoMemory();
      return -1;
    }
  }
  return self->count == 0 ? 0
                          : check_call(graph, get_items(graph->api, list, of, self), slots[list]);
}

void end_parts(const struct parts_list* self) {
  if (self->items != self->few) {
    PyMem_Free(self->items);
  }
}
