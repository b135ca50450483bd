/* SPDX-License-Identifier: MIT */
/** @file kernel_def.h The structs behind OrtKernelDef and OrtKernelRegistry. */
#ifndef ORTCFFI_KERNEL_DEF_H_
#define ORTCFFI_KERNEL_DEF_H_

#include <limits.h>

#include "object/keyed_list.h"
#include "object/object.h"

/** A constant for each element type. */
struct OrtDataType {
  ONNXTensorElementDataType type;
};

/** Which types a kernel takes for a type parameter or an operand. */
struct core_type_constraint {
  char* name;
  const OrtDataType** types;
  size_t count;
};

/** For an input or output; the list has only those that were set. */
struct core_place {
  size_t index;
  OrtMemType memory;
  bool is_output;
};

/** An output that shares the buffer of an input: always, or where that is needed no more. */
struct core_alias {
  int input;
  int output;
  bool is_mutable;
};

/** For which nodes a kernel is. It does not change once it was built, so that all share it. */
struct OrtKernelDef {
  struct core_object object;
  /** Each may be NULL: "". */
  char* op_type;
  char* domain;
  char* provider;
  int first, last;
  struct core_type_constraint* constraints;
  size_t constraint_count, constraint_capacity;
  struct core_place* places;
  size_t place_count, place_capacity;
  struct core_alias* aliases;
  size_t alias_count, alias_capacity;
};

struct core_registered_kernel {
  /** A reference. */
  struct OrtKernelDef* def;
  OrtKernelCreateFunc create;
  void* state;
};

/** The provider keeps changes apart from other uses. */
struct OrtKernelRegistry {
  struct core_object object;
  struct core_registered_kernel* kernels;
  size_t count, capacity;
};

/** The last version that a definition is for. One that is open at the end is, as in ONNX Runtime,
 * for its first version alone: what came later may be another operator. */
static inline int core_last_of(const struct OrtKernelDef* def) {
  return def->last == INT_MAX ? def->first : def->last;
}

/** The memory for an input or output; OrtMemTypeDefault where none was set. */
OrtMemType core_memory_of_place(const struct OrtKernelDef* def, size_t index, bool is_output);

/** Whether an input or output is to be in the CPU's memory; never without a definition (NULL). */
bool core_is_for_cpu(const struct OrtKernelDef* def, size_t index, bool is_output);

#endif /* ORTCFFI_KERNEL_DEF_H_ */
