/* SPDX-License-Identifier: MIT */
/* Calls about the graph of a model, `g`, as an execution provider sees it. */
#ifndef ORTCFFI_TESTS_BEHAVIOUR_GRAPH_H_
#define ORTCFFI_TESTS_BEHAVIOUR_GRAPH_H_

#include "behaviour_values.h"

/* These need CHECK. */
#include "../clients/graph_reader.h"
#include "../clients/model_bytes.h"

#define GRAPH_CALL(text, ...) GRAPH_COUNTED(text, __COUNTER__, __VA_ARGS__)
#define GRAPH_COUNTED(text, count, ...) GRAPH_NUMBER(text, count, __VA_ARGS__)
#define GRAPH_NUMBER(text, n, ...)                         \
  static void look_##n(const OrtGraph* g) { __VA_ARGS__; } \
  static void make_##n(void) { on_graph(look_##n); }       \
  static const struct call call_##n = {text, make_##n};    \
  static const struct call* const listed_##n __attribute__((IN_SECTION, IN_ORDER)) = &call_##n;

/** Has a function look at the graph of branching_model(), once. */
void on_graph(graph_function* look);

/** The first node of an operator, and a value by its name, of a graph. */
const OrtNode* node_of(const OrtGraph* graph, const char* op);
const OrtValueInfo* value_of_graph(const OrtGraph* graph, const char* name);

/** Says the names of values, or operators of nodes; "NULL" for NULL. */
void say_values(const OrtValueInfo* const* values, size_t count);
void say_nodes(const OrtNode* const* nodes, size_t count);

/** Parts of a graph that the model editor made, which no graph has. */
OrtNode* free_node(void);
OrtValueInfo* free_value(const char* name);

#endif /* ORTCFFI_TESTS_BEHAVIOUR_GRAPH_H_ */
