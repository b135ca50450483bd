/* SPDX-License-Identifier: MIT */
/**
 * @file sparse_checks.h
 * Whether indices fit a sparse tensor. `function` is the slot that statuses begin with; the indices
 * can be read, and NULL is none.
 */
#ifndef ORTCFFI_SPARSE_CHECKS_H_
#define ORTCFFI_SPARSE_CHECKS_H_

#include "values/sparse.h"

/** One index for each value, or two, each within the tensor. */
OrtStatus* core_check_coo(const char* function, const struct core_shape* dense, size_t values,
                          const int64_t* indices, size_t count);

/** A column for each value, and where each row begins. */
OrtStatus* core_check_csr(const char* function, const struct core_shape* dense, size_t values,
                          const int64_t* inner, size_t inner_count, const int64_t* outer,
                          size_t outer_count);

/** The shape of blocks and that of their places; nothing has the shape {0}. `count` is that of the
 * places. */
OrtStatus* core_check_blocks(const char* function, const struct core_shape* values,
                             const int64_t* dims, size_t rank, size_t count);

#endif /* ORTCFFI_SPARSE_CHECKS_H_ */
