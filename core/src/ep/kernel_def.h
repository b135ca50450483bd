/* SPDX-License-Identifier: MIT */
/** @file kernel_def.h The structs behind OrtKernelDef and OrtKernelRegistry. */
#pragma once

#include "object/keyed_list.h"
#include "object/object.h"

/** A constant for each element type. */
struct OrtDataType {
  ONNXTensorElementDataType type;
};

/** The types that a kernel takes for a type parameter or an operand. */
struct core_type_constraint {
  char* name;
  const OrtDataType** types;
  size_t count;
};

/** The memory in which a kernel wants an input or output. */
struct core_place {
  size_t index;
  OrtMemType memory;
  bool is_output;
};

/** The nodes that a kernel is for. It does not change once it was built, so that it can be shared.
 */
struct OrtKernelDef {
  struct core_object object;
  /** Each may be NULL: "". */
  char* op_type;
  char* domain;
  char* provider;
  int first, last;
  struct core_type_constraint* constraints;
  size_t constraint_count, constraint_capacity;
  /** Only of the inputs and outputs for which a memory was set. */
  struct core_place* places;
  size_t place_count, place_capacity;
};

struct core_registered_kernel {
  /** A reference. */
  struct OrtKernelDef* def;
  OrtKernelCreateFunc create;
  void* state;
};

/** Not locked: a provider must not change it while another thread uses it. */
struct OrtKernelRegistry {
  struct core_object object;
  struct core_registered_kernel* kernels;
  size_t count, capacity;
};

/** The last version that a definition is for. As in ONNX Runtime, a definition without a last
 * version is for its first version alone: a later version may be another operator. */
static inline int core_last_of(const struct OrtKernelDef* def) {
  return def->last == INT_MAX ? def->first : def->last;
}

/** Whether two texts of definitions or nodes are the same; NULL is "". */
static inline bool core_is_same_text(const char* a, const char* b) {
  return strcmp(a == NULL ? "" : a, b == NULL ? "" : b) == 0;
}

/** The memory that a definition sets for an input or output; NULL where it sets none. */
const struct core_place* core_find_place(const struct OrtKernelDef* def, size_t index,
                                         bool is_output);

/** Whether an input or output is to be in the CPU's memory; never without a definition (NULL). */
bool core_is_for_cpu(const struct OrtKernelDef* def, size_t index, bool is_output);
