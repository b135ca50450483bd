/* SPDX-License-Identifier: MIT */
/** @file reading.h What the files share that make graphs of bytes. */
#ifndef ORTCFFI_READING_H_
#define ORTCFFI_READING_H_

#include "graph/graph.h"

/** A graph that is being made. */
struct core_scope {
  const char* function;
  /** Its pool has what is made. */
  OrtGraph* root;
  OrtGraph* graph;
  /** The graph around it, where names are looked for that this one does not have, and the node
   * whose subgraph it is. NULL for the outermost one. */
  struct core_scope* outer;
  OrtNode* parent;
  unsigned depth;
  /** A hash table of the values by name; twice as many places as values at least. */
  OrtValueInfo** places;
  size_t place_count;
  size_t value_count;
};

/** The status for bytes that are no graph: `before`, a name, `after`. */
OrtStatus* core_refuse_graph(const struct core_scope* scope, const char* before,
                             struct core_message name, const char* after);

/** The status for lack of memory. */
OrtStatus* core_graph_memory(const struct core_scope* scope, size_t size);

/** Adds an item to a list whose memory is the pool's; false where there is no memory. */
bool core_pool_list_add(struct core_pool* pool, struct core_list* list, void* item);

/** Copies a text into the pool; one with a zero byte is refused. */
OrtStatus* core_read_text(const struct core_scope* scope, struct core_message text,
                          const char** out);

/** Finds the value of a name, in this graph or in those around it; NULL where there is none. A
 * value of a graph around this one gets one of its own here. */
OrtStatus* core_find_value(struct core_scope* scope, struct core_message name, OrtValueInfo** out);

/** Makes a value; the name must be new in this graph. */
OrtStatus* core_define_value(struct core_scope* scope, struct core_message name,
                             OrtValueInfo** out);

/** Reads the node's names and defines its outputs. */
OrtStatus* core_read_node(struct core_scope* scope, struct core_message bytes, OrtNode** out);

/** Finds the node's inputs, and reads its attributes and subgraphs. */
OrtStatus* core_connect_node(struct core_scope* scope, OrtNode* node);

/** Reads the subgraph of a node. */
OrtStatus* core_read_subgraph(struct core_scope* outer, OrtNode* parent, struct core_message bytes,
                              OrtGraph** out);

/** Lists who uses each value, and puts each node behind those that it depends on. */
OrtStatus* core_order_nodes(struct core_scope* scope);

/** Gives the initializers of the outermost graph the tensors that the changes of its model have.
 */
OrtStatus* core_replace_initializers(struct core_scope* scope);

/** Gives values without a type the element types that the operators decide. */
void core_infer_types(const OrtGraph* graph);

#endif /* ORTCFFI_READING_H_ */
