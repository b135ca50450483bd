/* SPDX-License-Identifier: MIT */
/** @file profiling.h Events of profiles, and where a profiler puts those of its provider. */
#pragma once

#include "object/keyed_list.h"
#include "object/list.h"
#include "object/object.h"
#include "ortcore.h"

/** An event. It never changes after it was made, so it is shared by references. */
struct OrtProfilingEvent {
  struct core_object object;
  OrtProfilingEventCategory category;
  int32_t process_id;
  int32_t thread_id;
  int64_t timestamp_us;
  int64_t duration_us;
  char* name;
  /** An item's mark is true for JSON of the core, false for a text. */
  struct core_items arguments;
};

/** Begins with all zeroes, and ends with core_end_events. */
struct OrtProfilingEventsContainer {
  /** References to events. */
  struct core_list events;
};

/** Drops the events. */
void core_end_events(struct OrtProfilingEventsContainer* container);

/** See OrtcoreEndProfiling in ortcore.h. */
OrtStatus* ORT_API_CALL core_end_profiling(OrtEpProfilerImpl* profiler, OrtcoreTakeEvent take,
                                           void* state) NO_EXCEPTION;
