/* SPDX-License-Identifier: MIT */
/*
 * random_values LIBRARY [ROUNDS]: maps, sequences and sparse tensors of random content, right and
 * wrong, and all that a library answers. Whatever the library, the lines are the same.
 */
#include <string.h>

#include "table.h"

#define DIMS(...) (const int64_t[]){__VA_ARGS__}, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)
#define INT64 ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64
#define FLOAT ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT
#define DOUBLE ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE
#define STRING ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING

static const OrtApi* api;
static OrtAllocator* allocator;
static OrtMemoryInfo* info;

/* From 0 to below `end`, the same on every machine. */
static unsigned below(unsigned end) {
  static unsigned state = 1;
  state = state * 1103515245U + 12345U;
  return (state >> 8) % end;
}

static void fill_strings(OrtValue* value, size_t count) {
  for (size_t i = 0; i < count; i++) {
    char text[41];
    unsigned length = below(sizeof text);
    unsigned letters = 1 + below(255);
    for (unsigned j = 0; j < length; j++) {
      text[j] = (char)(1 + below(letters));
    }
    text[length] = '\0';
    CHECK(api->FillStringTensorElement(value, text, i) == NULL);
  }
}

static OrtValue* random_tensor(ONNXTensorElementDataType type, size_t count) {
  OrtValue* value = NULL;
  void* data = NULL;
  CHECK(api->CreateTensorAsOrtValue(allocator, DIMS((int64_t)count), type, &value) == NULL);
  CHECK(api->GetTensorMutableData(value, &data) == NULL);
  if (type == STRING) {
    fill_strings(value, count);
  }
  for (size_t i = 0; i < count && type != STRING; i++) {
    int number = (int)below(40) - 20;
    if (type == INT64) {
      ((int64_t*)data)[i] = number;
    } else if (type == DOUBLE) {
      ((double*)data)[i] = number;
    } else {
      ((float*)data)[i] = (float)number;
    }
  }
  return value;
}

static void print_bytes(const void* bytes, size_t count) {
  for (size_t i = 0; i < count; i++) {
    printf("%02x", ((const unsigned char*)bytes)[i]);
  }
  putchar('\n');
}

/* Prints an element of a container, which is a tensor. */
static void print_element(const OrtValue* container, int index) {
  OrtValue* element = NULL;
  int64_t* data = NULL;
  size_t size = 0;
  char text[4000];
  CHECK(api->GetValue(container, index, allocator, &element) == NULL);
  OrtStatus* status = api->GetTensorSizeInBytes(element, &size);
  if (status == NULL) {
    CHECK(api->GetTensorMutableData(element, (void**)&data) == NULL);
    print_bytes(data, size);
  } else {
    size_t offsets[60];
    const int64_t* dims = NULL;
    size_t rank = 0;
    ONNXTensorElementDataType type = STRING;
    api->ReleaseStatus(status);
    CHECK(api->GetTensorElementTypeAndShapeDataReference(element, &type, &dims, &rank) == NULL);
    CHECK(api->GetStringTensorDataLength(element, &size) == NULL && size <= sizeof text);
    CHECK(api->GetStringTensorContent(element, text, size, offsets, (size_t)dims[0]) == NULL);
    print_bytes(offsets, (size_t)dims[0] * sizeof *offsets);
    print_bytes(text, size);
  }
  api->ReleaseValue(element);
}

static void try_containers(void) {
  static const ONNXTensorElementDataType types[] = {INT64, STRING, FLOAT, DOUBLE};
  size_t count = below(60);
  OrtValue* keys = random_tensor(types[below(2)], count);
  OrtValue* values = random_tensor(types[below(4)], count);
  OrtValue* map = NULL;
  OrtValue* sequence = NULL;
  CHECK(api->CreateValue((const OrtValue*[]){keys, values}, 2, ONNX_TYPE_MAP, &map) == NULL);
  CHECK(api->CreateValue((const OrtValue*[]){values, values}, 2, ONNX_TYPE_SEQUENCE, &sequence) ==
        NULL);
  print_element(map, 0);
  print_element(map, 1);
  print_element(sequence, 1);
  OrtValue* const all[] = {keys, values, map, sequence};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    api->ReleaseValue(all[i]);
  }
}

static const float numbers[64] = {1, 2, 3, 4, 5, 6, 7, 8};

static OrtStatus* fill_rows(OrtValue* value, int64_t values, int64_t rows) {
  int64_t inner[8];
  int64_t outer[8];
  size_t count = below(2) ? (size_t)values : below(8);
  size_t ends = below(3) ? (size_t)rows + 1 : below(6);
  for (int i = 0; i < 8; i++) {
    inner[i] = (int64_t)below(5) - (below(8) == 0);
    outer[i] = i == 0 ? below(8) == 0 : outer[i - 1] + (int64_t)below(2) - (below(8) == 0);
  }
  if (ends > 1 && below(4)) {
    outer[ends - 1] = (int64_t)count;
  }
  return api->FillSparseTensorCsr(value, info, DIMS(values), numbers, inner, count, outer, ends);
}

static OrtStatus* fill_coordinates(OrtValue* value, int64_t values) {
  int64_t indices[12];
  for (int i = 0; i < 12; i++) {
    indices[i] = (int64_t)below(5) - (below(8) == 0);
  }
  size_t count = below(3) ? (size_t)values * (1 + below(2)) : below(12);
  return api->FillSparseTensorCoo(value, info, DIMS(values), numbers, indices, count);
}

static OrtStatus* fill_blocks(OrtValue* value) {
  static const int32_t places[64];
  const int64_t shape[] = {1 + below(2), 1 + below(2), 1 + below(2), 1 + below(2)};
  const int64_t indices[] = {below(4) ? 2 : 1 + below(3), below(5)};
  size_t rank = below(4) ? 3 : 1 + below(4);
  return api->FillSparseTensorBlockSparse(value, info, shape, rank, numbers, indices,
                                          1 + (below(4) > 0), places);
}

static void print_indices(const OrtValue* value, enum OrtSparseIndicesFormat format) {
  size_t count = 0;
  const void* data = NULL;
  OrtStatus* status = api->GetSparseTensorIndices(value, format, &count, &data);
  printf("%d ", status == NULL ? 0 : (int)api->GetErrorCode(status));
  api->ReleaseStatus(status);
  print_bytes(data, count * (format == ORT_SPARSE_BLOCK_SPARSE_INDICES ? 4 : 8));
}

static void try_sparse(void) {
  OrtValue* value = NULL;
  OrtSparseFormat format = ORT_SPARSE_UNDEFINED;
  int64_t rows = 1 + below(4);
  CHECK(api->CreateSparseTensorAsOrtValue(allocator, DIMS(rows, 1 + below(5)), FLOAT, &value) ==
        NULL);
  int64_t values = below(5);
  unsigned kind = below(3);
  OrtStatus* status = kind == 0   ? fill_coordinates(value, values)
                      : kind == 1 ? fill_rows(value, values, rows)
                                  : fill_blocks(value);
  CHECK(api->GetSparseTensorFormat(value, &format) == NULL);
  printf("%u %d %d\n", kind, status == NULL ? 0 : (int)api->GetErrorCode(status), (int)format);
  for (int i = 0; i < 4 && status == NULL; i++) {
    print_indices(value, (enum OrtSparseIndicesFormat)i);
  }
  api->ReleaseStatus(status);
  api->ReleaseValue(value);
}

int main(int argc, char** argv) {
  CHECK(argc == 2 || argc == 3);
  int rounds = argc == 3 ? atoi(argv[2]) : 1000;
  api = table_of(argv[1]);
  CHECK(api != NULL && api->GetAllocatorWithDefaultOptions(&allocator) == NULL);
  CHECK(api->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &info) == NULL);
  for (int i = 0; i < rounds; i++) {
    try_containers();
    try_sparse();
  }
  api->ReleaseMemoryInfo(info);
  return 0;
}
