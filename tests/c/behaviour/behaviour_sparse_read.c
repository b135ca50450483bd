/* SPDX-License-Identifier: MIT */
/* Sparse tensors over a caller's memory, and what is read out of all of them. */
#include "behaviour_sparse.h"

static void use_coo(OrtValue* value, int64_t* indices, size_t count) {
  say_filled(value, api->UseCooIndices(value, indices, count));
}
#define INDICES(...) (int64_t[]){__VA_ARGS__}, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)
#define NO_INDICES (int64_t[1]){0}, 0

/* A tensor over no values. */
static OrtValue* hollow(void) {
  return NEW(OrtValue, api->CreateSparseTensorWithValuesAsOrtValue(cpu_info(), NULL, DIMS(3, 3),
                                                                   DIMS(0), FLOAT, &new_));
}

CALL("UseCooIndices(2 linear)") { use_coo(borrowing(), INDICES(1, 5)); }
CALL("UseCooIndices(2 pairs)") { use_coo(borrowing(), INDICES(0, 1, 2, 2)); }
CALL("UseCooIndices(3 indices for 2 values)") { use_coo(borrowing(), INDICES(0, 1, 2)); }
CALL("UseCooIndices(index out of range 9)") { use_coo(borrowing(), INDICES(0, 9)); }
CALL("UseCooIndices(no indices)") { use_coo(borrowing(), NO_INDICES); }
CALL("UseCooIndices(NULL,2)") { use_coo(borrowing(), NULL, 2); }
CALL("UseCooIndices(no values)") { use_coo(hollow(), NULL, 0); }
CALL("UseCooIndices(no values, 1 index)") { use_coo(hollow(), INDICES(0)); }
CALL("UseCooIndices on allocator-backed sparse") {
  use_coo(sparse(FLOAT, DIMS(3, 3)), INDICES(0, 1));
}
CALL("UseCooIndices on allocator-backed sparse, no indices") {
  use_coo(sparse(FLOAT, DIMS(3, 3)), NULL, 0);
}
CALL("UseCooIndices(filled)") { use_coo(coo(), INDICES(0, 1)); }
CALL("UseCooIndices(twice)") {
  OrtValue* value = borrowing();
  use_coo(value, INDICES(1, 5));
  use_coo(value, INDICES(1, 5));
}
CALL("UseCooIndices(dense tensor)") { say_status(api->UseCooIndices(FLOATS(1), INDICES(0))); }
CALL("UseCooIndices borrows") {
  OrtValue* value = borrowing();
  int64_t indices[] = {1, 5};
  OrtStatus* status = api->UseCooIndices(value, indices, 2);
  indices[1] = 7;
  say_filled(value, status);
}
CALL("UseCooIndices(int4 values)") {
  OrtValue* value = NULL;
  if (say_status(api->CreateSparseTensorWithValuesAsOrtValue(
          cpu_info(), (uint8_t[]){0x21, 3}, DIMS(3, 3), DIMS(3), ONNX_TENSOR_ELEMENT_DATA_TYPE_INT4,
          &value))) {
    use_coo(value, INDICES(0, 1, 2));
  }
}
CALL("UseCooIndices(values {1,2})") {
  float values[] = {1, 2};
  OrtValue* value = NEW(OrtValue, api->CreateSparseTensorWithValuesAsOrtValue(
                                      cpu_info(), values, DIMS(3, 3), DIMS(1, 2), FLOAT, &new_));
  use_coo(value, INDICES(0, 1));
}

static void use_csr(OrtValue* value, int64_t* inner, size_t inner_count, int64_t* outer,
                    size_t outer_count) {
  say_filled(value, api->UseCsrIndices(value, inner, inner_count, outer, outer_count));
}
CALL("UseCsrIndices(ok)") { use_csr(borrowing(), INDICES(0, 2), INDICES(0, 1, 1, 2)); }
CALL("UseCsrIndices(wrong outer count)") { use_csr(borrowing(), INDICES(0, 2), INDICES(0, 1, 2)); }
CALL("UseCsrIndices(outer not monotone)") {
  use_csr(borrowing(), INDICES(0, 2), INDICES(0, 2, 1, 2));
}
CALL("UseCsrIndices(inner count 1)") { use_csr(borrowing(), INDICES(0), INDICES(0, 1, 1, 1)); }
CALL("UseCsrIndices(no outer)") { use_csr(borrowing(), INDICES(0, 2), NULL, 0); }
CALL("UseCsrIndices(nothing)") { use_csr(hollow(), NULL, 0, NULL, 0); }
CALL("UseCsrIndices(inner NULL,2)") { use_csr(borrowing(), NULL, 2, INDICES(0, 1, 1, 2)); }
CALL("UseCsrIndices(outer NULL,4)") { use_csr(borrowing(), INDICES(0, 2), NULL, 4); }
CALL("UseCsrIndices on allocator-backed sparse") {
  use_csr(sparse(FLOAT, DIMS(3, 3)), INDICES(0, 2), INDICES(0, 1, 1, 2));
}
ANSWER("UseCsrIndices(dense tensor)",
       api->UseCsrIndices(FLOATS(1), INDICES(0, 2), INDICES(0, 1, 1, 2)))

static OrtValue* block_values(void) {
  static float values[] = {1, 2, 3, 4, 5, 6, 7, 8};
  return NEW(OrtValue, api->CreateSparseTensorWithValuesAsOrtValue(cpu_info(), values, DIMS(4, 4),
                                                                   DIMS(2, 2, 2), FLOAT, &new_));
}
static void use_blocks(OrtValue* value, const int64_t* shape, size_t rank, int32_t* indices) {
  say_filled(value, api->UseBlockSparseIndices(value, shape, rank, indices));
}
#define PLACES ((int32_t[]){0, 0, 0, 1, 1, 0, 1, 1})
CALL("UseBlockSparseIndices(ok)") { use_blocks(block_values(), DIMS(2, 2), PLACES); }
CALL("UseBlockSparseIndices({2,3})") { use_blocks(block_values(), DIMS(2, 3), PLACES); }
CALL("UseBlockSparseIndices({-2,-2})") { use_blocks(block_values(), DIMS(-2, -2), PLACES); }
CALL("UseBlockSparseIndices({2,-2})") { use_blocks(block_values(), DIMS(2, -2), PLACES); }
CALL("UseBlockSparseIndices(values of rank 1)") { use_blocks(borrowing(), DIMS(2, 2), PLACES); }
CALL("UseBlockSparseIndices(nothing)") { use_blocks(hollow(), DIMS(0), NULL); }
CALL("UseBlockSparseIndices(nothing, {2})") { use_blocks(hollow(), DIMS(2), NULL); }
CALL("UseBlockSparseIndices(indices NULL)") { use_blocks(block_values(), DIMS(2, 2), NULL); }
CALL("UseBlockSparseIndices(shape NULL,2)") { use_blocks(block_values(), NULL, 2, PLACES); }
CALL("UseBlockSparseIndices on allocator-backed sparse") {
  use_blocks(sparse(FLOAT, DIMS(4, 4)), DIMS(2, 2), PLACES);
}
CALL("UseBlockSparseIndices on allocator-backed sparse, nothing") {
  use_blocks(sparse(FLOAT, DIMS(4, 4)), DIMS(0), NULL);
}
ANSWER("UseBlockSparseIndices(dense tensor)",
       api->UseBlockSparseIndices(FLOATS(1), DIMS(2, 2), PLACES))

static void format_of(const OrtValue* value) {
  OrtSparseFormat format = (OrtSparseFormat)99;
  if (say_status(api->GetSparseTensorFormat(value, &format))) {
    say("%d", (int)format);
  }
}
CALL("GetSparseTensorFormat(unfilled)") { format_of(sparse(FLOAT, DIMS(3, 3))); }
CALL("GetSparseTensorFormat(borrowed values)") { format_of(borrowing()); }
CALL("GetSparseTensorFormat(coo)") { format_of(coo()); }
CALL("GetSparseTensorFormat(dense)") { format_of(FLOATS(1)); }
CALL("GetSparseTensorFormat(map)") { format_of(MAP(INT64S(1), FLOATS(1))); }

static OrtValue* filled_strings(void) {
  OrtValue* value = sparse(STRING, DIMS(3));
  const char* const strings[] = {"one"};
  CHECK(api->FillSparseTensorCoo(value, cpu_info(), DIMS(1), strings, LIST(int64_t, 2)) == NULL);
  return value;
}
static void values_of(const OrtValue* value) {
  const void* data = UNTOUCHED;
  say_status(api->GetSparseTensorValues(value, &data));
  say_out(data, UNTOUCHED);
}
CALL("GetSparseTensorValues(coo)") { values_of(coo()); }
CALL("GetSparseTensorValues(unfilled)") { values_of(sparse(FLOAT, DIMS(3, 3))); }
CALL("GetSparseTensorValues(borrowed values)") { values_of(borrowing()); }
CALL("GetSparseTensorValues(string sparse)") { values_of(sparse(STRING, DIMS(3))); }
CALL("GetSparseTensorValues(filled string sparse)") { values_of(filled_strings()); }
CALL("GetSparseTensorValues(dense)") { values_of(FLOATS(1)); }

static void values_shape_of(const OrtValue* value) {
  OrtTensorTypeAndShapeInfo* info = UNTOUCHED;
  say_status(api->GetSparseTensorValuesTypeAndShape(value, &info));
  say_out(info, UNTOUCHED);
}
CALL("GetSparseTensorValuesTypeAndShape(coo)") { values_shape_of(coo()); }
CALL("GetSparseTensorValuesTypeAndShape(unfilled)") { values_shape_of(sparse(FLOAT, DIMS(3, 3))); }
CALL("GetSparseTensorValuesTypeAndShape(dense)") { values_shape_of(FLOATS(1)); }

static void indices_of(const OrtValue* value, int format) {
  const void* indices = UNTOUCHED;
  size_t count = 99;
  say_status(
      api->GetSparseTensorIndices(value, (enum OrtSparseIndicesFormat)format, &count, &indices));
  say_out(indices, UNTOUCHED);
  if (indices != UNTOUCHED) {
    say("n=%zu", count);
  }
}
static void indices_shape_of(const OrtValue* value, int format) {
  OrtTensorTypeAndShapeInfo* info = UNTOUCHED;
  say_status(
      api->GetSparseTensorIndicesTypeShape(value, (enum OrtSparseIndicesFormat)format, &info));
  say_out(info, UNTOUCHED);
}
CALL("GetSparseTensorIndices(coo, COO)") { indices_of(coo(), 0); }
CALL("GetSparseTensorIndices(coo, CSR_INNER)") { indices_of(coo(), 1); }
CALL("GetSparseTensorIndices(coo, CSR_OUTER)") { indices_of(coo(), 2); }
CALL("GetSparseTensorIndices(coo, BLOCK_SPARSE)") { indices_of(coo(), 3); }
CALL("GetSparseTensorIndices(coo, 99)") { indices_of(coo(), 99); }
CALL("GetSparseTensorIndices(unfilled, COO)") { indices_of(sparse(FLOAT, DIMS(3, 3)), 0); }
CALL("GetSparseTensorIndices(dense, COO)") { indices_of(FLOATS(1), 0); }
CALL("GetSparseTensorIndices(dense, 99)") { indices_of(FLOATS(1), 99); }
CALL("GetSparseTensorIndicesTypeShape(coo, COO)") { indices_shape_of(coo(), 0); }
CALL("GetSparseTensorIndicesTypeShape(coo, CSR_INNER)") { indices_shape_of(coo(), 1); }
CALL("GetSparseTensorIndicesTypeShape(coo, 99)") { indices_shape_of(coo(), 99); }
CALL("GetSparseTensorIndicesTypeShape(unfilled, COO)") {
  indices_shape_of(sparse(FLOAT, DIMS(3, 3)), 0);
}

/* What the functions for dense tensors tell of sparse ones. */
static void say_string_length(const OrtValue* value) {
  size_t length = 99;
  if (say_status(api->GetStringTensorDataLength(value, &length))) {
    say("%zu", length);
  }
}
CALL("GetStringTensorDataLength(filled string sparse)") { say_string_length(filled_strings()); }
CALL("GetStringTensorDataLength(unfilled string sparse)") {
  say_string_length(sparse(STRING, DIMS(3)));
}
CALL("GetStringTensorDataLength(sparse of floats)") { say_string_length(coo()); }
CALL("GetStringTensorElement(filled string sparse)") {
  char text[4] = "";
  say_status(api->GetStringTensorElement(filled_strings(), 3, 0, text));
  say("%s", text);
}
CALL("GetStringTensorElementLength(filled string sparse)") {
  size_t length = 99;
  say_status(api->GetStringTensorElementLength(filled_strings(), 0, &length));
  say("%zu", length);
}
ANSWER("FillStringTensorElement(filled string sparse)",
       api->FillStringTensorElement(filled_strings(), "two", 0))
CALL("GetTensorMutableData(filled sparse)") {
  void* data = UNTOUCHED;
  say_status(api->GetTensorMutableData(coo(), &data));
  say_out(data, UNTOUCHED);
}
CALL("GetTensorMemoryInfo(filled sparse)") {
  const OrtMemoryInfo* info = UNTOUCHED;
  say_status(api->GetTensorMemoryInfo(coo(), &info));
  say_out(info, UNTOUCHED);
}

#undef PLACES
