/* SPDX-License-Identifier: MIT */
/* Settings of one value, which the API mostly cannot read: the structs behind it can be. */
#include "model.h"
#include "options/session_options.h"

static OrtSessionOptions* session;
static OrtRunOptions* run;
static OrtThreadingOptions* threading;

/* Sets a number that may be any, and finds it. */
#define SETS(function, options, number, field)     \
  do {                                             \
    CHECK(api->function(options, number) == NULL); \
    CHECK((options)->field == (number));           \
  } while (0)

static int is_text(const void* bytes, const char* text) {
  return bytes != NULL && strcmp(bytes, text) == 0;
}

static void set_texts(unsigned what) {
  char text[8];
  next_string(text, 7);
  const struct core_session_settings* settings = &session->settings;
  if (what % 3 == 0 && succeeded(api->SetSessionLogId(session, text), 1, ORT_FAIL, ORT_FAIL)) {
    CHECK(is_text(settings->log_id, text));
  } else if (what % 3 == 1 &&
             succeeded(api->SetOptimizedModelFilePath(session, text), 1, ORT_FAIL, ORT_FAIL)) {
    CHECK(is_text(settings->optimized_model_path, text));
  } else if (what % 3 == 2 &&
             succeeded(api->EnableProfiling(session, text), 1, ORT_FAIL, ORT_FAIL)) {
    CHECK(is_text(settings->profiling, text));
    CHECK(api->DisableProfiling(session) == NULL && settings->profiling == NULL);
  }
}

static void set_switches(void) {
  int enabled = 0;
  bool deterministic = next_byte() % 2;
  CHECK(api->EnableMemPattern(session) == NULL);
  CHECK(api->GetMemPatternEnabled(session, &enabled) == NULL && enabled == 1);
  CHECK(api->DisableMemPattern(session) == NULL);
  CHECK(api->GetMemPatternEnabled(session, &enabled) == NULL && enabled == 0);
  CHECK(api->EnableCpuMemArena(session) == NULL && session->settings.cpu_arena);
  CHECK(api->DisableCpuMemArena(session) == NULL && !session->settings.cpu_arena);
  CHECK(api->DisablePerSessionThreads(session) == NULL);
  CHECK(!session->settings.per_session_threads);
  SETS(SetDeterministicCompute, session, deterministic, settings.deterministic);
  CHECK(api->SessionOptionsSetLoadCancellationFlag(session, true) == NULL);
  CHECK(session->settings.loading_cancelled->is_cancelled);
}

static void set_pointers(void) {
  OrtSessionOptions* options = session;
  int state = 0;
  CHECK(api->SessionOptionsSetCustomCreateThreadFn(options, NULL) == NULL);
  SETS(SessionOptionsSetCustomThreadCreationOptions, options, &state,
       settings.threads.creation_options);
  CHECK(api->SessionOptionsSetCustomJoinThreadFn(options, NULL) == NULL);
  CHECK(api->SessionOptionsSetEpSelectionPolicyDelegate(options, NULL, &state) == NULL);
  CHECK(options->settings.delegate_state == &state);
  CHECK(api->SessionOptionsSetWeightlessSourceModelBuffer(options, &state, sizeof state) == NULL);
  CHECK(options->settings.weightless_source == &state);
  CHECK(api->SetUserLoggingFunction(options, NULL, &state) == NULL);
  CHECK(api->SetGlobalCustomCreateThreadFn(threading, NULL) == NULL);
  CHECK(api->SetGlobalCustomThreadCreationOptions(threading, &state) == NULL);
  CHECK(threading->functions.creation_options == &state);
  CHECK(api->SetGlobalCustomJoinThreadFn(threading, NULL) == NULL);
  api->RunOptionsSetSyncStream(run, NULL);
}

/* All of them or none; a name counts once. */
static void add_files(void) {
  const char* const names[] = {"a", next_byte() % 4 == 0 ? "a" : "b"};
  char bytes[2];
  char* const buffers[] = {bytes, bytes};
  const size_t lengths[] = {1, 2};
  size_t before = session->lists[CORE_EXTERNAL_FILES].count;
  int can = before == 0 && names[1][0] == 'b';
  succeeded(api->AddExternalInitializersFromFilesInMemory(session, names, buffers, lengths, 2), can,
            ORT_INVALID_ARGUMENT, ORT_INVALID_ARGUMENT);
  CHECK(session->lists[CORE_EXTERNAL_FILES].count == before || can);
}

static void set_mode(int number) {
  ExecutionMode mode = (ExecutionMode)-1;
  if (succeeded(api->SetSessionExecutionMode(session, (ExecutionMode)number),
                number == 0 || number == 1, ORT_INVALID_ARGUMENT, ORT_INVALID_ARGUMENT)) {
    CHECK(api->GetSessionExecutionMode(session, &mode) == NULL && (int)mode == number);
  }
}

static void set_session(unsigned what) {
  int number = (int)(int8_t)next_byte();
  switch (what % 8) {
    case 0:
      set_switches();
      break;
    case 1:
      SETS(SetSessionLogVerbosityLevel, session, number, settings.log_verbosity);
      SETS(SetSessionLogSeverityLevel, session, number, settings.log_severity);
      SETS(SetIntraOpNumThreads, session, number, settings.intra_op_threads);
      SETS(SetInterOpNumThreads, session, number, settings.inter_op_threads);
      break;
    case 2:
      set_mode(number);
      break;
    case 3:
      succeeded(api->SetSessionGraphOptimizationLevel(session, (GraphOptimizationLevel)number),
                (number >= 0 && number <= 3) || number == 99, ORT_INVALID_ARGUMENT,
                ORT_INVALID_ARGUMENT);
      break;
    case 4:
      if (succeeded(api->AddFreeDimensionOverrideByName(session, "name", number), 1, ORT_FAIL,
                    ORT_FAIL)) {
        const struct core_items* items = &session->lists[CORE_FREE_DIMENSIONS];
        CHECK(items->list[items->count - 1].number == number);
      }
      break;
    case 5:
      set_pointers();
      break;
    case 6:
      add_files();
      break;
    default:
      set_texts(what / 8);
  }
}

static void set_run(void) {
  char text[8];
  const char* tag = NULL;
  int number = (int)(int8_t)next_byte();
  SETS(RunOptionsSetRunLogVerbosityLevel, run, number, log_verbosity);
  SETS(RunOptionsSetRunLogSeverityLevel, run, number, log_severity);
  CHECK(api->RunOptionsSetTerminate(run) == NULL && run->terminated);
  CHECK(api->RunOptionsUnsetTerminate(run) == NULL && !run->terminated);
  next_string(text, 7);
  if (succeeded(api->RunOptionsSetRunTag(run, text), 1, ORT_FAIL, ORT_FAIL)) {
    CHECK(api->RunOptionsGetRunTag(run, &tag) == NULL && strcmp(tag, text) == 0);
  }
  if (succeeded(api->RunOptionsEnableProfiling(run, text), 1, ORT_FAIL, ORT_FAIL)) {
    CHECK(is_text(run->profiling, text));
    CHECK(api->RunOptionsDisableProfiling(run) == NULL && run->profiling == NULL);
  }
}

static void set_threading(void) {
  char text[8];
  int number = (int)(int8_t)next_byte();
  SETS(SetGlobalIntraOpNumThreads, threading, number, intra_op_threads);
  SETS(SetGlobalInterOpNumThreads, threading, number, inter_op_threads);
  succeeded(api->SetGlobalSpinControl(threading, number), number == 0 || number == 1,
            ORT_INVALID_ARGUMENT, ORT_INVALID_ARGUMENT);
  CHECK(api->SetGlobalDenormalAsZero(threading) == NULL && threading->denormal_as_zero);
  next_string(text, 7);
  if (succeeded(api->SetGlobalIntraOpThreadAffinity(threading, text), text[0] != '\0',
                ORT_INVALID_ARGUMENT, ORT_INVALID_ARGUMENT)) {
    CHECK(is_text(threading->affinity, text));
  }
}

void use_settings(void) {
  unsigned what = next_byte();
  if (session == NULL) {
    succeeded(api->CreateSessionOptions(&session), 1, ORT_FAIL, ORT_FAIL);
  } else if (run == NULL) {
    succeeded(api->CreateRunOptions(&run), 1, ORT_FAIL, ORT_FAIL);
  } else if (threading == NULL) {
    succeeded(api->CreateThreadingOptions(&threading), 1, ORT_FAIL, ORT_FAIL);
  } else if (what % 4 == 0) {
    set_run();
  } else if (what % 4 == 1) {
    set_threading();
  } else {
    set_session(what / 4);
  }
}

void end_settings(void) {
  api->ReleaseSessionOptions(session);
  api->ReleaseRunOptions(run);
  api->ReleaseThreadingOptions(threading);
  session = NULL;
  run = NULL;
  threading = NULL;
}
