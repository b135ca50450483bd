/* SPDX-License-Identifier: MIT */
/** @file sparse.h What sparse tensors are made of. */
#ifndef ORTCFFI_SPARSE_H_
#define ORTCFFI_SPARSE_H_

#include "values/value.h"

/** `shape.count` of a tensor with more elements than an index can tell apart. */
#define CORE_UNCOUNTED SIZE_MAX

struct core_sparse {
  struct OrtValue base;
  /** Of the whole, as if it were dense. */
  struct core_shape shape;
  /** ORT_SPARSE_UNDEFINED until there are indices. */
  OrtSparseFormat format;
  /** Gives the memory of values and indices, for which it must live; NULL where both are borrowed.
   */
  OrtAllocator* allocator;
  /** Whether the tensor holds a reference to `allocator`. */
  bool keeps_allocator;
  /** NULL until the tensor is filled; of a tensor over a caller's values, there from the start. */
  struct core_tensor* values;
  /** COO: the coordinates. Compressed rows: inner, outer. Block-sparse: the places. */
  struct core_tensor* indices[2];
};

/** A value as a sparse tensor; for another kind a status with ORT_RUNTIME_EXCEPTION, or ORT_FAIL
 * for a map. */
OrtStatus* core_as_sparse(const char* function, const OrtValue* value, struct core_sparse** out);

/** Releases values and indices. */
void core_clear_sparse(struct core_sparse* sparse);

/** Releases what a sparse tensor holds, and the value itself. */
void core_end_sparse(OrtValue* value);

#endif /* ORTCFFI_SPARSE_H_ */
