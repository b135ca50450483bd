/* SPDX-License-Identifier: MIT */
/* The options of compilations, and compilations. */
#include "behaviour_session.h"

static OrtEnv* compile_env;
static OrtSessionOptions* session;
static void* buffer = UNTOUCHED;
static size_t size = 99;

static OrtModelCompilationOptions* compile_fresh(void) {
  CHECK(api->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "x", &compile_env) == NULL);
  CHECK(api->CreateSessionOptions(&session) == NULL);
  return NEW(OrtModelCompilationOptions,
             api->GetCompileApi()->CreateModelCompilationOptionsFromSessionOptions(compile_env,
                                                                                   session, &new_));
}

static void compile_end(OrtModelCompilationOptions* options) {
  api->GetCompileApi()->ReleaseModelCompilationOptions(options);
  api->ReleaseSessionOptions(session);
  api->ReleaseEnv(compile_env);
}

static OrtStatus* ORT_API_CALL take(void* state, const void* bytes, size_t count) {
  (void)state, (void)bytes, (void)count;
  return NULL;
}
static OrtStatus* ORT_API_CALL take_named(void* state, const char* name, const void* bytes,
                                          size_t count) {
  (void)state, (void)name, (void)bytes, (void)count;
  return NULL;
}
static OrtStatus* ORT_API_CALL locate(void* state, const char* name, const OrtValue* value,
                                      const OrtExternalInitializerInfo* now,
                                      OrtExternalInitializerInfo** out) {
  (void)state, (void)name, (void)value, (void)now;
  *out = NULL;
  return NULL;
}

#define FULL(name) ModelCompilationOptions_Set##name
#define SETTER(name) "ModelCompilationOptions_Set" name
/* A call with fresh options, `o`, and one with none, that say their status. */
#define SAY(text, name, ...)                                      \
  CALL(SETTER(#name) "(o," text ")") {                            \
    OrtModelCompilationOptions* o = compile_fresh();              \
    say_status(api->GetCompileApi()->FULL(name)(o, __VA_ARGS__)); \
    compile_end(o);                                               \
  }

CALL("CreateModelCompilationOptionsFromSessionOptions(e,o,&c)") {
  OrtModelCompilationOptions* options = compile_fresh();
  say_pointer(options);
  compile_end(options);
}
CALL("CreateModelCompilationOptionsFromSessionOptions with NULL") {
  OrtModelCompilationOptions *o = compile_fresh(), *out = UNTOUCHED;
  const OrtCompileApi* compile = api->GetCompileApi();
  say_status(compile->CreateModelCompilationOptionsFromSessionOptions(compile_env, session, NULL));
  say_status(compile->CreateModelCompilationOptionsFromSessionOptions(compile_env, NULL, &out));
  say_out(out, UNTOUCHED);
  compile_end(o);
}

SAY("path", InputModelPath, ORT_TSTR("no such file.onnx"))
SAY("\"\"", InputModelPath, ORT_TSTR(""))
SAY("4 bytes", InputModelFromBuffer, "abc", 4)
SAY("0 bytes", InputModelFromBuffer, "abc", 0)
SAY("path", OutputModelPath, ORT_TSTR("out.onnx"))
SAY("\"\"", OutputModelPath, ORT_TSTR(""))
SAY("path", OutputModelExternalInitializersFile, ORT_TSTR("w.bin"), 0)
SAY("\"\"", OutputModelExternalInitializersFile, ORT_TSTR(""), 0)
SAY("a,&b,&n", OutputModelBuffer, allocator(), &buffer, &size)
SAY("true", EpContextEmbedMode, true)
SAY("3", Flags, 3)
SAY("0xFFFFFFFF", Flags, 0xFFFFFFFF)
SAY("dir/,name", EpContextBinaryInformation, ORT_TSTR("dir/"), ORT_TSTR("model"))
SAY("dir,name", EpContextBinaryInformation, ORT_TSTR("dir"), ORT_TSTR("model"))
SAY("dir/,\"\"", EpContextBinaryInformation, ORT_TSTR("dir/"), ORT_TSTR(""))
SAY("\"\",name", EpContextBinaryInformation, ORT_TSTR(""), ORT_TSTR("model"))
SAY("0", GraphOptimizationLevel, ORT_DISABLE_ALL)
SAY("99", GraphOptimizationLevel, ORT_ENABLE_ALL)
SAY("4", GraphOptimizationLevel, (GraphOptimizationLevel)4)
SAY("-1", GraphOptimizationLevel, (GraphOptimizationLevel)-1)
SAY("f,NULL", OutputModelWriteFunc, take, NULL)
SAY("f,NULL", OutputModelGetInitializerLocationFunc, locate, NULL)
SAY("true", WeightlessEnabled, true)
SAY("f,NULL", EpContextDataWriteFunc, take_named, NULL)
SAY("NULL,NULL", EpContextDataWriteFunc, NULL, NULL)

SAY("w.bin", OutputModelExternalInitializersBuffer, ORT_TSTR("w.bin"), 0, allocator(), &buffer,
    &size)
SAY("d/w.bin", OutputModelExternalInitializersBuffer, ORT_TSTR("d/w.bin"), 0, allocator(), &buffer,
    &size)
SAY("../w.bin", OutputModelExternalInitializersBuffer, ORT_TSTR("../w.bin"), 0, allocator(),
    &buffer, &size)
SAY("d/../../w.bin", OutputModelExternalInitializersBuffer, ORT_TSTR("d/../../w.bin"), 0,
    allocator(), &buffer, &size)
SAY("d/..w.bin", OutputModelExternalInitializersBuffer, ORT_TSTR("d/..w.bin"), 0, allocator(),
    &buffer, &size)
SAY("\"\"", OutputModelExternalInitializersBuffer, ORT_TSTR(""), 0, allocator(), &buffer, &size)
SAY("/w.bin", OutputModelExternalInitializersBuffer, ORT_TSTR("/w.bin"), 0, allocator(), &buffer,
    &size)
CALL(SETTER("OutputModelExternalInitializersBuffer") " leaves the outputs alone") {
  OrtModelCompilationOptions* o = compile_fresh();
  say_status(api->GetCompileApi()->FULL(OutputModelExternalInitializersBuffer)(
      o, ORT_TSTR("w.bin"), 0, allocator(), &buffer, &size));
  say_out(buffer, UNTOUCHED);
  say("%d", size == 99);
  compile_end(o);
}

SAY("0,0", OutputModelExternalInitializersAlignment, 0, 0)
SAY("4096,1", OutputModelExternalInitializersAlignment, 4096, 1)
SAY("3,0", OutputModelExternalInitializersAlignment, 3, 0)
SAY("1<<62,0", OutputModelExternalInitializersAlignment, (size_t)1 << 62, 0)
SAY("1<<63,0", OutputModelExternalInitializersAlignment, (size_t)1 << 63, 0)
SAY("1,1<<63", OutputModelExternalInitializersAlignment, 1, (size_t)1 << 63)

SAY("0", WeightlessMode, OrtWeightlessSupport_NONE)
SAY("2", WeightlessMode, OrtWeightlessSupport_ALL)
SAY("3", WeightlessMode, OrtWeightlessSupport_ALL_OR_EXTERNAL_ONLY)
SAY("-1", WeightlessMode, (OrtWeightlessSupport)-1)

#undef SAY

/* --- compilations ----------------------------------------------------------------------------- */

static OrtModelCompilationOptions* compilation(void) {
  return NEW(OrtModelCompilationOptions,
             api->GetCompileApi()->CreateModelCompilationOptionsFromSessionOptions(
                 session_env(), session_options(), &new_));
}
/* Compiles the model, or other bytes, to a buffer. */
static void compile(OrtModelCompilationOptions* options, const void* bytes, size_t size) {
  void* made = NULL;
  size_t made_size = 0;
  const OrtCompileApi* compile_api = api->GetCompileApi();
  CHECK(compile_api->ModelCompilationOptions_SetInputModelFromBuffer(options, bytes, size) == NULL);
  CHECK(compile_api->ModelCompilationOptions_SetOutputModelBuffer(options, allocator(), &made,
                                                                  &made_size) == NULL);
  say_status(compile_api->CompileModel(session_env(), options));
  say("%s", made != NULL && made_size > 100 ? "a model" : "no model");
}
CALL("CompileModel(good)") { compile(compilation(), MODEL); }
CALL("CompileModel(cut)") { compile(compilation(), session_bytes()->at, 20); }
CALL("CompileModel(no node compiled is an error)") {
  OrtModelCompilationOptions* options = compilation();
  CHECK(api->GetCompileApi()->ModelCompilationOptions_SetFlags(options, 1) == NULL);
  compile(options, MODEL);
}
ANSWER("CompileModel(no input)", api->GetCompileApi()->CompileModel(session_env(), compilation()))
CALL("CompileModel(bytes without an output)") {
  OrtModelCompilationOptions* options = compilation();
  CHECK(api->GetCompileApi()->ModelCompilationOptions_SetInputModelFromBuffer(options, MODEL) ==
        NULL);
  say_status(api->GetCompileApi()->CompileModel(session_env(), options));
}
CALL("CompileModel(no such file)") {
  OrtModelCompilationOptions* options = compilation();
  CHECK(api->GetCompileApi()->ModelCompilationOptions_SetInputModelPath(
            options, ORT_TSTR("no/such/file")) == NULL);
  say_status(api->GetCompileApi()->CompileModel(session_env(), options));
}
CALL("CompileModel(output in a folder that is not there)") {
  OrtModelCompilationOptions* options = compilation();
  CHECK(api->GetCompileApi()->ModelCompilationOptions_SetInputModelFromBuffer(options, MODEL) ==
        NULL);
  CHECK(api->GetCompileApi()->ModelCompilationOptions_SetOutputModelPath(
            options, ORT_TSTR("not/there/model.onnx")) == NULL);
  say_status(api->GetCompileApi()->CompileModel(session_env(), options));
}
