/* SPDX-License-Identifier: MIT */
/*
 * The execution provider of device_ep.c, with everything that a host may call. One call fails, the
 * one at FailingEpAt, as FailingEpMode says. FailingEpCalls counts the calls; FailingEpAlive the
 * objects that the host has not released, and the runs that it has not ended; FailingEpCall is the
 * name of the call that failed. Its name must have the word memory.
 */
#include <unwind.h>

#define CreateEpFactories CreateDeviceFactories
#include "device_ep.c"
#undef CreateEpFactories

ORT_EXPORT OrtStatus* CreateEpFactories(const char* given, const OrtApiBase* base,
                                        const OrtLogger* logger, OrtEpFactory** factories,
                                        size_t room, size_t* count);

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
  if (++FailingEpCalls != FailingEpAt) return 0;
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
    FailingEpAlive++;                                         \
    if (fails) {                                              \
      release;                                                \
      return planned(call);                                   \
    }                                                         \
    return NULL;                                              \
  } while (0)

/* --- memory ---------------------------------------------------------------------------------- */

static void* ORT_API_CALL f_take(OrtAllocator* self, size_t size) {
  if (is_failing("Alloc")) {
    if (FailingEpMode == THROW) planned("Alloc");
    return NULL;
  }
  FailingEpAlive++;
  return take(self, size);
}
static void ORT_API_CALL f_give(OrtAllocator* self, void* block) {
  FailingEpAlive -= block != NULL;
  give(self, block);
}
static void ORT_API_CALL f_release_allocator(OrtEpFactory* self, OrtAllocator* allocator) {
  FailingEpAlive--;
  memset(allocator, 0xEE, sizeof *allocator);
  release_allocator(self, allocator);
}
static OrtStatus* new_allocator(OrtAllocator** out) {
  OrtStatus* status = make_allocator(NULL, memory, NULL, out);
  if (status == NULL) {
    (*out)->Alloc = f_take;
    (*out)->Free = f_give;
  }
  return status;
}
static OrtStatus* ORT_API_CALL f_make_allocator(OrtEpFactory* self, const OrtMemoryInfo* info,
                                                const OrtKeyValuePairs* options,
                                                OrtAllocator** out) {
  (void)info, (void)options;
  MAKE("CreateAllocator of the factory", new_allocator(out), f_release_allocator(self, *out));
}
static OrtStatus* ORT_API_CALL f_allocator_of_ep(OrtEp* self, const OrtMemoryInfo* info,
                                                 OrtAllocator** out) {
  (void)self, (void)info;
  MAKE("CreateAllocator", new_allocator(out), f_release_allocator(NULL, *out));
}

static void ORT_API_CALL f_release_transfer(OrtDataTransferImpl* self) {
  FailingEpAlive--;
  memset(self, 0xEE, sizeof *self);
  release_transfer(self);
}
static OrtStatus* ORT_API_CALL f_copy(OrtDataTransferImpl* self, const OrtValue** from,
                                      OrtValue** to, OrtSyncStream** streams, size_t count) {
  DO("CopyTensors", copy_tensors(self, from, to, streams, count));
}
static OrtStatus* new_transfer(OrtDataTransferImpl** out) {
  OrtStatus* status = make_transfer(NULL, out);
  if (status == NULL) {
    (*out)->Release = f_release_transfer;
    (*out)->CopyTensors = f_copy;
  }
  return status;
}
static OrtStatus* ORT_API_CALL f_make_transfer(OrtEpFactory* self, OrtDataTransferImpl** out) {
  (void)self;
  MAKE("CreateDataTransfer", new_transfer(out), f_release_transfer(*out));
}

/* --- streams --------------------------------------------------------------------------------- */

static void ORT_API_CALL f_release_notification(OrtSyncNotificationImpl* self) {
  FailingEpAlive--;
  memset(self, 0xEE, sizeof *self);
  free(self);
}
static OrtStatus* ORT_API_CALL f_activate(OrtSyncNotificationImpl* self) {
  (void)self;
  DO("Activate", NULL);
}
static OrtStatus* ORT_API_CALL f_wait(OrtSyncNotificationImpl* self) {
  (void)self;
  DO("WaitOnHost", NULL);
}
static OrtStatus* new_notification(OrtSyncNotificationImpl** out) {
  OrtSyncNotificationImpl* made = calloc(1, sizeof *made);
  made->ort_version_supported = 23;
  made->Release = f_release_notification;
  made->Activate = f_activate;
  made->WaitOnHost = f_wait;
  return *out = made, NULL;
}
static OrtStatus* ORT_API_CALL f_notify(OrtSyncStreamImpl* self, OrtSyncNotificationImpl** out) {
  (void)self;
  MAKE("CreateNotification", new_notification(out), f_release_notification(*out));
}
static OrtStatus* ORT_API_CALL f_flush(OrtSyncStreamImpl* self) { DO("Flush", flush(self)); }
static OrtStatus* ORT_API_CALL f_end_run(OrtSyncStreamImpl* self) {
  DO("OnSessionRunEnd", end_run(self));
}
static void ORT_API_CALL f_release_stream(OrtSyncStreamImpl* self) {
  FailingEpAlive--;
  memset(self, 0xEE, sizeof *self);
  release_stream(self);
}
static OrtStatus* new_stream(const OrtMemoryDevice* device, OrtSyncStreamImpl** out) {
  OrtStatus* status = make_stream(NULL, device, NULL, out);
  if (status == NULL) {
    (*out)->Release = f_release_stream;
    (*out)->CreateNotification = f_notify;
    (*out)->Flush = f_flush;
    (*out)->OnSessionRunEnd = f_end_run;
  }
  return status;
}
static OrtStatus* ORT_API_CALL f_make_stream(OrtEp* self, const OrtMemoryDevice* device,
                                             OrtSyncStreamImpl** out) {
  (void)self;
  MAKE("CreateSyncStreamForDevice", new_stream(device, out), f_release_stream(*out));
}

/* --- what computes --------------------------------------------------------------------------- */

static OrtStatus* ORT_API_CALL f_compute(OrtNodeComputeInfo* self, void* state,
                                         OrtKernelContext* context) {
  DO("Compute", compute(self, *(void**)state, context));
}
static void ORT_API_CALL f_release_state(OrtNodeComputeInfo* self, void* state) {
  (void)self;
  FailingEpAlive--;
  memset(state, 0xEE, sizeof(void*));
  free(state);
}
static OrtStatus* new_state(OrtNodeComputeInfo* self, OrtNodeComputeContext* context, void** out) {
  *out = calloc(1, sizeof(void*));
  return make_state(self, context, *out);
}
static OrtStatus* ORT_API_CALL f_make_state(OrtNodeComputeInfo* self,
                                            OrtNodeComputeContext* context, void** out) {
  MAKE("CreateState", new_state(self, context, out), f_release_state(self, *out));
}
static void ORT_API_CALL f_release_infos(OrtEp* self, OrtNodeComputeInfo** infos, size_t count) {
  for (size_t i = 0; i < count; i++) FailingEpAlive -= infos[i] != NULL;
  release_infos(self, infos, count);
}
static OrtStatus* compile_all(OrtEp* self, const OrtGraph** graphs, const OrtNode** fused,
                              size_t count, OrtNodeComputeInfo** infos, OrtNode** contexts) {
  OrtStatus* status = compile(self, graphs, fused, count, infos, contexts);
  for (size_t i = 0; i < count && infos[i] != NULL; i++) {
    FailingEpAlive++;
    infos[i]->CreateState = f_make_state;
    infos[i]->Compute = f_compute;
    infos[i]->ReleaseState = f_release_state;
  }
  return status;
}
/* The host releases the infos that a failing call has made, as ONNX Runtime does. */
static OrtStatus* ORT_API_CALL f_compile(OrtEp* self, const OrtGraph** graphs,
                                         const OrtNode** fused, size_t count,
                                         OrtNodeComputeInfo** infos, OrtNode** contexts) {
  DO("Compile", compile_all(self, graphs, fused, count, infos, contexts));
}

/* --- the provider ---------------------------------------------------------------------------- */

static OrtStatus* ORT_API_CALL f_capability(OrtEp* self, const OrtGraph* graph,
                                            OrtEpGraphSupportInfo* info) {
  DO("GetCapability", get_capability(self, graph, info));
}
static OrtStatus* ORT_API_CALL f_layout(OrtEp* self, OrtEpDataLayout* out) {
  DO("GetPreferredDataLayout", get_layout(self, out));
}
static OrtStatus* ORT_API_CALL f_convert(OrtEp* self, const char* domain, const char* type,
                                         OrtEpDataLayout layout, int* out) {
  DO("ShouldConvertDataLayoutForOp", should_convert(self, domain, type, layout, out));
}
static OrtStatus* ORT_API_CALL f_memory(const OrtEp* self, const OrtMemoryDevice** out) {
  DO("GetDefaultMemoryDevice", get_memory(self, out));
}
static OrtStatus* start_run(void) { DO("OnRunStart", NULL); }
static OrtStatus* ORT_API_CALL f_run_start(OrtEp* self, const OrtRunOptions* options) {
  (void)self, (void)options;
  OrtStatus* status = start_run();
  FailingEpAlive += status == NULL;
  return status;
}
static OrtStatus* ORT_API_CALL f_run_end(OrtEp* self, const OrtRunOptions* options, bool sync) {
  (void)self, (void)options, (void)sync;
  FailingEpAlive--;
  DO("OnRunEnd", NULL);
}
static OrtStatus* ORT_API_CALL f_sync(OrtEp* self) {
  (void)self;
  DO("Sync", NULL);
}
static OrtStatus* ORT_API_CALL f_initialized(OrtEp* self) {
  (void)self;
  DO("OnSessionInitializationEnd", NULL);
}
static OrtStatus* ORT_API_CALL f_concurrent(OrtEp* self, bool* out) {
  (void)self;
  *out = true;
  DO("IsConcurrentRunSupported", NULL);
}

/* --- profiles -------------------------------------------------------------------------------- */

static void ORT_API_CALL f_release_profiler(OrtEpProfilerImpl* self) {
  FailingEpAlive--;
  memset(self, 0xEE, sizeof *self);
  free(self);
}
static OrtStatus* ORT_API_CALL f_start(OrtEpProfilerImpl* self, int64_t offset) {
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
static OrtStatus* ORT_API_CALL f_finish(OrtEpProfilerImpl* self,
                                        OrtProfilingEventsContainer* container) {
  (void)self;
  TRY(add_event(container));
  DO("EndProfiling", add_event(container));
}
static OrtStatus* ORT_API_CALL f_start_event(OrtEpProfilerImpl* self, uint64_t id) {
  (void)self, (void)id;
  DO("StartEvent", NULL);
}
static OrtStatus* ORT_API_CALL f_stop_event(OrtEpProfilerImpl* self, uint64_t id,
                                            const OrtProfilingEvent* event) {
  (void)self, (void)id, (void)event;
  DO("StopEvent", NULL);
}
static OrtStatus* new_profiler(OrtEpProfilerImpl** out) {
  OrtEpProfilerImpl* made = calloc(1, sizeof *made);
  made->ort_version_supported = 25;
  made->Release = f_release_profiler;
  made->StartProfiling = f_start;
  made->EndProfiling = f_finish;
  made->StartEvent = f_start_event;
  made->StopEvent = f_stop_event;
  return *out = made, NULL;
}
static OrtStatus* ORT_API_CALL f_make_profiler(OrtEp* self, OrtEpProfilerImpl** out) {
  (void)self;
  MAKE("CreateProfiler", new_profiler(out), f_release_profiler(*out));
}

/* --- the factory ----------------------------------------------------------------------------- */

static void ORT_API_CALL f_release_ep(OrtEpFactory* self, OrtEp* ep) {
  (void)self;
  FailingEpAlive--;
  memset(ep, 0xEE, sizeof *ep);
  free(ep);
}
static OrtStatus* new_ep(OrtEp** out) {
  OrtEp* made = malloc(sizeof *made);
  OrtStatus* status = create_ep(NULL, NULL, NULL, 0, NULL, NULL, out);
  memcpy(made, *out, sizeof *made);
  made->ort_version_supported = 28;
  made->GetCapability = f_capability;
  made->Compile = f_compile;
  made->ReleaseNodeComputeInfos = f_release_infos;
  made->GetPreferredDataLayout = f_layout;
  made->ShouldConvertDataLayoutForOp = f_convert;
  made->GetDefaultMemoryDevice = f_memory;
  made->OnRunStart = f_run_start;
  made->OnRunEnd = f_run_end;
  made->CreateAllocator = f_allocator_of_ep;
  made->CreateSyncStreamForDevice = f_make_stream;
  made->Sync = f_sync;
  made->OnSessionInitializationEnd = f_initialized;
  made->IsConcurrentRunSupported = f_concurrent;
  made->CreateProfiler = f_make_profiler;
  return *out = made, status;
}
static OrtStatus* ORT_API_CALL f_create_ep(OrtEpFactory* self,
                                           const OrtHardwareDevice* const* hardware,
                                           const OrtKeyValuePairs* const* metadata, size_t count,
                                           const OrtSessionOptions* options,
                                           const OrtLogger* logger, OrtEp** out) {
  (void)hardware, (void)metadata, (void)count, (void)options, (void)logger;
  MAKE("CreateEp", new_ep(out), f_release_ep(self, *out));
}

ORT_EXPORT OrtStatus* CreateEpFactories(const char* given, const OrtApiBase* base,
                                        const OrtLogger* logger, OrtEpFactory** factories,
                                        size_t room, size_t* count) {
  OrtStatus* status = CreateDeviceFactories(given, base, logger, factories, room, count);
  if (status == NULL) {
    OrtEpFactory* factory = factories[0];
    factory->CreateEp = f_create_ep;
    factory->ReleaseEp = f_release_ep;
    factory->CreateAllocator = f_make_allocator;
    factory->ReleaseAllocator = f_release_allocator;
    factory->CreateDataTransfer = f_make_transfer;
  }
  return status;
}
