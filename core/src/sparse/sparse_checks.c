/* SPDX-License-Identifier: MIT */
#include "sparse/sparse.h"

#define LARGEST_COUNT (PTRDIFF_MAX / sizeof(int64_t))

static bool is_outside(int64_t index, int64_t end) { return index < 0 || index >= end; }

/* The status for an index that is not from 0 to `end` - 1. */
static OrtStatus* outside(const char* what, int64_t index, int64_t end) {
  return core_fail(ORT_INVALID_ARGUMENT,
                   "%s must be from 0 to below %" PRId64 ", but one is %" PRId64, what, end, index);
}

static OrtStatus* check_linear(const struct core_shape* dense, const int64_t* indices,
                               size_t count) {
  for (size_t i = 0; i < dense->rank; i++) {
    CORE_REFUSE_IF(dense->dims[i] < 0, ORT_INVALID_ARGUMENT,
                   "the tensor's shape has a negative dimension");
  }
  CORE_REFUSE_IF(dense->count == CORE_UNCOUNTED, ORT_FAIL,
                 "the tensor has more elements than one index can tell apart");
  for (size_t i = 0; i < count; i++) {
    CORE_RETURN_IF(is_outside(indices[i], (int64_t)dense->count),
                   outside("indices", indices[i], (int64_t)dense->count));
  }
  return NULL;
}

static OrtStatus* check_pairs(const struct core_shape* dense, const int64_t* indices,
                              size_t count) {
  CORE_REFUSE_IF(dense->rank != 2, ORT_INVALID_ARGUMENT,
                 "pairs of indices need a tensor of two dimensions");
  for (size_t i = 0; i < count; i++) {
    CORE_RETURN_IF(is_outside(indices[i], dense->dims[i % 2]),
                   outside(i % 2 == 0 ? "rows" : "columns", indices[i], dense->dims[i % 2]));
  }
  return NULL;
}

OrtStatus* core_check_coo(const struct core_shape* dense, size_t values, const int64_t* indices,
                          size_t count) {
  if (values == 0 && count == 0) {
    return NULL;
  }
  if (count == values) {
    return check_linear(dense, indices, count);
  }
  if (values > 0 && count / 2 == values && count % 2 == 0) {
    return check_pairs(dense, indices, count);
  }
  return core_fail(ORT_INVALID_ARGUMENT, "indices must be as many as values, or twice as many");
}

static OrtStatus* check_outer(size_t inner_count, const int64_t* outer, size_t count) {
  CORE_REFUSE_IF(outer[0] != 0, ORT_INVALID_ARGUMENT, "outer indices must begin with 0");
  CORE_REFUSE_IF(outer[count - 1] < 0 || (size_t)outer[count - 1] != inner_count,
                 ORT_INVALID_ARGUMENT, "outer indices must end with the count of inner ones");
  for (size_t i = 1; i < count; i++) {
    CORE_REFUSE_IF(outer[i] < outer[i - 1] || outer[i] > outer[count - 1], ORT_INVALID_ARGUMENT,
                   "outer indices must not decrease");
  }
  return NULL;
}

OrtStatus* core_check_csr(const struct core_shape* dense, size_t values, const int64_t* inner,
                          size_t inner_count, const int64_t* outer, size_t outer_count) {
  CORE_REFUSE_IF(inner_count > LARGEST_COUNT || outer_count > LARGEST_COUNT, ORT_INVALID_ARGUMENT,
                 "there are more indices than can be in memory");
  for (size_t i = 0; i < inner_count && dense->rank == 2; i++) {
    CORE_RETURN_IF(is_outside(inner[i], dense->dims[1]),
                   outside("inner indices", inner[i], dense->dims[1]));
  }
  if (outer_count > 0) {
    CORE_TRY(check_outer(inner_count, outer, outer_count));
  }
  CORE_REFUSE_IF(dense->rank != 2, ORT_FAIL, "compressed rows need a tensor of two dimensions");
  CORE_REFUSE_IF((inner_count == 0) != (outer_count == 0), ORT_FAIL,
                 "there must be both inner and outer indices, or neither");
  CORE_REFUSE_IF(inner_count != values, ORT_FAIL, "inner indices must be as many as values");
  CORE_REFUSE_IF(outer_count != 0 && outer_count != (size_t)dense->dims[0] + 1, ORT_FAIL,
                 "outer indices must be one more than rows");
  return NULL;
}

static OrtStatus* check_no_blocks(const struct core_shape* values, size_t rank, size_t count) {
  CORE_REFUSE_IF(values->rank != 1 || rank != 1, ORT_FAIL,
                 "without values, the shapes of values and indices must be {0}");
  return count == 0 ? NULL
                    : core_fail(ORT_INVALID_ARGUMENT, "without values, there can be no indices");
}

OrtStatus* core_check_blocks(const struct core_shape* values, const int64_t* dims, size_t rank,
                             size_t count) {
  if (values->count == 0) {
    return check_no_blocks(values, rank, count);
  }
  CORE_REFUSE_IF(values->rank < 3, ORT_FAIL,
                 "values of blocks must have at least three dimensions");
  CORE_REFUSE_IF(rank != 2 || dims[0] != 2, ORT_FAIL,
                 "the shape of the indices must be {2, how many}");
  /* As in ONNX Runtime: the product of all dimensions after the first two. */
  size_t blocks = values->count / ((size_t)values->dims[0] * (size_t)values->dims[1]);
  return count / 2 == blocks
             ? NULL
             : core_fail(ORT_FAIL, "indices must be as many as the last dimensions of values tell");
}
