/* SPDX-License-Identifier: MIT */
/** @file reading.h Shared by the files that make graphs of bytes and views of graphs. */
#pragma once

#include "graph/graph.h"

/** A graph that is being made. */
struct core_scope {
  /** The outermost graph, in whose pool everything is made. */
  OrtGraph* root;
  OrtGraph* graph;
  /** The graph around it, in which names are searched next, and the node whose subgraph it is. NULL
   * for the outermost graph. */
  struct core_scope* outer;
  OrtNode* parent;
  unsigned depth;
  /** A hash table of the values by name, at most half full. */
  OrtValueInfo** places;
  size_t place_count;
  size_t value_count;
  /** Of OrtValueInfo: the copies here of values of the graph around it, and those values. */
  struct core_list copies;
  struct core_list copied;
};

/** The beginning of a text of the model, as the two arguments of "%.*s". */
#define CORE_SHOWN(text)                                                \
  (int)(core_message_size(text) < 127 ? core_message_size(text) : 127), \
      (text).at != NULL ? (const char*)(text).at : ""

/** Adds an item to a list whose memory is the pool's; false where there is no memory. */
bool core_pool_list_add(struct core_pool* pool, struct core_list* list, void* item);

/** The same for the pool of a graph that is read; the status for lack of memory. */
OrtStatus* core_scope_add(struct core_scope* scope, struct core_list* list, const void* item);

/** Copies a text into the pool; one with a zero byte is refused. */
OrtStatus* core_read_text(const struct core_scope* scope, struct core_message text,
                          const char** out);

/** Finds the value of a name, in this graph or in those around it; NULL where there is none. For a
 * value of an outer graph this one gets a copy. */
OrtStatus* core_find_value(struct core_scope* scope, struct core_message name, OrtValueInfo** out);

/** Makes a value; the name must be new in this graph. */
OrtStatus* core_define_value(struct core_scope* scope, struct core_message name,
                             OrtValueInfo** out);

/** Has the scope find a value of a graph that has been read, unless it has one of that name. */
OrtStatus* core_enter_value(struct core_scope* scope, OrtValueInfo* value);

/** Reads the node's names and defines its outputs. */
OrtStatus* core_read_node(struct core_scope* scope, struct core_message bytes, OrtNode** out);

/** Finds the node's inputs, and reads its attributes and subgraphs. */
OrtStatus* core_connect_node(struct core_scope* scope, OrtNode* node);

/** Reads the subgraph of a node. */
OrtStatus* core_read_subgraph(struct core_scope* outer, OrtNode* parent, struct core_message bytes,
                              OrtGraph** out);

/** Makes initializers of nodes Shape and Size, before subgraphs are read that may use them. */
OrtStatus* core_fold_shapes(struct core_scope* scope);

/** Refuses a node that is not as its schema says, which it must have. */
OrtStatus* core_check_node(const OrtNode* node);

/** Refuses nodes of one name; "" is none. */
OrtStatus* core_check_node_names(const struct core_scope* scope);

/** Whether a node is what ONNX's schema of its operator describes, if there is one: neither a
 * custom op of the session nor a function of the model stands for it. */
bool core_is_described(const OrtNode* node);

/** Whether a custom op of the session may run a node. */
bool core_is_custom_op(const OrtNode* node);

/** Lists the uses of each value, and sorts the nodes: each comes after those that it depends on. */
OrtStatus* core_order_nodes(struct core_scope* scope);

/** Leaves nodes out that lead to no output, and whose operators are no custom ops of the session.
 * The nodes must be sorted. */
OrtStatus* core_leave_out_dead_nodes(struct core_scope* scope);

/** Replaces tensors of initializers of the outermost graph as the changes of its model say. */
OrtStatus* core_replace_initializers(struct core_scope* scope);

/** Gives values without a type the element types that the operators decide, and refuses types that
 * an operator does not take. */
OrtStatus* core_infer_types(const OrtGraph* graph);
