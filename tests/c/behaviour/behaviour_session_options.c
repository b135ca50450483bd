/* SPDX-License-Identifier: MIT */
/* Session options: their life, and settings of one value. */
#include "behaviour.h"

static OrtSessionOptions* session_options_fresh(void) {
  return NEW(OrtSessionOptions, api->CreateSessionOptions(&new_));
}

static void session_options_done(OrtSessionOptions* options) {
  api->ReleaseSessionOptions(options);
}

/* Calls on fresh options, `o`; SAY says the status of one. */
#define OPTIONS_CALL(text) \
  CALL_WITH(text, OrtSessionOptions*, o, session_options_fresh, session_options_done)
#define SAY(text, expression) \
  OPTIONS_CALL(text) { say_status(api->expression); }

static OrtStatus* ORT_API_CALL choose(const OrtEpDevice** devices, size_t count,
                                      const OrtKeyValuePairs* model,
                                      const OrtKeyValuePairs* runtime, const OrtEpDevice** selected,
                                      size_t room, size_t* out, void* state) {
  (void)devices, (void)count, (void)model, (void)runtime, (void)selected, (void)room, (void)state;
  *out = 0;
  return NULL;
}

CALL("CreateSessionOptions(&o)") {
  OrtSessionOptions* options = UNTOUCHED;
  say_status(api->CreateSessionOptions(&options));
  say_out(options, UNTOUCHED);
  api->ReleaseSessionOptions(options);
}
CALL("CloneSessionOptions outlives what it copies") {
  OrtSessionOptions* options = session_options_fresh();
  say_status(api->DisableMemPattern(options));
  say_status(api->SetSessionExecutionMode(options, ORT_PARALLEL));
  OrtSessionOptions* copy = NULL;
  say_status(api->CloneSessionOptions(options, &copy));
  api->ReleaseSessionOptions(options);
  int on = 99;
  ExecutionMode mode = ORT_SEQUENTIAL;
  say_status(api->GetMemPatternEnabled(copy, &on));
  say_status(api->GetSessionExecutionMode(copy, &mode));
  say("%d %d", on, (int)mode);
  api->ReleaseSessionOptions(copy);
}

SAY("SetSessionGraphOptimizationLevel(o,0)", SetSessionGraphOptimizationLevel(o, ORT_DISABLE_ALL))
SAY("SetSessionGraphOptimizationLevel(o,1)", SetSessionGraphOptimizationLevel(o, ORT_ENABLE_BASIC))
SAY("SetSessionGraphOptimizationLevel(o,2)",
    SetSessionGraphOptimizationLevel(o, ORT_ENABLE_EXTENDED))
SAY("SetSessionGraphOptimizationLevel(o,3)", SetSessionGraphOptimizationLevel(o, ORT_ENABLE_LAYOUT))
SAY("SetSessionGraphOptimizationLevel(o,99)", SetSessionGraphOptimizationLevel(o, ORT_ENABLE_ALL))
SAY("SetSessionGraphOptimizationLevel(o,5)",
    SetSessionGraphOptimizationLevel(o, (GraphOptimizationLevel)5))
SAY("SetSessionGraphOptimizationLevel(o,-1)",
    SetSessionGraphOptimizationLevel(o, (GraphOptimizationLevel)-1))
SAY("SetSessionGraphOptimizationLevel(o,12345)",
    SetSessionGraphOptimizationLevel(o, (GraphOptimizationLevel)12345))

SAY("SetSessionExecutionMode(o,1)", SetSessionExecutionMode(o, ORT_PARALLEL))
SAY("SetSessionExecutionMode(o,7)", SetSessionExecutionMode(o, (ExecutionMode)7))
SAY("SetSessionExecutionMode(o,-1)", SetSessionExecutionMode(o, (ExecutionMode)-1))
OPTIONS_CALL("GetSessionExecutionMode(o,&m)") {
  ExecutionMode mode = (ExecutionMode)99;
  say_status(api->GetSessionExecutionMode(o, &mode));
  say("%d", (int)mode);
}

#define APPEND(o, name) SessionOptionsAppendExecutionProvider(o, name, NULL, NULL, 0)
SAY("SessionOptionsAppendExecutionProvider(o,CPU)", APPEND(o, "CPU"))
SAY("SessionOptionsAppendExecutionProvider(o,CPUExecutionProvider)",
    APPEND(o, "CPUExecutionProvider"))
SAY("SessionOptionsAppendExecutionProvider(o,cpu)", APPEND(o, "cpu"))
SAY("SessionOptionsAppendExecutionProvider(o,QNN)", APPEND(o, "QNN"))
SAY("SessionOptionsAppendExecutionProvider(o,Nope)", APPEND(o, "Nope"))
SAY("SessionOptionsAppendExecutionProvider(o,\"\")", APPEND(o, ""))

SAY("SetIntraOpNumThreads(o,-5)", SetIntraOpNumThreads(o, -5))
SAY("SetInterOpNumThreads(o,-5)", SetInterOpNumThreads(o, -5))
SAY("SetSessionLogSeverityLevel(o,99)", SetSessionLogSeverityLevel(o, 99))
SAY("SetSessionLogVerbosityLevel(o,-9)", SetSessionLogVerbosityLevel(o, -9))
SAY("SetSessionLogId(o,\"\")", SetSessionLogId(o, ""))
SAY("EnableProfiling(o,\"\")", EnableProfiling(o, ORT_TSTR("")))
SAY("DisableProfiling(o)", DisableProfiling(o))
SAY("SetOptimizedModelFilePath(o,\"\")", SetOptimizedModelFilePath(o, ORT_TSTR("")))
SAY("EnableCpuMemArena(o)", EnableCpuMemArena(o))
SAY("DisableCpuMemArena(o)", DisableCpuMemArena(o))
SAY("DisablePerSessionThreads(o)", DisablePerSessionThreads(o))
SAY("SetDeterministicCompute(o,true)", SetDeterministicCompute(o, true))

static void say_mem_pattern(const OrtSessionOptions* options) {
  int on = 99;
  say_status(api->GetMemPatternEnabled(options, &on));
  say("%d", on);
}

OPTIONS_CALL("EnableMemPattern after DisableMemPattern") {
  say_status(api->DisableMemPattern(o));
  say_status(api->EnableMemPattern(o));
  say_mem_pattern(o);
}
OPTIONS_CALL("DisableMemPattern(o)") {
  say_status(api->DisableMemPattern(o));
  say_mem_pattern(o);
}
OPTIONS_CALL("GetMemPatternEnabled(o,&on)") { say_mem_pattern(o); }

SAY("SessionOptionsSetCustomCreateThreadFn(o,f)",
    SessionOptionsSetCustomCreateThreadFn(o, create_thread))
SAY("SessionOptionsSetCustomCreateThreadFn(o,NULL)", SessionOptionsSetCustomCreateThreadFn(o, NULL))
SAY("SessionOptionsSetCustomThreadCreationOptions(o,NULL)",
    SessionOptionsSetCustomThreadCreationOptions(o, NULL))
SAY("SessionOptionsSetCustomJoinThreadFn(o,f)", SessionOptionsSetCustomJoinThreadFn(o, join_thread))
SAY("SessionOptionsSetCustomJoinThreadFn(o,NULL)", SessionOptionsSetCustomJoinThreadFn(o, NULL))
SAY("SessionOptionsSetLoadCancellationFlag(o,true)", SessionOptionsSetLoadCancellationFlag(o, true))
SAY("SessionOptionsSetEpSelectionPolicy(o,2)",
    SessionOptionsSetEpSelectionPolicy(o, OrtExecutionProviderDevicePolicy_PREFER_NPU))
SAY("SessionOptionsSetEpSelectionPolicy(o,99)",
    SessionOptionsSetEpSelectionPolicy(o, (OrtExecutionProviderDevicePolicy)99))
SAY("SessionOptionsSetEpSelectionPolicyDelegate(o,f,NULL)",
    SessionOptionsSetEpSelectionPolicyDelegate(o, choose, NULL))
SAY("SessionOptionsSetEpSelectionPolicyDelegate(o,NULL,NULL)",
    SessionOptionsSetEpSelectionPolicyDelegate(o, NULL, NULL))
SAY("SessionOptionsSetWeightlessSourceModelBuffer(o,p,3)",
    SessionOptionsSetWeightlessSourceModelBuffer(o, "abc", 3))
SAY("SessionOptionsSetWeightlessSourceModelBuffer(o,p,0)",
    SessionOptionsSetWeightlessSourceModelBuffer(o, "abc", 0))

#undef APPEND
#undef OPTIONS_CALL
#undef SAY
