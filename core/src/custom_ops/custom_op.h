/* SPDX-License-Identifier: MIT */
/**
 * @file custom_op.h
 * Registered custom ops: their domains, and the lists of domains that session options hold.
 *
 * An OrtCustomOp belongs to the client, usually to the library that registers it. The core reads
 * only the fields that the op's version has, and only until its domain is released.
 */
#pragma once

#include "custom_ops/op_reading.h"
#include "object/list.h"
#include "object/object.h"
#include "onnx/op_attr.h"

struct OrtCustomOpDomain {
  /** The references are one for the client, until ReleaseCustomOpDomain, and one for each list. */
  struct core_object object;
  /** Whether the client has released it; its ops may be freed from then on. Atomic. */
  int is_released;
  const char* name;
  /** Of const OrtCustomOp. */
  struct core_list ops;
};

/** The custom ops of session options. All zeroes is an empty list. The functions below lock it, so
 * that threads may read and change it at once. To read ops that another thread may drop meanwhile,
 * read a copy: a copy has references to the domains and keeps the libraries open. */
struct core_custom_ops {
  /** Of OrtCustomOpDomain; the list has a reference to each. */
  struct core_list domains;
  /** Of libraries that were opened for their custom ops; the same. */
  struct core_list libraries;
};

/** Makes `to`, which must be empty, a copy with the same domains and libraries. False where there
 * is no memory; call core_custom_ops_end(to) in either case. */
CORE_FOR_EXTENSION bool core_custom_ops_copy(const struct core_custom_ops* from,
                                             struct core_custom_ops* to);

/** Releases all domains and libraries. Closing a library runs its destructors, so the caller must
 * hold no lock of the core. */
CORE_FOR_EXTENSION void core_custom_ops_end(struct core_custom_ops* ops);

/** Keeps the first `domains` domains and the first `libraries` libraries, and releases the rest. */
void core_custom_ops_cut(struct core_custom_ops* ops, size_t domains, size_t libraries);

/** Adds an open library to the list, which closes it later. If that fails, closes it now. */
OrtStatus* core_keep_op_library(struct core_custom_ops* ops, void* handle);

/** Adds a domain unless the list has it already. */
OrtStatus* core_custom_ops_add(struct core_custom_ops* ops, OrtCustomOpDomain* domain);

/* Domains. */
OrtStatus* core_new_op_domain(const char* name, OrtCustomOpDomain** out);
OrtStatus* core_op_domain_add(OrtCustomOpDomain* domain, const OrtCustomOp* op);
/** What ReleaseCustomOpDomain does: its ops are not read again. */
void core_release_op_domain(OrtCustomOpDomain* domain);

/* Registration. The caller must hold no lock of the core: these run code of other libraries. */

/** What the slots RegisterCustomOpsLibrary, RegisterCustomOpsLibrary_V2 and
 * RegisterCustomOpsUsingFunction do, with the base that libraries are given: the core's own for the
 * core, an emulated host's for that host. Defined in options/op_registration.c. */
OrtStatus* core_register_library_v1(OrtSessionOptions* options, const OrtApiBase* base,
                                    const char* path, void** handle);
OrtStatus* core_register_library_v2(OrtSessionOptions* options, const OrtApiBase* base,
                                    const ORTCHAR_T* path);
OrtStatus* core_register_function(OrtSessionOptions* options, const OrtApiBase* base,
                                  const char* name);

/** Calls RegisterCustomOps of a library that was just opened. On failure, removes from `ops` what
 * the library added and closes it. On success, `ops` keeps the library open if `is_kept`. */
OrtStatus* core_register_op_library(struct core_custom_ops* ops, OrtSessionOptions* options,
                                    const OrtApiBase* base, void* library, bool is_kept);

/** Calls a function such as RegisterCustomOps; on failure, removes from `ops` what it added. */
OrtStatus* core_register_ops(struct core_custom_ops* ops, RegisterCustomOpsFn registration,
                             OrtSessionOptions* options, const OrtApiBase* base);

/* Looking for ops. */

/** The i-th domain; NULL past the last. A released domain is listed, without ops. */
CORE_FOR_EXTENSION const OrtCustomOpDomain* core_op_domain(const struct core_custom_ops* ops,
                                                           size_t i);
/** The i-th op of a domain; NULL past the last. */
CORE_FOR_EXTENSION const OrtCustomOp* core_op(const OrtCustomOpDomain* domain, size_t i);

/** Whether the operand at a place may have an element type; 0 is for one that is not known. Places
 * beyond the declared operands are those of a last variadic one. */
bool core_op_takes(const OrtCustomOp* op, bool is_output, size_t place,
                   ONNXTensorElementDataType type);

/** How many inputs, or outputs, a node must have at least for the one that is declared at a place;
 * 0 if it may be left out. */
size_t core_operands_needed(const struct core_operand* declared, size_t place);

/** Which ops to look for. */
struct core_op_search {
  const struct core_custom_ops* ops;
  /** NULL: of any domain. */
  const char* domain;
  const char* name;
  /** Of the domain; 0: any. */
  int version;
  /** Where the search goes on. */
  size_t at_domain;
  size_t at_op;
};
/** The next op that a search finds; NULL where there is none left. Calls functions of ops. */
const OrtCustomOp* core_next_op(struct core_op_search* search);
/** Whether an op came with a newer version of its domain than another one. */
bool core_op_is_newer(const OrtCustomOp* op, const OrtCustomOp* other);

/* Attributes. */

static inline const OrtValue* core_op_attr_tensor(const OrtOpAttr* attr) {
  return *(const OrtValue* const*)core_op_attr_value(attr);
}

OrtStatus* core_copy_op_attr(const OrtOpAttr* from, OrtOpAttr** out);

/** ortcore_tensor_attribute; see ortcore.h. */
OrtStatus* ORT_API_CALL core_tensor_attribute(const char* name, const OrtValue* tensor,
                                              OrtOpAttr** out);
