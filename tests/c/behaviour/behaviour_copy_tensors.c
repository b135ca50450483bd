/* SPDX-License-Identifier: MIT */
/* Copies between tensors. */
#include "behaviour_values.h"

static OrtEnv* environment(void) {
  return NEW(OrtEnv, api->CreateEnv(ORT_LOGGING_LEVEL_FATAL, "behaviour", &new_));
}

static void copy(OrtValue* from, OrtValue* to) {
  const OrtValue* sources[] = {from};
  if (say_status(api->CopyTensors(environment(), sources, &to, NULL, 1))) {
    say_tensor(to);
  }
}

static OrtValue* borrowed(const char* device, float* numbers, int64_t count) {
  OrtMemoryInfo* info = NEW(OrtMemoryInfo, api->CreateMemoryInfo(device, OrtDeviceAllocator, 0,
                                                                 OrtMemTypeDefault, &new_));
  return NEW(OrtValue,
             api->CreateTensorWithDataAsOrtValue(info, numbers, (size_t)count * sizeof *numbers,
                                                 &count, 1, FLOAT, &new_));
}
static float copy_tensors_numbers[4] = {1, 2, 3, 4};
static float others[4] = {5, 6, 7, 8};

CALL("CopyTensors(floats)") { copy(FLOATS(1, 2, 3), FLOATS(4, 5, 6)); }
CALL("CopyTensors(strings)") {
  copy(STRINGS("a string that is longer than an element has room for", "", "c"),
       STRINGS("x", "another string that is longer than an element has room for", "z"));
}
CALL("CopyTensors(no elements)") { copy(TENSOR(FLOAT, 0), TENSOR(FLOAT, 0)); }
CALL("CopyTensors(int4)") {
  copy(TENSOR(ONNX_TENSOR_ELEMENT_DATA_TYPE_INT4, 7),
       TENSOR(ONNX_TENSOR_ELEMENT_DATA_TYPE_INT4, 7));
}
CALL("CopyTensors(onto itself)") {
  OrtValue* value = FLOATS(1, 2);
  copy(value, value);
}
CALL("CopyTensors(overlapping memory)") {
  copy(borrowed("Cpu", copy_tensors_numbers, 3), borrowed("Cpu", copy_tensors_numbers + 1, 3));
}
CALL("CopyTensors(shapes {2,3} to {3,2})") { copy(TENSOR(INT64, 2, 3), TENSOR(INT64, 3, 2)); }
CALL("CopyTensors(shapes {2} to {3})") { copy(FLOATS(1, 2), FLOATS(4, 5, 6)); }
CALL("CopyTensors(shapes {3} to {2})") { copy(FLOATS(1, 2, 3), FLOATS(4, 5)); }
CALL("CopyTensors(strings, shapes {2} to {3})") { copy(STRINGS("a", "b"), STRINGS("x", "y", "z")); }
CALL("CopyTensors(strings, shapes {3} to {2})") { copy(STRINGS("a", "b", "c"), STRINGS("x", "y")); }
CALL("CopyTensors(float to int32)") { copy(FLOATS(1, 2), TENSOR(INT32, 2)); }
CALL("CopyTensors(float to int64)") { copy(FLOATS(1, 2), INT64S(1, 2)); }
CALL("CopyTensors(float {2} to int64 {1})") { copy(FLOATS(1, 2), INT64S(1)); }
CALL("CopyTensors(string to float)") { copy(STRINGS("a", "b"), FLOATS(1, 2)); }
CALL("CopyTensors(float to string)") { copy(FLOATS(1, 2), STRINGS("a", "b")); }
CALL("CopyTensors(8 floats to string)") { copy(TENSOR(FLOAT, 8), STRINGS("a")); }
CALL("CopyTensors(two)") {
  OrtValue* to[] = {FLOATS(0, 0), FLOATS(0, 0)};
  const OrtValue* from[] = {FLOATS(1, 2), FLOATS(3, 4)};
  say_status(api->CopyTensors(environment(), from, to, NULL, 2));
  say_tensor(to[0]);
  say_tensor(to[1]);
}
CALL("CopyTensors(two, the second of another shape)") {
  OrtValue* to[] = {FLOATS(0, 0), FLOATS(0, 0)};
  const OrtValue* from[] = {FLOATS(1, 2), FLOATS(3)};
  say_status(api->CopyTensors(environment(), from, to, NULL, 2));
  say_tensor(to[0]);
  say_tensor(to[1]);
}
CALL("CopyTensors(two of one memory, types i64 and f32)") {
  OrtValue* to[] = {FLOATS(0, 0), INT64S(0, 0)};
  const OrtValue* from[] = {FLOATS(1, 2), INT64S(3, 4)};
  say_status(api->CopyTensors(environment(), from, to, NULL, 2));
  say_tensor(to[1]);
}
CALL("CopyTensors(from a GPU)") { copy(borrowed("Cuda", copy_tensors_numbers, 2), FLOATS(4, 5)); }
CALL("CopyTensors(to a GPU)") { copy(FLOATS(4, 5), borrowed("Cuda", copy_tensors_numbers, 2)); }
CALL("CopyTensors(between GPUs)") {
  copy(borrowed("Cuda", copy_tensors_numbers, 2), borrowed("Cuda", others, 2));
}
CALL("CopyTensors(from memory that a GPU shares)") {
  copy(borrowed("CudaPinned", copy_tensors_numbers, 2), FLOATS(4, 5));
}
CALL("CopyTensors(two from different memories)") {
  OrtValue* to[] = {FLOATS(0, 0), FLOATS(0, 0)};
  const OrtValue* from[] = {borrowed("Cpu", copy_tensors_numbers, 2),
                            borrowed("CudaPinned", others, 2)};
  say_status(api->CopyTensors(environment(), from, to, NULL, 2));
  say_tensor(to[0]);
}
CALL("CopyTensors(two to different memories)") {
  OrtValue* to[] = {borrowed("Cpu", copy_tensors_numbers, 2), borrowed("CudaPinned", others, 2)};
  const OrtValue* from[] = {FLOATS(0, 0), FLOATS(0, 0)};
  say_status(api->CopyTensors(environment(), from, to, NULL, 2));
}
CALL("CopyTensors(two from memories of other names)") {
  OrtMemoryInfo* info =
      NEW(OrtMemoryInfo,
          api->CreateMemoryInfo_V2("Mine", OrtMemoryInfoDeviceType_CPU, 0, 0,
                                   OrtDeviceMemoryType_DEFAULT, 0, OrtDeviceAllocator, &new_));
  OrtValue* second =
      NEW(OrtValue, api->CreateTensorWithDataAsOrtValue(info, others, 8, DIMS(2), FLOAT, &new_));
  OrtValue* to[] = {FLOATS(0, 0), FLOATS(0, 0)};
  const OrtValue* from[] = {borrowed("Cpu", copy_tensors_numbers, 2), second};
  say_status(api->CopyTensors(environment(), from, to, NULL, 2));
}
CALL("CopyTensors(allocated and borrowed memory)") {
  OrtValue* to[] = {FLOATS(0, 0), FLOATS(0, 0)};
  const OrtValue* from[] = {borrowed("Cpu", copy_tensors_numbers, 2), FLOATS(7, 8)};
  say_status(api->CopyTensors(environment(), from, to, NULL, 2));
}
CALL("CopyTensors(without data)") { copy(borrowed("Cpu", NULL, 2), FLOATS(4, 5)); }
CALL("CopyTensors(to one without data)") { copy(FLOATS(4, 5), borrowed("Cpu", NULL, 2)); }
CALL("CopyTensors(sequence)") { copy(SEQUENCE(FLOATS(1)), FLOATS(4)); }
CALL("CopyTensors(to a map)") { copy(FLOATS(1), MAP(INT64S(1), INT64S(1))); }
CALL("CopyTensors(NULL tensor)") { copy(NULL, FLOATS(4)); }
CALL("CopyTensors(to a NULL tensor)") { copy(FLOATS(4), NULL); }

CALL("CopyTensors(none)") {
  OrtValue* to = FLOATS(1);
  const OrtValue* from[] = {to};
  say_status(api->CopyTensors(environment(), from, &to, NULL, 0));
}
CALL("CopyTensors(a stream)") {
  OrtValue* to = FLOATS(1);
  const OrtValue* from[] = {FLOATS(2)};
  say_status(api->CopyTensors(environment(), from, &to, UNTOUCHED, 1));
  say_tensor(to);
}
