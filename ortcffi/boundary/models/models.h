/* SPDX-License-Identifier: MIT */
/* What Python sees of graphs and of execution providers written in Python. */
#ifndef ORTCFFI_BOUNDARY_MODELS_H_
#define ORTCFFI_BOUNDARY_MODELS_H_

#include <stddef.h>
#include <stdint.h>
#include "onnxruntime_c_api.h"

/* The parts of graphs as Python objects; parts.c describes the types. */

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

/* The bytes of a model, which are valid as long as it lives, and the count of its weights that are
 * in memory. Those in files are mapped. */
const void* ortcffi_model_bytes(OrtModel* model, size_t* size, size_t* weights);

/* Opens a model like core_open_with_weights: `weights` has the address and the size of each. */
OrtStatus* ortcffi_open_model(const void* bytes, size_t size, const uintptr_t* weights,
                              size_t count, OrtModel* of, OrtModel** out);

/* Execution providers written in Python; python_ep.c describes them. */

/* The number of live structs of their factories, providers and compiled nodes. */
size_t ortcffi_live_python_eps(void);

#ifndef ORTCFFI_CDEF
#include "boundary/limited_api.h"
#include "boundary/handle/handle.h"
#include "boundary/status/fail.h"

/* Add the types ValuePart and NodePart, and the functions for Python, to the module. */
int ortcffi_add_parts(PyObject* module);
int ortcffi_add_attributes(PyObject* module);
int ortcffi_add_messages(PyObject* module);

/* Shared by the files that read graphs for Python. */

struct part {
  PyObject base;
  struct handle* graph;
  const void* object;
  PyObject* facts[3]; /* of a value the name; of a node the operator, inputs and outputs */
};

/* An object as a node; NULL with an exception if it is none. */
struct part* node_part(PyObject* object);

/* Raises the exception for a failing status; -1 then. */
int check_call(const struct handle* graph, OrtStatus* status, const char* function);

#define FEW_PARTS 16
struct parts_list {
  const void** items;
  size_t count;
  const void* few[FEW_PARTS];
};

/* Reads a list, which end_parts frees; -1 with an exception. */
int begin_parts(struct parts_list* self, const struct handle* graph, ortcffi_parts list,
                const void* of);
void end_parts(const struct parts_list* self);
#endif

#endif /* ORTCFFI_BOUNDARY_MODELS_H_ */
