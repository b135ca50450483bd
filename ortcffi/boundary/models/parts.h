/* SPDX-License-Identifier: MIT */
/* The parts of graphs as Python objects; parts.c describes the types. */
#ifndef ORTCFFI_BOUNDARY_MODELS_PARTS_H_
#define ORTCFFI_BOUNDARY_MODELS_PARTS_H_

#include "onnxruntime_c_api.h"
#include "boundary/platform/objects.h"

/* A list of parts that a graph or a node has; attributes have no objects. */
typedef enum ortcffi_parts {
  ORTCFFI_GRAPH_INPUTS = 0,
  ORTCFFI_GRAPH_OUTPUTS = 1,
  ORTCFFI_GRAPH_INITIALIZERS = 2,
  ORTCFFI_GRAPH_NODES = 3,
  ORTCFFI_NODE_INPUTS = 4,
  ORTCFFI_NODE_OUTPUTS = 5,
  ORTCFFI_NODE_IMPLICIT_INPUTS = 6,
  ORTCFFI_NODE_ATTRIBUTES = 7,
} ortcffi_parts;

/* Whether the memory of graphs that providers see during a call is closed at its end, so that a
 * later use ends the process. */
void ortcffi_close_shown_graphs(int wanted);

/* The types ValuePart and NodePart as a tuple. To be called once. */
ortcffi_object* ortcffi_part_types(void);

/* A new tuple of the parts in one of these lists of a graph, which is a handle, or of a node, which
 * is a part. They are of `type`, a subclass of ValuePart or NodePart; None for an operand that is
 * left out. */
ortcffi_object* ortcffi_list_parts(ortcffi_object* of, ortcffi_parts list, ortcffi_object* type);

/* The part at an address, which must belong to the graph. */
ortcffi_object* ortcffi_part_at(ortcffi_object* graph, const void* address, ortcffi_object* type);

/* A new dict of the address of each value of a graph by name: inputs, initializers, and what nodes
 * make. */
ortcffi_object* ortcffi_index_values(ortcffi_object* graph);

/* A new dict of the attributes of a node by name: numbers, strings, bytes that are not UTF-8, lists
 * of one of them, and None where the API does not show the type. A tensor or a graph is a tuple of
 * the type and the address of the OrtOpAttr. */
ortcffi_object* ortcffi_read_attributes(ortcffi_object* node);

#endif /* ORTCFFI_BOUNDARY_MODELS_PARTS_H_ */
