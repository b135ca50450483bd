/* SPDX-License-Identifier: MIT */
/**
 * @file graph.h
 * The structs behind OrtValueInfo and OrtNode.
 *
 * A part of a graph is made alone and belongs to the caller until a graph takes it over.
 */
#ifndef ORTCFFI_GRAPH_H_
#define ORTCFFI_GRAPH_H_

#include "custom_ops/custom_op.h"
#include "object/list.h"
#include "object/object.h"

struct OrtValueInfo {
  struct core_object object;
  OrtTypeInfo* type;
  /** Behind the struct. */
  const char* name;
};

struct OrtNode {
  struct core_object object;
  const char* op_type;
  const char* domain;
  const char* name;
  /** The names of the inputs, then those of the outputs; "" for one that is left out. All texts are
   * in one block, behind the struct. */
  const char** operands;
  size_t input_count;
  size_t output_count;
  /** Of OrtOpAttr, which belong to the node. */
  struct core_list attributes;
};

#endif /* ORTCFFI_GRAPH_H_ */
