/* SPDX-License-Identifier: MIT */
/**
 * @file sparse_checks.h
 * Checks of the indices of a sparse tensor. Statuses begin with `function`, the slot's name. The
 * indices are readable; NULL means none.
 */
#ifndef ORTCFFI_SPARSE_CHECKS_H_
#define ORTCFFI_SPARSE_CHECKS_H_

#include "values/sparse.h"

/** Checks COO indices: one or two for each value, all within the tensor. */
OrtStatus* core_check_coo(const char* function, const struct core_shape* dense, size_t values,
                          const int64_t* indices, size_t count);

/** Checks CSR indices: a column for each value, and the start of each row. */
OrtStatus* core_check_csr(const char* function, const struct core_shape* dense, size_t values,
                          const int64_t* inner, size_t inner_count, const int64_t* outer,
                          size_t outer_count);

/** Checks the shape of the blocks and of their positions; the shape {0} is empty. `count` is the
 * number of positions. */
OrtStatus* core_check_blocks(const char* function, const struct core_shape* values,
                             const int64_t* dims, size_t rank, size_t count);

#endif /* ORTCFFI_SPARSE_CHECKS_H_ */
