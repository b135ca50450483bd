/* SPDX-License-Identifier: MIT */
/* Sparse tensors: filled with copies, or over the caller's memory. */
#include "model.h"

#define MOST_INDICES 12

/* What a call is given beside the tensor. The tensor borrows it where it copies nothing. */
struct filling {
  float values[MOST_INDICES];
  const char* texts[MOST_INDICES];
  char text[MOST_TEXT + 1];
  int64_t dims[MOST_DIMS];
  size_t rank;
  size_t count;
  int64_t indices[2][MOST_INDICES];
  size_t index_count[2];
  int32_t corners[MOST_INDICES];
  int64_t corner_dims[2];
};

static OrtMemoryInfo* cpu_info(void) {
  OrtMemoryInfo* info = NULL;
  pause_faults();
  CHECK(api->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &info) == NULL);
  resume_faults();
  return info;
}

/* Some numbers, mostly ones that grow and fit. */
static void next_indices(struct filling* filling, size_t which, size_t count) {
  filling->index_count[which] = count;
  for (size_t i = 0; i < count; i++) {
    filling->indices[which][i] = (int64_t)(next_byte() % 8) - (next_byte() >= 250);
  }
}

static struct filling* next_filling(size_t rank) {
  struct filling* filling = must_malloc(sizeof *filling);
  memset(filling, 0, sizeof *filling);
  next_string(filling->text, MOST_TEXT);
  filling->rank = rank;
  filling->count = 1;
  for (size_t i = 0; i < rank; i++) {
    filling->dims[i] = next_byte() % 3;
    filling->count *= (size_t)filling->dims[i];
  }
  for (size_t i = 0; i < MOST_INDICES; i++) {
    filling->values[i] = (float)i;
    filling->texts[i] = filling->text;
  }
  return filling;
}

static struct model* values_model(const struct model* sparse, const struct filling* filling,
                                  size_t rank, const int64_t* dims) {
  struct model* model = new_model(sparse->type, rank, dims);
  for (size_t i = 0; i < model->count && model->texts != NULL; i++) {
    model->texts[i].length = strlen(filling->text);
    memcpy(model->texts[i].bytes, filling->text, model->texts[i].length);
  }
  if (model->texts == NULL) {
    memcpy(model->content, filling->values, model->bytes);
  }
  return model;
}

static struct model* indices_model(ONNXTensorElementDataType type, const void* indices,
                                   size_t count) {
  int64_t dims[] = {(int64_t)count};
  struct model* model = new_model(type, 1, dims);
  memcpy(model->content, indices, model->bytes);
  return model;
}

static int are_below(const int64_t* indices, size_t count, size_t step, int64_t end) {
  for (size_t i = 0; i < count; i += step) {
    if (indices[i] < 0 || indices[i] >= end) {
      return 0;
    }
  }
  return 1;
}

static int is_coo(const struct model* model, const struct filling* filling) {
  size_t count = filling->index_count[0];
  const int64_t* indices = filling->indices[0];
  if (count == filling->count) {
    return are_below(indices, count, 1, (int64_t)model->count);
  }
  return count == 2 * filling->count && model->rank == 2 &&
         are_below(indices, count, 2, model->dims[0]) &&
         are_below(indices + 1, count - 1, 2, model->dims[1]);
}

static int is_csr(const struct model* model, const struct filling* filling) {
  size_t inner = filling->index_count[0];
  size_t outer = filling->index_count[1];
  const int64_t* ends = filling->indices[1];
  if (model->rank != 2 || inner != filling->count || (inner == 0) != (outer == 0) ||
      !are_below(filling->indices[0], inner, 1, model->dims[1])) {
    return 0;
  }
  for (size_t i = 1; i < outer; i++) {
    if (ends[i] < ends[i - 1]) {
      return 0;
    }
  }
  return outer == 0 ||
         (outer == (size_t)model->dims[0] + 1 && ends[0] == 0 && ends[outer - 1] == (int64_t)inner);
}

static int are_blocks(const struct filling* filling) {
  size_t count = (size_t)(filling->corner_dims[0] * filling->corner_dims[1]);
  if (filling->count == 0 || filling->rank < 3) {
    return 0;
  }
  return filling->corner_dims[0] == 2 &&
         count / 2 == filling->count / (size_t)(filling->dims[0] * filling->dims[1]);
}

static void fill_coo(struct value* value, struct filling* filling, const OrtMemoryInfo* info) {
  next_indices(filling, 0, next_byte() % (MOST_INDICES + 1));
  size_t count = filling->index_count[0];
  const void* source = value->model->type == STRING ? (const void*)filling->texts : filling->values;
  OrtStatus* status =
      value->borrowed == NULL
          ? api->FillSparseTensorCoo(value->handle, info, filling->dims, filling->rank, source,
                                     filling->indices[0], count)
          : api->UseCooIndices(value->handle, filling->indices[0], count);
  if (succeeded(status, is_coo(value->model, filling), ORT_INVALID_ARGUMENT, ORT_FAIL)) {
    int64_t dims[] = {(int64_t)filling->count};
    value->model->format = ORT_SPARSE_COO;
    value->model->child_count = 2;
    value->model->children[0] = values_model(value->model, filling, 1, dims);
    value->model->children[1] = indices_model(INT64, filling->indices[0], count);
  }
}

static void fill_csr(struct value* value, struct filling* filling, const OrtMemoryInfo* info) {
  next_indices(filling, 0, next_byte() % 5);
  next_indices(filling, 1, next_byte() % 5);
  size_t inner = filling->index_count[0];
  size_t outer = filling->index_count[1];
  const void* source = value->model->type == STRING ? (const void*)filling->texts : filling->values;
  OrtStatus* status =
      value->borrowed == NULL
          ? api->FillSparseTensorCsr(value->handle, info, filling->dims, filling->rank, source,
                                     filling->indices[0], inner, filling->indices[1], outer)
          : api->UseCsrIndices(value->handle, filling->indices[0], inner, filling->indices[1],
                               outer);
  if (succeeded(status, is_csr(value->model, filling), ORT_INVALID_ARGUMENT, ORT_FAIL)) {
    int64_t dims[] = {(int64_t)inner};
    value->model->format = ORT_SPARSE_CSRC;
    value->model->child_count = 3;
    value->model->children[0] = values_model(value->model, filling, 1, dims);
    value->model->children[1] = indices_model(INT64, filling->indices[0], inner);
    value->model->children[2] = indices_model(INT64, filling->indices[1], outer);
  }
}

static void fill_blocks(struct value* value, struct filling* filling, const OrtMemoryInfo* info) {
  filling->corner_dims[0] = next_byte() % 3;
  filling->corner_dims[1] = next_byte() % 5;
  const void* source = value->model->type == STRING ? (const void*)filling->texts : filling->values;
  OrtStatus* status =
      value->borrowed == NULL
          ? api->FillSparseTensorBlockSparse(value->handle, info, filling->dims, filling->rank,
                                             source, filling->corner_dims, 2, filling->corners)
          : api->UseBlockSparseIndices(value->handle, filling->corner_dims, 2, filling->corners);
  if (succeeded(status, are_blocks(filling), ORT_INVALID_ARGUMENT, ORT_FAIL)) {
    size_t count = (size_t)(filling->corner_dims[0] * filling->corner_dims[1]);
    value->model->format = ORT_SPARSE_BLOCK_SPARSE;
    value->model->child_count = 2;
    value->model->children[0] = values_model(value->model, filling, filling->rank, filling->dims);
    value->model->children[1] = indices_model(INT32, filling->corners, count);
  }
}

static void make(size_t place, unsigned how) {
  int64_t dims[MOST_DIMS];
  size_t rank = how % (MOST_DIMS + 1);
  ONNXTensorElementDataType type = how % 5 == 0 ? STRING : FLOAT;
  OrtAllocator* allocator = NULL;
  OrtValue* made = NULL;
  struct filling* filling = NULL;
  OrtMemoryInfo* info = cpu_info();
  for (size_t i = 0; i < rank; i++) {
    dims[i] = next_byte() % 4;
  }
  CHECK(api->GetAllocatorWithDefaultOptions(&allocator) == NULL);
  OrtStatus* status;
  if (how % 2 == 0) {
    status = api->CreateSparseTensorAsOrtValue(allocator, dims, rank, type, &made);
  } else {
    filling = next_filling(next_byte() % (MOST_DIMS + 1));
    status = api->CreateSparseTensorWithValuesAsOrtValue(info, filling->values, dims, rank,
                                                         filling->dims, filling->rank, type, &made);
  }
  if (succeeded(status, filling == NULL || type != STRING, ORT_INVALID_ARGUMENT, ORT_FAIL)) {
    struct model* model = must_malloc(sizeof *model);
    *model = (struct model){.kind = ONNX_TYPE_SPARSETENSOR, .type = type, .rank = rank, .count = 1};
    for (size_t i = 0; i < rank; i++) {
      model->dims[i] = dims[i];
      model->count *= (size_t)dims[i];
    }
    model->format = ORT_SPARSE_UNDEFINED;
    keep_value(place, made, model, filling);
  } else {
    free(filling);
  }
  api->ReleaseMemoryInfo(info);
}

static void fill(struct value* value, unsigned how) {
  OrtMemoryInfo* info = cpu_info();
  struct filling* filling =
      value->borrowed != NULL ? value->borrowed : next_filling(next_byte() % (MOST_DIMS + 1));
  if (how % 3 == 0) {
    fill_coo(value, filling, info);
  } else if (how % 3 == 1) {
    fill_csr(value, filling, info);
  } else {
    fill_blocks(value, filling, info);
  }
  if (value->borrowed == NULL) {
    free(filling);
  }
  api->ReleaseMemoryInfo(info);
}

void use_sparse(void) {
  unsigned what = next_byte();
  size_t place = what % VALUES;
  struct value* value = &values[place];
  if (value->handle == NULL) {
    make(place, next_byte());
  } else if (value->model->kind == ONNX_TYPE_SPARSETENSOR &&
             value->model->format == ORT_SPARSE_UNDEFINED) {
    fill(value, what / VALUES);
  } else if (what >= 200) {
    drop_value(place);
    return;
  }
  if (value->handle != NULL) {
    check_value(value->handle, value->model);
  }
}
