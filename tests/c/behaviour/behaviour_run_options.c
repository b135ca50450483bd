/* SPDX-License-Identifier: MIT */
/* Run options, options of shared threads, and the store of weights. */
#include "behaviour.h"

static OrtEnv* run_options_env;

static OrtRunOptions* run_options_fresh(void) {
  CHECK(api->CreateEnv(ORT_LOGGING_LEVEL_FATAL, "behaviour", &run_options_env) == NULL);
  return NEW(OrtRunOptions, api->CreateRunOptions(&new_));
}

static void run_options_done(OrtRunOptions* options) {
  api->ReleaseRunOptions(options);
  api->ReleaseEnv(run_options_env);
}

/* Calls on fresh run options, `o`; SAY says the status of one. */
#define OPTIONS_CALL(text) CALL_WITH(text, OrtRunOptions*, o, run_options_fresh, run_options_done)
#define SAY(text, expression) \
  OPTIONS_CALL(text) { say_status(api->expression); }

static void say_severity(const OrtRunOptions* options) {
  int level = 99;
  say_status(api->RunOptionsGetRunLogSeverityLevel(options, &level));
  say("severity=%d", level);
}

static void say_verbosity(const OrtRunOptions* options) {
  int level = 99;
  say_status(api->RunOptionsGetRunLogVerbosityLevel(options, &level));
  say("verbosity=%d", level);
}

static void say_tag(const OrtRunOptions* options) {
  const char* tag = UNTOUCHED;
  if (say_status(api->RunOptionsGetRunTag(options, &tag))) {
    say("tag=\"%s\"", tag);
  } else {
    say_out(tag, UNTOUCHED);
  }
}

OPTIONS_CALL("CreateRunOptions(&o) and its defaults") {
  say_verbosity(o);
  say_severity(o);
  say_tag(o);
}

OPTIONS_CALL("RunOptionsSetRunTag(o,NULL)") {
  say_status(api->RunOptionsSetRunTag(o, "abc"));
  say_status(api->RunOptionsSetRunTag(o, NULL));
  say_tag(o);
}
OPTIONS_CALL("RunOptionsSetRunLogSeverityLevel(o,99)") {
  say_status(api->RunOptionsSetRunLogSeverityLevel(o, 99));
  say_severity(o);
}
OPTIONS_CALL("RunOptionsSetRunLogVerbosityLevel(o,-7)") {
  say_status(api->RunOptionsSetRunLogVerbosityLevel(o, -7));
  say_verbosity(o);
}
SAY("RunOptionsSetTerminate(o)", RunOptionsSetTerminate(o))
SAY("RunOptionsUnsetTerminate(o)", RunOptionsUnsetTerminate(o))
OPTIONS_CALL("RunOptionsSetSyncStream(o,NULL)") {
  api->RunOptionsSetSyncStream(o, NULL);
  say("no-op");
}
SAY("RunOptionsEnableProfiling(o,\"p\")", RunOptionsEnableProfiling(o, ORT_TSTR("p")))
SAY("RunOptionsEnableProfiling(o,\"\")", RunOptionsEnableProfiling(o, ORT_TSTR("")))
SAY("RunOptionsDisableProfiling(o)", RunOptionsDisableProfiling(o))

SAY("AddRunConfigEntry(o,\"\",\"v\")", AddRunConfigEntry(o, "", "v"))
SAY("AddRunConfigEntry(key of 1024)", AddRunConfigEntry(o, long_text('x', 1024), "v"))
SAY("AddRunConfigEntry(key of 1025)", AddRunConfigEntry(o, long_text('x', 1025), "v"))
SAY("AddRunConfigEntry(value of 8192)", AddRunConfigEntry(o, "k", long_text('x', 8192)))
SAY("AddRunConfigEntry(value of 8193)", AddRunConfigEntry(o, "k", long_text('x', 8193)))
OPTIONS_CALL("AddRunConfigEntry twice same key") {
  say_status(api->AddRunConfigEntry(o, "k", "1"));
  say_status(api->AddRunConfigEntry(o, "k", "2"));
  say("%s", api->GetRunConfigEntry(o, "k"));
}
OPTIONS_CALL("GetRunConfigEntry(o,\"k\") of an empty value") {
  say_status(api->AddRunConfigEntry(o, "k", ""));
  say("\"%s\"", api->GetRunConfigEntry(o, "k"));
}
OPTIONS_CALL("GetRunConfigEntry(o,\"nope\")") { say_pointer(api->GetRunConfigEntry(o, "nope")); }

#undef OPTIONS_CALL
#undef SAY
