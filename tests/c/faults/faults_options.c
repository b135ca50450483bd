/* SPDX-License-Identifier: MIT */
/* Trials of options: of sessions, of runs, of threads. */
#include "faults.h"

#define LONG "a text that is longer than the one that was there before"
#define FLOAT ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT

static OrtSessionOptions* session;
static OrtRunOptions* run;
static OrtThreadingOptions* threading;
static OrtValue* values[2];
static const char* const names[] = {"first", "second"};
static const ORTCHAR_T* const files[] = {ORT_TSTR("first"), ORT_TSTR("second")};
static char bytes[8];
/* What was not done for a lack of memory must be possible later. */
static OrtStatus* (*again)(void** out);

static OrtStatus* or_again(OrtStatus* status, OrtStatus* (*make)(void** out)) {
  again = status != NULL ? make : NULL;
  return status;
}

static OrtStatus* create_session(void** out) {
  return api->CreateSessionOptions((OrtSessionOptions**)out);
}
static void release_session(void* out) { api->ReleaseSessionOptions(out); }
static void with_session(void) { CHECK(create_session((void**)&session) == NULL); }

static OrtStatus* set_numbers(void** out) {
  int number;
  ExecutionMode mode;
  (void)out;
  CORE_TRY(api->SetSessionExecutionMode(session, ORT_PARALLEL));
  CORE_TRY(api->GetSessionExecutionMode(session, &mode));
  CORE_TRY(api->DisableProfiling(session));
  CORE_TRY(api->EnableMemPattern(session));
  CORE_TRY(api->DisableMemPattern(session));
  CORE_TRY(api->SessionOptionsAppendExecutionProvider(session, "CPU", NULL, NULL, 0));
  CORE_TRY(api->GetMemPatternEnabled(session, &number));
  CORE_TRY(api->EnableCpuMemArena(session));
  CORE_TRY(api->DisableCpuMemArena(session));
  CORE_TRY(api->SetSessionLogVerbosityLevel(session, 1));
  CORE_TRY(api->SetSessionLogSeverityLevel(session, 1));
  CORE_TRY(api->SetSessionGraphOptimizationLevel(session, ORT_ENABLE_BASIC));
  CORE_TRY(api->SetIntraOpNumThreads(session, 2));
  CORE_TRY(api->SetInterOpNumThreads(session, 2));
  CORE_TRY(api->DisablePerSessionThreads(session));
  return api->SetDeterministicCompute(session, true);
}
static OrtStatus* set_pointers(void** out) {
  (void)out;
  CORE_TRY(api->SessionOptionsSetCustomCreateThreadFn(session, NULL));
  CORE_TRY(api->SessionOptionsSetCustomThreadCreationOptions(session, bytes));
  CORE_TRY(api->SessionOptionsSetCustomJoinThreadFn(session, NULL));
  CORE_TRY(api->SessionOptionsSetLoadCancellationFlag(session, true));
  CORE_TRY(api->SetUserLoggingFunction(session, NULL, NULL));
  CORE_TRY(
      api->SessionOptionsSetEpSelectionPolicy(session, OrtExecutionProviderDevicePolicy_DEFAULT));
  CORE_TRY(api->SessionOptionsSetEpSelectionPolicyDelegate(session, NULL, NULL));
  CORE_TRY(api->SessionOptionsSetEpContextDataReadFunc(session, NULL, NULL));
  return api->SessionOptionsSetWeightlessSourceModelBuffer(session, bytes, sizeof bytes);
}
static OrtStatus* set_id(void** out) { return (void)out, api->SetSessionLogId(session, LONG); }
static OrtStatus* set_path(void** out) {
  return (void)out, api->SetOptimizedModelFilePath(session, ORT_TSTR(LONG));
}
static OrtStatus* profile(void** out) {
  return (void)out, api->EnableProfiling(session, ORT_TSTR(LONG));
}

static OrtStatus* take_snapshot(void** out) {
  return api->GetEpApi()->SessionOptionsGetEpContextConfig(session, (OrtEpContextConfig**)out);
}
static void release_snapshot(void* out) { api->GetEpApi()->ReleaseEpContextConfig(out); }

static OrtEnv* env;
static OrtModelCompilationOptions* compilation;
static OrtStatus* create_compilation(void** out) {
  return api->GetCompileApi()->CreateModelCompilationOptionsFromSessionOptions(
      env, session, (OrtModelCompilationOptions**)out);
}
static void release_compilation(void* out) {
  api->GetCompileApi()->ReleaseModelCompilationOptions(out);
}
static void with_env(void) {
  with_session();
  CHECK(api->SetSessionLogId(session, LONG) == NULL);
  CHECK(api->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "x", &env) == NULL);
}
static void with_compilation(void) {
  with_env();
  CHECK(create_compilation((void**)&compilation) == NULL);
}
static OrtStatus* set_paths(void** out) {
  const OrtCompileApi* compile = api->GetCompileApi();
  (void)out;
  CORE_TRY(compile->ModelCompilationOptions_SetWeightlessEnabled(compilation, true));
  CORE_TRY(
      compile->ModelCompilationOptions_SetWeightlessMode(compilation, OrtWeightlessSupport_ALL));
  CORE_TRY(compile->ModelCompilationOptions_SetInputModelPath(compilation, files[0]));
  CORE_TRY(compile->ModelCompilationOptions_SetOutputModelPath(compilation, files[1]));
  CORE_TRY(compile->ModelCompilationOptions_SetOutputModelExternalInitializersFile(compilation,
                                                                                   files[1], 0));
  return compile->ModelCompilationOptions_SetEpContextBinaryInformation(
      compilation, ORT_TSTR("folder/"), files[0]);
}

static void with_entries(void) {
  char key[] = "key 0";
  with_session();
  for (; key[4] < '7'; key[4]++) {
    CHECK(api->AddSessionConfigEntry(session, key, "short") == NULL);
  }
  CHECK(api->AddSessionConfigEntry(session, "first", "short") == NULL);
}
/* The value of an entry, which a change that failed left as it was. */
static int entry_is(const char* key, const char* value) {
  char text[100] = "";
  size_t size = sizeof text;
  int has = 0;
  CHECK(api->HasSessionConfigEntry(session, key, &has) == NULL);
  if (!has) {
    return value == NULL;
  }
  CHECK(api->GetSessionConfigEntry(session, key, text, &size) == NULL);
  return value != NULL && strcmp(text, value) == 0;
}
static OrtStatus* add_entry(void** out) {
  (void)out;
  OrtStatus* status = api->AddSessionConfigEntry(session, "new", LONG);
  CHECK(entry_is("new", status == NULL ? LONG : NULL));
  return or_again(status, add_entry);
}
static OrtStatus* replace_entry(void** out) {
  (void)out;
  OrtStatus* status = api->AddSessionConfigEntry(session, "first", LONG);
  CHECK(entry_is("first", status == NULL ? LONG : "short"));
  return or_again(status, replace_entry);
}
static OrtStatus* get_no_entry(void** out) {
  return api->GetSessionConfigEntry(session, "none", NULL, (size_t*)out);
}
static OrtStatus* get_entries(void** out) {
  CORE_TRY(api->GetSessionOptionsConfigEntries(session, (OrtKeyValuePairs**)out));
  CHECK(count_pairs(*out) == 8);
  return NULL;
}
static OrtStatus* fix_denoted(void** out) {
  (void)out;
  return or_again(api->AddFreeDimensionOverride(session, LONG, 3), fix_denoted);
}
static OrtStatus* fix_named(void** out) {
  (void)out;
  return or_again(api->AddFreeDimensionOverrideByName(session, LONG, 3), fix_named);
}

static void with_values(void) {
  with_session();
  OrtMemoryInfo* info = NULL;
  CHECK(api->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &info) == NULL);
  for (size_t i = 0; i < 2; i++) {
    CHECK(api->CreateTensorWithDataAsOrtValue(info, bytes, sizeof bytes, (int64_t[]){2}, 1, FLOAT,
                                              &values[i]) == NULL);
  }
  api->ReleaseMemoryInfo(info);
}
static OrtStatus* add_value(void** out) {
  (void)out;
  return or_again(api->AddInitializer(session, "one", values[0]), add_value);
}
static OrtStatus* add_values(void** out) {
  (void)out;
  return or_again(api->AddExternalInitializers(session, names, (const OrtValue* const*)values, 2),
                  add_values);
}
static OrtStatus* add_value_twice(void** out) {
  (void)out;
  const char* const same[] = {"one", "one"};
  return api->AddExternalInitializers(session, same, (const OrtValue* const*)values, 2);
}
static OrtStatus* add_files(void** out) {
  (void)out;
  char* const buffers[] = {bytes, bytes};
  const size_t lengths[] = {4, 8};
  return or_again(
      api->AddExternalInitializersFromFilesInMemory(session, files, buffers, lengths, 2),
      add_files);
}
static void with_everything(void) {
  void* out;
  with_values();
  CHECK(set_id(&out) == NULL && set_path(&out) == NULL && profile(&out) == NULL);
  CHECK(add_entry(&out) == NULL && add_entry(&out) == NULL && fix_named(&out) == NULL);
  CHECK(add_value(&out) == NULL && add_values(&out) == NULL && add_files(&out) == NULL);
}
static OrtStatus* clone(void** out) {
  return api->CloneSessionOptions(session, (OrtSessionOptions**)out);
}
static OrtStatus* create_container(void** out) {
  return api->CreatePrepackedWeightsContainer((OrtPrepackedWeightsContainer**)out);
}
static void release_container(void* out) { api->ReleasePrepackedWeightsContainer(out); }

static OrtStatus* create_run(void** out) { return api->CreateRunOptions((OrtRunOptions**)out); }
static void release_run(void* out) { api->ReleaseRunOptions(out); }
static void with_run(void) {
  CHECK(create_run((void**)&run) == NULL);
  CHECK(api->RunOptionsSetRunTag(run, "short") == NULL);
}
static OrtStatus* tag(void** out) {
  const char* got = NULL;
  (void)out;
  OrtStatus* status = api->RunOptionsSetRunTag(run, LONG);
  CHECK(api->RunOptionsGetRunTag(run, &got) == NULL);
  CHECK(strcmp(got, status == NULL ? LONG : "short") == 0);
  return status;
}
static OrtStatus* set_run(void** out) {
  int number;
  (void)out;
  CORE_TRY(api->RunOptionsSetRunLogVerbosityLevel(run, 1));
  CORE_TRY(api->RunOptionsSetRunLogSeverityLevel(run, 1));
  CORE_TRY(api->RunOptionsGetRunLogVerbosityLevel(run, &number));
  CORE_TRY(api->RunOptionsGetRunLogSeverityLevel(run, &number));
  CORE_TRY(api->RunOptionsSetTerminate(run));
  CORE_TRY(api->RunOptionsUnsetTerminate(run));
  api->RunOptionsSetSyncStream(run, NULL);
  return api->RunOptionsDisableProfiling(run);
}
static OrtStatus* profile_run(void** out) {
  return (void)out, api->RunOptionsEnableProfiling(run, ORT_TSTR(LONG));
}
static OrtStatus* add_run_entry(void** out) {
  (void)out;
  OrtStatus* status = api->AddRunConfigEntry(run, "new", LONG);
  CHECK((api->GetRunConfigEntry(run, "new") == NULL) == (status != NULL));
  return or_again(status, add_run_entry);
}

static OrtStatus* create_threading(void** out) {
  return api->CreateThreadingOptions((OrtThreadingOptions**)out);
}
static void release_threading(void* out) { api->ReleaseThreadingOptions(out); }
static void with_threading(void) { CHECK(create_threading((void**)&threading) == NULL); }
static OrtStatus* set_threading(void** out) {
  (void)out;
  CORE_TRY(api->SetGlobalIntraOpNumThreads(threading, 2));
  CORE_TRY(api->SetGlobalInterOpNumThreads(threading, 2));
  CORE_TRY(api->SetGlobalSpinControl(threading, 1));
  CORE_TRY(api->SetGlobalDenormalAsZero(threading));
  CORE_TRY(api->SetGlobalCustomCreateThreadFn(threading, NULL));
  CORE_TRY(api->SetGlobalCustomThreadCreationOptions(threading, NULL));
  return api->SetGlobalCustomJoinThreadFn(threading, NULL);
}
static OrtStatus* set_affinity(void** out) {
  return (void)out, api->SetGlobalIntraOpThreadAffinity(threading, "1;2;3");
}

static const struct trial trials[] = {
    TRIAL("CreateSessionOptions ReleaseSessionOptions", NULL, create_session, release_session),
    TRIAL("SetSessionExecutionMode GetSessionExecutionMode DisableProfiling EnableMemPattern "
          "DisableMemPattern SessionOptionsAppendExecutionProvider GetMemPatternEnabled "
          "EnableCpuMemArena DisableCpuMemArena "
          "SetSessionLogVerbosityLevel SetSessionLogSeverityLevel "
          "SetSessionGraphOptimizationLevel SetIntraOpNumThreads SetInterOpNumThreads "
          "DisablePerSessionThreads SetDeterministicCompute",
          with_session, set_numbers, NULL),
    TRIAL("SessionOptionsSetEpContextDataReadFunc "
          "SessionOptionsSetCustomCreateThreadFn SessionOptionsSetCustomThreadCreationOptions "
          "SessionOptionsSetCustomJoinThreadFn SessionOptionsSetLoadCancellationFlag "
          "SetUserLoggingFunction "
          "SessionOptionsSetEpSelectionPolicy SessionOptionsSetEpSelectionPolicyDelegate "
          "SessionOptionsSetWeightlessSourceModelBuffer",
          with_session, set_pointers, NULL),
    TRIAL("SessionOptionsGetEpContextConfig ReleaseEpContextConfig", with_session, take_snapshot,
          release_snapshot),
    TRIAL("CreateModelCompilationOptionsFromSessionOptions ReleaseModelCompilationOptions",
          with_env, create_compilation, release_compilation),
    TRIAL("ModelCompilationOptions_SetInputModelPath and others", with_compilation, set_paths,
          NULL),
    TRIAL("SetSessionLogId", with_session, set_id, NULL),
    TRIAL("SetOptimizedModelFilePath", with_session, set_path, NULL),
    TRIAL("EnableProfiling", with_session, profile, NULL),
    TRIAL("AddSessionConfigEntry HasSessionConfigEntry", with_entries, add_entry, NULL),
    TRIAL("AddSessionConfigEntry that replaces", with_entries, replace_entry, NULL),
    {"GetSessionConfigEntry", with_entries, get_no_entry, NULL, ORT_INVALID_ARGUMENT},
    TRIAL("GetSessionOptionsConfigEntries", with_entries, get_entries, release_pairs),
    TRIAL("AddFreeDimensionOverride", with_session, fix_denoted, NULL),
    TRIAL("AddFreeDimensionOverrideByName", with_session, fix_named, NULL),
    TRIAL("AddInitializer", with_values, add_value, NULL),
    TRIAL("AddExternalInitializers", with_values, add_values, NULL),
    {"AddExternalInitializers twice", with_values, add_value_twice, NULL, ORT_INVALID_ARGUMENT},
    TRIAL("AddExternalInitializersFromFilesInMemory", with_session, add_files, NULL),
    TRIAL("CloneSessionOptions", with_everything, clone, release_session),
    TRIAL("CreatePrepackedWeightsContainer ReleasePrepackedWeightsContainer", NULL,
          create_container, release_container),
    TRIAL("CreateRunOptions ReleaseRunOptions", NULL, create_run, release_run),
    TRIAL("RunOptionsSetRunTag RunOptionsGetRunTag", with_run, tag, NULL),
    TRIAL("RunOptionsSetRunLogVerbosityLevel RunOptionsSetRunLogSeverityLevel "
          "RunOptionsGetRunLogVerbosityLevel RunOptionsGetRunLogSeverityLevel "
          "RunOptionsSetTerminate RunOptionsUnsetTerminate RunOptionsSetSyncStream "
          "RunOptionsDisableProfiling",
          with_run, set_run, NULL),
    TRIAL("RunOptionsEnableProfiling", with_run, profile_run, NULL),
    TRIAL("AddRunConfigEntry GetRunConfigEntry", with_run, add_run_entry, NULL),
    TRIAL("CreateThreadingOptions ReleaseThreadingOptions", NULL, create_threading,
          release_threading),
    TRIAL("SetGlobalIntraOpNumThreads SetGlobalInterOpNumThreads SetGlobalSpinControl "
          "SetGlobalDenormalAsZero SetGlobalCustomCreateThreadFn "
          "SetGlobalCustomThreadCreationOptions SetGlobalCustomJoinThreadFn",
          with_threading, set_threading, NULL),
    TRIAL("SetGlobalIntraOpThreadAffinity", with_threading, set_affinity, NULL),
    {NULL},
};

static void clean(void) {
  void* out = NULL;
  CHECK(again == NULL || again(&out) == NULL);
  release_compilation(compilation);
  api->ReleaseSessionOptions(session);
  api->ReleaseEnv(env);
  api->ReleaseRunOptions(run);
  api->ReleaseThreadingOptions(threading);
  api->ReleaseValue(values[0]);
  api->ReleaseValue(values[1]);
}

const struct section options = {trials, clean};
