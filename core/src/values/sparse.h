/* SPDX-License-Identifier: MIT */
/** @file sparse.h The struct of sparse tensors. */
#ifndef ORTCFFI_SPARSE_H_
#define ORTCFFI_SPARSE_H_

#include "values/value.h"

/** `shape.count` if there are more elements than an index can address. */
#define CORE_UNCOUNTED SIZE_MAX

struct core_sparse {
  struct OrtValue base;
  /** The dense shape. */
  struct core_shape shape;
  /** ORT_SPARSE_UNDEFINED until there are indices. */
  OrtSparseFormat format;
  /** Owns the memory of values and indices and must outlive them; NULL if both are borrowed. */
  OrtAllocator* allocator;
  /** Whether the tensor holds a reference to `allocator`. */
  bool keeps_allocator;
  /** NULL until the tensor is filled; set from the start if a caller's values are borrowed. */
  struct core_tensor* values;
  /** COO: the coordinates. CSR: inner, outer. Block-sparse: the positions of blocks. */
  struct core_tensor* indices[2];
};

/** Casts a value to a sparse tensor; for another kind a status with ORT_RUNTIME_EXCEPTION, or
 * ORT_FAIL for a map. */
OrtStatus* core_as_sparse(const char* function, const OrtValue* value, struct core_sparse** out);

/** Releases values and indices. */
void core_clear_sparse(struct core_sparse* sparse);

#endif /* ORTCFFI_SPARSE_H_ */
