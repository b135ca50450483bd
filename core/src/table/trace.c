/* SPDX-License-Identifier: MIT */
/*
 * Traces: tables that count each call and forward it to another table. They may have calls fail,
 * and note which slot made what is not released.
 *
 * A slot function cannot see through which table it was called. So each trace has its own set of
 * functions, and their number is fixed when this is compiled.
 */
#include <stdio.h>

#include "custom_ops/custom_op.h"
#include "platform/platform.h"
#include "table/new_objects.h"

#define EACH_TRACE(X, ...) X(0, __VA_ARGS__) X(1, __VA_ARGS__)
#define TRACES 2

struct trace {
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

static struct trace traces[TRACES];
static core_once once = CORE_ONCE_INIT;

static CORE_COLD OrtStatus* late(const struct trace* trace, const char* name, unsigned since) {
  char text[CORE_LATE_ROOM];
  core_describe_late_slot(text, name, since, trace->version, trace->version_string);
  /* The client releases the status through this table, which forwards to the traced library. */
  return trace->inner->CreateStatus(ORT_NOT_IMPLEMENTED, text);
}

static CORE_COLD OrtStatus* fail_call(const struct trace* trace, const char* name) {
  char text[CORE_LATE_ROOM];
  snprintf(text, sizeof text, "%s was made to fail", name);
  return trace->inner->CreateStatus(ORT_FAIL, text);
}

/* The number of this call, of which the first is 1. */
static inline uint64_t count_call(const struct trace* trace, unsigned slot) {
  return __atomic_fetch_add(&trace->handed_out.figures->calls[slot], 1, __ATOMIC_RELAXED) + 1;
}

static inline bool is_to_fail(const struct trace* trace, unsigned slot, uint64_t call) {
  uint64_t fails = __atomic_load_n(&trace->handed_out.figures->fails[slot], __ATOMIC_RELAXED);
  return CORE_UNLIKELY(fails != 0) && (fails == call || fails == ORTCORE_EACH_CALL);
}

static inline bool has_notes(const struct trace* trace, unsigned slot) {
  return CORE_UNLIKELY(trace->handed_out.figures->notes != 0) && !core_slot_borrows(slot) &&
         slot != CORE_PLACE(CreateOpAttr); /* CreateNode takes attributes over */
}

/* Only the core's statuses are forgotten when a host releases them. */
static inline OrtStatus* noted_status(const struct trace* trace, unsigned slot, OrtStatus* status) {
  OrtcoreFigures* figures = trace->handed_out.figures;
  return CORE_UNLIKELY(figures->notes != 0) && trace->inner->ReleaseStatus == ort_ReleaseStatus
             ? core_note_status(status, &figures->alive[slot])
             : status;
}

/* Every table has the slots of version 1. */
static inline bool is_late(const struct trace* trace, unsigned since) {
  return since > 1 && CORE_UNLIKELY(trace->version < since);
}

static inline void note_made(const struct trace* trace, unsigned slot, uintptr_t place) {
  core_note_made(place, &trace->handed_out.figures->alive[slot]);
}
#define NOTE_MADE(place) note_made(trace, slot, place)

/* `late` is what a host without the slot answers. */
#define STATUS_THUNK(n, slot_number, since, inner, late, name, parameters, arguments)   \
  static CORE_COLD OrtStatus* ORT_API_CALL name##_of_##n parameters NO_EXCEPTION {      \
    const struct trace* trace = &traces[n];                                             \
    const unsigned slot = slot_number;                                                  \
    uint64_t call = count_call(trace, slot);                                            \
    OrtStatus* status = is_late(trace, since)           ? late                          \
                        : is_to_fail(trace, slot, call) ? fail_call(trace, #name)       \
                                                        : trace->inner->name arguments; \
    if (status == NULL && has_notes(trace, slot)) {                                     \
      NOTE_ALL arguments                                                                \
    }                                                                                   \
    return noted_status(trace, slot, status);                                           \
  }
#define VOID_THUNK(n, slot_number, since, inner, name, parameters, arguments)                 \
  static CORE_COLD void ORT_API_CALL name##_of_##n parameters NO_EXCEPTION {                  \
    const struct trace* trace = &traces[n];                                                   \
    const unsigned slot = slot_number;                                                        \
    (void)count_call(trace, slot);                                                            \
    if (!is_late(trace, since)) {                                                             \
      bool is_noted = has_notes(trace, slot);                                                 \
      if (is_noted && strncmp(#name, "Release", 7) == 0) { /* before its address is reused */ \
        core_forget(FIRST arguments);                                                         \
      }                                                                                       \
      trace->inner->name arguments;                                                           \
      if (is_noted) {                                                                         \
        NOTE_ALL arguments                                                                    \
      }                                                                                       \
    }                                                                                         \
  }
#define VALUE_THUNK(n, slot, since, inner, returns, name, parameters, arguments)      \
  static CORE_COLD returns ORT_API_CALL name##_of_##n parameters NO_EXCEPTION {       \
    (void)count_call(&traces[n], slot);                                               \
    return is_late(&traces[n], since) ? (returns)0 : traces[n].inner->name arguments; \
  }
#define ORT_SLOT_STATUS(index, since, topic, who, name, parameters, arguments)               \
  EACH_TRACE(STATUS_THUNK, index, since, inner, late(trace, #name, since), name, parameters, \
             arguments)
#define ORT_SLOT_VOID(index, since, topic, who, name, parameters, arguments) \
  EACH_TRACE(VOID_THUNK, index, since, inner, name, parameters, arguments)
#define ORT_SLOT_VALUE(index, since, topic, who, returns, name, parameters, arguments) \
  EACH_TRACE(VALUE_THUNK, index, since, inner, returns, name, parameters, arguments)
#define ORT_SLOT_GETTER(index, since, topic, who, returns, name) \
  EACH_TRACE(VALUE_THUNK, index, since, inner, returns, name, (void), ())
#include "ort_slots.def"

#define EP(index) (ORTCORE_TRACED_SLOTS + (index))
#define EP_SINCE(since) ((since) == 0 ? 1 : (since)) /* 0: as long as there is the table */
#define ORT_SLOT_STATUS(index, since, topic, who, name, parameters, arguments)                    \
  EACH_TRACE(STATUS_THUNK, EP(index), EP_SINCE(since), ep_inner, late(trace, #name, since), name, \
             parameters, arguments)
#define ORT_SLOT_VOID(index, since, topic, who, name, parameters, arguments) \
  EACH_TRACE(VOID_THUNK, EP(index), EP_SINCE(since), ep_inner, name, parameters, arguments)
#define ORT_SLOT_VALUE(index, since, topic, who, returns, name, parameters, arguments)     \
  EACH_TRACE(VALUE_THUNK, EP(index), EP_SINCE(since), ep_inner, returns, name, parameters, \
             arguments)
#define ORT_SLOT_GETTER(index, since, topic, who, returns, name) \
  EACH_TRACE(VALUE_THUNK, EP(index), EP_SINCE(since), ep_inner, returns, name, (void), ())
#include "ort_ep_slots.def"
_Static_assert(sizeof(OrtEpApi) / sizeof(void*) == ORTCORE_TRACED_EP_SLOTS,
               "every slot of OrtEpApi is counted");

static void note_op(struct trace* trace, const OrtCustomOp* op) {
  uint64_t bit = (uint64_t)1 << core_op_needs(op);
  __atomic_fetch_or(&trace->handed_out.figures->op_structs, bit, __ATOMIC_RELAXED);
}

#define ADD_THUNK(n, ...)                                                                      \
  static CORE_COLD OrtStatus* ORT_API_CALL add_op_of_##n(OrtCustomOpDomain* domain,            \
                                                         const OrtCustomOp* op) NO_EXCEPTION { \
    OrtStatus* status = CustomOpDomain_Add_of_##n(domain, op);                                 \
    if (status == NULL && op != NULL) {                                                        \
      note_op(&traces[n], op);                                                                 \
    }                                                                                          \
    return status;                                                                             \
  }
EACH_TRACE(ADD_THUNK, )

#define EP_THUNK(n, ...)                                                           \
  static CORE_COLD const OrtEpApi* ORT_API_CALL ep_api_of_##n(void) NO_EXCEPTION { \
    traces[n].ep_inner = GetEpApi_of_##n();                                        \
    return traces[n].ep_inner != NULL ? &traces[n].ep_table : NULL;                \
  }
EACH_TRACE(EP_THUNK, )

static CORE_COLD void fill_tables(void) {
#define SET(n, name) traces[n].table.name = name##_of_##n;
#define ORT_SLOT(index, since, topic, who, returns, name, parameters, arguments) \
  EACH_TRACE(SET, name)
#include "ort_slots.def"
#define SET_EP(n, name) traces[n].ep_table.name = name##_of_##n;
#define ORT_SLOT(index, since, topic, who, returns, name, parameters, arguments) \
  EACH_TRACE(SET_EP, name)
#include "ort_ep_slots.def"
#define SET_OWN(n, ...)                               \
  traces[n].table.CustomOpDomain_Add = add_op_of_##n; \
  traces[n].table.GetEpApi = ep_api_of_##n;
  EACH_TRACE(SET_OWN, )
}

static const OrtApi* get_api(struct trace* trace, uint32_t version) {
  unsigned bit = version < 63 ? version : 63;
  __atomic_fetch_or(&trace->handed_out.figures->asked, (uint64_t)1 << bit, __ATOMIC_RELAXED);
  return version >= 1 && version <= trace->version
             ? &trace->table
             : core_refuse_version(version, trace->version, trace->version_string);
}

#define BASE_FUNCTIONS(n, ...)                                                      \
  static const OrtApi* ORT_API_CALL get_api_of_##n(uint32_t version) NO_EXCEPTION { \
    return get_api(&traces[n], version);                                            \
  }                                                                                 \
  static const char* ORT_API_CALL version_string_of_##n(void) NO_EXCEPTION {        \
    return traces[n].version_string;                                                \
  }
EACH_TRACE(BASE_FUNCTIONS, )

#define BASE(n, ...) {get_api_of_##n, version_string_of_##n},
static const OrtApiBase bases[] = {EACH_TRACE(BASE, )};
_Static_assert(CORE_COUNT_OF(bases) == TRACES, "EACH_TRACE lists every trace");

/* A closed trace to use. First choice: the last trace of this table, because clients that kept its
 * table then still reach the right library. Second: one that was never used. Else any. */
static struct trace* closed_trace(const OrtApi* api) {
  struct trace* chosen = NULL;
  for (int n = 0; n < TRACES; n++) {
    struct trace* trace = &traces[n];
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
    if (api == &traces[n].table) {
      return 1;
    }
  }
  return 0;
}

static void open_trace(struct trace* trace, const OrtApi* api, uint32_t version,
                       const char* version_string, OrtcoreFigures* figures) {
  trace->is_open = 1;
  trace->inner = api;
  trace->version = version < ORT_API_VERSION ? version : ORT_API_VERSION;
  snprintf(trace->version_string, sizeof trace->version_string, "%s", version_string);
  figures = figures != NULL ? figures : &trace->figures;
  *figures = (OrtcoreFigures){0};
  trace->handed_out = (OrtcoreTrace){&bases[trace - traces], &trace->table, figures};
}

OrtStatus* ORT_API_CALL core_trace_begin(const OrtApi* api, uint32_t version,
                                         const char* version_string, OrtcoreFigures* figures,
                                         OrtcoreTrace** out) {
  CORE_REQUIRE(ortcore_trace_begin, api, version_string, out);
  if (version == 0) {
    CORE_FAIL(ORT_INVALID_ARGUMENT, "ortcore_trace_begin: version must be 1 or more");
  }
  /* Two traces could end up forwarding to each other. */
  if (is_traced(api)) {
    CORE_FAIL(ORT_INVALID_ARGUMENT, "ortcore_trace_begin: api must not be the table of a trace");
  }
  core_run_once(&once, fill_tables);
  core_lock(CORE_LOCK_TRACE);
  struct trace* trace = closed_trace(api);
  if (trace != NULL) {
    open_trace(trace, api, version, version_string, figures);
  }
  core_unlock(CORE_LOCK_TRACE);
  if (trace == NULL) {
    CORE_FAIL(ORT_FAIL, "ortcore_trace_begin: two traces are open; end one of them first");
  }
  *out = &trace->handed_out;
  return NULL;
}

void ORT_API_CALL core_trace_end(OrtcoreTrace* trace) {
  core_lock(CORE_LOCK_TRACE);
  for (int n = 0; n < TRACES; n++) {
    if (trace == &traces[n].handed_out) {
      traces[n].is_open = 0;
      core_forget_counted(trace->figures->alive, CORE_COUNT_OF(trace->figures->alive));
    }
  }
  core_unlock(CORE_LOCK_TRACE);
}
