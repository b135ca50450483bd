/* SPDX-License-Identifier: MIT */
/*
 * What device_ep.c has beside nodes: words, calls that fail, memory, streams, and a profiler.
 *
 * With the word every-call a host may call whatever it knows. One call fails, the one at
 * FailingEpAt, as FailingEpMode says. FailingEpCalls counts the calls; FailingEpAlive the objects
 * that the host has not released, and the runs that it has not ended; FailingEpCall is the name of
 * the call that failed.
 */
#ifndef ORTCFFI_TESTS_DEVICE_EP_H_
#define ORTCFFI_TESTS_DEVICE_EP_H_

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

#include "onnxruntime_c_api.h"
#include "onnxruntime_ep_c_api.h"

#include "events.h"
#include "trying.h"

#define VENDOR 0xBE57

static const OrtApi* api;
static const OrtEpApi* ep_api;
static OrtMemoryInfo *memory, *cpu;
static char asked[256];

static int asks(const char* word) { return strstr(asked, word) != NULL; }
static int is_elsewhere(void) { return asks("memory") && !asks("default-cpu"); }

ORT_EXPORT const char* DeviceEpEvents(void) { return take_events(); }

static OrtStatus* fail(const char* why) { return api->CreateStatus(ORT_EP_FAIL, why); }

/* --- calls that fail ------------------------------------------------------------------------- */

enum mode {
  /* Before it does anything. */
  FIRST,
  /* When all is done; what it made is freed, and the host has its address. */
  LATE,
  /* With an exception. */
  THROW
};

int FailingEpAt = 0;
int FailingEpMode = FIRST;
int FailingEpCalls = 0;
int FailingEpAlive = 0;
const char* FailingEpCall = "";

static int is_failing(const char* call) {
  if (__atomic_add_fetch(&FailingEpCalls, 1, __ATOMIC_RELAXED) != FailingEpAt) return 0;
  FailingEpCall = call;
  return 1;
}

static OrtStatus* planned(const char* call) {
  static __thread struct _Unwind_Exception thrown;
  char text[100];
  if (FailingEpMode == THROW) {
    memset(&thrown, 0, sizeof thrown);
    _Unwind_RaiseException(&thrown);
  }
  snprintf(text, sizeof text, "%s fails as planned", call);
  return fail(text);
}

/* Counts an object that the host has from now on, or one that it has given back. */
static void count(int objects) { __atomic_add_fetch(&FailingEpAlive, objects, __ATOMIC_RELAXED); }

/* Ends an object that the host has given back: whoever uses it any more finds no address there. */
static void end(void* object, size_t size) {
  count(-1);
  memset(object, 0xEE, size);
  free(object);
}

/* A call that makes nothing. */
#define DO(call, expression)                                  \
  do {                                                        \
    int fails = is_failing(call);                             \
    if (fails && FailingEpMode != LATE) return planned(call); \
    OrtStatus* done = (expression);                           \
    return fails && done == NULL ? planned(call) : done;      \
  } while (0)

/* One that makes an object, which `release` frees. */
#define MAKE(call, expression, release)                       \
  do {                                                        \
    int fails = is_failing(call);                             \
    if (fails && FailingEpMode != LATE) return planned(call); \
    OrtStatus* done = (expression);                           \
    if (done != NULL) return done;                            \
    count(1);                                                 \
    if (fails) {                                              \
      release;                                                \
      return planned(call);                                   \
    }                                                         \
    return NULL;                                              \
  } while (0)

/* --- memory that only this library can read -------------------------------------------------- */

/* No user's address has this bit. */
#define TAG ((uintptr_t)1 << 62)

static void* tagged(void* block) { return block == NULL ? NULL : (void*)((uintptr_t)block | TAG); }
static void* plain(void* block) { return (void*)((uintptr_t)block & ~TAG); }

static void* ORT_API_CALL take(OrtAllocator* self, size_t size) {
  (void)self;
  if (is_failing("Alloc")) {
    if (FailingEpMode == THROW) planned("Alloc");
    return NULL;
  }
  count(1);
  return tagged(malloc(size + 1));
}
/* Whether the stream has work that nobody has waited for. */
static int is_pending;

static void ORT_API_CALL give(OrtAllocator* self, void* block) {
  (void)self;
  if (is_pending) note("freed-too-early");
  count(-(block != NULL));
  free(plain(block));
}
static const OrtMemoryInfo* ORT_API_CALL info_of(const OrtAllocator* self) {
  return (void)self, memory;
}

static void ORT_API_CALL release_allocator(OrtEpFactory* self, OrtAllocator* allocator) {
  (void)self, end(allocator, sizeof *allocator);
}
static OrtStatus* new_allocator(OrtAllocator** out) {
  OrtAllocator* made = calloc(1, sizeof *made);
  made->version = 23;
  made->Alloc = take;
  made->Free = give;
  made->Info = info_of;
  return *out = made, NULL;
}
static OrtStatus* ORT_API_CALL make_allocator(OrtEpFactory* self, const OrtMemoryInfo* info,
                                              const OrtKeyValuePairs* options, OrtAllocator** out) {
  (void)info, (void)options;
  MAKE("CreateAllocator of the factory", new_allocator(out), release_allocator(self, *out));
}
static OrtStatus* ORT_API_CALL allocator_of_ep(OrtEp* self, const OrtMemoryInfo* info,
                                               OrtAllocator** out) {
  (void)self, (void)info;
  MAKE("CreateAllocator", new_allocator(out), release_allocator(NULL, *out));
}

static int is_ours(const OrtMemoryDevice* device) {
  return ep_api->MemoryDevice_GetVendorId(device) == VENDOR;
}

static bool ORT_API_CALL can_copy(const OrtDataTransferImpl* self, const OrtMemoryDevice* from,
                                  const OrtMemoryDevice* to) {
  return (void)self, is_ours(from) || is_ours(to);
}

static OrtStatus* copy_one(const OrtValue* from, OrtValue* to) {
  void *source, *target;
  size_t size;
  TRY(api->GetTensorMutableData((OrtValue*)from, &source));
  TRY(api->GetTensorMutableData(to, &target));
  TRY(api->GetTensorSizeInBytes(from, &size));
  note((uintptr_t)target & TAG ? "in" : "out");
  is_pending = asks("frees");
  memcpy(plain(target), plain(source), size);
  return NULL;
}

static OrtStatus* copy_all(const OrtValue** from, OrtValue** to, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (asks("no-copy")) return fail("no-copy");
    TRY(copy_one(from[i], to[i]));
  }
  return NULL;
}
static OrtStatus* ORT_API_CALL copy_tensors(OrtDataTransferImpl* self, const OrtValue** from,
                                            OrtValue** to, OrtSyncStream** streams, size_t n) {
  (void)self, (void)streams;
  DO("CopyTensors", copy_all(from, to, n));
}

static void ORT_API_CALL release_transfer(OrtDataTransferImpl* self) { end(self, sizeof *self); }

static OrtStatus* new_transfer(OrtDataTransferImpl** out) {
  OrtDataTransferImpl* made = calloc(1, sizeof *made);
  made->ort_version_supported = 23;
  made->Release = release_transfer;
  made->CanCopy = can_copy;
  made->CopyTensors = copy_tensors;
  return *out = made, NULL;
}
static OrtStatus* ORT_API_CALL make_transfer(OrtEpFactory* self, OrtDataTransferImpl** out) {
  (void)self;
  *out = NULL;
  if (!asks("memory") || asks("no-transfer")) return NULL;
  MAKE("CreateDataTransfer", new_transfer(out), release_transfer(*out));
}

/* --- streams --------------------------------------------------------------------------------- */

static int stream_handle;

static void ORT_API_CALL release_notification(OrtSyncNotificationImpl* self) {
  end(self, sizeof *self);
}
static OrtStatus* ORT_API_CALL activate(OrtSyncNotificationImpl* self) {
  (void)self;
  DO("Activate", NULL);
}
static OrtStatus* ORT_API_CALL wait_for(OrtSyncNotificationImpl* self) {
  (void)self;
  DO("WaitOnHost", NULL);
}
static OrtStatus* new_notification(OrtSyncNotificationImpl** out) {
  OrtSyncNotificationImpl* made = calloc(1, sizeof *made);
  made->ort_version_supported = 23;
  made->Release = release_notification;
  made->Activate = activate;
  made->WaitOnHost = wait_for;
  return *out = made, NULL;
}
static OrtStatus* ORT_API_CALL notify(OrtSyncStreamImpl* self, OrtSyncNotificationImpl** out) {
  (void)self;
  MAKE("CreateNotification", new_notification(out), release_notification(*out));
}

static void ORT_API_CALL release_stream(OrtSyncStreamImpl* self) {
  note("~stream");
  end(self, sizeof *self);
}
static void* ORT_API_CALL handle_of(OrtSyncStreamImpl* self) { return (void)self, &stream_handle; }
static OrtStatus* noted(const char* event) { return note(event), NULL; }
static OrtStatus* ORT_API_CALL flush(OrtSyncStreamImpl* self) {
  (void)self;
  is_pending = 0;
  DO("Flush", noted("flush"));
}
static OrtStatus* ORT_API_CALL end_run(OrtSyncStreamImpl* self) {
  (void)self;
  DO("OnSessionRunEnd", noted("run-end"));
}

static bool ORT_API_CALL is_stream_aware(const OrtEpFactory* self) {
  return (void)self, asks("streams");
}

static OrtStatus* new_stream(const OrtMemoryDevice* device, OrtSyncStreamImpl** out) {
  note(is_ours(device) ? "stream" : "stream-elsewhere");
  OrtSyncStreamImpl* made = calloc(1, sizeof *made);
  made->ort_version_supported = 23;
  made->Release = release_stream;
  made->GetHandle = handle_of;
  made->Flush = flush;
  made->OnSessionRunEnd = end_run;
  made->CreateNotification = asks("every-call") ? notify : NULL;
  return *out = made, NULL;
}
static OrtStatus* new_stream_for(const OrtMemoryDevice* device, OrtSyncStreamImpl** out) {
  MAKE("CreateSyncStreamForDevice", new_stream(device, out), release_stream(*out));
}
static OrtStatus* ORT_API_CALL make_stream(OrtEpFactory* self, const OrtMemoryDevice* device,
                                           const OrtKeyValuePairs* options,
                                           OrtSyncStreamImpl** out) {
  (void)self, (void)options;
  return new_stream_for(device, out);
}
static OrtStatus* ORT_API_CALL stream_of_ep(OrtEp* self, const OrtMemoryDevice* device,
                                            OrtSyncStreamImpl** out) {
  (void)self;
  return new_stream_for(device, out);
}

/* --- profiles -------------------------------------------------------------------------------- */

static void ORT_API_CALL release_profiler(OrtEpProfilerImpl* self) { end(self, sizeof *self); }
static OrtStatus* ORT_API_CALL start(OrtEpProfilerImpl* self, int64_t offset) {
  (void)self, (void)offset;
  DO("StartProfiling", NULL);
}
static OrtStatus* add_event(OrtProfilingEventsContainer* to) {
  OrtProfilingEvent* event;
  TRY(ep_api->CreateProfilingEvent(OrtProfilingEventCategory_KERNEL, 1, 1, "kernel", 1, 1, NULL,
                                   NULL, 0, &event));
  const OrtProfilingEvent* const events[] = {event};
  OrtStatus* status = ep_api->ProfilingEventsContainer_AddEvents(to, events, 1);
  ep_api->ReleaseProfilingEvent(event);
  return status;
}
static OrtStatus* ORT_API_CALL finish(OrtEpProfilerImpl* self,
                                      OrtProfilingEventsContainer* container) {
  (void)self;
  TRY(add_event(container));
  DO("EndProfiling", add_event(container));
}
static OrtStatus* ORT_API_CALL start_event(OrtEpProfilerImpl* self, uint64_t id) {
  (void)self, (void)id;
  DO("StartEvent", NULL);
}
static OrtStatus* ORT_API_CALL stop_event(OrtEpProfilerImpl* self, uint64_t id,
                                          const OrtProfilingEvent* event) {
  (void)self, (void)id, (void)event;
  DO("StopEvent", NULL);
}
static OrtStatus* new_profiler(OrtEpProfilerImpl** out) {
  OrtEpProfilerImpl* made = calloc(1, sizeof *made);
  made->ort_version_supported = 25;
  made->Release = release_profiler;
  made->StartProfiling = start;
  made->EndProfiling = finish;
  made->StartEvent = start_event;
  made->StopEvent = stop_event;
  return *out = made, NULL;
}
static OrtStatus* ORT_API_CALL make_profiler(OrtEp* self, OrtEpProfilerImpl** out) {
  (void)self;
  MAKE("CreateProfiler", new_profiler(out), release_profiler(*out));
}

#endif /* ORTCFFI_TESTS_DEVICE_EP_H_ */
