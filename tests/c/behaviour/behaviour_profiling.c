/* SPDX-License-Identifier: MIT */
/* Events of profiles. */
#include "behaviour.h"

static const char* const profiling_keys[] = {"a", "b", "a", ""};
static const char* const profiling_values[] = {"1", "", "3", "4"};

static OrtStatus* profiling_make(const char* name, const char* const* with_keys,
                                 const char* const* with_values, size_t count,
                                 OrtProfilingEvent** out) {
  return api->GetEpApi()->CreateProfilingEvent(OrtProfilingEventCategory_KERNEL, 11, -12, name, 13,
                                               -14, with_keys, with_values, count, out);
}

static OrtProfilingEvent* event(void) {
  return NEW(OrtProfilingEvent,
             profiling_make("my kernel", profiling_keys, profiling_values, 4, &new_));
}

static void say_made(OrtStatus* status, OrtProfilingEvent* made) {
  if (say_status(status)) {
    say("out=set");
    api->GetEpApi()->ReleaseProfilingEvent(made);
  } else {
    say_out(made, UNTOUCHED);
  }
}

static void make_category(int category) {
  OrtProfilingEvent* made = UNTOUCHED;
  OrtProfilingEventCategory got = (OrtProfilingEventCategory)99;
  OrtStatus* status = api->GetEpApi()->CreateProfilingEvent((OrtProfilingEventCategory)category, 0,
                                                            0, "e", 0, 0, NULL, NULL, 0, &made);
  if (say_status(status)) {
    say_status(api->GetEpApi()->ProfilingEvent_GetCategory(made, &got));
    say("%d", (int)got);
    api->GetEpApi()->ReleaseProfilingEvent(made);
  } else {
    say_out(made, UNTOUCHED);
  }
}
CALL("CreateProfilingEvent(SESSION)") { make_category(0); }
CALL("CreateProfilingEvent(NODE)") { make_category(1); }
CALL("CreateProfilingEvent(API)") { make_category(3); }
CALL("CreateProfilingEvent(category 4)") { make_category(4); }
CALL("CreateProfilingEvent(category 5)") { make_category(5); }
CALL("CreateProfilingEvent(category -1)") { make_category(-1); }

#define CREATED(text, ...)               \
  CALL("CreateProfilingEvent" text) {    \
    OrtProfilingEvent* made = UNTOUCHED; \
    OrtStatus* status = __VA_ARGS__;     \
    say_made(status, made);              \
  }
CREATED("(name=\"\")", profiling_make("", NULL, NULL, 0, &made))
CREATED("(keys=NULL, n=0)", profiling_make("e", NULL, profiling_values, 0, &made))
CREATED("(keys=NULL, n=1)", profiling_make("e", NULL, profiling_values, 1, &made))
CREATED("(values=NULL, n=1)", profiling_make("e", profiling_keys, NULL, 1, &made))
CREATED("(keys with NULL)",
        profiling_make("e", (const char*[]){"a", NULL}, profiling_values, 2, &made))
CREATED("(values with NULL)",
        profiling_make("e", profiling_keys, (const char*[]){"a", NULL}, 2, &made))
CREATED("(n=SIZE_MAX, keys=NULL)", profiling_make("e", NULL, NULL, SIZE_MAX, &made))

CALL("ProfilingEvent_GetName and the like") {
  OrtProfilingEvent* of = event();
  const OrtEpApi* ep = api->GetEpApi();
  const char* name = NULL;
  int64_t start = 0, length = 0;
  OrtProfilingEventCategory category = (OrtProfilingEventCategory)99;
  say_status(ep->ProfilingEvent_GetName(of, &name));
  say_status(ep->ProfilingEvent_GetTimestampUs(of, &start));
  say_status(ep->ProfilingEvent_GetDurationUs(of, &length));
  say_status(ep->ProfilingEvent_GetCategory(of, &category));
  say("%s %d %d %d", name, (int)start, (int)length, (int)category);
  ep->ReleaseProfilingEvent(of);
}

static void profiling_say_value(const char* key) {
  OrtProfilingEvent* of = event();
  const char* value = UNTOUCHED;
  if (say_status(api->GetEpApi()->ProfilingEvent_GetArgValue(of, key, &value))) {
    say("%s", value == NULL ? "NULL" : value);
  } else {
    say_out(value, UNTOUCHED);
  }
  api->GetEpApi()->ReleaseProfilingEvent(of);
}
CALL("ProfilingEvent_GetArgValue(e,\"b\")") { profiling_say_value("b"); }
CALL("ProfilingEvent_GetArgValue(e,\"\")") { profiling_say_value(""); }
CALL("ProfilingEvent_GetArgValue(e, a key that is there twice)") { profiling_say_value("a"); }
CALL("ProfilingEvent_GetArgValue(e,\"nope\")") { profiling_say_value("nope"); }

/* A call with an event, `e`, and places for an answer. */
#define GETTER(name, type, ...)
#define KEY "a",
GETTER(ProfilingEvent_GetCategory, OrtProfilingEventCategory, )
GETTER(ProfilingEvent_GetName, const char*, )
GETTER(ProfilingEvent_GetTimestampUs, int64_t, )
GETTER(ProfilingEvent_GetDurationUs, int64_t, )
GETTER(ProfilingEvent_GetArgValue, const char*, KEY)

static void profiling_add(OrtProfilingEventsContainer* to, const OrtProfilingEvent* first,
                          size_t count) {
  const OrtProfilingEvent* events[] = {first, NULL};
  say_status(api->GetEpApi()->ProfilingEventsContainer_AddEvents(to, events, count));
}
CALL("ProfilingEventsContainer_AddEvents(c,events,0)") { profiling_add(UNTOUCHED, event(), 0); }
CALL("ProfilingEventsContainer_AddEvents(c, events with NULL, 2)") {
  profiling_add(UNTOUCHED, event(), 2);
}
