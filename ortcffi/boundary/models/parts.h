/* SPDX-License-Identifier: MIT */
/* The parts of graphs as Python objects; parts.c describes the types. */
#ifndef ORTCFFI_BOUNDARY_MODELS_PARTS_H_
#define ORTCFFI_BOUNDARY_MODELS_PARTS_H_

#include "onnxruntime_c_api.h"

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

#ifndef ORTCFFI_CDEF
#include "boundary/limited_api.h"

/* Add the types ValuePart and NodePart, and the functions for Python, to the module. */
int ortcffi_add_parts(PyObject* module);
int ortcffi_add_attributes(PyObject* module);
#endif

#endif /* ORTCFFI_BOUNDARY_MODELS_PARTS_H_ */
