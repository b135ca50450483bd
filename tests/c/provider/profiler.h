/* SPDX-License-Identifier: MIT */
/* A profiler, which adds as many events as there were events of the library's. */
#ifndef ORTCFFI_TESTS_PROVIDER_PROFILER_H_
#define ORTCFFI_TESTS_PROVIDER_PROFILER_H_

#include "provider.h"

typedef struct Profiler {
  OrtEpProfilerImpl base;
  const Maker* maker;
  OrtProfilingEvent* events[64];
  size_t number;
} Profiler;

static const Maker* maker_of_profiler(const OrtEpProfilerImpl* self) {
  return ((const Profiler*)self)->maker;
}

static void ORT_API_CALL release_profiler(OrtEpProfilerImpl* self) {
  const Profiler* profiler = (Profiler*)self;
  note("~profiler");
  for (size_t i = 0; i < profiler->number; i++) {
    ep_api->ReleaseProfilingEvent(profiler->events[i]);
  }
  end(self, sizeof *profiler);
}

static OrtStatus* ORT_API_CALL start_profiling(OrtEpProfilerImpl* self, int64_t offset_ns) {
  note(offset_ns >= 0 && offset_ns < 60 * INT64_C(1000000000) ? "start" : "start-with-odd-offset");
  DO("StartProfiling", fail_if(maker_of_profiler(self), "no-start"));
}
static OrtStatus* ORT_API_CALL start_event(OrtEpProfilerImpl* self, uint64_t id) {
  (void)id;
  note("+");
  DO("StartEvent", fail_if(maker_of_profiler(self), "no-event"));
}

static OrtStatus* add_event(Profiler* profiler, const OrtProfilingEvent* event) {
  const int is_odd = asks(profiler->maker, "odd");
  const char* const keys[] = {"parent", is_odd ? "made \"so\"" : "sizes"};
  const char *name = NULL, *values[] = {NULL, is_odd ? "[\\]\n" : "[1, 2]"};
  int64_t start = 0;
  TRY(ep_api->ProfilingEvent_GetName(event, &name));
  note(name);
  TRY(ep_api->ProfilingEvent_GetTimestampUs(event, &start));
  values[0] = name;
  if (profiler->number == 64) return NULL;
  TRY(ep_api->CreateProfilingEvent(OrtProfilingEventCategory_KERNEL, 7, 8,
                                   is_odd ? "\"device\"" : "on the device", start, 1, keys, values,
                                   2, &profiler->events[profiler->number]));
  return profiler->number++, NULL;
}
static OrtStatus* ORT_API_CALL stop_event(OrtEpProfilerImpl* self, uint64_t id,
                                          const OrtProfilingEvent* event) {
  (void)id;
  DO("StopEvent", add_event((Profiler*)self, event));
}

static OrtStatus* ORT_API_CALL end_profiling(OrtEpProfilerImpl* self,
                                             OrtProfilingEventsContainer* container) {
  const Profiler* profiler = (Profiler*)self;
  note("end");
  if (profiler->number > 0) {
    TRY(ep_api->ProfilingEventsContainer_AddEvents(
        container, (const OrtProfilingEvent* const*)profiler->events, profiler->number));
  }
  DO("EndProfiling", fail_if(profiler->maker, "no-finish"));
}

static OrtStatus* new_profiler(const Maker* maker, OrtEpProfilerImpl** out) {
  Profiler* made = calloc(1, sizeof *made);
  made->base.ort_version_supported = 25;
  made->base.Release = release_profiler;
  made->base.StartProfiling = start_profiling;
  made->base.EndProfiling = end_profiling;
  made->maker = maker;
  if (!asks(maker, "silent")) {
    made->base.StartEvent = start_event;
    made->base.StopEvent = stop_event;
  }
  return *out = &made->base, NULL;
}
static OrtStatus* ORT_API_CALL make_profiler(OrtEp* self, OrtEpProfilerImpl** out) {
  const Maker* maker = maker_of(self);
  *out = NULL;
  note("profiler");
  TRY(fail_if(maker, "no-profiler"));
  if (asks(maker, "nothing")) return NULL;
  MAKE("CreateProfiler", new_profiler(maker, out), release_profiler(*out));
}

#endif /* ORTCFFI_TESTS_PROVIDER_PROFILER_H_ */
