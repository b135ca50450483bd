/* SPDX-License-Identifier: MIT */
/** @file compiled_node.h What a provider runs: a group of nodes that it compiled, or a single node
 * that it has a kernel for. Each becomes a custom op of its own. */
#pragma once

#include "compile/ep.h"

/** A node. The op comes first: the functions of the op get it as their argument. */
struct core_compiled_node {
  OrtCustomOp op;
  struct core_ep* ep;
  /** A fused node, or one of the graph. Of a node with graphs a copy, whose inputs are also the
   * outer values that the graphs read. */
  const OrtNode* node;
  /** What the provider compiled of a fused node; NULL for a single node, which has `kernel`. */
  OrtNodeComputeInfo* info;
  /** A copy, because the provider may add kernels to its registry. `def` is NULL for a fused node.
   */
  struct core_registered_kernel kernel;
  OrtcoreOperand* operands;
  /** For each input its constant on the provider's device, or NULL. */
  OrtValue** constants;
  /** For each output whether it stays on that device. */
  bool* stays;
};

/** The node that an op is the beginning of. */
static inline const struct core_compiled_node* core_compiled_node_of(const OrtCustomOp* op) {
  return (const struct core_compiled_node*)op;
}

/** The kernel that a custom op is for a provider that takes a node of it. */
struct core_registered_kernel core_kernel_of_op(const OrtCustomOp* op);

/** What the op of such a node begins as. Its kernel calls what the provider compiled, or the
 * provider's kernel. */
extern const OrtCustomOp core_compiled_op;
