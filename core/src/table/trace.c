/* SPDX-License-Identifier: MIT */
/*
 * Hooks: tables whose functions do the same before and after they forward a call to another table.
 * Traces count calls, may have them fail, and note which slot made what is not released; watched
 * tables (hosts.c) are a trace that only notes.
 *
 * A slot function cannot see through which table it was called. So each hook has its own set of
 * functions, and their number is fixed when this is compiled.
 */

#include "custom_ops/custom_op.h"
#include "platform/platform.h"
#include "table/arguments.inc"
#include "table/versions.h"

/* The traces, and behind them the hook of watched tables. */
#define EACH_TRACE(X, ...) X(0, __VA_ARGS__) X(1, __VA_ARGS__)
#define TRACES 2
#define EACH_HOOK(X, ...) EACH_TRACE(X, __VA_ARGS__) X(2, __VA_ARGS__)
#define WATCH (&hooks[TRACES])

struct hook {
  OrtcoreTrace handed_out;
  OrtcoreFigures figures;
  OrtApi table;
  const OrtApi* inner;
  OrtEpApi ep_table;
  const OrtEpApi* ep_inner;
  uint32_t version;
  int is_open;
  char version_string[256];
};

static struct hook hooks[TRACES + 1];
static core_once once = CORE_ONCE_INIT;

/* The client releases the status through the table, which forwards to the other library. */
static OrtStatus* answer(const struct hook* hook, OrtErrorCode code, const char* format,
                         const char* name, unsigned since) {
  char text[256];
  snprintf(text, sizeof text, format, name, since);
  return hook->inner->CreateStatus(code, text);
}

/* Counts a call. False if it is not forwarded: the host is older, or the call is to fail, which
 * only a slot with a status does. Every table has the slots of version 1. */
static CORE_NOINLINE bool before(const struct hook* hook, unsigned slot, unsigned since,
                                 const char* name, OrtStatus** status) {
  OrtcoreFigures* figures = hook->handed_out.figures;
  uint64_t call = __atomic_fetch_add(&figures->calls[slot], 1, __ATOMIC_RELAXED) + 1;
  uint64_t fails = __atomic_load_n(&figures->fails[slot], __ATOMIC_RELAXED);
  bool is_late = since > 1 && hook->version < since;
  bool is_to_fail = status != NULL && fails != 0 && (fails == call || fails == ORTCORE_EACH_CALL);
  if (status != NULL && (is_late || is_to_fail)) {
    *status = is_late ? answer(hook, ORT_NOT_IMPLEMENTED,
                               "%s came with API version %u" CORE_LATE_END, name, since)
                      : answer(hook, ORT_FAIL, "%s was made to fail", name, since);
  }
  return !is_late && !is_to_fail;
}

/* Whether the caller of a slot borrows the object that it gets, and must not release it, or may
 * have put an object of its own there. */
static bool borrows(unsigned slot) {
  switch (slot) {
    case CORE_PLACE(Run):
    case CORE_PLACE(RunAsync):
    case CORE_PLACE(KernelContext_GetOutput):
    case CORE_PLACE(KernelContext_GetPreallocatedOutput):
    case CORE_PLACE(KernelContext_GetSyncStream):
    case CORE_PLACE(ShapeInferContext_GetInputTypeShape):
    case CORE_PLACE(GetAllocatorWithDefaultOptions):
    case CORE_PLACE(CreateSharedAllocator):
    case CORE_PLACE(GetSharedAllocator):
      return true;
    default:
      return false;
  }
}

/* Whether an argument is the place for a new object. What the caller may only read is const. */
#define IS_PLACE(argument)                      \
  _Generic((argument),                          \
      OrtEnv * *: 1,                            \
      OrtSession * *: 1,                        \
      OrtSessionOptions * *: 1,                 \
      OrtRunOptions * *: 1,                     \
      OrtIoBinding * *: 1,                      \
      OrtCustomOpDomain * *: 1,                 \
      OrtThreadingOptions * *: 1,               \
      OrtArenaCfg * *: 1,                       \
      OrtPrepackedWeightsContainer * *: 1,      \
      OrtLoraAdapter * *: 1,                    \
      OrtAllocator * *: 1,                      \
      OrtSyncStream * *: 1,                     \
      OrtDeviceEpIncompatibilityDetails * *: 1, \
      OrtValue * *: 1,                          \
      OrtTypeInfo * *: 1,                       \
      OrtTensorTypeAndShapeInfo * *: 1,         \
      OrtOpAttr * *: 1,                         \
      OrtKernelInfo * *: 1,                     \
      OrtOp * *: 1,                             \
      OrtKeyValuePairs * *: 1,                  \
      OrtMemoryInfo * *: 1,                     \
      OrtGraph * *: 1,                          \
      OrtModelMetadata * *: 1,                  \
      OrtExternalInitializerInfo * *: 1,        \
      OrtKernelRegistry * *: 1,                 \
      OrtKernelDefBuilder * *: 1,               \
      OrtKernelDef * *: 1,                      \
      default: 0)

/* Notes what was written to each argument that is a place. */
#define NOTE_ALL(...) CORE_EACH(NOTE, slot, __VA_ARGS__)
#define NOTE(slot, argument) \
  (IS_PLACE(argument) ? note_made(hook, slot, (uintptr_t)(argument)) : (void)0);
#define FIRST(...) FIRST_OF(__VA_ARGS__, )
#define FIRST_OF(first, ...) first

static bool has_notes(const struct hook* hook, unsigned slot) {
  /* CreateNode takes attributes over; an op library keeps its domain as long as it is loaded. */
  unsigned given = hook == WATCH ? CORE_PLACE(CreateCustomOpDomain) : CORE_PLACE(CreateOpAttr);
  return hook->handed_out.figures->notes != 0 && !borrows(slot) && slot != given;
}

/* Notes what was written to `place`, where a caller wanted a pointer to a new object. */
static CORE_NOINLINE void note_made(const struct hook* hook, unsigned slot, uintptr_t place) {
  const void* object = NULL;
  if (place != 0 && has_notes(hook, slot)) {
    memcpy(&object, (const void*)place, sizeof object);
    core_note(object, &hook->handed_out.figures->alive[slot]);
  }
}

/* Only the core's statuses are forgotten when a host releases them. Those that a client of another
 * library creates are for the library to release. */
static CORE_NOINLINE OrtStatus* after(const struct hook* hook, unsigned slot, OrtStatus* status) {
  OrtcoreFigures* figures = hook->handed_out.figures;
  if (figures->notes != 0 && hook->inner->ReleaseStatus == ort_ReleaseStatus) {
    return core_note_status(status, &figures->alive[slot]);
  }
  if (figures->notes == ORTCORE_NOTE_STATUSES && status != NULL &&
      slot != CORE_PLACE(CreateStatus)) {
    (void)core_note_as(status, &figures->alive[slot], true);
  }
  return status;
}

/* An object is forgotten before another one may get its address. */
static CORE_NOINLINE void forget(const struct hook* hook, const char* name, const void* object) {
  if (hook->handed_out.figures->notes != 0 && strncmp(name, "Release", 7) == 0) {
    core_forget(object);
  }
}

#define STATUS_THUNK(n, index, since, inner, name, parameters, arguments)          \
  static CORE_COLD OrtStatus* ORT_API_CALL name##_of_##n parameters NO_EXCEPTION { \
    const struct hook* hook = &hooks[n];                                           \
    const unsigned slot = index;                                                   \
    OrtStatus* status = NULL;                                                      \
    if (before(hook, slot, since, #name, &status)) {                               \
      status = hook->inner->name arguments;                                        \
      if (status == NULL) {                                                        \
        NOTE_ALL arguments                                                         \
      }                                                                            \
    }                                                                              \
    return after(hook, slot, status);                                              \
  }
#define VOID_THUNK(n, index, since, inner, name, parameters, arguments)      \
  static CORE_COLD void ORT_API_CALL name##_of_##n parameters NO_EXCEPTION { \
    const struct hook* hook = &hooks[n];                                     \
    const unsigned slot = index;                                             \
    if (before(hook, slot, since, #name, NULL)) {                            \
      forget(hook, #name, FIRST arguments);                                  \
      hook->inner->name arguments;                                           \
      NOTE_ALL arguments                                                     \
    }                                                                        \
  }
#define VALUE_THUNK(n, slot, since, inner, returns, name, parameters, arguments)        \
  static CORE_COLD returns ORT_API_CALL name##_of_##n parameters NO_EXCEPTION {         \
    return before(&hooks[n], slot, since, #name, NULL) ? hooks[n].inner->name arguments \
                                                       : (returns)0;                    \
  }
#define ORT_SLOT_STATUS(index, since, topic, who, name, parameters) \
  EACH_HOOK(STATUS_THUNK, index, since, inner, name, parameters, ORT_ARGUMENTS_##name)
#define ORT_SLOT_VOID(index, since, topic, who, name, parameters) \
  EACH_HOOK(VOID_THUNK, index, since, inner, name, parameters, ORT_ARGUMENTS_##name)
#define ORT_SLOT_VALUE(index, since, topic, who, returns, name, parameters) \
  EACH_HOOK(VALUE_THUNK, index, since, inner, returns, name, parameters, ORT_ARGUMENTS_##name)
#define ORT_SLOT_GETTER(index, since, topic, who, returns, name) \
  EACH_HOOK(VALUE_THUNK, index, since, inner, returns, name, (void), ())
#include "ort_slots.def"

#define EP(index) (ORTCORE_TRACED_SLOTS + (index))
#define ORT_SLOT_STATUS(index, since, topic, who, name, parameters) \
  EACH_TRACE(STATUS_THUNK, EP(index), since, ep_inner, name, parameters, ORT_ARGUMENTS_##name)
#define ORT_SLOT_VOID(index, since, topic, who, name, parameters) \
  EACH_TRACE(VOID_THUNK, EP(index), since, ep_inner, name, parameters, ORT_ARGUMENTS_##name)
#define ORT_SLOT_VALUE(index, since, topic, who, returns, name, parameters)      \
  EACH_TRACE(VALUE_THUNK, EP(index), since, ep_inner, returns, name, parameters, \
             ORT_ARGUMENTS_##name)
#define ORT_SLOT_GETTER(index, since, topic, who, returns, name) \
  EACH_TRACE(VALUE_THUNK, EP(index), since, ep_inner, returns, name, (void), ())
#include "ort_ep_slots.def"
_Static_assert(sizeof(OrtEpApi) / sizeof(void*) == ORTCORE_TRACED_EP_SLOTS,
               "every slot of OrtEpApi is counted");

static void note_op(struct hook* trace, const OrtCustomOp* op) {
  uint64_t bit = (uint64_t)1 << core_op_needs(op);
  __atomic_fetch_or(&trace->handed_out.figures->op_structs, bit, __ATOMIC_RELAXED);
}

#define ADD_THUNK(n, ...)                                                                      \
  static CORE_COLD OrtStatus* ORT_API_CALL add_op_of_##n(OrtCustomOpDomain* domain,            \
                                                         const OrtCustomOp* op) NO_EXCEPTION { \
    OrtStatus* status = CustomOpDomain_Add_of_##n(domain, op);                                 \
    if (status == NULL && op != NULL) {                                                        \
      note_op(&hooks[n], op);                                                                  \
    }                                                                                          \
    return status;                                                                             \
  }
EACH_TRACE(ADD_THUNK, )

#define EP_THUNK(n, ...)                                                           \
  static CORE_COLD const OrtEpApi* ORT_API_CALL ep_api_of_##n(void) NO_EXCEPTION { \
    hooks[n].ep_inner = GetEpApi_of_##n();                                         \
    return hooks[n].ep_inner != NULL ? &hooks[n].ep_table : NULL;                  \
  }
EACH_TRACE(EP_THUNK, )

static CORE_COLD void fill_tables(void) {
#define SET(n, name) hooks[n].table.name = name##_of_##n;
#define ORT_SLOT(index, since, topic, who, returns, name, parameters) EACH_HOOK(SET, name)
#include "ort_slots.def"
#define SET_EP(n, name) hooks[n].ep_table.name = name##_of_##n;
#define ORT_SLOT(index, since, topic, who, returns, name, parameters) EACH_TRACE(SET_EP, name)
#include "ort_ep_slots.def"
#define SET_OWN(n, ...)                              \
  hooks[n].table.CustomOpDomain_Add = add_op_of_##n; \
  hooks[n].table.GetEpApi = ep_api_of_##n;
  EACH_TRACE(SET_OWN, )
}

const OrtApi* core_watch(const OrtApi* inner) {
  core_run_once(&once, fill_tables);
  WATCH->inner = inner;
  WATCH->version = ORT_API_VERSION;
  WATCH->figures.notes = 1;
  WATCH->handed_out.figures = &WATCH->figures;
  return &WATCH->table;
}

void ORT_API_CALL core_watched_objects(uint64_t* out) {
  if (out != NULL) {
    core_lock(CORE_LOCK_NOTES);
    memcpy(out, WATCH->figures.alive, ORTCORE_TRACED_SLOTS * sizeof *out);
    core_unlock(CORE_LOCK_NOTES);
  }
}

void core_each_watched(core_noted_fn each, void* argument) {
  core_each_noted(WATCH->figures.alive, ORTCORE_TRACED_SLOTS, each, argument);
}

static const OrtApi* get_api(struct hook* trace, uint32_t version) {
  unsigned bit = version < 63 ? version : 63;
  __atomic_fetch_or(&trace->handed_out.figures->asked, (uint64_t)1 << bit, __ATOMIC_RELAXED);
  return version >= 1 && version <= trace->version
             ? &trace->table
             : core_refuse_version(version, trace->version, trace->version_string);
}

#define BASE_FUNCTIONS(n, ...)                                                      \
  static const OrtApi* ORT_API_CALL get_api_of_##n(uint32_t version) NO_EXCEPTION { \
    return get_api(&hooks[n], version);                                             \
  }                                                                                 \
  static const char* ORT_API_CALL version_string_of_##n(void) NO_EXCEPTION {        \
    return hooks[n].version_string;                                                 \
  }
EACH_TRACE(BASE_FUNCTIONS, )

#define BASE(n, ...) {get_api_of_##n, version_string_of_##n},
static const OrtApiBase bases[] = {EACH_TRACE(BASE, )};
_Static_assert(CORE_COUNT_OF(bases) == TRACES, "EACH_TRACE lists every trace");

/* A closed trace to use. First choice: the last trace of this table, because clients that kept its
 * table then still reach the right library. Second: one that was never used. Else any. */
static struct hook* closed_trace(const OrtApi* api) {
  struct hook* chosen = NULL;
  for (int n = 0; n < TRACES; n++) {
    struct hook* trace = &hooks[n];
    if (trace->is_open) {
      continue;
    }
    if (trace->inner == api) {
      return trace;
    }
    if (chosen == NULL || trace->inner == NULL) {
      chosen = trace;
    }
  }
  return chosen;
}

static int is_traced(const OrtApi* api) {
  for (int n = 0; n < TRACES; n++) {
    if (api == &hooks[n].table) {
      return 1;
    }
  }
  return 0;
}

static void open_trace(struct hook* trace, const OrtApi* api, uint32_t version,
                       const char* version_string, OrtcoreFigures* figures) {
  trace->is_open = 1;
  trace->inner = api;
  trace->version = version < ORT_API_VERSION ? version : ORT_API_VERSION;
  snprintf(trace->version_string, sizeof trace->version_string, "%s", version_string);
  figures = figures != NULL ? figures : &trace->figures;
  *figures = (OrtcoreFigures){0};
  trace->handed_out = (OrtcoreTrace){&bases[trace - hooks], &trace->table, figures};
}

OrtStatus* ORT_API_CALL core_trace_begin(const OrtApi* api, uint32_t version,
                                         const char* version_string, OrtcoreFigures* figures,
                                         OrtcoreTrace** out) {
  CORE_REQUIRE(ortcore_trace_begin, api, version_string, out);
  CORE_FAIL_IF(version == 0, ORT_INVALID_ARGUMENT,
               "ortcore_trace_begin: version must be 1 or more");
  /* Two traces could end up forwarding to each other. */
  CORE_FAIL_IF(is_traced(api), ORT_INVALID_ARGUMENT,
               "ortcore_trace_begin: api must not be the table of a trace");
  core_run_once(&once, fill_tables);
  core_lock(CORE_LOCK_TRACE);
  struct hook* trace = closed_trace(api);
  if (trace != NULL) {
    open_trace(trace, api, version, version_string, figures);
  }
  core_unlock(CORE_LOCK_TRACE);
  CORE_FAIL_IF(trace == NULL, ORT_FAIL,
               "ortcore_trace_begin: two traces are open; end one of them first");
  *out = &trace->handed_out;
  return NULL;
}

void ORT_API_CALL core_trace_end(OrtcoreTrace* trace) {
  core_lock(CORE_LOCK_TRACE);
  for (int n = 0; n < TRACES; n++) {
    if (trace == &hooks[n].handed_out) {
      hooks[n].is_open = 0;
      core_forget_counted(trace->figures->alive, CORE_COUNT_OF(trace->figures->alive));
    }
  }
  core_unlock(CORE_LOCK_TRACE);
}
