/* SPDX-License-Identifier: MIT */
/* How dense tensors are made. */
#include "behaviour_values.h"

static float floats[6] = {0, 1, 2, 3, 4, 5};

/* The real library logs when a size overflows, for which it needs an environment. */
static void with_env(void) {
  OrtEnv* env = NULL;
  OrtStatus* status = api->CreateEnv(ORT_LOGGING_LEVEL_FATAL, "calls", &env);
  api->ReleaseStatus(status);
}

static void with_data(ONNXTensorElementDataType type, void* data, size_t size, const int64_t* dims,
                      size_t rank) {
  OrtValue* value = UNTOUCHED;
  if (say_status(
          api->CreateTensorWithDataAsOrtValue(cpu_info(), data, size, dims, rank, type, &value))) {
    void* got = UNTOUCHED;
    CHECK(api->GetTensorMutableData(value, &got) == NULL);
    say(got == data ? "the caller's data" : "other data");
    api->ReleaseValue(value);
  } else {
    say_out(value, UNTOUCHED);
  }
}

#define WITH_DATA(text, ...) \
  CALL("CreateTensorWithDataAsOrtValue(" text ")") { with_data(__VA_ARGS__); }
#define TYPE(number) ((ONNXTensorElementDataType)(number))
#define UNTYPED(name) ONNX_TENSOR_ELEMENT_DATA_TYPE_##name

WITH_DATA("{2,3} float, 24 bytes", FLOAT, floats, 24, DIMS(2, 3))
WITH_DATA("p_data NULL, 24 bytes", FLOAT, NULL, 24, DIMS(2, 3))
WITH_DATA("p_data NULL, 0 bytes, {0}", FLOAT, NULL, 0, DIMS(0))
WITH_DATA("p_data NULL, 0 bytes, {2,3}", FLOAT, NULL, 0, DIMS(2, 3))
WITH_DATA("0 bytes, {0,3}", FLOAT, floats, 0, DIMS(0, 3))
WITH_DATA("0 bytes, {2,3}", FLOAT, floats, 0, DIMS(2, 3))
WITH_DATA("shape NULL, scalar", FLOAT, floats, 4, NULL, 0)
WITH_DATA("shape NULL, scalar, 3 bytes", FLOAT, floats, 3, NULL, 0)
WITH_DATA("shape NULL, shape_len 1", FLOAT, floats, 4, NULL, 1)
WITH_DATA("shape_len SIZE_MAX", FLOAT, floats, 4, (const int64_t[]){1}, SIZE_MAX)
WITH_DATA("{-1}", FLOAT, floats, 24, DIMS(-1))
WITH_DATA("{-2,-3}", FLOAT, floats, 24, DIMS(-2, -3))
WITH_DATA("{INT64_MIN}", FLOAT, floats, 24, DIMS(INT64_MIN))
CALL("CreateTensorWithDataAsOrtValue({INT64_MAX})") {
  with_env();
  with_data(FLOAT, floats, 24, DIMS(INT64_MAX));
}
CALL("CreateTensorWithDataAsOrtValue({1<<62}, bytes wrap to 0)") {
  with_env();
  with_data(FLOAT, floats, 24, DIMS((int64_t)1 << 62));
}
WITH_DATA("{1<<62,8}", FLOAT, floats, 24, DIMS((int64_t)1 << 62, 8))
WITH_DATA("{1<<62,4}, count wraps to 0", FLOAT, floats, 24, DIMS((int64_t)1 << 62, 4))
WITH_DATA("{0,INT64_MAX,INT64_MAX}", FLOAT, floats, 24, DIMS(0, INT64_MAX, INT64_MAX))
WITH_DATA("{INT64_MAX,INT64_MAX,0}", FLOAT, floats, 24, DIMS(INT64_MAX, INT64_MAX, 0))
WITH_DATA("23 bytes of 24", FLOAT, floats, 23, DIMS(2, 3))
WITH_DATA("25 bytes for 24", FLOAT, floats, 25, DIMS(2, 3))
WITH_DATA("28 bytes for 24", FLOAT, floats, 28, DIMS(2, 3))
WITH_DATA("SIZE_MAX bytes for 24", FLOAT, floats, SIZE_MAX, DIMS(2, 3))
WITH_DATA("type UNDEFINED", TYPE(0), floats, 24, DIMS(2, 3))
WITH_DATA("type 999", TYPE(999), floats, 24, DIMS(2, 3))
WITH_DATA("type -1", TYPE(-1), floats, 24, DIMS(2, 3))
WITH_DATA("type COMPLEX64", UNTYPED(COMPLEX64), floats, 24, DIMS(2, 3))
WITH_DATA("type COMPLEX128", UNTYPED(COMPLEX128), floats, 24, DIMS(2, 3))
WITH_DATA("type UNDEFINED, {-1}", TYPE(0), floats, 24, DIMS(-1))
WITH_DATA("type INT4, {7}, 4 bytes", UNTYPED(INT4), floats, 4, DIMS(7))
WITH_DATA("type INT4, {7}, 3 bytes", UNTYPED(INT4), floats, 3, DIMS(7))
WITH_DATA("type FLOAT4E2M1, {7}, 4 bytes", UNTYPED(FLOAT4E2M1), floats, 4, DIMS(7))
WITH_DATA("type UINT2, {5}, 2 bytes", UNTYPED(UINT2), floats, 2, DIMS(5))
WITH_DATA("type UINT2, {5}, 1 byte", UNTYPED(UINT2), floats, 1, DIMS(5))
WITH_DATA("type FLOAT8E8M0, {4}, 4 bytes", UNTYPED(FLOAT8E8M0), floats, 4, DIMS(4))
WITH_DATA("data between two elements", FLOAT, (char*)floats + 1, 4, DIMS(1))
CALL("CreateTensorWithDataAsOrtValue(1000 dimensions)") {
  static int64_t ones[1000];
  for (size_t i = 0; i < 1000; i++) {
    ones[i] = 1;
  }
  with_data(FLOAT, floats, 4, ones, 1000);
}
CALL("CreateTensorWithDataAsOrtValue(strings over a zeroed buffer)") {
  static char buffer[6 * 32];
  OrtValue* value = NULL;
  size_t length = 99;
  say_status(api->CreateTensorWithDataAsOrtValue(cpu_info(), buffer, sizeof buffer, DIMS(6), STRING,
                                                 &value));
  say_status(api->GetStringTensorElementLength(value, 5, &length));
  say("%zu", length);
  api->ReleaseValue(value);
}
WITH_DATA("strings, a byte too few", STRING, floats, 6 * 32 - 1, DIMS(6))
CALL("CreateTensorWithDataAsOrtValue(memory of a GPU)") {
  OrtValue* value = UNTOUCHED;
  OrtMemoryInfo* info = NEW(OrtMemoryInfo, api->CreateMemoryInfo("Cuda", OrtDeviceAllocator, 0,
                                                                 OrtMemTypeDefault, &new_));
  say_status(api->CreateTensorWithDataAsOrtValue(info, floats, 24, DIMS(6), FLOAT, &value));
  say_out(value, UNTOUCHED);
}
CALL("CreateTensorWithDataAsOrtValue(info released before use)") {
  const OrtMemoryInfo* kept = NULL;
  OrtValue* value = NULL;
  OrtMemoryInfo* info =
      NEW(OrtMemoryInfo,
          api->CreateMemoryInfo_V2("of a client", OrtMemoryInfoDeviceType_CPU, 0, 0,
                                   OrtDeviceMemoryType_DEFAULT, 0, OrtDeviceAllocator, &new_));
  say_status(api->CreateTensorWithDataAsOrtValue(info, floats, 24, DIMS(6), FLOAT, &value));
  api->ReleaseMemoryInfo(info);
  say_status(api->GetTensorMemoryInfo(value, &kept));
  const char* name = NEW(const char, api->MemoryInfoGetName(kept, &new_));
  say("%s", name);
  api->ReleaseValue(value);
}

static int frees;
static const void* to_free;
static const OrtMemoryInfo* ORT_API_CALL info_of(const OrtAllocator* self) {
  (void)self;
  static OrtMemoryInfo* info;
  info = info == NULL ? cpu_info() : info;
  return info;
}
static void ORT_API_CALL count_free(OrtAllocator* self, void* block) {
  (void)self;
  frees += block == to_free;
}
static OrtAllocator deleter = {.version = 22, .Free = count_free, .Info = info_of};

static void with_deleter(ONNXTensorElementDataType type, void* data, size_t size,
                         const int64_t* dims, size_t rank) {
  OrtValue* value = UNTOUCHED;
  frees = 0;
  to_free = data;
  if (say_status(api->CreateTensorWithDataAndDeleterAsOrtValue(&deleter, data, size, dims, rank,
                                                               type, &value))) {
    api->ReleaseValue(value);
  } else {
    say_out(value, UNTOUCHED);
  }
  say("%d freed", frees);
}

#define WITH_DELETER(text, ...) \
  CALL("CreateTensorWithDataAndDeleterAsOrtValue(" text ")") { with_deleter(__VA_ARGS__); }
WITH_DELETER("{2,3} float, 24 bytes", FLOAT, floats, 24, DIMS(2, 3))
WITH_DELETER("p_data NULL", FLOAT, NULL, 24, DIMS(2, 3))
WITH_DELETER("23 bytes of 24", FLOAT, floats, 23, DIMS(2, 3))
WITH_DELETER("no elements", FLOAT, floats, 24, DIMS(0))
WITH_DELETER("p_data NULL, no elements", FLOAT, NULL, 0, DIMS(0))
CALL("CreateTensorWithDataAndDeleterAsOrtValue(deleter without Free)") {
  deleter.Free = NULL;
  with_deleter(FLOAT, floats, 24, DIMS(2, 3));
}
CALL("CreateTensorWithDataAndDeleterAsOrtValue(deleter without Info)") {
  deleter.Info = NULL;
  with_deleter(FLOAT, floats, 24, DIMS(2, 3));
}
CALL("CreateTensorWithDataAndDeleterAsOrtValue(strings)") {
  OrtValue* value = NULL;
  size_t length = 99;
  void* block = NEW(void, api->AllocatorAlloc(allocator(), 64, &new_));
  memset(block, 0xFF, 64);
  say_status(api->CreateTensorWithDataAndDeleterAsOrtValue(allocator(), block, 64, DIMS(2), STRING,
                                                           &value));
  say_status(api->GetStringTensorDataLength(value, &length));
  say("%zu", length);
  api->ReleaseValue(value);
}

static void* ORT_API_CALL give_floats(OrtAllocator* self, size_t size) {
  (void)self;
  return size <= sizeof floats ? floats : NULL;
}
static const OrtMemoryInfo* ORT_API_CALL no_info(const OrtAllocator* self) {
  (void)self;
  return NULL;
}
static void from_client(void* (*alloc)(OrtAllocator*, size_t), void (*free)(OrtAllocator*, void*),
                        const OrtMemoryInfo* (*info)(const OrtAllocator*), int64_t count) {
  OrtAllocator client = {.version = 1, .Alloc = alloc, .Free = free, .Info = info};
  OrtValue* value = UNTOUCHED;
  frees = 0;
  to_free = count > 0 ? floats : NULL;
  if (say_status(api->CreateTensorAsOrtValue(&client, &count, 1, FLOAT, &value))) {
    api->ReleaseValue(value);
  } else {
    say_out(value, UNTOUCHED);
  }
  say("%d freed", frees);
}

#define FROM_CLIENT(text, ...) \
  CALL("CreateTensorAsOrtValue(client's allocator" text ")") { from_client(__VA_ARGS__); }
FROM_CLIENT("", give_floats, count_free, info_of, 3)
FROM_CLIENT(", no elements", give_floats, count_free, info_of, 0)
FROM_CLIENT(", which has too little", give_floats, count_free, info_of, 7)
FROM_CLIENT(" without Alloc", NULL, count_free, info_of, 3)
FROM_CLIENT(" without Free", give_floats, NULL, info_of, 3)
FROM_CLIENT(" without Info", give_floats, count_free, NULL, 3)
FROM_CLIENT(" whose Info answers NULL", give_floats, count_free, no_info, 3)

static void allocated(ONNXTensorElementDataType type, const int64_t* dims, size_t rank) {
  OrtValue* value = UNTOUCHED;
  if (say_status(api->CreateTensorAsOrtValue(allocator(), dims, rank, type, &value))) {
    void* data = UNTOUCHED;
    CHECK(api->GetTensorMutableData(value, &data) == NULL);
    say_pointer(data);
    api->ReleaseValue(value);
  } else {
    say_out(value, UNTOUCHED);
  }
}

#define ALLOCATED(text, ...) \
  CALL("CreateTensorAsOrtValue(" text ")") { allocated(__VA_ARGS__); }
ALLOCATED("{2,3} float", FLOAT, DIMS(2, 3))
ALLOCATED("shape NULL, scalar", FLOAT, NULL, 0)
ALLOCATED("shape NULL, shape_len 1", FLOAT, NULL, 1)
ALLOCATED("{-1}", FLOAT, DIMS(-1))
ALLOCATED("{0}", FLOAT, DIMS(0))
ALLOCATED("{1<<62,8}", FLOAT, DIMS((int64_t)1 << 62, 8))
ALLOCATED("{INT64_MAX} bytes", UNTYPED(UINT8), DIMS(INT64_MAX))
ALLOCATED("{1<<48} float", FLOAT, DIMS((int64_t)1 << 48))
ALLOCATED("{1<<48} strings", STRING, DIMS((int64_t)1 << 48))
ALLOCATED("type UNDEFINED", TYPE(0), DIMS(2, 3))
ALLOCATED("type 999", TYPE(999), DIMS(2, 3))
ALLOCATED("type COMPLEX64", UNTYPED(COMPLEX64), DIMS(2, 3))
CALL("CreateTensorAsOrtValue({1<<62} float)") {
  with_env();
  allocated(FLOAT, DIMS((int64_t)1 << 62));
}
CALL("CreateTensorAsOrtValue(strings)") { say_tensor(TENSOR(STRING, 2)); }
