/* SPDX-License-Identifier: MIT */
/* Sessions: how they are made, what they tell of themselves, and their runs. */
#include "behaviour_session.h"

#include <stdio.h>

struct model_bytes* session_bytes(void) {
  static struct model_bytes bytes;
  bytes = bytes.size == 0 ? session_model() : bytes;
  return &bytes;
}

OrtEnv* session_env(void) {
  static OrtEnv* env;
  CHECK(env != NULL || api->CreateEnv(ORT_LOGGING_LEVEL_FATAL, "session", &env) == NULL);
  return env;
}

OrtSessionOptions* session_options(void) {
  OrtSessionOptions* options = NEW(OrtSessionOptions, api->CreateSessionOptions(&new_));
  add_twice(api, options);
  return options;
}

OrtSession* some_session(void) {
  return NEW(OrtSession,
             api->CreateSessionFromArray(session_env(), MODEL, session_options(), &new_));
}

/* --- how they are made ------------------------------------------------------------------------ */

static void session_create(const OrtEnv* env, const void* bytes, size_t size,
                           const OrtSessionOptions* options) {
  OrtSession* session = NULL;
  say_status(api->CreateSessionFromArray(env, bytes, size, options, &session));
  api->ReleaseSession(session);
}
CALL("CreateSessionFromArray(good)") { session_create(session_env(), MODEL, session_options()); }
CALL("CreateSessionFromArray(cut)") {
  session_create(session_env(), session_bytes()->at, 20, session_options());
}
CALL("CreateSessionFromArray(no ops)") { session_create(session_env(), MODEL, NULL); }

static void create_with_entry(const char* key, const char* value) {
  OrtSessionOptions* options = session_options();
  CHECK(api->AddSessionConfigEntry(options, key, value) == NULL);
  session_create(session_env(), MODEL, options);
}
CALL("CreateSessionFromArray(affinities that are empty)") {
  create_with_entry("session.intra_op_thread_affinities", "");
}
#define FORMAT "session.load_model_format"
CALL("CreateSessionFromArray(load_model_format=ONNX)") { create_with_entry(FORMAT, "ONNX"); }
CALL("CreateSessionFromArray(load_model_format=ORT)") { create_with_entry(FORMAT, "ORT"); }
CALL("CreateSessionFromArray(load_model_format=x)") { create_with_entry(FORMAT, "x"); }
/* Options that change the model. */
static OrtValue* numbers_of(size_t count) {
  static float numbers[4];
  const int64_t length = (int64_t)count;
  OrtMemoryInfo* place =
      NEW(OrtMemoryInfo, api->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &new_));
  return NEW(OrtValue,
             api->CreateTensorWithDataAsOrtValue(place, numbers, count * sizeof *numbers, &length,
                                                 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &new_));
}
static void session_create_with(const char* name, size_t count) {
  OrtSessionOptions* options = session_options();
  CHECK(api->AddInitializer(options, name, numbers_of(count)) == NULL);
  session_create(session_env(), MODEL, options);
}
CALL("CreateSessionFromArray(w replaced)") { session_create_with("w", 2); }
CALL("CreateSessionFromArray(w replaced with 3 numbers)") { session_create_with("w", 3); }
CALL("CreateSessionFromArray(z replaced)") { session_create_with("z", 2); }
CALL("CreateSessionFromArray(w, not external, replaced as external)") {
  const char* name = "w";
  const OrtValue* value = numbers_of(2);
  OrtSessionOptions* options = session_options();
  CHECK(api->AddExternalInitializers(options, &name, &value, 1) == NULL);
  session_create(session_env(), MODEL, options);
}
CALL("CreateSessionFromArray(optimized model path)") {
  OrtSessionOptions* options = session_options();
  CHECK(api->SetOptimizedModelFilePath(options, ORT_TSTR("no/such/folder/model.onnx")) == NULL);
  session_create(session_env(), MODEL, options);
}

static void open_file(const ORTCHAR_T* path) {
  OrtSession* session = NULL;
  say_status(api->CreateSession(session_env(), path, session_options(), &session));
}
CALL("CreateSession(no such file)") { open_file(ORT_TSTR("no/such/file.onnx")); }

static OrtPrepackedWeightsContainer* some_weights(void) {
  return NEW(OrtPrepackedWeightsContainer, api->CreatePrepackedWeightsContainer(&new_));
}
CALL("CreateSessionWithPrepackedWeightsContainer(no such file)") {
  OrtSession* session = NULL;
  say_status(api->CreateSessionWithPrepackedWeightsContainer(
      session_env(), ORT_TSTR("no/such/file.onnx"), session_options(), some_weights(), &session));
}
CALL("CreateSessionFromArrayWithPrepackedWeightsContainer(good)") {
  OrtSession* session = NULL;
  say_status(api->CreateSessionFromArrayWithPrepackedWeightsContainer(
      session_env(), MODEL, session_options(), some_weights(), &session));
}

/* --- ports ------------------------------------------------------------------------------------ */

typedef OrtStatus*(ORT_API_CALL* count_slot)(const OrtSession*, size_t*);
typedef OrtStatus*(ORT_API_CALL* name_slot)(const OrtSession*, size_t, OrtAllocator*, char**);
typedef OrtStatus*(ORT_API_CALL* type_slot)(const OrtSession*, size_t, OrtTypeInfo**);

static void say_count(count_slot slot, const OrtSession* session) {
  size_t count = 99;
  if (say_status(slot(session, &count))) {
    say("%d", (int)count);
  }
}
static void say_name(name_slot slot, const OrtSession* session, size_t index) {
  char* name = UNTOUCHED;
  if (say_status(slot(session, index, allocator(), &name))) {
    say("%s", name);
  }
}
static void say_type(type_slot slot, const OrtSession* session, size_t index) {
  OrtTypeInfo* type = UNTOUCHED;
  enum ONNXType kind;
  if (say_status(slot(session, index, &type))) {
    CHECK(api->GetOnnxTypeFromTypeInfo(type, &kind) == NULL);
    say("%d", (int)kind);
  }
}

CALL("SessionGetInputCount(s)") { say_count(api->SessionGetInputCount, some_session()); }
CALL("SessionGetOutputCount(s)") { say_count(api->SessionGetOutputCount, some_session()); }
CALL("SessionGetOverridableInitializerCount(s)") {
  say_count(api->SessionGetOverridableInitializerCount, some_session());
}
CALL("SessionGetInputName(s,0)") { say_name(api->SessionGetInputName, some_session(), 0); }
CALL("SessionGetInputName(s,1)") { say_name(api->SessionGetInputName, some_session(), 1); }
CALL("SessionGetOutputName(s,1)") { say_name(api->SessionGetOutputName, some_session(), 1); }
CALL("SessionGetOutputName(s,2)") { say_name(api->SessionGetOutputName, some_session(), 2); }
CALL("SessionGetOverridableInitializerName(s,0)") {
  say_name(api->SessionGetOverridableInitializerName, some_session(), 0);
}
CALL("SessionGetOverridableInitializerName(s,1)") {
  say_name(api->SessionGetOverridableInitializerName, some_session(), 1);
}
CALL("SessionGetInputTypeInfo(s,0)") { say_type(api->SessionGetInputTypeInfo, some_session(), 0); }
CALL("SessionGetInputTypeInfo(s,9)") { say_type(api->SessionGetInputTypeInfo, some_session(), 9); }
CALL("SessionGetOutputTypeInfo(s,1)") {
  say_type(api->SessionGetOutputTypeInfo, some_session(), 1);
}
CALL("SessionGetOutputTypeInfo(s,9)") {
  say_type(api->SessionGetOutputTypeInfo, some_session(), 9);
}
CALL("SessionGetOverridableInitializerTypeInfo(s,0)") {
  say_type(api->SessionGetOverridableInitializerTypeInfo, some_session(), 0);
}
CALL("SessionGetOverridableInitializerTypeInfo(s,9)") {
  say_type(api->SessionGetOverridableInitializerTypeInfo, some_session(), 9);
}

/* --- what else they tell ---------------------------------------------------------------------- */

static void say_graph_name(const OrtSession* session) {
  OrtModelMetadata* metadata = NULL;
  char* name = NULL;
  if (say_status(api->SessionGetModelMetadata(session, &metadata))) {
    CHECK(api->ModelMetadataGetGraphName(metadata, allocator(), &name) == NULL);
    say("%s", name);
  }
}
CALL("SessionGetModelMetadata(s)") { say_graph_name(some_session()); }
CALL("SessionEndProfiling(s)") {
  char* path = NULL;
  if (say_status(api->SessionEndProfiling(some_session(), allocator(), &path))) {
    say("'%s'", path);
  }
}
/* A session that writes a profile. */
static OrtSession* profiled(const ORTCHAR_T* prefix) {
  OrtSession* session = NULL;
  OrtSessionOptions* options = session_options();
  CHECK(api->EnableProfiling(options, prefix) == NULL);
  say_status(api->CreateSessionFromArray(session_env(), MODEL, options, &session));
  return session;
}
CALL("SessionEndProfiling(s that writes a profile)") {
  char* path = NULL;
  OrtSession* session = profiled(ORT_TSTR("behaviour_profile"));
  if (say_status(api->SessionEndProfiling(session, allocator(), &path))) {
    say("%.18s...%s", path, strrchr(path, '.'));
    remove(path);
  }
  if (say_status(api->SessionEndProfiling(session, allocator(), &path))) {
    say("'%s'", path);
  }
}
CALL("SessionGetProfilingStartTimeNs(s that writes a profile)") {
  uint64_t time = 0;
  OrtSession* session = profiled(ORT_TSTR("behaviour_profile"));
  if (say_status(api->SessionGetProfilingStartTimeNs(session, &time))) {
    say("%s", time > UINT64_C(1600000000000000000) ? "since 1970" : "of another clock");
  }
  char* path = NEW(char, api->SessionEndProfiling(session, allocator(), &new_));
  remove(path);
}
CALL("CreateSessionFromArray(profile in a folder that is not there)") {
  profiled(ORT_TSTR("not/there/profile"));
}
CALL("SessionGetProfilingStartTimeNs(s)") {
  uint64_t time = 99;
  if (say_status(api->SessionGetProfilingStartTimeNs(some_session(), &time))) {
    say("%d", (int)time);
  }
}

#define PLACES(slot, type)                                \
  CALL(#slot "(s,3)") {                                   \
    const type* places[3] = {UNTOUCHED, UNTOUCHED, NULL}; \
    say_status(api->slot(some_session(), places, 3));     \
    say_pointer(places[2]);                               \
  }                                                       \
  CALL(#slot "(s,0)") {                                   \
    const type* places[3] = {NULL, NULL, NULL};           \
    say_status(api->slot(some_session(), places, 0));     \
  }
PLACES(SessionGetMemoryInfoForInputs, OrtMemoryInfo)
PLACES(SessionGetMemoryInfoForOutputs, OrtMemoryInfo)
PLACES(SessionGetEpDeviceForInputs, OrtEpDevice)
PLACES(SessionGetEpDeviceForOutputs, OrtEpDevice)

/* An allocator of the client, whose only block the session's allocator gives. */
static char only_block[64];
static void* ORT_API_CALL give_only(OrtAllocator* self, size_t size) {
  return (void)self, (void)size, only_block;
}
static void ORT_API_CALL take_only(OrtAllocator* self, void* block) { (void)self, (void)block; }
static const OrtMemoryInfo* ORT_API_CALL info_of_only(const OrtAllocator* self) {
  static const OrtMemoryInfo* info;
  (void)self;
  info = info == NULL ? cpu_info() : info;
  return info;
}
CALL("CreateAllocator(s of the environment's allocators,cpu)") {
  static OrtAllocator client = {
      .version = 17, .Alloc = give_only, .Free = take_only, .Info = info_of_only};
  OrtSessionOptions* options = session_options();
  OrtSession* session = NULL;
  OrtAllocator* made = NULL;
  CHECK(api->AddSessionConfigEntry(options, "session.use_env_allocators", "1") == NULL);
  CHECK(api->RegisterAllocator(session_env(), &client) == NULL);
  CHECK(api->CreateSessionFromArray(session_env(), MODEL, options, &session) == NULL);
  say_status(api->CreateAllocator(session, cpu_info(), &made));
  say("%s", made->Alloc(made, 8) == only_block ? "the client's" : "another");
}
CALL("CreateAllocator(s,cpu)") {
  OrtAllocator* made = NULL;
  say_status(api->CreateAllocator(some_session(), cpu_info(), &made));
  say_pointer(made);
}

static OrtModel* empty_model(void) {
  return NEW(OrtModel,
             editor()->CreateModel((const char* const[]){""}, (const int[]){21}, 1, &new_));
}
CALL("CreateSessionFromModel(model without a graph)") {
  OrtSession* session = NULL;
  say_status(editor()->CreateSessionFromModel(session_env(), empty_model(), NULL, &session));
}
/* A model whose input is its output, of floats of the dimensions 3, -1 and -1. */
static OrtModel* model_with_names(const char** names) {
  OrtValueInfo *input = NULL, *output = NULL;
  OrtModel* model = empty_model();
  OrtTensorTypeAndShapeInfo* tensor =
      NEW(OrtTensorTypeAndShapeInfo, api->CreateTensorTypeAndShapeInfo(&new_));
  CHECK(api->SetTensorElementType(tensor, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT) == NULL);
  CHECK(api->SetDimensions(tensor, (const int64_t[]){3, -1, -1}, 3) == NULL);
  CHECK(api->SetSymbolicDimensions(tensor, names, 3) == NULL);
  OrtTypeInfo* type = NEW(OrtTypeInfo, editor()->CreateTensorTypeInfo(tensor, &new_));
  CHECK(editor()->CreateValueInfo("x", type, &input) == NULL);
  CHECK(editor()->CreateValueInfo("x", type, &output) == NULL);
  OrtGraph* graph = NEW(OrtGraph, editor()->CreateGraph(&new_));
  CHECK(editor()->SetGraphInputs(graph, &input, 1) == NULL);
  CHECK(editor()->SetGraphOutputs(graph, &output, 1) == NULL);
  CHECK(editor()->AddGraphToModel(model, graph) == NULL);
  return model;
}
static void say_dimensions(const char** names) {
  int64_t dims[3];
  OrtSession* session = NEW(OrtSession, editor()->CreateSessionFromModel(
                                            session_env(), model_with_names(names), NULL, &new_));
  OrtTypeInfo* type = NEW(OrtTypeInfo, api->SessionGetInputTypeInfo(session, 0, &new_));
  const OrtTensorTypeAndShapeInfo* tensor =
      NEW(const OrtTensorTypeAndShapeInfo, api->CastTypeInfoToTensorInfo(type, &new_));
  CHECK(api->GetDimensions(tensor, dims, 3) == NULL);
  CHECK(api->GetSymbolicDimensions(tensor, names, 3) == NULL);
  for (size_t i = 0; i < 3; i++) {
    say("%d '%s'", (int)dims[i], names[i]);
  }
}
CALL("CreateSessionFromModel(dimensions 3, N, N)") {
  say_dimensions((const char*[]){"", "N", "N"});
}
CALL("CreateSessionFromModel(dimensions 3, N, M)") {
  say_dimensions((const char*[]){"", "N", "M"});
}
CALL("CreateSessionFromModel(dimension 3 with a name)") {
  say_dimensions((const char*[]){"K", "K", "K"});
}

/* A session of the model editor. */
static OrtSession* loaded(void) {
  return NEW(OrtSession, editor()->CreateModelEditorSessionFromArray(session_env(), MODEL,
                                                                     session_options(), &new_));
}
static void run(OrtSession* session, const char* name, const OrtValue* value, const char* output);

static void load(const OrtEnv* env, const void* bytes, size_t size) {
  OrtSession* session = UNTOUCHED;
  say_status(editor()->CreateModelEditorSessionFromArray(env, bytes, size, NULL, &session));
  say_pointer(session);
}
CALL("CreateModelEditorSessionFromArray(good)") { load(session_env(), MODEL); }
CALL("CreateModelEditorSessionFromArray(cut)") { load(session_env(), session_bytes()->at, 20); }
CALL("CreateModelEditorSession(no file)") {
  OrtSession* session = UNTOUCHED;
  say_status(
      editor()->CreateModelEditorSession(session_env(), ORT_TSTR("no/such/file"), NULL, &session));
  say_pointer(session);
}
CALL("Run(session that is not finalized)") { run(loaded(), "x", FLOATS(3, 4), "a"); }
/* A graph with a node Twice that reads `from` and makes `to`, its output, as a model. */
static OrtModel* twice_more(const char* from, const char* to, int version) {
  const char* domain = "twice";
  const int64_t shape = 2;
  OrtTensorTypeAndShapeInfo* tensor =
      NEW(OrtTensorTypeAndShapeInfo, api->CreateTensorTypeAndShapeInfo(&new_));
  CHECK(api->SetTensorElementType(tensor, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT) == NULL);
  CHECK(api->SetDimensions(tensor, &shape, 1) == NULL);
  OrtTypeInfo* type = NEW(OrtTypeInfo, editor()->CreateTensorTypeInfo(tensor, &new_));
  OrtValueInfo* output = NEW(OrtValueInfo, editor()->CreateValueInfo(to, type, &new_));
  OrtNode* node =
      NEW(OrtNode, editor()->CreateNode("Twice", domain, to, &from, 1, &to, 1, NULL, 0, &new_));
  OrtGraph* graph = NEW(OrtGraph, editor()->CreateGraph(&new_));
  CHECK(editor()->AddNodeToGraph(graph, node) == NULL);
  CHECK(editor()->SetGraphOutputs(graph, &output, 1) == NULL);
  OrtModel* model = NEW(OrtModel, editor()->CreateModel(&domain, &version, 1, &new_));
  CHECK(editor()->AddGraphToModel(model, graph) == NULL);
  return model;
}
CALL("ApplyModelToModelEditorSession, Run") {
  OrtSession* session = loaded();
  say_status(editor()->ApplyModelToModelEditorSession(session, twice_more("a", "c", 1)));
  say_name(api->SessionGetOutputName, session, 0);
  say_count(api->SessionGetOutputCount, session);
  say_status(editor()->FinalizeModelEditorSession(session, session_options(), NULL));
  run(session, "x", FLOATS(3, 4), "c");
}
CALL("ApplyModelToModelEditorSession(twice)") {
  OrtSession* session = loaded();
  say_status(editor()->ApplyModelToModelEditorSession(session, twice_more("a", "c", 1)));
  OrtModel* second = twice_more("c", "d", 1);
  say_status(editor()->ApplyModelToModelEditorSession(session, second));
}
ANSWER("ApplyModelToModelEditorSession(another version of the domain)",
       editor()->ApplyModelToModelEditorSession(loaded(), twice_more("a", "c", 2)))
ANSWER("ApplyModelToModelEditorSession(a value that nothing makes)",
       editor()->ApplyModelToModelEditorSession(loaded(), twice_more("z", "c", 1)))
ANSWER("ApplyModelToModelEditorSession(a node that reads itself)",
       editor()->ApplyModelToModelEditorSession(loaded(), twice_more("c", "c", 1)))
ANSWER("ApplyModelToModelEditorSession(ordinary session)",
       editor()->ApplyModelToModelEditorSession(some_session(), twice_more("a", "c", 1)))
CALL("ApplyModelToModelEditorSession(model without a graph)") {
  const char* domain = "twice";
  const int version = 1;
  OrtModel* model = NEW(OrtModel, editor()->CreateModel(&domain, &version, 1, &new_));
  say_status(editor()->ApplyModelToModelEditorSession(loaded(), model));
}
CALL("SessionGetInputCount, Name(session that is not finalized)") {
  OrtSession* session = loaded();
  say_count(api->SessionGetInputCount, session);
  say_name(api->SessionGetInputName, session, 0);
  say_name(api->SessionGetInputName, session, 1);
}
CALL("SessionGetOutputCount, Name(session that is not finalized)") {
  OrtSession* session = loaded();
  say_count(api->SessionGetOutputCount, session);
  say_name(api->SessionGetOutputName, session, 1);
  say_type(api->SessionGetOutputTypeInfo, session, 0);
}
CALL("SessionGetOverridableInitializerCount(session that is not finalized)") {
  say_count(api->SessionGetOverridableInitializerCount, loaded());
}
CALL("SessionGetModelMetadata(session that is not finalized)") { say_graph_name(loaded()); }
CALL("ApplyModelToModelEditorSession, SessionGetModelMetadata") {
  OrtSession* session = loaded();
  say_status(editor()->ApplyModelToModelEditorSession(session, twice_more("a", "c", 1)));
  say_graph_name(session);
}
CALL("CreateIoBinding(session that is not finalized)") {
  OrtIoBinding* binding = UNTOUCHED;
  say_status(api->CreateIoBinding(loaded(), &binding));
}
CALL("SessionGetMemoryInfoForInputs(session that is not finalized)") {
  const OrtMemoryInfo* places[3];
  say_status(api->SessionGetMemoryInfoForInputs(loaded(), places, 3));
}
CALL("SessionGetEpDeviceForOutputs(session that is not finalized)") {
  const OrtEpDevice* places[3];
  say_status(api->SessionGetEpDeviceForOutputs(loaded(), places, 3));
}
CALL("FinalizeModelEditorSession, Run") {
  OrtSession* session = loaded();
  say_status(editor()->FinalizeModelEditorSession(session, session_options(), NULL));
  run(session, "x", FLOATS(3, 4), "a");
  say_status(editor()->FinalizeModelEditorSession(session, session_options(), NULL));
}
CALL("FinalizeModelEditorSession(options=NULL)") {
  OrtSession* session = loaded();
  say_status(editor()->FinalizeModelEditorSession(session, NULL, NULL));
  run(session, "x", FLOATS(3, 4), "a");
}
ANSWER("FinalizeModelEditorSession(ordinary session)",
       editor()->FinalizeModelEditorSession(some_session(), session_options(), NULL))
static void say_opset(const OrtSession* session, const char* domain) {
  int opset = -7;
  say_status(editor()->SessionGetOpsetForDomain(session, domain, &opset));
  say("%d", opset);
}
CALL("SessionGetOpsetForDomain(s,\"\")") { say_opset(some_session(), ""); }
CALL("SessionGetOpsetForDomain(s,twice)") { say_opset(loaded(), "twice"); }
CALL("SessionGetOpsetForDomain(s,ai.onnx)") { say_opset(some_session(), "ai.onnx"); }
CALL("SessionGetOpsetForDomain(s,nope)") { say_opset(some_session(), "nope"); }

/* --- runs ------------------------------------------------------------------------------------- */

/* Runs with an input of a name and says the first number of the outputs. */
static void run(OrtSession* session, const char* name, const OrtValue* value, const char* output) {
  OrtValue* out = NULL;
  float* numbers = NULL;
  if (say_status(api->Run(session, NULL, &name, &value, 1, &output, 1, &out))) {
    CHECK(api->GetTensorMutableData(out, (void**)&numbers) == NULL);
    say("%g", (double)numbers[0]);
  }
}
CALL("Run(a)") { run(some_session(), "x", FLOATS(3, 4), "a"); }
CALL("Run(b)") { run(some_session(), "x", FLOATS(3, 4), "b"); }
CALL("Run(unknown input)") { run(some_session(), "z", FLOATS(3, 4), "a"); }
CALL("Run(unknown output)") { run(some_session(), "x", FLOATS(3, 4), "z"); }
CALL("Run(input=NULL)") { run(some_session(), "x", NULL, "a"); }
CALL("Run(doubles)") { run(some_session(), "x", DOUBLES(3, 4), "a"); }
CALL("Run(rank 2)") { run(some_session(), "x", TENSOR(FLOAT, 1, 2), "a"); }
CALL("Run(strings)") { run(some_session(), "x", STRINGS("a"), "a"); }
/* Runs the node that makes a. */
static void run_a(const OrtRunOptions* options, const OrtValue* value, OrtValue* out) {
  const char *x = "x", *a = "a";
  say_status(api->Run(some_session(), options, &x, &value, 1, &a, 1, &out));
}
CALL("Run(no elements)") { run_a(NULL, TENSOR(FLOAT, 0), NULL); }
CALL("Run(no input)") {
  const char* a = "a";
  OrtValue* out = NULL;
  say_status(api->Run(some_session(), NULL, NULL, NULL, 0, &a, 1, &out));
}
CALL("Run(no output)") {
  const char *x = "x", *a = "a";
  OrtValue *value = FLOATS(1), *out = NULL;
  say_status(api->Run(some_session(), NULL, &x, (const OrtValue* const*)&value, 1, &a, 0, &out));
}
CALL("Run(w of another length)") {
  const char *names[] = {"x", "w"}, *b = "b";
  OrtValue *values[] = {FLOATS(1), FLOATS(1, 2, 3)}, *out = NULL;
  say_status(api->Run(some_session(), NULL, names, (const OrtValue* const*)values, 2, &b, 1, &out));
}
CALL("Run(terminated)") {
  OrtRunOptions* options = NEW(OrtRunOptions, api->CreateRunOptions(&new_));
  CHECK(api->RunOptionsSetTerminate(options) == NULL);
  run_a(options, FLOATS(1), NULL);
}
CALL("Run(profile in a folder that is not there)") {
  OrtRunOptions* options = NEW(OrtRunOptions, api->CreateRunOptions(&new_));
  CHECK(api->RunOptionsEnableProfiling(options, ORT_TSTR("not/there/profile")) == NULL);
  run_a(options, FLOATS(1), NULL);
}
/* Runs the node that makes b, two floats, into a value. */
static void run_into(OrtValue* out) {
  const char *x = "x", *b = "b";
  OrtValue* value = FLOATS(1);
  say_status(api->Run(some_session(), NULL, &x, (const OrtValue* const*)&value, 1, &b, 1, &out));
}
CALL("Run(output of two floats into three)") { run_into(FLOATS(0, 0, 0)); }
CALL("Run(output of two floats into a matrix)") { run_into(TENSOR(FLOAT, 1, 2)); }
CALL("Run(output of two floats into doubles)") { run_into(DOUBLES(0, 0)); }
CALL("Run(output of two floats into strings)") { run_into(STRINGS("a", "b")); }
CALL("Run(output of another length)") { run_a(NULL, FLOATS(1, 2), FLOATS(0, 0, 0)); }

#undef PLACES
