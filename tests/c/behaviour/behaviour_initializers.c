/* SPDX-License-Identifier: MIT */
/* What session options hold in the place of a model's initializers. */
#include "behaviour.h"

static float initializers_numbers[4];
static const int64_t initializers_shape[] = {4};

/* What the calls are about: options, and values of each sort. */
struct scene {
  OrtSessionOptions* options;
  OrtMemoryInfo* info;
  OrtAllocator* allocator;
  OrtValue *user, *other, *allocated, *sequence;
};

static struct scene* initializers_begin(void) {
  static struct scene s;
  s = (struct scene){0};
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
  CHECK(api->CreateSessionOptions(&s.options) == NULL);
  CHECK(api->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &s.info) == NULL);
  CHECK(api->GetAllocatorWithDefaultOptions(&s.allocator) == NULL);
  CHECK(api->CreateTensorWithDataAsOrtValue(s.info, initializers_numbers,
                                            sizeof initializers_numbers, initializers_shape, 1,
                                            type, &s.user) == NULL);
  CHECK(api->CreateTensorWithDataAsOrtValue(s.info, initializers_numbers,
                                            sizeof initializers_numbers, initializers_shape, 1,
                                            type, &s.other) == NULL);
  CHECK(api->CreateTensorAsOrtValue(s.allocator, initializers_shape, 1, type, &s.allocated) ==
        NULL);
  return &s;
}

static void initializers_end(struct scene* s) {
  api->ReleaseSessionOptions(s->options);
  api->ReleaseValue(s->sequence);
  api->ReleaseValue(s->allocated);
  api->ReleaseValue(s->other);
  api->ReleaseValue(s->user);
  api->ReleaseMemoryInfo(s->info);
}

static void make_sequence(struct scene* s) {
  const OrtValue* const in[] = {s->allocated};
  CHECK(api->CreateValue(in, 1, ONNX_TYPE_SEQUENCE, &s->sequence) == NULL);
}

/* Calls in a scene, `s`; SAY says the status of one. */
#define SCENE_CALL(text) CALL_WITH(text, struct scene*, s, initializers_begin, initializers_end)
#define SAY(text, expression) \
  SCENE_CALL(text) { say_status(api->expression); }

SAY("AddInitializer(o,\"w\",user-buffer tensor)", AddInitializer(s->options, "w", s->user))
SAY("AddInitializer(o,\"\",v)", AddInitializer(s->options, "", s->user))
SAY("AddInitializer(o,\"w\",allocated tensor)", AddInitializer(s->options, "w", s->allocated))
SCENE_CALL("AddInitializer(o,\"w\",sequence)") {
  make_sequence(s);
  say_status(api->AddInitializer(s->options, "w", s->sequence));
}
SCENE_CALL("AddInitializer duplicate name") {
  say_status(api->AddInitializer(s->options, "w", s->user));
  say_status(api->AddInitializer(s->options, "w", s->other));
}
SCENE_CALL("AddInitializer(o,\"w\",tensor with a deleter)") {
  void* memory = s->allocator->Alloc(s->allocator, sizeof initializers_numbers);
  OrtValue* value =
      NEW(OrtValue, api->CreateTensorWithDataAndDeleterAsOrtValue(
                        s->allocator, memory, sizeof initializers_numbers, initializers_shape, 1,
                        ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &new_));
  say_status(api->AddInitializer(s->options, "w", value));
  api->ReleaseValue(value);
}
SCENE_CALL("AddInitializer(o,\"w\",tensor without data)") {
  OrtValue* value =
      NEW(OrtValue, api->CreateTensorWithDataAsOrtValue(
                        s->info, NULL, sizeof initializers_numbers, initializers_shape, 1,
                        ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &new_));
  say_status(api->AddInitializer(s->options, "w", value));
  api->ReleaseValue(value);
}

static const char* const names[] = {"a", "b"};
static const char* const same_names[] = {"a", "a"};
static const char* const one_name[] = {"a", NULL};

/* Adds two values under names. */
static void add(struct scene* s, const char* const* under, OrtValue* first, OrtValue* second,
                size_t count) {
  const OrtValue* const values[] = {first, second};
  say_status(api->AddExternalInitializers(s->options, under, values, count));
}

#define ADD(text, under, first, second) \
  SCENE_CALL(text) { add(s, under, s->first, s->second, 2); }

ADD("AddExternalInitializers(o,names,values,2)", names, user, other)
ADD("AddExternalInitializers(one name twice)", same_names, user, other)
ADD("AddExternalInitializers(a name NULL)", one_name, user, other)
ADD("AddExternalInitializers(a value NULL)", names, user, sequence)
ADD("AddExternalInitializers(allocated tensor)", names, user, allocated)
SAY("AddExternalInitializers(n=0)", AddExternalInitializers(s->options, NULL, NULL, 0))
SCENE_CALL("AddExternalInitializers(name \"\")") {
  static const char* const empty[] = {""};
  add(s, empty, s->user, NULL, 1);
}
SCENE_CALL("AddExternalInitializers(sequence)") {
  make_sequence(s);
  add(s, names, s->sequence, NULL, 1);
}
SCENE_CALL("AddExternalInitializers(dup)") {
  add(s, names, s->user, NULL, 1);
  add(s, names, s->other, NULL, 1);
}
SCENE_CALL("AddExternalInitializers under the name of an initializer") {
  say_status(api->AddInitializer(s->options, "a", s->user));
  add(s, names, s->other, NULL, 1);
}
SCENE_CALL("AddExternalInitializers again after a failure") {
  add(s, names, s->user, s->allocated, 2);
  add(s, names, s->user, s->other, 2);
}
SCENE_CALL("AddExternalInitializers to a copy of options that have the name") {
  add(s, names, s->user, NULL, 1);
  OrtSessionOptions* original = s->options;
  say_status(api->CloneSessionOptions(original, &s->options));
  api->ReleaseSessionOptions(original);
  add(s, names, s->user, NULL, 1);
}
SCENE_CALL("AddExternalInitializers(names NULL)") { add(s, NULL, s->user, NULL, 1); }
SAY("AddExternalInitializers(values NULL)", AddExternalInitializers(s->options, names, NULL, 1))

static const ORTCHAR_T* const files[] = {ORT_TSTR("a"), ORT_TSTR("b")};
static const ORTCHAR_T* const same_files[] = {ORT_TSTR("a"), ORT_TSTR("a")};
static const ORTCHAR_T* const one_file[] = {ORT_TSTR("a"), NULL};
static char* const buffers[] = {(char*)initializers_numbers, (char*)initializers_numbers};
static char* const one_buffer[] = {(char*)initializers_numbers, NULL};
static const size_t lengths[] = {4, 0};

#define FILES(text, files, buffers, lengths, count) \
  SAY(text, AddExternalInitializersFromFilesInMemory(s->options, files, buffers, lengths, count))

FILES("AddExternalInitializersFromFilesInMemory(two files)", files, buffers, lengths, 2)
FILES("AddExternalInitializersFromFilesInMemory(one name twice)", same_files, buffers, lengths, 2)
FILES("AddExternalInitializersFromFilesInMemory(a name NULL)", one_file, buffers, lengths, 2)
FILES("AddExternalInitializersFromFilesInMemory(a buffer NULL)", files, one_buffer, lengths, 2)
FILES("AddExternalInitializersFromFilesInMemory(n=0)", NULL, NULL, NULL, 0)
FILES("AddExternalInitializersFromFilesInMemory(names NULL)", NULL, buffers, lengths, 2)
FILES("AddExternalInitializersFromFilesInMemory(buffers NULL)", files, NULL, lengths, 2)
FILES("AddExternalInitializersFromFilesInMemory(lengths NULL)", files, buffers, NULL, 2)
SCENE_CALL("AddExternalInitializersFromFilesInMemory(dup)") {
  for (int i = 0; i < 2; i++) {
    say_status(
        api->AddExternalInitializersFromFilesInMemory(s->options, files, buffers, lengths, 2));
  }
}
SCENE_CALL("AddExternalInitializersFromFilesInMemory again after a failure") {
  say_status(
      api->AddExternalInitializersFromFilesInMemory(s->options, same_files, buffers, lengths, 2));
  say_status(api->AddExternalInitializersFromFilesInMemory(s->options, files, buffers, lengths, 2));
}

#undef ADD
#undef SAY
