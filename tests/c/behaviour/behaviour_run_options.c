/* SPDX-License-Identifier: MIT */
/* Run options, options of shared threads, and the store of weights. */
#include "behaviour.h"

static OrtEnv* env;

static OrtRunOptions* fresh(void) {
  OrtRunOptions* options = NULL;
  CHECK(api->CreateEnv(ORT_LOGGING_LEVEL_FATAL, "behaviour", &env) == NULL);
  CHECK(api->CreateRunOptions(&options) == NULL);
  return options;
}

static void done(OrtRunOptions* options) {
  api->ReleaseRunOptions(options);
  api->ReleaseEnv(env);
}

/* A call on fresh run options, `o`, that says its status. */
#define SAY(text, expression)    \
  CALL(text) {                   \
    OrtRunOptions* o = fresh();  \
    say_status(api->expression); \
    done(o);                     \
  }

/* A text of the letter x; the next call overwrites it. */
static const char* long_text(size_t length) {
  static char text[10000];
  CHECK(length < sizeof text);
  memset(text, 'x', length);
  text[length] = '\0';
  return text;
}

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

SAY("CreateRunOptions(NULL)", CreateRunOptions(NULL))
CALL("CreateRunOptions(&o) and its defaults") {
  OrtRunOptions* options = fresh();
  say_verbosity(options);
  say_severity(options);
  say_tag(options);
  done(options);
}
CALL("ReleaseRunOptions(NULL)") {
  api->ReleaseRunOptions(NULL);
  say("no-op");
}

CALL("RunOptionsSetRunTag(o,NULL)") {
  OrtRunOptions* options = fresh();
  say_status(api->RunOptionsSetRunTag(options, "abc"));
  say_status(api->RunOptionsSetRunTag(options, NULL));
  say_tag(options);
  done(options);
}
SAY("RunOptionsSetRunTag(NULL,\"t\")", RunOptionsSetRunTag(NULL, "t"))
CALL("RunOptionsGetRunTag(NULL,&t)") { say_tag(NULL); }
SAY("RunOptionsGetRunTag(o,NULL)", RunOptionsGetRunTag(o, NULL))
CALL("RunOptionsSetRunLogSeverityLevel(o,99)") {
  OrtRunOptions* options = fresh();
  say_status(api->RunOptionsSetRunLogSeverityLevel(options, 99));
  say_severity(options);
  done(options);
}
SAY("RunOptionsSetRunLogSeverityLevel(NULL,1)", RunOptionsSetRunLogSeverityLevel(NULL, 1))
CALL("RunOptionsSetRunLogVerbosityLevel(o,-7)") {
  OrtRunOptions* options = fresh();
  say_status(api->RunOptionsSetRunLogVerbosityLevel(options, -7));
  say_verbosity(options);
  done(options);
}
SAY("RunOptionsSetRunLogVerbosityLevel(NULL,1)", RunOptionsSetRunLogVerbosityLevel(NULL, 1))
CALL("RunOptionsGetRunLogSeverityLevel(NULL,&l)") {
  int level = 99;
  say_status(api->RunOptionsGetRunLogSeverityLevel(NULL, &level));
}
SAY("RunOptionsGetRunLogSeverityLevel(o,NULL)", RunOptionsGetRunLogSeverityLevel(o, NULL))
CALL("RunOptionsGetRunLogVerbosityLevel(NULL,&l)") {
  int level = 99;
  say_status(api->RunOptionsGetRunLogVerbosityLevel(NULL, &level));
}
SAY("RunOptionsGetRunLogVerbosityLevel(o,NULL)", RunOptionsGetRunLogVerbosityLevel(o, NULL))
SAY("RunOptionsSetTerminate(o)", RunOptionsSetTerminate(o))
SAY("RunOptionsSetTerminate(NULL)", RunOptionsSetTerminate(NULL))
SAY("RunOptionsUnsetTerminate(o)", RunOptionsUnsetTerminate(o))
SAY("RunOptionsUnsetTerminate(NULL)", RunOptionsUnsetTerminate(NULL))
CALL("RunOptionsSetSyncStream(o,NULL)") {
  OrtRunOptions* options = fresh();
  api->RunOptionsSetSyncStream(options, NULL);
  say("no-op");
  done(options);
}
CALL("RunOptionsSetSyncStream(NULL,NULL)") {
  api->RunOptionsSetSyncStream(NULL, NULL);
  say("no-op");
}
SAY("RunOptionsEnableProfiling(o,\"p\")", RunOptionsEnableProfiling(o, ORT_TSTR("p")))
SAY("RunOptionsEnableProfiling(o,\"\")", RunOptionsEnableProfiling(o, ORT_TSTR("")))
SAY("RunOptionsEnableProfiling(o,NULL)", RunOptionsEnableProfiling(o, NULL))
SAY("RunOptionsEnableProfiling(NULL,\"p\")", RunOptionsEnableProfiling(NULL, ORT_TSTR("p")))
SAY("RunOptionsDisableProfiling(o)", RunOptionsDisableProfiling(o))
SAY("RunOptionsDisableProfiling(NULL)", RunOptionsDisableProfiling(NULL))

SAY("AddRunConfigEntry(o,\"\",\"v\")", AddRunConfigEntry(o, "", "v"))
SAY("AddRunConfigEntry(o,NULL,\"v\")", AddRunConfigEntry(o, NULL, "v"))
SAY("AddRunConfigEntry(o,\"k\",NULL)", AddRunConfigEntry(o, "k", NULL))
SAY("AddRunConfigEntry(NULL,\"k\",\"v\")", AddRunConfigEntry(NULL, "k", "v"))
SAY("AddRunConfigEntry(key of 1024)", AddRunConfigEntry(o, long_text(1024), "v"))
SAY("AddRunConfigEntry(key of 1025)", AddRunConfigEntry(o, long_text(1025), "v"))
SAY("AddRunConfigEntry(value of 8192)", AddRunConfigEntry(o, "k", long_text(8192)))
SAY("AddRunConfigEntry(value of 8193)", AddRunConfigEntry(o, "k", long_text(8193)))
CALL("AddRunConfigEntry twice same key") {
  OrtRunOptions* options = fresh();
  say_status(api->AddRunConfigEntry(options, "k", "1"));
  say_status(api->AddRunConfigEntry(options, "k", "2"));
  say("%s", api->GetRunConfigEntry(options, "k"));
  done(options);
}
CALL("GetRunConfigEntry(o,\"k\") of an empty value") {
  OrtRunOptions* options = fresh();
  say_status(api->AddRunConfigEntry(options, "k", ""));
  say("\"%s\"", api->GetRunConfigEntry(options, "k"));
  done(options);
}
CALL("GetRunConfigEntry(o,\"nope\")") {
  OrtRunOptions* options = fresh();
  say_pointer(api->GetRunConfigEntry(options, "nope"));
  done(options);
}
CALL("GetRunConfigEntry(o,NULL)") {
  OrtRunOptions* options = fresh();
  say_pointer(api->GetRunConfigEntry(options, NULL));
  done(options);
}
CALL("GetRunConfigEntry(NULL,\"k\")") { say_pointer(api->GetRunConfigEntry(NULL, "k")); }
