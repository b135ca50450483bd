/* SPDX-License-Identifier: MIT */
/* Sessions: profiles, weights from elsewhere, bindings, compilations and models that grow. */
#include "faults.h"

#include "../clients/session_model.h"

static const char *const x = "x", *const a_and_b[] = {"a", "b"};

static OrtEnv* env(void) {
  return NEW(OrtEnv, api->CreateEnv(ORT_LOGGING_LEVEL_FATAL, "faults", &new_));
}
static OrtSessionOptions* new_options(void) {
  OrtSessionOptions* options = NEW(OrtSessionOptions, api->CreateSessionOptions(&new_));
  add_twice(api, options);
  return options;
}
static OrtValue* floats(int64_t count) {
  return NEW(OrtValue, api->CreateTensorAsOrtValue(heap(), &count, 1,
                                                   ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &new_));
}
static OrtSession* open_session(const OrtSessionOptions* options, bool is_external) {
  struct model_bytes model = session_model_of(is_external);
  OrtSession* session = NULL;
  if (!say_status(api->CreateSessionFromArray(env(), model.at, model.size, options, &session))) {
    exit(1);
  }
  return session;
}
static void run(OrtSession* session, const OrtRunOptions* options) {
  const OrtValue* in = floats(2);
  OrtValue* out[2] = {NULL, NULL};
  say_status(api->Run(session, options, &x, &in, 1, a_and_b, 2, out));
}

CALL("session: a profile") {
  OrtSessionOptions* options = new_options();
  CHECK(api->EnableProfiling(options, "faults_profile") == NULL);
  OrtSession* session = open_session(options, false);
  char* path = NULL;
  run(session, NULL);
  /* The profile tells in the end that memory lacked for an event. */
  api->ReleaseStatus(api->SessionEndProfiling(session, heap(), &path));
  if (path != NULL) {
    remove(path);
  }
}
CALL("session: a profile of a run") {
  OrtRunOptions* options = NEW(OrtRunOptions, api->CreateRunOptions(&new_));
  CHECK(api->RunOptionsEnableProfiling(options, "faults_profile") == NULL);
  run(open_session(new_options(), false), options);
}
CALL("session: other weights, which are external") {
  const char* name = "w";
  const OrtValue* value = floats(2);
  OrtSessionOptions* options = new_options();
  CHECK(api->AddExternalInitializers(options, &name, &value, 1) == NULL);
  CHECK(api->AddFreeDimensionOverrideByName(options, "n", 2) == NULL);
  open_session(options, true);
}
CALL("session: files in memory") {
  static float weights[2] = {1, 2};
  const ORTCHAR_T* name = ORT_TSTR("weights");
  char* buffer = (char*)weights;
  const size_t size = sizeof weights;
  OrtSessionOptions* options = new_options();
  CHECK(api->AddExternalInitializersFromFilesInMemory(options, &name, &buffer, &size, 1) == NULL);
  open_session(options, true);
}
CALL("session: a binding") {
  OrtSession* session = open_session(new_options(), false);
  OrtIoBinding* binding = NEW(OrtIoBinding, api->CreateIoBinding(session, &new_));
  OrtValue *in = floats(2), **values = NULL;
  char* names = NULL;
  size_t *lengths = NULL, count = 0;
  say_status(api->BindInput(binding, x, in));
  say_status(api->BindOutput(binding, "a", in));
  say_status(api->BindOutputToDevice(binding, "b", heap()->Info(heap())));
  say_status(api->SynchronizeBoundInputs(binding));
  say_status(api->RunWithBinding(session, NULL, binding));
  say_status(api->SynchronizeBoundOutputs(binding));
  say_status(api->GetBoundOutputNames(binding, heap(), &names, &lengths, &count));
  say_status(api->GetBoundOutputValues(binding, heap(), &values, &count));
  api->ClearBoundInputs(binding);
  api->ClearBoundOutputs(binding);
  api->ReleaseIoBinding(binding);
}
CALL("session: what is compiled to two buffers") {
  const OrtCompileApi* compile = api->GetCompileApi();
  struct model_bytes model = session_model();
  void* blocks[2] = {NULL, NULL};
  size_t sizes[2] = {0, 0};
  OrtModelCompilationOptions* options =
      NEW(OrtModelCompilationOptions,
          compile->CreateModelCompilationOptionsFromSessionOptions(env(), new_options(), &new_));
  CHECK(compile->ModelCompilationOptions_SetInputModelFromBuffer(options, model.at, model.size) ==
        NULL);
  CHECK(compile->ModelCompilationOptions_SetOutputModelBuffer(options, heap(), &blocks[0],
                                                              &sizes[0]) == NULL);
  CHECK(compile->ModelCompilationOptions_SetOutputModelExternalInitializersBuffer(
            options, ORT_TSTR("w.bin"), 0, heap(), &blocks[1], &sizes[1]) == NULL);
  say_status(compile->CompileModel(env(), options));
  say_pointer(blocks[0]);
  say_pointer(blocks[1]);
}
/* A graph with a node Twice and a weight that is not copied. */
CALL("session: a model that grows by a weight") {
  const OrtModelEditorApi* editor = api->GetModelEditorApi();
  static const char *const names[] = {"a", "w2", "c"}, *const domains[] = {"twice", "other"};
  struct model_bytes bytes = session_model();
  OrtSession* session = NEW(OrtSession, editor->CreateModelEditorSessionFromArray(
                                            env(), bytes.at, bytes.size, new_options(), &new_));
  OrtGraph* graph = NEW(OrtGraph, editor->CreateGraph(&new_));
  OrtNode* node = NEW(OrtNode, editor->CreateNode("Twice", "twice", "more", names, 1, names + 2, 1,
                                                  NULL, 0, &new_));
  CHECK(editor->AddNodeToGraph(graph, node) == NULL);
  CHECK(editor->AddInitializerToGraph(graph, names[1], floats(64), true) == NULL);
  OrtModel* model = NEW(OrtModel, editor->CreateModel(domains, (const int[]){1, 1}, 2, &new_));
  CHECK(editor->AddGraphToModel(model, graph) == NULL);
  say_status(editor->ApplyModelToModelEditorSession(session, model));
}
CALL("releases of what nobody else releases") {
  api->ReleaseMapTypeInfo(NULL);
  api->ReleaseSequenceTypeInfo(NULL);
}
