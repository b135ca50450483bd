/* SPDX-License-Identifier: MIT */
/**
 * @file custom_op.h
 * Custom ops as they are registered: domains, the part of session options that holds them, and how
 * they are read.
 *
 * The structs of the ops belong to clients, most often to the library that registers them. Only
 * what their version says is there is read, and only while their domain has not been released.
 */
#ifndef ORTCFFI_CUSTOM_OP_H_
#define ORTCFFI_CUSTOM_OP_H_

#include "core.h"

struct OrtCustomOpDomain {
  /** Its maker's, until ReleaseCustomOpDomain, and one for each list that has it. Atomic. */
  size_t references;
  /** Whether its maker has let go of it, after which its ops may be gone. Atomic. */
  int is_released;
  const char* name;
  const OrtCustomOp** ops;
  size_t count;
  size_t capacity;
};

/** A library that was opened for its custom ops; closed with the last list that has it. */
struct core_op_library;

/** What session options know of custom ops. Zeroed, it is empty. Any thread may read it; it is
 * changed by one thread at a time. */
struct core_custom_ops {
  OrtCustomOpDomain** domains;
  size_t domain_count;
  size_t domain_capacity;
  struct core_op_library** libraries;
  size_t library_count;
  size_t library_capacity;
};

/** Makes `to`, which must be empty, a copy with the same domains and libraries. False where there
 * is no memory; `to` is to be ended in any case. */
bool core_custom_ops_copy(const struct core_custom_ops* from, struct core_custom_ops* to);

/** Lets go of all domains and libraries. Closing a library runs code of its own: no lock of the
 * core may be held. */
void core_custom_ops_end(struct core_custom_ops* ops);

/** Drops the domains and libraries that were added after there were so many. */
void core_custom_ops_cut(struct core_custom_ops* ops, size_t domains, size_t libraries);

/** Keeps an open library, or closes it if that fails. */
OrtStatus* core_keep_op_library(const char* function, struct core_custom_ops* ops, void* handle);

/** Adds a domain, unless it is there. */
OrtStatus* core_custom_ops_add(const char* function, struct core_custom_ops* ops,
                               OrtCustomOpDomain* domain);

/** @name Domains
 * @{ */
OrtStatus* core_new_op_domain(const char* function, const char* name, OrtCustomOpDomain** out);
OrtStatus* core_op_domain_add(const char* function, OrtCustomOpDomain* domain,
                              const OrtCustomOp* op);
/** Its maker lets go of it. */
void core_release_op_domain(OrtCustomOpDomain* domain);
/** One holder more or less. */
void core_op_domain_retain(OrtCustomOpDomain* domain);
void core_op_domain_drop(OrtCustomOpDomain* domain);
/** @} */

/** @name Registration
 * None of these may be called under a lock: they run code of libraries.
 * @{ */

/** Calls the RegisterCustomOps of a library that was just opened. If that fails, what it has added
 * is dropped from `ops` and the library is closed; otherwise `ops` keeps it open if `is_kept`. */
OrtStatus* core_register_op_library(const char* function, struct core_custom_ops* ops,
                                    OrtSessionOptions* options, const OrtApiBase* base,
                                    void* library, bool is_kept);

/** Calls a function of that kind; if it fails, what it has added is dropped from `ops`. */
OrtStatus* core_register_ops(struct core_custom_ops* ops, RegisterCustomOpsFn registration,
                             OrtSessionOptions* options, const OrtApiBase* base);
/** @} */

/** @name Reading
 * What an op leaves out reads as in a struct of the oldest version: required, not variadic, in the
 * device's memory, of all versions. Strings belong to the domain or the op.
 * @{ */

/** An input or an output of an op. */
struct core_operand {
  ONNXTensorElementDataType type;
  OrtCustomOpInputOutputCharacteristic characteristic;
  /** Outputs: OrtMemTypeDefault. */
  OrtMemType memory;
  /** Of a variadic one: how many values at least, and whether all have one type. Others: 1, 1. */
  int least;
  int is_homogeneous;
};

/** The i-th domain; NULL past the last. A released domain counts, but has no ops. */
const OrtCustomOpDomain* core_op_domain(const struct core_custom_ops* ops, size_t i);
/** The i-th op of a domain; NULL past the last. */
const OrtCustomOp* core_op(const OrtCustomOpDomain* domain, size_t i);
/** "" for an op that has no name. */
const char* core_op_name(const OrtCustomOp* op);
/** The provider that it runs on; "" for the CPU's. */
const char* core_op_provider(const OrtCustomOp* op);
/** The first and the last version of the opset that has it: 1 and INT_MAX unless it says so. */
void core_op_versions(const OrtCustomOp* op, int* first, int* last);
size_t core_op_operand_count(const OrtCustomOp* op, bool is_output);
/** `index` must be below the count. */
struct core_operand core_op_operand(const OrtCustomOp* op, bool is_output, size_t index);
/** @} */

/** ortcore_tensor_attribute; see ortcore.h. */
OrtStatus* ORT_API_CALL core_tensor_attribute(const char* name, const OrtValue* tensor,
                                              OrtOpAttr** out);

#endif /* ORTCFFI_CUSTOM_OP_H_ */
