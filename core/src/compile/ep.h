/* SPDX-License-Identifier: MIT */
/**
 * @file ep.h
 * Execution providers at work on a graph: what a provider takes of it, and what it compiles of
 * that.
 *
 * A compiled node is a custom op of its own, so whatever runs kernels runs it.
 */
#pragma once

#include "ep/kernel_def.h"
#include "graph/graph.h"
#include "ortcore.h"

/** A provider that a factory made. */
struct core_ep {
  /** What callers see. */
  struct OrtcoreEp seen;
  struct core_object object;
  OrtEpFactory* factory;
  /** A reference to the library of the factory; NULL for a factory of no library. */
  struct core_object* library;
  char* name;
  OrtRunOptions* run_options;
  /** Its kernels; NULL where it has none. */
  const OrtKernelRegistry* registry;
  /** The memory in which it computes, borrowed from the device; NULL for the CPU's. */
  const OrtMemoryInfo* memory;
  /** Allocator and copies for that memory; atomic, NULL until core_device_of makes it. */
  struct core_device* device;
  /** Whether a session calls OnRunStart and OnRunEnd around its runs. Otherwise each kernel does so
   * around its own, and calls Sync. */
  bool is_of_session;
  /** Of OrtGraph: the fused nodes of all that was compiled, which providers may keep. */
  struct core_list fused;
};

/** Where GetCapability says what the provider takes; a part of its claims. */
struct OrtEpGraphSupportInfo {
  /** NULL once the call has ended. */
  const OrtGraph* graph;
  struct core_claims* claims;
};

/** Returns a status for an info that is used after its call of GetCapability. */
#define CORE_REQUIRE_IN_CALL(function, info)                \
  CORE_FAIL_IF((info)->graph == NULL, ORT_INVALID_ARGUMENT, \
               #function ": graph_support_info is used after its call")

/** Where failures are logged that no caller can be given: the logger of the environment that has
 * the library; NULL for a provider of no library. */
const OrtLogger* core_logger_of_ep(const struct core_ep* ep);

/** What a provider takes of a graph. */
struct core_claims {
  struct OrtcoreClaims seen;
  struct core_object object;
  struct core_ep* ep;
  /** The same as in `seen`. */
  const OrtGraph* graph;
  /** A reference to that graph, where the claims made it. */
  OrtGraph* own_graph;
  struct OrtEpGraphSupportInfo info;
  size_t capacity;
};

/** Adds a group with a copy of the list of its nodes. */
OrtStatus* core_add_group(struct core_claims* claims, OrtcoreGroup group,
                          const OrtNode* const* nodes, size_t count);

/** Makes the graph about which a provider is asked again that prefers the channels last. The nodes
 * that it has claimed name it as their provider, and those that depend on the layout are changed.
 * NULL where nothing changes; drop it with core_drop. */
OrtStatus* core_prefer_layout(const struct core_claims* claims, OrtGraph** out);

/** Finds the kernel for a node: by operator, version, provider, and the element types of its inputs
 * and outputs. NULL where there is none. It is a place in the registry, which the next kernel that
 * the provider adds may move. */
OrtStatus* core_find_kernel(struct core_ep* ep, const OrtNode* node,
                            const struct core_registered_kernel** out);

/** Says what a kernel must know of the inputs and outputs of a node, into zeroed memory; nothing of
 * one that is left out. A value without a type has any. Constants are described with their tensors
 * where they are wanted, and where a fused node has them as inputs. */
OrtStatus* core_describe_operands(const OrtNode* node, bool with_constants, OrtcoreOperand* out);

/** Copies a node into a pool. The values that its graphs read become inputs behind its own. */
OrtStatus* core_copy_whole(struct core_pool* pool, const OrtNode* of, const OrtNode** out);

/** The provider that compiled a node, or has a kernel for it. */
struct core_ep* core_ep_of_compiled(const OrtcoreCompiledNode* node);
/** The provider in whose device's memory a compiled node has one of its inputs and outputs, which
 * are counted on; NULL for the CPU's memory. */
const struct core_ep* core_device_of_operand(const OrtcoreCompiledNode* node, size_t operand);
/** Has a compiled node leave an output in memory of the device. */
void core_leave_on_device(const OrtcoreCompiledNode* node, size_t output);

/* Functions of ortcore.h. */
OrtStatus* ORT_API_CALL core_create_ep(const OrtEpDevice* const* devices, size_t count,
                                       const OrtSessionOptions* options, const OrtLogger* logger,
                                       OrtcoreEp** out);
void ORT_API_CALL core_release_ep(OrtcoreEp* ep);
OrtStatus* ORT_API_CALL core_ep_claim(OrtcoreEp* ep, const OrtGraph* graph, OrtcoreClaims** out);
void ORT_API_CALL core_release_claims(OrtcoreClaims* claims);
OrtStatus* ORT_API_CALL core_ep_compile(OrtcoreClaims* claims, OrtcoreCompiled** out);
void ORT_API_CALL core_release_compiled(OrtcoreCompiled* compiled);

static inline struct core_ep* core_ep_of(OrtcoreEp* ep) { return (struct core_ep*)ep; }

/** A node that a provider computes. The op comes first: the functions of the op get it as their
 * argument. */
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
