/* SPDX-License-Identifier: MIT */
/* Configuration entries of session and run options, and fixed dimensions. */
#include "behaviour.h"

/* With an environment, whose logger other libraries need to overwrite an entry. */
static OrtEnv* config_entries_env;

static OrtSessionOptions* config_entries_fresh(void) {
  CHECK(api->CreateEnv(ORT_LOGGING_LEVEL_FATAL, "behaviour", &config_entries_env) == NULL);
  OrtSessionOptions* options = NEW(OrtSessionOptions, api->CreateSessionOptions(&new_));
  CHECK(api->AddSessionConfigEntry(options, "key", "abc") == NULL);
  return options;
}

static void done(OrtSessionOptions* options) {
  api->ReleaseSessionOptions(options);
  api->ReleaseEnv(config_entries_env);
}

/* Calls on options, `o`, with the entry key=abc; SAY says the status of one. */
#define OPTIONS_CALL(text) CALL_WITH(text, OrtSessionOptions*, o, config_entries_fresh, done)
#define SAY(text, expression) \
  OPTIONS_CALL(text) { say_status(api->expression); }

static void say_entry(const OrtSessionOptions* options, const char* key, char* buffer,
                      size_t size) {
  say_status(api->GetSessionConfigEntry(options, key, buffer, &size));
  say("size=%zu", size);
}

SAY("AddSessionConfigEntry(o,\"k\",\"v\")", AddSessionConfigEntry(o, "k", "v"))
SAY("AddSessionConfigEntry(o,\"\",\"v\")", AddSessionConfigEntry(o, "", "v"))
SAY("AddSessionConfigEntry(o,\"k\",\"\")", AddSessionConfigEntry(o, "k", ""))
SAY("AddSessionConfigEntry(key of 1024)", AddSessionConfigEntry(o, long_text('x', 1024), "v"))
SAY("AddSessionConfigEntry(key of 1025)", AddSessionConfigEntry(o, long_text('x', 1025), "v"))
SAY("AddSessionConfigEntry(value of 8192)", AddSessionConfigEntry(o, "k", long_text('x', 8192)))
SAY("AddSessionConfigEntry(value of 8193)", AddSessionConfigEntry(o, "k", long_text('x', 8193)))
OPTIONS_CALL("AddSessionConfigEntry twice same key") {
  say_status(api->AddSessionConfigEntry(o, "key", "longer"));
  char value[16];
  say_entry(o, "key", value, sizeof value);
  say("%s", value);
}
CALL("AddSessionConfigEntry twice without an environment") {
  OrtSessionOptions* options = NEW(OrtSessionOptions, api->CreateSessionOptions(&new_));
  say_status(api->AddSessionConfigEntry(options, "key", "1"));
  say_status(api->AddSessionConfigEntry(options, "key", "2"));
  api->ReleaseSessionOptions(options);
}
OPTIONS_CALL("AddSessionConfigEntry to a copy") {
  OrtSessionOptions* copy = NULL;
  say_status(api->CloneSessionOptions(o, &copy));
  say_status(api->AddSessionConfigEntry(copy, "key", "longer"));
  say_entry(o, "key", NULL, 0);
  say_entry(copy, "key", NULL, 0);
  api->ReleaseSessionOptions(copy);
}

OPTIONS_CALL("HasSessionConfigEntry(o,\"key\",&i)") {
  int found = 99;
  say_status(api->HasSessionConfigEntry(o, "key", &found));
  say("%d", found);
}
OPTIONS_CALL("HasSessionConfigEntry(o,\"nope\",&i)") {
  int found = 99;
  say_status(api->HasSessionConfigEntry(o, "nope", &found));
  say("%d", found);
}
OPTIONS_CALL("HasSessionConfigEntry(o,NULL,&i)") {
  int found = 99;
  say_status(api->HasSessionConfigEntry(o, NULL, &found));
  say("%d", found);
}

OPTIONS_CALL("GetSessionConfigEntry(o,\"key\",buf,&size)") {
  char value[8] = "#######";
  say_entry(o, "key", value, sizeof value);
  say("%s", value);
}
OPTIONS_CALL("GetSessionConfigEntry(missing key)") {
  char value[8] = "#######";
  say_entry(o, "nope", value, sizeof value);
  say("%s", value);
}
OPTIONS_CALL("GetSessionConfigEntry(buf NULL,size 0)") { say_entry(o, "key", NULL, 0); }
OPTIONS_CALL("GetSessionConfigEntry(buf NULL,size 8)") { say_entry(o, "key", NULL, 8); }
OPTIONS_CALL("GetSessionConfigEntry(buf,size 3) of 4") {
  char value[8] = "#######";
  say_entry(o, "key", value, 3);
  say("%s", value);
}
OPTIONS_CALL("GetSessionConfigEntry(buf,size 4) of 4") {
  char value[8] = "#######";
  say_entry(o, "key", value, 4);
  say("%s", value);
}
OPTIONS_CALL("GetSessionConfigEntry(key NULL)") { say_entry(o, NULL, NULL, 0); }

OPTIONS_CALL("GetSessionOptionsConfigEntries(o,&kvps)") {
  OrtKeyValuePairs* pairs = NULL;
  say_status(api->GetSessionOptionsConfigEntries(o, &pairs));
  const char* const* keys = NULL;
  const char* const* values = NULL;
  size_t count = 0;
  api->GetKeyValuePairs(pairs, &keys, &values, &count);
  say("%zu", count);
  say("%s=%s", keys[0], values[0]);
  api->ReleaseKeyValuePairs(pairs);
}

SAY("AddFreeDimensionOverride(o,\"N\",-1)", AddFreeDimensionOverride(o, "N", -1))
SAY("AddFreeDimensionOverrideByName(o,\"\",3)", AddFreeDimensionOverrideByName(o, "", 3))
OPTIONS_CALL("AddFreeDimensionOverrideByName twice same name") {
  say_status(api->AddFreeDimensionOverrideByName(o, "N", 3));
  say_status(api->AddFreeDimensionOverrideByName(o, "N", 4));
}

#undef OPTIONS_CALL
#undef SAY
