/* SPDX-License-Identifier: MIT */
/* Trials of sessions, their runs and bindings. */
#include "faults.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

/* Needs CHECK. */
#include "../clients/adapter_bytes.h"
#include "../clients/session_model.h"

static struct model_bytes bytes;
static OrtEnv* env;
static OrtSessionOptions* chosen;
static OrtCustomOpDomain* domain;
static OrtSession* session;
static OrtIoBinding* binding;
static OrtValue* x;

static void with_options(void) {
  bytes = session_model();
  CHECK(api->CreateEnv(ORT_LOGGING_LEVEL_FATAL, "faults", &env) == NULL);
  CHECK(api->CreateSessionOptions(&chosen) == NULL);
  domain = add_twice(api, chosen);
}
static OrtStatus* make_session(void** out) {
  return api->CreateSessionFromArray(env, bytes.at, bytes.size, chosen, (OrtSession**)out);
}
static void release_session(void* out) { api->ReleaseSession(out); }

/* Options that change the model. */
static OrtMemoryInfo* place;
static OrtValue* replacement;
static void with_changes(void) {
  static float numbers[2];
  const int64_t two = 2;
  with_options();
  CHECK(api->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &place) == NULL);
  CHECK(api->CreateTensorWithDataAsOrtValue(place, numbers, sizeof numbers, &two, 1,
                                            ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT,
                                            &replacement) == NULL);
  CHECK(api->AddInitializer(chosen, "w", replacement) == NULL);
  CHECK(api->AddFreeDimensionOverrideByName(chosen, "n", 2) == NULL);
}

static float weights_in_file[2] = {1, 2};
static void with_external(void) {
  const char* name = "w";
  with_changes();
  api->ReleaseSessionOptions(chosen);
  CHECK(api->CreateSessionOptions(&chosen) == NULL);
  CHECK(api->AddCustomOpDomain(chosen, domain) == NULL);
  bytes = session_model_of(true);
  CHECK(api->AddExternalInitializers(chosen, &name, (const OrtValue* const*)&replacement, 1) ==
        NULL);
}
static void with_file_in_memory(void) {
  const ORTCHAR_T* name = ORT_TSTR("weights");
  char* const buffer = (char*)weights_in_file;
  const size_t size = sizeof weights_in_file;
  with_options();
  bytes = session_model_of(true);
  CHECK(api->AddExternalInitializersFromFilesInMemory(chosen, &name, &buffer, &size, 1) == NULL);
}

static OrtStatus* miss_file(void** out) {
  return api->CreateSession(env, ORT_TSTR("no/such/file"), chosen, (OrtSession**)out);
}

static void with_session(void) {
  const int64_t two = 2;
  with_options();
  CHECK(make_session((void**)&session) == NULL);
  CHECK(api->CreateTensorAsOrtValue(allocator, &two, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &x) ==
        NULL);
}
static OrtRunOptions* run_options;
static OrtStatus* run_session(void** out) {
  const char *name = "x", *names[] = {"a", "b"};
  OrtValue* outputs[2] = {NULL, NULL};
  OrtStatus* status =
      api->Run(session, run_options, &name, (const OrtValue* const*)&x, 1, names, 2, outputs);
  CHECK(status == NULL || (outputs[0] == NULL && outputs[1] == NULL));
  api->ReleaseValue(outputs[0]);
  api->ReleaseValue(outputs[1]);
  (void)out;
  return as_lack_of_memory(status);
}

/* Profiles, in a folder that is removed afterwards. */
static char folder[] = "/tmp/ortcffi-profiles-XXXXXX";
static void with_profile(void) {
  char prefix[60];
  with_options();
  CHECK(mkdtemp(folder) != NULL);
  snprintf(prefix, sizeof prefix, "%s/p", folder);
  CHECK(api->EnableProfiling(chosen, prefix) == NULL);
}
static void with_profiled_session(void) {
  const int64_t two = 2;
  with_profile();
  CHECK(make_session((void**)&session) == NULL);
  CHECK(api->CreateTensorAsOrtValue(allocator, &two, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &x) ==
        NULL);
}
static void with_profiled_run(void) {
  char prefix[60];
  with_session();
  CHECK(mkdtemp(folder) != NULL);
  snprintf(prefix, sizeof prefix, "%s/p", folder);
  CHECK(api->CreateRunOptions(&run_options) == NULL);
  CHECK(api->RunOptionsEnableProfiling(run_options, prefix) == NULL);
}
static void remove_folder(void) {
  DIR* files = opendir(folder);
  if (files == NULL) { /* there is none */
    return;
  }
  for (const struct dirent* file = readdir(files); file != NULL; file = readdir(files)) {
    unlinkat(dirfd(files), file->d_name, 0); /* not itself, nor the one above */
  }
  closedir(files);
  CHECK(rmdir(folder) == 0);
}

/* Sessions of the model editor. */
static OrtStatus* make_loaded(void** out) {
  return api->GetModelEditorApi()->CreateModelEditorSessionFromArray(env, bytes.at, bytes.size,
                                                                     chosen, (OrtSession**)out);
}
static OrtStatus* load_no_file(void** out) {
  return api->GetModelEditorApi()->CreateModelEditorSession(env, ORT_TSTR("no/such/file"), chosen,
                                                            (OrtSession**)out);
}
static void with_loaded(void) {
  with_options();
  CHECK(make_loaded((void**)&session) == NULL);
}
static OrtStatus* ask_opset(void** out) {
  int opset = 0;
  (void)out;
  OrtStatus* status = api->GetModelEditorApi()->SessionGetOpsetForDomain(session, "twice", &opset);
  CHECK(status != NULL || opset == 1);
  return status;
}
static OrtStatus* finalize(void** out) {
  (void)out;
  return api->GetModelEditorApi()->FinalizeModelEditorSession(session, chosen, NULL);
}

/* A graph with a node Twice and a weight, to be added to the model of such a session. */
static OrtModel* more;
static void with_more(void) {
  const OrtModelEditorApi* editor = api->GetModelEditorApi();
  static const char *const names[] = {"a", "w2", "c"}, *const domains[] = {"twice", "other"};
  const int64_t length = 64;
  OrtGraph* graph = NULL;
  OrtNode* node = NULL;
  OrtValue* weight = NULL;
  with_loaded();
  CHECK(editor->CreateGraph(&graph) == NULL);
  CHECK(editor->CreateNode("Twice", "twice", "more", names, 1, names + 2, 1, NULL, 0, &node) ==
        NULL);
  CHECK(api->CreateTensorAsOrtValue(allocator, &length, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT,
                                    &weight) == NULL);
  CHECK(editor->AddNodeToGraph(graph, node) == NULL);
  CHECK(editor->AddInitializerToGraph(graph, names[1], weight, true) == NULL);
  CHECK(editor->CreateModel(domains, (const int[]){1, 1}, 2, &more) == NULL);
  CHECK(editor->AddGraphToModel(more, graph) == NULL);
}
static OrtStatus* apply_more(void** out) {
  (void)out;
  return api->GetModelEditorApi()->ApplyModelToModelEditorSession(session, more);
}

/* A compilation to two buffers, of nodes that no provider takes. */
static OrtModelCompilationOptions* compilation;
static void *model_block, *weights_block;
static size_t model_size, weights_size;
static void with_compilation(void) {
  const OrtCompileApi* compile = api->GetCompileApi();
  with_options();
  CHECK(compile->CreateModelCompilationOptionsFromSessionOptions(env, chosen, &compilation) ==
        NULL);
  CHECK(compile->ModelCompilationOptions_SetInputModelFromBuffer(compilation, bytes.at,
                                                                 bytes.size) == NULL);
  CHECK(compile->ModelCompilationOptions_SetOutputModelBuffer(compilation, allocator, &model_block,
                                                              &model_size) == NULL);
  CHECK(compile->ModelCompilationOptions_SetOutputModelExternalInitializersBuffer(
            compilation, ORT_TSTR("w.bin"), 0, allocator, &weights_block, &weights_size) == NULL);
}
static OrtStatus* compile_model(void** out) {
  (void)out;
  OrtStatus* status = api->GetCompileApi()->CompileModel(env, compilation);
  CHECK((status == NULL) == (model_block != NULL));
  CHECK((weights_block != NULL) == (model_block != NULL));
  if (status == NULL) {
    CHECK(api->AllocatorFree(allocator, model_block) == NULL);
    CHECK(api->AllocatorFree(allocator, weights_block) == NULL);
    model_block = weights_block = NULL;
  }
  return status;
}

static OrtStatus* ask_counts(void** out) {
  size_t count = 0;
  uint64_t time = 0;
  const OrtMemoryInfo* places[2];
  const OrtEpDevice* devices[2];
  (void)out;
  CHECK(api->SessionGetInputCount(session, &count) == NULL && count == 1);
  CHECK(api->SessionGetOutputCount(session, &count) == NULL && count == 2);
  CHECK(api->SessionGetOverridableInitializerCount(session, &count) == NULL && count == 1);
  CHECK(api->SessionGetProfilingStartTimeNs(session, &time) == NULL);
  CHECK(api->SessionGetMemoryInfoForInputs(session, places, 2) == NULL);
  CHECK(api->SessionGetMemoryInfoForOutputs(session, places, 2) == NULL);
  CHECK(api->SessionGetEpDeviceForInputs(session, devices, 2) == NULL);
  return api->SessionGetEpDeviceForOutputs(session, devices, 2);
}
static OrtStatus* ask_allocator(void** out) {
  OrtAllocator* found = NULL;
  (void)out;
  return api->CreateAllocator(session, x == NULL ? NULL : allocator->Info(allocator), &found);
}

static void free_text(void* out) { CHECK(api->AllocatorFree(allocator, out) == NULL); }
static OrtStatus* input_name(void** out) {
  return api->SessionGetInputName(session, 0, allocator, (char**)out);
}
static OrtStatus* output_name(void** out) {
  OrtStatus* status = api->SessionGetOutputName(session, 0, allocator, (char**)out);
  CHECK(status != NULL || strcmp(*out, "a") == 0);
  return status;
}
static OrtStatus* overridable_name(void** out) {
  return api->SessionGetOverridableInitializerName(session, 0, allocator, (char**)out);
}
static OrtStatus* end_profiling(void** out) {
  return api->SessionEndProfiling(session, allocator, (char**)out);
}

/* Shapes in the profile of a run are arrays, never texts. */
static OrtStatus* profile_a_run(void** out) {
  static char text[1 << 16];
  CORE_TRY(run_session(NULL));
  CORE_TRY(end_profiling(out));
  FILE* file = fopen(*out, "r");
  CHECK(file != NULL);
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  CHECK(strstr(text, "_type_shape\" : [") != NULL && strstr(text, "_type_shape\" : \"") == NULL);
  return NULL;
}
static void release_type(void* out) { api->ReleaseTypeInfo(out); }
static OrtStatus* input_type(void** out) {
  return api->SessionGetInputTypeInfo(session, 0, (OrtTypeInfo**)out);
}
static OrtStatus* output_type(void** out) {
  return api->SessionGetOutputTypeInfo(session, 0, (OrtTypeInfo**)out);
}
static OrtStatus* overridable_type(void** out) {
  return api->SessionGetOverridableInitializerTypeInfo(session, 0, (OrtTypeInfo**)out);
}
static OrtStatus* metadata_of(void** out) {
  return api->SessionGetModelMetadata(session, (OrtModelMetadata**)out);
}
static void release_metadata(void* out) { api->ReleaseModelMetadata(out); }

static OrtStatus* make_binding(void** out) {
  return api->CreateIoBinding(session, (OrtIoBinding**)out);
}
static void release_binding(void* out) { api->ReleaseIoBinding(out); }

static void with_binding(void) {
  with_session();
  CHECK(make_binding((void**)&binding) == NULL);
}
static OrtStatus* bind_all(void** out) {
  (void)out;
  OrtStatus* status = api->BindInput(binding, "x", x);
  status = status == NULL ? api->BindOutput(binding, "a", x) : status;
  return status == NULL ? api->BindOutputToDevice(binding, "b", allocator->Info(allocator))
                        : status;
}
static void with_bound(void) {
  with_binding();
  CHECK(bind_all(NULL) == NULL);
}
static OrtStatus* run_bound(void** out) {
  (void)out;
  OrtStatus* status = api->SynchronizeBoundInputs(binding);
  status = status == NULL ? api->RunWithBinding(session, NULL, binding) : status;
  return status == NULL ? api->SynchronizeBoundOutputs(binding) : as_lack_of_memory(status);
}
static void with_results(void) {
  with_bound();
  CHECK(run_bound(NULL) == NULL);
}
static OrtStatus* bound_names(void** out) {
  char* names = NULL;
  size_t *lengths = NULL, count = 0;
  (void)out;
  OrtStatus* status = api->GetBoundOutputNames(binding, allocator, &names, &lengths, &count);
  if (status == NULL) {
    CHECK(count == 2 && lengths[0] == 1 && names[0] == 'a');
    free_text(names);
    free_text(lengths);
  }
  return status;
}
static OrtStatus* bound_values(void** out) {
  OrtValue** values = NULL;
  size_t count = 0;
  (void)out;
  OrtStatus* status = api->GetBoundOutputValues(binding, allocator, &values, &count);
  CHECK(status != NULL || count == 2);
  for (size_t i = 0; i < count; i++) {
    api->ReleaseValue(values[i]);
  }
  if (status == NULL) {
    free_text(values);
  }
  return status;
}

static OrtLoraAdapter* adapter;
static OrtRunOptions* run_options;
static OrtStatus* read_adapter(void** out) {
  return api->CreateLoraAdapterFromArray(adapter_bytes, sizeof adapter_bytes, NULL,
                                         (OrtLoraAdapter**)out);
}
static OrtStatus* read_adapter_of_none(void** out) {
  return api->CreateLoraAdapter(ORT_TSTR("no/such/file"), NULL, (OrtLoraAdapter**)out);
}
static void release_adapter(void* out) { api->ReleaseLoraAdapter(out); }
static void with_adapter(void) {
  CHECK(read_adapter((void**)&adapter) == NULL);
  CHECK(api->CreateRunOptions(&run_options) == NULL);
}
static OrtStatus* add_adapter(void** out) {
  (void)out;
  return api->RunOptionsAddActiveLoraAdapter(run_options, adapter);
}

static OrtPrepackedWeightsContainer* weights;
static void with_weights(void) {
  with_options();
  CHECK(api->CreatePrepackedWeightsContainer(&weights) == NULL);
}
static OrtStatus* share_weights(void** out) {
  return api->CreateSessionFromArrayWithPrepackedWeightsContainer(env, bytes.at, bytes.size, chosen,
                                                                  weights, (OrtSession**)out);
}
static OrtStatus* share_weights_of_none(void** out) {
  return api->CreateSessionWithPrepackedWeightsContainer(env, ORT_TSTR("no/such/file"), chosen,
                                                         weights, (OrtSession**)out);
}

static void clean(void) {
  if (binding != NULL) {
    api->ClearBoundInputs(binding);
    api->ClearBoundOutputs(binding);
  }
  api->ReleaseIoBinding(binding);
  api->ReleaseSession(session);
  api->ReleaseModel(more);
  more = NULL;
  api->ReleaseRunOptions(run_options);
  api->GetCompileApi()->ReleaseModelCompilationOptions(compilation);
  compilation = NULL;
  remove_folder();
  api->ReleaseValue(x);
  api->ReleaseValue(replacement);
  api->ReleaseMemoryInfo(place);
  api->ReleasePrepackedWeightsContainer(weights);
  api->ReleaseLoraAdapter(adapter);
  api->ReleaseSessionOptions(chosen);
  api->ReleaseCustomOpDomain(domain);
  api->ReleaseEnv(env);
  binding = NULL;
  session = NULL;
  run_options = NULL;
  x = replacement = NULL;
  place = NULL;
  weights = NULL;
  adapter = NULL;
  chosen = NULL;
  domain = NULL;
  env = NULL;
}

static const struct trial trials[] = {
    TRIAL("CreateSessionFromArray ReleaseSession", with_options, make_session, release_session),
    TRIAL("CreateSessionFromArray AddInitializer AddFreeDimensionOverrideByName", with_changes,
          make_session, release_session),
    TRIAL("CreateSessionFromArray AddExternalInitializers", with_external, make_session,
          release_session),
    TRIAL("CreateSessionFromArray AddExternalInitializersFromFilesInMemory", with_file_in_memory,
          make_session, release_session),
    {"CreateSession", with_options, miss_file, NULL, ORT_NO_SUCHFILE},
    TRIAL("CreateSessionFromArrayWithPrepackedWeightsContainer", with_weights, share_weights,
          release_session),
    {"CreateSessionWithPrepackedWeightsContainer", with_weights, share_weights_of_none, NULL,
     ORT_NO_SUCHFILE},
    TRIAL("CompileModel", with_compilation, compile_model, NULL),
    TRIAL("CreateModelEditorSessionFromArray", with_options, make_loaded, release_session),
    {"CreateModelEditorSession", with_options, load_no_file, NULL, ORT_NO_SUCHFILE},
    TRIAL("SessionGetOpsetForDomain", with_loaded, ask_opset, NULL),
    TRIAL("FinalizeModelEditorSession", with_loaded, finalize, NULL),
    TRIAL("ApplyModelToModelEditorSession", with_more, apply_more, NULL),
    TRIAL("Run", with_session, run_session, NULL),
    TRIAL("SessionGetInputCount SessionGetOutputCount SessionGetOverridableInitializerCount "
          "SessionGetProfilingStartTimeNs SessionGetMemoryInfoForInputs "
          "SessionGetMemoryInfoForOutputs SessionGetEpDeviceForInputs SessionGetEpDeviceForOutputs",
          with_session, ask_counts, NULL),
    TRIAL("CreateAllocator", with_session, ask_allocator, NULL),
    TRIAL("SessionGetInputName", with_session, input_name, free_text),
    TRIAL("SessionGetOutputName", with_session, output_name, free_text),
    TRIAL("SessionGetOverridableInitializerName", with_session, overridable_name, free_text),
    TRIAL("SessionEndProfiling", with_session, end_profiling, free_text),
    TRIAL("CreateSessionFromArray with a profile", with_profile, make_session, release_session),
    TRIAL("SessionEndProfiling of a profile", with_profiled_session, end_profiling, free_text),
    TRIAL("SessionEndProfiling of a run", with_profiled_session, profile_a_run, free_text),
    TRIAL("Run with a profile", with_profiled_run, run_session, NULL),
    TRIAL("SessionGetInputTypeInfo", with_session, input_type, release_type),
    TRIAL("SessionGetOutputTypeInfo", with_session, output_type, release_type),
    TRIAL("SessionGetOverridableInitializerTypeInfo", with_session, overridable_type, release_type),
    TRIAL("SessionGetModelMetadata", with_session, metadata_of, release_metadata),
    TRIAL("CreateIoBinding ReleaseIoBinding", with_session, make_binding, release_binding),
    TRIAL("BindInput BindOutput BindOutputToDevice ClearBoundInputs ClearBoundOutputs",
          with_binding, bind_all, NULL),
    TRIAL("RunWithBinding SynchronizeBoundInputs SynchronizeBoundOutputs", with_bound, run_bound,
          NULL),
    TRIAL("GetBoundOutputNames", with_results, bound_names, NULL),
    TRIAL("GetBoundOutputValues", with_results, bound_values, NULL),
    TRIAL("CreateLoraAdapterFromArray ReleaseLoraAdapter", NULL, read_adapter, release_adapter),
    {"CreateLoraAdapter", NULL, read_adapter_of_none, NULL, ORT_INVALID_ARGUMENT},
    TRIAL("RunOptionsAddActiveLoraAdapter", with_adapter, add_adapter, NULL),
    {0},
};
const struct section sessions = {trials, clean};
