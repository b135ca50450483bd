/* SPDX-License-Identifier: MIT */
/* What the calls on sparse tensors share. */
#ifndef ORTCFFI_TESTS_BEHAVIOUR_SPARSE_H_
#define ORTCFFI_TESTS_BEHAVIOUR_SPARSE_H_

#include "behaviour_values.h"

static inline OrtValue* sparse(ONNXTensorElementDataType type, const int64_t* shape, size_t rank) {
  return NEW(OrtValue, api->CreateSparseTensorAsOrtValue(allocator(), shape, rank, type, &new_));
}

/** A filled {3,3} tensor of two floats. */
static inline OrtValue* coo(void) {
  OrtValue* value = sparse(FLOAT, DIMS(3, 3));
  const float values[] = {10, 20};
  CHECK(api->FillSparseTensorCoo(value, cpu_info(), DIMS(2), values, LIST(int64_t, 1, 5)) == NULL);
  return value;
}

/** A {3,3} tensor over a caller's two floats, without indices yet. */
static inline OrtValue* borrowing(void) {
  static float values[] = {10, 20};
  return NEW(OrtValue, api->CreateSparseTensorWithValuesAsOrtValue(cpu_info(), values, DIMS(3, 3),
                                                                   DIMS(2), FLOAT, &new_));
}

static inline OrtMemoryInfo* gpu_info(void) {
  return NEW(OrtMemoryInfo,
             api->CreateMemoryInfo("Cuda", OrtDeviceAllocator, 0, OrtMemTypeDefault, &new_));
}

/** Says the status of a call that gives a tensor its indices, and all that the tensor tells. */
void say_filled(const OrtValue* value, OrtStatus* status);

#endif /* ORTCFFI_TESTS_BEHAVIOUR_SPARSE_H_ */
