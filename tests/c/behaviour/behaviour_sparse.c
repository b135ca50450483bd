/* SPDX-License-Identifier: MIT */
/* Sparse tensors: how they are made and filled. */
#include "behaviour_sparse.h"

static void sparse_create(OrtAllocator* from, const int64_t* shape, size_t rank,
                          ONNXTensorElementDataType type) {
  OrtValue* value = UNTOUCHED;
  say_status(api->CreateSparseTensorAsOrtValue(from, shape, rank, type, &value));
  say_out(value, UNTOUCHED);
}

CALL("CreateSparseTensorAsOrtValue(ok {3,3})") { sparse_create(allocator(), DIMS(3, 3), FLOAT); }
CALL("CreateSparseTensorAsOrtValue(dim -1)") { sparse_create(allocator(), DIMS(3, -1), FLOAT); }
CALL("CreateSparseTensorAsOrtValue(rank 0)") { sparse_create(allocator(), NULL, 0, FLOAT); }
CALL("CreateSparseTensorAsOrtValue(rank 3)") { sparse_create(allocator(), DIMS(3, 3, 3), FLOAT); }
CALL("CreateSparseTensorAsOrtValue(dim 0)") { sparse_create(allocator(), DIMS(0, 3), FLOAT); }
CALL("CreateSparseTensorAsOrtValue({1<<62,8})") {
  sparse_create(allocator(), DIMS((int64_t)1 << 62, 8), FLOAT);
}
CALL("CreateSparseTensorAsOrtValue(type 999)") { sparse_create(allocator(), DIMS(3, 3), 999); }
CALL("CreateSparseTensorAsOrtValue(type UNDEFINED)") { sparse_create(allocator(), DIMS(3, 3), 0); }
CALL("CreateSparseTensorAsOrtValue(shape NULL,2)") { sparse_create(allocator(), NULL, 2, FLOAT); }
CALL("CreateSparseTensorAsOrtValue(each element type)") {
  for (int type = 0; type <= 27; type++) {
    OrtValue* value = NULL;
    OrtStatus* status = api->CreateSparseTensorAsOrtValue(allocator(), DIMS(3), type, &value);
    say(status == NULL ? "%d" : "%d fails with %d", type,
        status == NULL ? 0 : (int)api->GetErrorCode(status));
  }
}

static void with_values(void* data, const int64_t* values_shape, size_t rank,
                        ONNXTensorElementDataType type) {
  OrtValue* value = UNTOUCHED;
  say_status(api->CreateSparseTensorWithValuesAsOrtValue(cpu_info(), data, DIMS(3, 3), values_shape,
                                                         rank, type, &value));
  say_out(value, UNTOUCHED);
}
static float numbers[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

CALL("CreateSparseTensorWithValuesAsOrtValue(ok)") { with_values(numbers, DIMS(2), FLOAT); }
CALL("CreateSparseTensorWithValuesAsOrtValue(p_data NULL)") { with_values(NULL, DIMS(2), FLOAT); }
CALL("CreateSparseTensorWithValuesAsOrtValue(values_shape {-1})") {
  with_values(numbers, DIMS(-1), FLOAT);
}
CALL("CreateSparseTensorWithValuesAsOrtValue(more values than dense)") {
  with_values(numbers, DIMS(10), FLOAT);
}
CALL("CreateSparseTensorWithValuesAsOrtValue(values_shape {2,3})") {
  with_values(numbers, DIMS(2, 3), FLOAT);
}
CALL("CreateSparseTensorWithValuesAsOrtValue(values_shape {1<<62,8})") {
  with_values(numbers, DIMS((int64_t)1 << 62, 8), FLOAT);
}
CALL("CreateSparseTensorWithValuesAsOrtValue(type STRING)") {
  with_values(numbers, DIMS(2), STRING);
}
CALL("CreateSparseTensorWithValuesAsOrtValue(type 999)") { with_values(numbers, DIMS(2), 999); }
CALL("CreateSparseTensorWithValuesAsOrtValue(type INT4)") {
  with_values(numbers, DIMS(2), ONNX_TENSOR_ELEMENT_DATA_TYPE_INT4);
}
CALL("CreateSparseTensorWithValuesAsOrtValue(values_shape {0})") {
  with_values(numbers, DIMS(0), FLOAT);
}
CALL("CreateSparseTensorWithValuesAsOrtValue(values_shape NULL,1)") {
  with_values(numbers, NULL, 1, FLOAT);
}
CALL("CreateSparseTensorWithValuesAsOrtValue(dense dim -1)") {
  OrtValue* value = UNTOUCHED;
  say_status(api->CreateSparseTensorWithValuesAsOrtValue(cpu_info(), numbers, DIMS(-1), DIMS(2),
                                                         FLOAT, &value));
}
CALL("CreateSparseTensorWithValuesAsOrtValue(dense_shape NULL,1)") {
  OrtValue* value = UNTOUCHED;
  say_status(api->CreateSparseTensorWithValuesAsOrtValue(cpu_info(), numbers, NULL, 1, DIMS(2),
                                                         FLOAT, &value));
}

/* Fills with coordinates and says what comes of it. */
#define COO(name, values, ...)                                                           \
  CALL("FillSparseTensorCoo(" name ")") {                                                \
    OrtValue* value = sparse(FLOAT, DIMS(3, 3));                                         \
    say_filled(value, api->FillSparseTensorCoo(value, cpu_info(), DIMS(values), numbers, \
                                               LIST(int64_t, __VA_ARGS__)));             \
  }
COO("2 values 2 linear", 2, 1, 5)
COO("2 values 4 (2-D)", 2, 0, 1, 2, 2)
COO("2 values 3 indices", 2, 0, 1, 2)
COO("2 values 1 index", 2, 0)
COO("2 values 6 indices", 2, 0, 1, 2, 3, 4, 5)
COO("index out of range 9", 2, 1, 9)
COO("negative index", 2, 1, -1)
COO("row out of range 3", 2, 0, 0, 3, 0)
COO("column out of range 3", 2, 0, 0, 0, 3)
COO("negative row", 2, -1, 0, 0, 0)
COO("negative column", 2, 0, -1, 0, 0)
COO("unsorted / duplicate", 3, 5, 1, 5)
COO("10 values > dense 9", 10, 0, 1, 2, 3, 4, 5, 6, 7, 8, 8)
COO("0 values 1 index", 0, 0)
#define FILL_COO(value, info, ...) \
  say_filled(value, api->FillSparseTensorCoo(value, info, __VA_ARGS__))
CALL("FillSparseTensorCoo(0 values 0 indices)") {
  OrtValue* value = sparse(FLOAT, DIMS(3, 3));
  FILL_COO(value, cpu_info(), DIMS(0), numbers, (int64_t[]){0}, 0);
}
CALL("FillSparseTensorCoo(0 values 0 indices, both NULL)") {
  OrtValue* value = sparse(FLOAT, DIMS(3, 3));
  FILL_COO(value, cpu_info(), DIMS(0), NULL, NULL, 0);
}
CALL("FillSparseTensorCoo(2 values 0 indices)") {
  OrtValue* value = sparse(FLOAT, DIMS(3, 3));
  FILL_COO(value, cpu_info(), DIMS(2), numbers, NULL, 0);
}
CALL("FillSparseTensorCoo(values_shape {2,2})") {
  OrtValue* value = sparse(FLOAT, DIMS(3, 3));
  FILL_COO(value, cpu_info(), DIMS(2, 2), numbers, LIST(int64_t, 0, 1, 2, 3));
}
CALL("FillSparseTensorCoo(values_shape of rank 0)") {
  OrtValue* value = sparse(FLOAT, DIMS(3, 3));
  FILL_COO(value, cpu_info(), NULL, 0, numbers, LIST(int64_t, 4));
}
CALL("FillSparseTensorCoo(pairs, dense rank 1)") {
  OrtValue* value = sparse(FLOAT, DIMS(9));
  FILL_COO(value, cpu_info(), DIMS(1), numbers, LIST(int64_t, 0, 1));
}
CALL("FillSparseTensorCoo(linear, dense rank 3)") {
  OrtValue* value = sparse(FLOAT, DIMS(2, 2, 2));
  FILL_COO(value, cpu_info(), DIMS(2), numbers, LIST(int64_t, 0, 7));
}
CALL("FillSparseTensorCoo(dense rank 0)") {
  OrtValue* value = sparse(FLOAT, NULL, 0);
  FILL_COO(value, cpu_info(), DIMS(1), numbers, LIST(int64_t, 0));
}
CALL("FillSparseTensorCoo(dense {1<<62,8})") {
  OrtValue* value = sparse(FLOAT, DIMS((int64_t)1 << 62, 8));
  FILL_COO(value, cpu_info(), DIMS(1), numbers, LIST(int64_t, 0));
}
CALL("FillSparseTensorCoo(pairs, dense {1<<62,8})") {
  OrtValue* value = sparse(FLOAT, DIMS((int64_t)1 << 62, 8));
  FILL_COO(value, cpu_info(), DIMS(1), numbers, LIST(int64_t, (int64_t)1 << 61, 7));
}
CALL("FillSparseTensorCoo(values_shape {1<<62,8})") {
  OrtValue* value = sparse(FLOAT, DIMS(3, 3));
  FILL_COO(value, cpu_info(), DIMS((int64_t)1 << 62, 8), numbers, LIST(int64_t, 0));
}
CALL("FillSparseTensorCoo(fill twice)") {
  OrtValue* value = coo();
  FILL_COO(value, cpu_info(), DIMS(1), numbers, LIST(int64_t, 0));
}
CALL("FillSparseTensorCoo(after a failure)") {
  OrtValue* value = sparse(FLOAT, DIMS(3, 3));
  FILL_COO(value, cpu_info(), DIMS(1), numbers, LIST(int64_t, 9));
  FILL_COO(value, cpu_info(), DIMS(1), numbers, LIST(int64_t, 8));
}
CALL("FillSparseTensorCoo(dense tensor)") {
  OrtValue* value = FLOATS(1, 2);
  say_status(api->FillSparseTensorCoo(value, cpu_info(), DIMS(1), numbers, LIST(int64_t, 0)));
}
CALL("FillSparseTensorCoo(sequence)") {
  OrtValue* value = SEQUENCE(FLOATS(1, 2));
  say_status(api->FillSparseTensorCoo(value, cpu_info(), DIMS(1), numbers, LIST(int64_t, 0)));
}
CALL("FillSparseTensorCoo(map)") {
  OrtValue* value = MAP(INT64S(1), FLOATS(1));
  say_status(api->FillSparseTensorCoo(value, cpu_info(), DIMS(1), numbers, LIST(int64_t, 0)));
}
CALL("FillSparseTensorCoo(borrowed values)") {
  OrtValue* value = borrowing();
  say_status(api->FillSparseTensorCoo(value, cpu_info(), DIMS(1), numbers, LIST(int64_t, 0)));
}
CALL("FillSparseTensorCoo(negative values_shape)") {
  OrtValue* value = sparse(FLOAT, DIMS(3, 3));
  FILL_COO(value, cpu_info(), DIMS(-1), numbers, LIST(int64_t, 0));
}
CALL("FillSparseTensorCoo(values_shape NULL)") {
  OrtValue* value = sparse(FLOAT, DIMS(3, 3));
  FILL_COO(value, cpu_info(), NULL, 1, numbers, LIST(int64_t, 0));
}
CALL("FillSparseTensorCoo(values NULL)") {
  OrtValue* value = sparse(FLOAT, DIMS(3, 3));
  FILL_COO(value, cpu_info(), DIMS(1), NULL, LIST(int64_t, 0));
}
CALL("FillSparseTensorCoo(indices NULL)") {
  OrtValue* value = sparse(FLOAT, DIMS(3, 3));
  FILL_COO(value, cpu_info(), DIMS(1), numbers, NULL, 1);
}
CALL("FillSparseTensorCoo(memory of a GPU)") {
  OrtValue* value = sparse(FLOAT, DIMS(3, 3));
  FILL_COO(value, gpu_info(), DIMS(1), numbers, LIST(int64_t, 0));
}
CALL("FillSparseTensorCoo(strings)") {
  OrtValue* value = sparse(STRING, DIMS(3, 3));
  const char* const strings[] = {"one", "", "a third that is longer than fits in the element"};
  FILL_COO(value, cpu_info(), DIMS(3), strings, LIST(int64_t, 8, 0, 1));
  api->ReleaseValue(value);
}
CALL("FillSparseTensorCoo(strings with NULL)") {
  OrtValue* value = sparse(STRING, DIMS(3, 3));
  const char* const strings[] = {"one", NULL};
  FILL_COO(value, cpu_info(), DIMS(2), strings, LIST(int64_t, 8, 0));
}
CALL("FillSparseTensorCoo(strings in memory of a GPU)") {
  OrtValue* value = sparse(STRING, DIMS(3, 3));
  const char* const strings[] = {"one"};
  FILL_COO(value, gpu_info(), DIMS(1), strings, LIST(int64_t, 8));
}
CALL("FillSparseTensorCoo(int4)") {
  OrtValue* value = NULL;
  if (say_status(api->CreateSparseTensorAsOrtValue(allocator(), DIMS(3, 3),
                                                   ONNX_TENSOR_ELEMENT_DATA_TYPE_INT4, &value))) {
    FILL_COO(value, cpu_info(), DIMS(3), numbers, LIST(int64_t, 0, 1, 2));
  }
}
CALL("FillSparseTensorCoo copies") {
  OrtValue* value = sparse(FLOAT, DIMS(3, 3));
  float values[] = {1, 2};
  int64_t indices[] = {0, 8};
  OrtStatus* status = api->FillSparseTensorCoo(value, cpu_info(), DIMS(2), values, indices, 2);
  values[0] = 99;
  indices[0] = 7;
  say_filled(value, status);
}
