/* SPDX-License-Identifier: MIT */
/*
 * The execution provider of the guide, with a profiler that does as the words of its registration
 * say. ProfilingEpEvents answers what was called since the last time, in order.
 */
#include <stdio.h>

#define CreateEpFactories CreateHonestFactories
#include "../../../docs/guide/add_ep.c"
#undef CreateEpFactories

#include "events.h"

OrtStatus* CreateEpFactories(const char* name, const OrtApiBase* base, const OrtLogger* logger,
                             OrtEpFactory** factories, size_t room, size_t* count);

ORT_EXPORT const char* ProfilingEpEvents(void) { return take_events(); }

/* Adds as many events as there were events of the library's. */
typedef struct Profiler {
  OrtEpProfilerImpl base;
  const Factory* factory;
  OrtProfilingEvent* events[64];
  size_t count;
} Profiler;

static int says(const void* profiler, const char* word) {
  return strstr(((const Profiler*)profiler)->factory->name, word) != NULL;
}

static OrtStatus* fail_if(const void* profiler, const char* word) {
  const OrtApi* api = ((const Profiler*)profiler)->factory->api;
  return says(profiler, word) ? api->CreateStatus(ORT_EP_FAIL, word) : NULL;
}

static void release_profiler(OrtEpProfilerImpl* self) {
  Profiler* profiler = (Profiler*)self;
  note("~profiler");
  for (size_t i = 0; i < profiler->count; i++) {
    profiler->factory->ep_api->ReleaseProfilingEvent(profiler->events[i]);
  }
  free(profiler);
}

static OrtStatus* start_profiling(OrtEpProfilerImpl* self, int64_t offset_ns) {
  note(offset_ns >= 0 && offset_ns < 60 * INT64_C(1000000000) ? "start" : "start-with-odd-offset");
  return fail_if(self, "no-start");
}

static OrtStatus* start_event(OrtEpProfilerImpl* self, uint64_t id) {
  (void)id;
  note("+");
  return fail_if(self, "no-event");
}

static OrtStatus* stop_event(OrtEpProfilerImpl* self, uint64_t id, const OrtProfilingEvent* event) {
  Profiler* profiler = (Profiler*)self;
  const int is_odd = says(self, "odd");
  const char* const keys[] = {"parent", is_odd ? "made \"so\"" : "sizes"};
  const char *name = NULL, *values[] = {NULL, is_odd ? "[\\]\n" : "[1, 2]"};
  const OrtEpApi* api = profiler->factory->ep_api;
  OrtProfilingEvent* made;
  int64_t start = 0;
  (void)id;
  OrtStatus* status = api->ProfilingEvent_GetName(event, &name);
  if (status == NULL) {
    note(name);
    status = api->ProfilingEvent_GetTimestampUs(event, &start);
  }
  values[0] = name;
  if (status == NULL && profiler->count < 64) {
    status = api->CreateProfilingEvent(OrtProfilingEventCategory_KERNEL, 7, 8,
                                       is_odd ? "\"device\"" : "on the device", start, 1, keys,
                                       values, 2, &made);
    if (status == NULL) {
      profiler->events[profiler->count++] = made;
    }
  }
  return status;
}

static OrtStatus* end_profiling(OrtEpProfilerImpl* self, OrtProfilingEventsContainer* container) {
  Profiler* profiler = (Profiler*)self;
  note("end");
  if (profiler->count > 0) {
    OrtStatus* status = profiler->factory->ep_api->ProfilingEventsContainer_AddEvents(
        container, (const OrtProfilingEvent* const*)profiler->events, profiler->count);
    if (status != NULL) {
      return status;
    }
  }
  return fail_if(self, "no-finish");
}

static OrtStatus* create_profiler(OrtEp* self, OrtEpProfilerImpl** out) {
  const Factory* factory = ((Provider*)self)->factory;
  Profiler* made = calloc(1, sizeof *made);
  note("profiler");
  made->base.ort_version_supported = 25;
  made->base.Release = release_profiler;
  made->base.StartProfiling = start_profiling;
  made->base.EndProfiling = end_profiling;
  made->factory = factory;
  if (!says(made, "silent")) {
    made->base.StartEvent = start_event;
    made->base.StopEvent = stop_event;
  }
  *out = &made->base;
  if (says(made, "nothing") || says(made, "no-profiler")) {
    OrtStatus* status = fail_if(made, "no-profiler");
    free(made);
    *out = NULL;
    return status;
  }
  return NULL;
}

static OrtStatus* create_profiled(OrtEpFactory* self, const OrtHardwareDevice* const* devices,
                                  const OrtKeyValuePairs* const* metadata, size_t count,
                                  const OrtSessionOptions* options, const OrtLogger* logger,
                                  OrtEp** ep) {
  OrtStatus* status = create_ep(self, devices, metadata, count, options, logger, ep);
  if (status == NULL) {
    (*ep)->ort_version_supported = 25;
    (*ep)->CreateProfiler = create_profiler;
  }
  return status;
}

OrtStatus* CreateEpFactories(const char* name, const OrtApiBase* base, const OrtLogger* logger,
                             OrtEpFactory** factories, size_t room, size_t* count) {
  OrtStatus* status = CreateHonestFactories(name, base, logger, factories, room, count);
  if (status == NULL) {
    /* The tables grow by version: events of profiles are in that of 25. */
    ((Factory*)factories[0])->api = base->GetApi(25);
    ((Factory*)factories[0])->ep_api = base->GetApi(25)->GetEpApi();
    factories[0]->CreateEp = create_profiled;
  }
  return status;
}
