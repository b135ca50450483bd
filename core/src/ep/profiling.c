/* SPDX-License-Identifier: MIT */
/* Events of profiles: what an execution provider says of its own work. */
#include "ep/profiling.h"

#include "ep/library.h"

static void end_event(void* block) {
  struct OrtProfilingEvent* event = block;
  heap_free(event->name);
  core_items_end(&event->arguments);
}

static const struct core_class event_class = {.kind = CORE_PROFILING_EVENT, .end = end_event};

static OrtStatus* check_arguments(const char* const* arg_keys, const char* const* arg_values,
                                  size_t count) {
  CORE_REQUIRE_IF(count > 0, CreateProfilingEvent, arg_keys, arg_values);
  for (size_t i = 0; i < count; i++) {
    CORE_FAIL_IF(arg_keys[i] == NULL, ORT_INVALID_ARGUMENT,
                 "CreateProfilingEvent: arg_keys[i] must not be NULL");
    CORE_FAIL_IF(arg_values[i] == NULL, ORT_INVALID_ARGUMENT,
                 "CreateProfilingEvent: arg_values[i] must not be NULL");
  }
  return NULL;
}

static OrtStatus* fill_event(struct OrtProfilingEvent* event, const char* name,
                             const char* const* keys, const char* const* values, size_t count) {
  CORE_TRY(core_copy_text(name, &event->name));
  for (size_t i = 0; i < count; i++) {
    size_t size = strlen(keys[i]) + 1;
    CORE_RETURN_IF(core_items_add(&event->arguments, keys[i], size, values[i]) == NULL,
                   core_no_memory(size + strlen(values[i]) + 1));
  }
  return NULL;
}

CORE_SLOT(ort_ep_CreateProfilingEvent, OrtProfilingEventCategory category, int32_t process_id,
          int32_t thread_id, const char* event_name, int64_t timestamp_us, int64_t duration_us,
          const char* const* arg_keys, const char* const* arg_values, size_t num_args,
          OrtProfilingEvent** out) {
  CORE_FAIL_IF((int)category < OrtProfilingEventCategory_SESSION ||
                   (int)category > OrtProfilingEventCategory_API,
               ORT_INVALID_ARGUMENT,
               "CreateProfilingEvent: category must be SESSION, NODE, KERNEL or API");
  CORE_TRY(check_arguments(arg_keys, arg_values, num_args));
  CORE_NEW(struct OrtProfilingEvent, event, &event_class);
  event->category = category;
  event->process_id = process_id;
  event->thread_id = thread_id;
  event->timestamp_us = timestamp_us;
  event->duration_us = duration_us;
  CORE_HAND_OUT(fill_event(event, event_name, arg_keys, arg_values, num_args), event, out);
}

CORE_RELEASER(ort_ep_ReleaseProfilingEvent, OrtProfilingEvent)
CORE_GETTER(ort_ep_ProfilingEvent_GetCategory, OrtProfilingEventCategory, event->category,
            const OrtProfilingEvent* event)
CORE_GETTER(ort_ep_ProfilingEvent_GetName, const char*, event->name, const OrtProfilingEvent* event)
CORE_GETTER(ort_ep_ProfilingEvent_GetTimestampUs, int64_t, event->timestamp_us,
            const OrtProfilingEvent* event)
CORE_GETTER(ort_ep_ProfilingEvent_GetDurationUs, int64_t, event->duration_us,
            const OrtProfilingEvent* event)

CORE_SLOT(ort_ep_ProfilingEvent_GetArgValue, const OrtProfilingEvent* event, const char* key,
          const char** out) {
  const struct core_item* item = core_items_named(&event->arguments, key);
  *out = item == NULL ? NULL : core_item_text(item);
  return NULL;
}

/* --- what a profiler adds -------------------------------------------------------------------- */

void core_end_events(struct OrtProfilingEventsContainer* container) {
  core_list_cut(&container->events, 0);
  core_list_end(&container->events);
}

CORE_SLOT(ort_ep_ProfilingEventsContainer_AddEvents, OrtProfilingEventsContainer* events_container,
          const OrtProfilingEvent* const* events, size_t num_events) {
  CORE_FAIL_IF(num_events == 0, ORT_INVALID_ARGUMENT,
               "ProfilingEventsContainer_AddEvents: num_events must be above 0");
  for (size_t i = 0; i < num_events; i++) {
    CORE_FAIL_IF(events[i] == NULL, ORT_INVALID_ARGUMENT,
                 "ProfilingEventsContainer_AddEvents: events[i] must not be NULL");
  }
  struct core_list* all = &events_container->events;
  size_t before = all->count;
  for (size_t i = 0; i < num_events; i++) {
    if (!core_list_keep(all, (struct core_object*)&events[i]->object)) {
      core_list_cut(all, before);
      return core_no_memory(num_events * sizeof *events);
    }
  }
  return NULL;
}

/* The end of a profiler, which may add events before it fails. */
struct ending {
  OrtEpProfilerImpl* profiler;
  struct OrtProfilingEventsContainer added;
};

CORE_EP_CALLER(end_profiling, struct ending,
               self->profiler->EndProfiling(self->profiler, &self->added))

OrtStatus* ORT_API_CALL core_end_profiling(OrtEpProfilerImpl* profiler, OrtcoreTakeEvent take,
                                           void* state) NO_EXCEPTION {
  CORE_REQUIRE(OrtcoreEndProfiling, profiler, take);
  CORE_REQUIRE(OrtcoreEndProfiling, profiler->EndProfiling);
  struct ending ending = {.profiler = profiler};
  OrtStatus* status = core_ep_call("EndProfiling", end_profiling, &ending);
  for (size_t i = 0; status == NULL && i < ending.added.events.count; i++) {
    take(state, ending.added.events.items[i]);
  }
  core_end_events(&ending.added);
  return status;
}
