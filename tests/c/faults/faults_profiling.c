/* SPDX-License-Identifier: MIT */
/* Trials of events of profiles. */
#include "faults.h"
#include "ortcore.h"

static const OrtEpApi* ep(void) { return api->GetEpApi(); }

static OrtStatus* make_event(void** out) {
  static const char* const keys[] = {"kernel", "bytes"};
  static const char* const values[] = {"gemm", "4096"};
  return ep()->CreateProfilingEvent(OrtProfilingEventCategory_KERNEL, 1, 2, "gemm_1", 3, 4, keys,
                                    values, 2, (OrtProfilingEvent**)out);
}
static void release_event(void* out) { ep()->ReleaseProfilingEvent(out); }

static OrtProfilingEvent* event;
static void with_event(void) {
  if (event == NULL) {
    CHECK(make_event((void**)&event) == NULL);
  }
}

static void check_event(void* state, const OrtProfilingEvent* of) {
  OrtProfilingEventCategory category = OrtProfilingEventCategory_SESSION;
  const char* text = NULL;
  int64_t time = 0;
  CHECK(ep()->ProfilingEvent_GetCategory(of, &category) == NULL);
  CHECK(category == OrtProfilingEventCategory_KERNEL);
  CHECK(ep()->ProfilingEvent_GetName(of, &text) == NULL && strcmp(text, "gemm_1") == 0);
  CHECK(ep()->ProfilingEvent_GetTimestampUs(of, &time) == NULL && time == 3);
  CHECK(ep()->ProfilingEvent_GetDurationUs(of, &time) == NULL && time == 4);
  CHECK(ep()->ProfilingEvent_GetArgValue(of, "bytes", &text) == NULL);
  CHECK(strcmp(text, "4096") == 0);
  if (state != NULL) {
    ++*(size_t*)state;
  }
}
static OrtStatus* read_event(void** out) {
  (void)out;
  check_event(NULL, event);
  return NULL;
}

/* More events than the container has room for at first, in several calls. */
#define ADDED 3
#define CALLS 5
static OrtStatus* ORT_API_CALL end_profiling(OrtEpProfilerImpl* self,
                                             OrtProfilingEventsContainer* container) {
  const OrtProfilingEvent* events[ADDED] = {event, event, event};
  (void)self;
  for (int i = 0; i < CALLS; i++) {
    OrtStatus* status = ep()->ProfilingEventsContainer_AddEvents(container, events, ADDED);
    if (status != NULL) {
      return status;
    }
  }
  return NULL;
}
static OrtStatus* end_with(OrtStatus*(ORT_API_CALL* end)(OrtEpProfilerImpl*,
                                                         OrtProfilingEventsContainer*),
                           size_t* taken) {
  OrtEpProfilerImpl profiler = {.ort_version_supported = ORT_API_VERSION, .EndProfiling = end};
  OrtcoreEndProfiling core_end =
      (OrtcoreEndProfiling)api->GetExperimentalFunction(ORTCORE_END_PROFILING);
  return core_end(&profiler, check_event, taken);
}
static OrtStatus* add_events(void** out) {
  size_t taken = 0;
  (void)out;
  OrtStatus* status = end_with(end_profiling, &taken);
  CHECK(taken == (status == NULL ? ADDED * CALLS : 0));
  return status;
}

/* A profiler that releases its event, as it may: the profile keeps its own. */
static OrtStatus* ORT_API_CALL end_and_release(OrtEpProfilerImpl* self,
                                               OrtProfilingEventsContainer* container) {
  OrtProfilingEvent* own = NULL;
  (void)self;
  OrtStatus* status = make_event((void**)&own);
  if (status == NULL) {
    status = ep()->ProfilingEventsContainer_AddEvents(container,
                                                      (const OrtProfilingEvent* const*)&own, 1);
    ep()->ReleaseProfilingEvent(own);
  }
  return status;
}
static OrtStatus* add_and_release(void** out) {
  size_t taken = 0;
  (void)out;
  OrtStatus* status = end_with(end_and_release, &taken);
  CHECK(taken == (status == NULL));
  return status;
}

static OrtStatus* ORT_API_CALL end_badly(OrtEpProfilerImpl* self,
                                         OrtProfilingEventsContainer* container) {
  OrtStatus* status = end_and_release(self, container);
  return status != NULL ? status : api->CreateStatus(ORT_EP_FAIL, "the device is lost");
}
static OrtStatus* fail_to_end(void** out) {
  size_t taken = 0;
  (void)out;
  OrtStatus* status = end_with(end_badly, &taken);
  CHECK(taken == 0);
  return status;
}
static OrtStatus* end_without(void** out) {
  (void)out;
  return end_with(NULL, NULL);
}

static const struct trial trials[] = {
    TRIAL("CreateProfilingEvent ReleaseProfilingEvent", NULL, make_event, release_event),
    TRIAL("ProfilingEvent_GetCategory ProfilingEvent_GetName ProfilingEvent_GetTimestampUs "
          "ProfilingEvent_GetDurationUs ProfilingEvent_GetArgValue",
          with_event, read_event, NULL),
    TRIAL("ProfilingEventsContainer_AddEvents", with_event, add_events, NULL),
    TRIAL("ReleaseProfilingEvent of one that is kept", NULL, add_and_release, NULL),
    {"a profiler that fails", NULL, fail_to_end, NULL, ORT_EP_FAIL},
    {"a profiler without EndProfiling", NULL, end_without, NULL, ORT_INVALID_ARGUMENT},
    {NULL},
};

static void clean(void) { release_event(event); }

const struct section profiling = {trials, clean};
