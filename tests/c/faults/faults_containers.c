/* SPDX-License-Identifier: MIT */
/* Trials of sequences, maps, sparse tensors and opaque values. */
#include "faults.h"
#include "ortcore.h"

#define FLOAT ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT
#define INT64 ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64
#define STRING ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING
#define LONG "a text that is longer than what fits into an element itself"

static const int64_t three[] = {3};
static OrtValue* parts[2];
static OrtValue* value;
static OrtEnv* env;
static float numbers[3];

static OrtValue* strings(const char* first, const char* second, const char* third) {
  const char* const texts[] = {first, second, third};
  OrtValue* made = NULL;
  CHECK(api->CreateTensorAsOrtValue(allocator, three, 1, STRING, &made) == NULL);
  CHECK(api->FillStringTensor(made, texts, 3) == NULL);
  return made;
}
static OrtValue* floats(void) {
  OrtValue* made = NULL;
  void* data = NULL;
  CHECK(api->CreateTensorAsOrtValue(allocator, three, 1, FLOAT, &made) == NULL);
  CHECK(api->GetTensorMutableData(made, &data) == NULL);
  memset(data, 0, sizeof numbers);
  return made;
}
static void release_value(void* out) { api->ReleaseValue(out); }
static OrtStatus* create(enum ONNXType kind, void** out) {
  return api->CreateValue((const OrtValue* const*)parts, 2, kind, (OrtValue**)out);
}
static OrtStatus* create_sequence(void** out) { return create(ONNX_TYPE_SEQUENCE, out); }
static OrtStatus* create_empty(void** out) {
  OrtcoreEmptySequence make =
      (OrtcoreEmptySequence)api->GetExperimentalFunction(ORTCORE_EMPTY_SEQUENCE);
  return make(FLOAT, (OrtValue**)out);
}
static OrtStatus* create_map(void** out) { return create(ONNX_TYPE_MAP, out); }

static void with_texts(void) {
  parts[0] = strings("z", LONG, "a");
  parts[1] = strings("", "b", LONG);
}
static void with_numbers(void) {
  parts[0] = floats();
  parts[1] = floats();
}
static void with_pair(void) {
  parts[0] = strings("z", LONG, "z");
  parts[1] = floats();
}
static void with_map(void) {
  with_pair();
  CHECK(create_map((void**)&value) == NULL);
}
static void with_maps(void) {
  with_map();
  api->ReleaseValue(parts[0]);
  api->ReleaseValue(parts[1]);
  parts[0] = value;
  with_pair();
  OrtValue* other = NULL;
  CHECK(create_map((void**)&other) == NULL);
  api->ReleaseValue(parts[0]);
  api->ReleaseValue(parts[1]);
  parts[0] = value;
  parts[1] = other;
  value = NULL;
}
static void with_sequence(void) {
  with_texts();
  CHECK(create_sequence((void**)&value) == NULL);
}
static void with_sequence_of_maps(void) {
  with_maps();
  CHECK(create_sequence((void**)&value) == NULL);
}
static OrtStatus* get_second(void** out) {
  return api->GetValue(value, 1, allocator, (OrtValue**)out);
}
static OrtStatus* get_first(void** out) {
  size_t count;
  CORE_TRY(api->GetValueCount(value, &count));
  return api->GetValue(value, 0, allocator, (OrtValue**)out);
}
static OrtStatus* get_last(void** out) {
  return api->GetValue(value, 2, allocator, (OrtValue**)out);
}
static OrtStatus* get_type(void** out) { return api->GetTypeInfo(value, (OrtTypeInfo**)out); }
static void release_type(void* out) { api->ReleaseTypeInfo(out); }

static void with_copies(void) {
  with_texts();
  CHECK(api->CreateEnv(ORT_LOGGING_LEVEL_WARNING, "id", &env) == NULL);
}
static OrtStatus* copy(void** out) {
  (void)out;
  return api->CopyTensors(env, (const OrtValue* const*)&parts[0], &parts[1], NULL, 1);
}

static OrtStatus* create_opaque(void** out) {
  return api->CreateOpaqueValue("domain", "type", numbers, sizeof numbers, (OrtValue**)out);
}
static OrtStatus* get_opaque(void** out) {
  return api->GetOpaqueValue("domain", "type", value, out, sizeof *out);
}

static const struct trial trials[] = {
    TRIAL("CreateValue of numbers", with_numbers, create_sequence, release_value),
    TRIAL("CreateValue of texts", with_texts, create_sequence, release_value),
    {"CreateValue of texts and numbers", with_pair, create_sequence, NULL, ORT_FAIL},
    TRIAL("a sequence without elements", NULL, create_empty, release_value),
    TRIAL("CreateValue of keys and values", with_pair, create_map, release_value),
    TRIAL("CreateValue of maps", with_maps, create_sequence, release_value),
    TRIAL("GetValueCount GetValue of a map", with_map, get_first, release_value),
    TRIAL("GetValue of a sequence", with_sequence, get_second, release_value),
    TRIAL("GetValue of maps", with_sequence_of_maps, get_second, release_value),
    {"GetValue of none", with_sequence, get_last, NULL, ORT_FAIL},
    TRIAL("GetTypeInfo of a map", with_map, get_type, release_type),
    TRIAL("GetTypeInfo of maps", with_sequence_of_maps, get_type, release_type),
    TRIAL("CopyTensors", with_copies, copy, NULL),
    {"CreateOpaqueValue", NULL, create_opaque, NULL, ORT_FAIL},
    {"GetOpaqueValue", with_map, get_opaque, NULL, ORT_FAIL},
    {NULL},
};

static void clean(void) {
  api->ReleaseValue(value);
  api->ReleaseValue(parts[0]);
  api->ReleaseValue(parts[1]);
  api->ReleaseEnv(env);
}

const struct section containers = {trials, clean};
