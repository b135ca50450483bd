/* SPDX-License-Identifier: MIT */
/**
 * @file ep.h
 * Execution providers at work on a graph: what a provider takes of it, and what it compiles of
 * that.
 *
 * A compiled node is a custom op of its own, so whatever runs kernels runs it.
 */
#ifndef ORTCFFI_EP_H_
#define ORTCFFI_EP_H_

#include "graph/graph.h"
#include "ortcore.h"

/** A provider that a factory made. */
struct core_ep {
  /** What callers see. */
  struct OrtcoreEp seen;
  struct core_object object;
  OrtEpFactory* factory;
  /** What keeps the factory; a reference. NULL: nobody does. */
  struct core_object* library;
  char* name;
  OrtRunOptions* run_options;
  /** Its kernels; NULL where it has none. */
  const OrtKernelRegistry* registry;
  /** Where it computes, if that is not the CPU's memory; borrowed of the device. Otherwise NULL. */
  const OrtMemoryInfo* memory;
  /** For that memory; atomic, NULL until somebody asks (compile/device.h). */
  struct core_device* device;
  /** Whether a session tells the provider of its runs, instead of each kernel. */
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

/** Makes the graph that the provider is to be asked about again: where it wants the channels last,
 * the nodes that it has claimed and that depend on that are changed, and nodes say whose they are.
 * NULL where nothing changes; drop it with core_drop. */
OrtStatus* core_prefer_layout(const struct core_claims* claims, OrtGraph** out);

/** Says what a kernel must know of an operand, into zeroed memory; nothing for one that is left out
 * (NULL). A value without a type has any. */
OrtStatus* core_describe_operand(const char* function, const OrtValueInfo* value,
                                 bool with_constant, OrtcoreOperand* out);

/** The provider in whose device's memory a compiled node has one of its inputs and outputs, which
 * are counted on; NULL for the CPU's memory. */
const struct core_ep* core_device_of_operand(const OrtcoreCompiledNode* node, size_t operand);
/** Has a compiled node leave an output in memory of the device, for nodes of the same provider. */
void core_leave_on_device(const OrtcoreCompiledNode* node, size_t output);

/** @name Functions of ortcore.h
 * @{ */
OrtStatus* ORT_API_CALL core_create_ep(const OrtEpDevice* const* devices, size_t count,
                                       const OrtSessionOptions* options, const OrtLogger* logger,
                                       OrtcoreEp** out);
void ORT_API_CALL core_release_ep(OrtcoreEp* ep);
OrtStatus* ORT_API_CALL core_ep_claim(OrtcoreEp* ep, const OrtGraph* graph, OrtcoreClaims** out);
void ORT_API_CALL core_release_claims(OrtcoreClaims* claims);
OrtStatus* ORT_API_CALL core_ep_compile(OrtcoreClaims* claims, OrtcoreCompiled** out);
void ORT_API_CALL core_release_compiled(OrtcoreCompiled* compiled);
/** @} */

static inline struct core_ep* core_ep_of(OrtcoreEp* ep) { return (struct core_ep*)ep; }

#endif /* ORTCFFI_EP_H_ */
