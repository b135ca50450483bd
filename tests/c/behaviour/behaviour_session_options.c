/* SPDX-License-Identifier: MIT */
/* Session options: their life, and settings of one value. */
#include "behaviour.h"

static OrtSessionOptions* session_options_fresh(void) {
  OrtSessionOptions* options = NULL;
  CHECK(api->CreateSessionOptions(&options) == NULL);
  return options;
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

CALL("CreateSessionOptions(NULL)") { say_status(api->CreateSessionOptions(NULL)); }
CALL("CreateSessionOptions(&o)") {
  OrtSessionOptions* options = UNTOUCHED;
  say_status(api->CreateSessionOptions(&options));
  say_out(options, UNTOUCHED);
  api->ReleaseSessionOptions(options);
}
CALL("CloneSessionOptions(NULL,&o)") {
  OrtSessionOptions* copy = UNTOUCHED;
  say_status(api->CloneSessionOptions(NULL, &copy));
  say_out(copy, UNTOUCHED);
}
SAY("CloneSessionOptions(o,NULL)", CloneSessionOptions(o, NULL))
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
CALL("ReleaseSessionOptions(NULL)") {
  api->ReleaseSessionOptions(NULL);
  say("no-op");
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
SAY("SetSessionGraphOptimizationLevel(NULL,1)",
    SetSessionGraphOptimizationLevel(NULL, ORT_ENABLE_BASIC))

SAY("SetSessionExecutionMode(o,1)", SetSessionExecutionMode(o, ORT_PARALLEL))
SAY("SetSessionExecutionMode(o,7)", SetSessionExecutionMode(o, (ExecutionMode)7))
SAY("SetSessionExecutionMode(o,-1)", SetSessionExecutionMode(o, (ExecutionMode)-1))
SAY("SetSessionExecutionMode(NULL,0)", SetSessionExecutionMode(NULL, ORT_SEQUENTIAL))
OPTIONS_CALL("GetSessionExecutionMode(o,&m)") {
  ExecutionMode mode = (ExecutionMode)99;
  say_status(api->GetSessionExecutionMode(o, &mode));
  say("%d", (int)mode);
}
CALL("GetSessionExecutionMode(NULL,&m)") {
  ExecutionMode mode = (ExecutionMode)99;
  say_status(api->GetSessionExecutionMode(NULL, &mode));
  say("%d", (int)mode);
}
SAY("GetSessionExecutionMode(o,NULL)", GetSessionExecutionMode(o, NULL))

#define APPEND(o, name) SessionOptionsAppendExecutionProvider(o, name, NULL, NULL, 0)
SAY("SessionOptionsAppendExecutionProvider(o,CPU)", APPEND(o, "CPU"))
SAY("SessionOptionsAppendExecutionProvider(o,CPUExecutionProvider)",
    APPEND(o, "CPUExecutionProvider"))
SAY("SessionOptionsAppendExecutionProvider(o,cpu)", APPEND(o, "cpu"))
SAY("SessionOptionsAppendExecutionProvider(o,QNN)", APPEND(o, "QNN"))
SAY("SessionOptionsAppendExecutionProvider(o,Nope)", APPEND(o, "Nope"))
SAY("SessionOptionsAppendExecutionProvider(o,\"\")", APPEND(o, ""))
SAY("SessionOptionsAppendExecutionProvider(o,NULL)", APPEND(o, NULL))
SAY("SessionOptionsAppendExecutionProvider(NULL,CPU)", APPEND(NULL, "CPU"))

SAY("SetIntraOpNumThreads(o,-5)", SetIntraOpNumThreads(o, -5))
SAY("SetIntraOpNumThreads(NULL,1)", SetIntraOpNumThreads(NULL, 1))
SAY("SetInterOpNumThreads(o,-5)", SetInterOpNumThreads(o, -5))
SAY("SetInterOpNumThreads(NULL,1)", SetInterOpNumThreads(NULL, 1))
SAY("SetSessionLogSeverityLevel(o,99)", SetSessionLogSeverityLevel(o, 99))
SAY("SetSessionLogSeverityLevel(NULL,1)", SetSessionLogSeverityLevel(NULL, 1))
SAY("SetSessionLogVerbosityLevel(o,-9)", SetSessionLogVerbosityLevel(o, -9))
SAY("SetSessionLogVerbosityLevel(NULL,1)", SetSessionLogVerbosityLevel(NULL, 1))
SAY("SetSessionLogId(o,\"\")", SetSessionLogId(o, ""))
SAY("SetSessionLogId(o,NULL)", SetSessionLogId(o, NULL))
SAY("SetSessionLogId(NULL,\"i\")", SetSessionLogId(NULL, "i"))
SAY("EnableProfiling(o,\"\")", EnableProfiling(o, ORT_TSTR("")))
SAY("EnableProfiling(o,NULL)", EnableProfiling(o, NULL))
SAY("EnableProfiling(NULL,\"p\")", EnableProfiling(NULL, ORT_TSTR("p")))
SAY("DisableProfiling(o)", DisableProfiling(o))
SAY("DisableProfiling(NULL)", DisableProfiling(NULL))
SAY("SetOptimizedModelFilePath(o,\"\")", SetOptimizedModelFilePath(o, ORT_TSTR("")))
SAY("SetOptimizedModelFilePath(o,NULL)", SetOptimizedModelFilePath(o, NULL))
SAY("SetOptimizedModelFilePath(NULL,\"p\")", SetOptimizedModelFilePath(NULL, ORT_TSTR("p")))
SAY("EnableMemPattern(NULL)", EnableMemPattern(NULL))
SAY("DisableMemPattern(NULL)", DisableMemPattern(NULL))
SAY("EnableCpuMemArena(o)", EnableCpuMemArena(o))
SAY("EnableCpuMemArena(NULL)", EnableCpuMemArena(NULL))
SAY("DisableCpuMemArena(o)", DisableCpuMemArena(o))
SAY("DisableCpuMemArena(NULL)", DisableCpuMemArena(NULL))
SAY("DisablePerSessionThreads(o)", DisablePerSessionThreads(o))
SAY("DisablePerSessionThreads(NULL)", DisablePerSessionThreads(NULL))
SAY("SetDeterministicCompute(o,true)", SetDeterministicCompute(o, true))
SAY("SetDeterministicCompute(NULL,true)", SetDeterministicCompute(NULL, true))

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
CALL("GetMemPatternEnabled(NULL,&on)") { say_mem_pattern(NULL); }
SAY("GetMemPatternEnabled(o,NULL)", GetMemPatternEnabled(o, NULL))

SAY("SessionOptionsSetCustomCreateThreadFn(o,f)",
    SessionOptionsSetCustomCreateThreadFn(o, create_thread))
SAY("SessionOptionsSetCustomCreateThreadFn(o,NULL)", SessionOptionsSetCustomCreateThreadFn(o, NULL))
SAY("SessionOptionsSetCustomCreateThreadFn(NULL,f)",
    SessionOptionsSetCustomCreateThreadFn(NULL, create_thread))
SAY("SessionOptionsSetCustomThreadCreationOptions(o,NULL)",
    SessionOptionsSetCustomThreadCreationOptions(o, NULL))
SAY("SessionOptionsSetCustomThreadCreationOptions(NULL,p)",
    SessionOptionsSetCustomThreadCreationOptions(NULL, UNTOUCHED))
SAY("SessionOptionsSetCustomJoinThreadFn(o,f)", SessionOptionsSetCustomJoinThreadFn(o, join_thread))
SAY("SessionOptionsSetCustomJoinThreadFn(o,NULL)", SessionOptionsSetCustomJoinThreadFn(o, NULL))
SAY("SessionOptionsSetCustomJoinThreadFn(NULL,f)",
    SessionOptionsSetCustomJoinThreadFn(NULL, join_thread))
SAY("SessionOptionsSetLoadCancellationFlag(o,true)", SessionOptionsSetLoadCancellationFlag(o, true))
SAY("SessionOptionsSetLoadCancellationFlag(NULL,true)",
    SessionOptionsSetLoadCancellationFlag(NULL, true))
SAY("SessionOptionsSetEpSelectionPolicy(o,2)",
    SessionOptionsSetEpSelectionPolicy(o, OrtExecutionProviderDevicePolicy_PREFER_NPU))
SAY("SessionOptionsSetEpSelectionPolicy(o,99)",
    SessionOptionsSetEpSelectionPolicy(o, (OrtExecutionProviderDevicePolicy)99))
SAY("SessionOptionsSetEpSelectionPolicy(NULL,2)",
    SessionOptionsSetEpSelectionPolicy(NULL, OrtExecutionProviderDevicePolicy_PREFER_NPU))
SAY("SessionOptionsSetEpSelectionPolicyDelegate(o,f,NULL)",
    SessionOptionsSetEpSelectionPolicyDelegate(o, choose, NULL))
SAY("SessionOptionsSetEpSelectionPolicyDelegate(o,NULL,NULL)",
    SessionOptionsSetEpSelectionPolicyDelegate(o, NULL, NULL))
SAY("SessionOptionsSetEpSelectionPolicyDelegate(NULL,f,NULL)",
    SessionOptionsSetEpSelectionPolicyDelegate(NULL, choose, NULL))
SAY("SessionOptionsSetWeightlessSourceModelBuffer(o,p,3)",
    SessionOptionsSetWeightlessSourceModelBuffer(o, "abc", 3))
SAY("SessionOptionsSetWeightlessSourceModelBuffer(o,p,0)",
    SessionOptionsSetWeightlessSourceModelBuffer(o, "abc", 0))
SAY("SessionOptionsSetWeightlessSourceModelBuffer(o,NULL,3)",
    SessionOptionsSetWeightlessSourceModelBuffer(o, NULL, 3))
SAY("SessionOptionsSetWeightlessSourceModelBuffer(NULL,p,3)",
    SessionOptionsSetWeightlessSourceModelBuffer(NULL, "abc", 3))

#undef APPEND
#undef OPTIONS_CALL
#undef SAY
