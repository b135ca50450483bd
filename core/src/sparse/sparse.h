/* SPDX-License-Identifier: MIT */
/**
 * @file sparse.h
 * What the files about sparse tensors share; value.h has their struct.
 */
#pragma once

#include "values/value.h"

/** Casts a value to a sparse tensor; for another kind a status with ORT_RUNTIME_EXCEPTION, or
 * ORT_FAIL for a map. */
OrtStatus* core_as_sparse(const OrtValue* value, struct core_sparse** out);

/** Releases values and indices. */
void core_clear_sparse(struct core_sparse* sparse);

/* Checks of indices. The indices are readable; NULL means none. */

/** Checks COO indices: one or two for each value, all within the tensor. */
OrtStatus* core_check_coo(const struct core_shape* dense, size_t values, const int64_t* indices,
                          size_t count);

/** Checks CSR indices: a column for each value, and the start of each row. */
OrtStatus* core_check_csr(const struct core_shape* dense, size_t values, const int64_t* inner,
                          size_t inner_count, const int64_t* outer, size_t outer_count);

/** Checks the shape of the blocks and of their positions; the shape {0} is empty. `count` is the
 * number of positions. */
OrtStatus* core_check_blocks(const struct core_shape* values, const int64_t* dims, size_t rank,
                             size_t count);
