/* SPDX-License-Identifier: MIT */
/*
 * ORTCORE_WATCH=report.json: what the clients of OrtGetApiBase call, and what they do not release,
 * written as JSON after each ReleaseEnv and at the end of the process. With
 * ORTCORE_WATCH=report.json?library=PATH the calls are passed to the table of another library.
 */

#include <inttypes.h>
#include <stdlib.h>

#include "object/object.h"
#include "onnx/writing.h"
#include "platform/platform.h"
#include "table/versions.h"

#define VARIABLE "ORTCORE_WATCH"
#define LIBRARY "?library="

static char path[CORE_PATH_ROOM];
static int32_t process;
static const OrtApi* inner;
/* The table before `inner`, and the one that clients get: the same but for the slots below. */
static OrtcoreTrace* trace;
static OrtApi table;
static OrtApiBase table_base;
static OrtcoreFigures figures;
/* How many statuses of each slot were released whose code and message no client had asked for. */
static uint64_t unread[ORTCORE_TRACED_ALL];

static void complain(const char* text, const char* detail) {
  fprintf(stderr, VARIABLE ": %s%s\n", text, detail);
}

/* --- the report ------------------------------------------------------------------------------- */

/* One string of all names: an array of pointers would need a relocation for each. */
static const char* slot_name(unsigned slot) {
  static const char names[] =
#define ORT_SLOT(index, since, topic, who, returns, name, parameters) #name "\0"
#include "ort_slots.def"
#define ORT_SLOT(index, since, topic, who, returns, name, parameters) #name "\0"
#include "ort_ep_slots.def"
      ;
  const char* name = names;
  for (; slot > 0; slot--) {
    name += strlen(name) + 1;
  }
  return name;
}

static void put_counts(struct core_writing* text, const char* member, const uint64_t* counts,
                       size_t count, const char* (*name_of)(unsigned)) {
  const char* separator = "";
  core_put(text, ",\n\"%s\": {", member);
  for (unsigned i = 0; i < count; i++) {
    if (counts[i] != 0) {
      core_put(text, "%s\n  \"%s\": %" PRIu64, separator, name_of(i), counts[i]);
      separator = ",";
    }
  }
  core_put(text, "}");
}

struct left {
  struct core_writing* text;
  const char* separator;
  uint64_t objects[ORTCORE_TRACED_ALL];
};

/* Counts an object, or writes what is known of a status. One that an op has answered to another
 * library may have been freed by the library itself. */
static void put_status(void* argument, size_t slot, const OrtStatus* status) {
  struct left* self = argument;
  if (status == NULL) {
    self->objects[slot]++;
    return;
  }
  core_put(self->text, "%s\n  {\"slot\": \"%s\"", self->separator, slot_name((unsigned)slot));
  if (inner->ReleaseStatus == ort_ReleaseStatus) {
    core_put(self->text, ", \"code\": %d, \"message\": ", (int)inner->GetErrorCode(status));
    core_put_quoted(self->text, inner->GetErrorMessage(status));
  }
  core_put(self->text, "}");
  self->separator = ",";
}

static void put_report(struct core_writing* text) {
  struct left left = {text, "", {0}};
  uint64_t kinds[CORE_KINDS];
  core_put(text, "{\n\"version\": ");
  core_put_quoted(text, trace->base->GetVersionString());
  core_put(text, ",\n\"left_statuses\": [");
  core_each_noted(figures.alive, ORTCORE_TRACED_ALL, put_status, &left);
  core_put(text, "]");
  for (int kind = 0; kind < CORE_KINDS; kind++) {
    kinds[kind] = (uint64_t)core_live_objects((enum core_kind)kind);
  }
  put_counts(text, "left_objects", left.objects, ORTCORE_TRACED_ALL, slot_name);
  put_counts(text, "left_kinds", kinds, CORE_KINDS, core_kind_name);
  put_counts(text, "unread_statuses", unread, ORTCORE_TRACED_ALL, slot_name);
  put_counts(text, "calls", figures.calls, ORTCORE_TRACED_ALL, slot_name);
  core_put(text, "\n}\n");
}

/* The child of a fork has the figures of its parent, and leaves the parent's file alone. */
static void write_report(void) {
  if (core_process_id() != process) {
    return;
  }
  core_lock(CORE_LOCK_TRACE);
  struct core_writing text = {0};
  put_report(&text);
  FILE* file = text.has_failed ? NULL : core_create_file(path, false);
  bool is_written = file != NULL && fwrite(text.bytes, 1, text.size, file) == text.size;
  is_written = file != NULL && fclose(file) == 0 && is_written;
  heap_free(text.bytes);
  core_unlock(CORE_LOCK_TRACE);
  if (!is_written) {
    process = 0; /* said once */
    complain("the report cannot be written: ", path);
  }
}

/* --- slots that do more than their trace ------------------------------------------------------ */

static void ORT_API_CALL release_env(OrtEnv* input) NO_EXCEPTION {
  trace->api->ReleaseEnv(input);
  write_report();
}

static OrtErrorCode ORT_API_CALL get_error_code(const OrtStatus* status) NO_EXCEPTION {
  bool is_unread;
  (void)core_noted_in(status, &is_unread);
  return trace->api->GetErrorCode(status);
}

static const char* ORT_API_CALL get_error_message(const OrtStatus* status) NO_EXCEPTION {
  bool is_unread;
  (void)core_noted_in(status, &is_unread);
  return trace->api->GetErrorMessage(status);
}

static void ORT_API_CALL release_status(OrtStatus* input) NO_EXCEPTION {
  bool is_unread = false;
  uintptr_t first = (uintptr_t)figures.alive, in = (uintptr_t)core_noted_in(input, &is_unread);
  /* Another trace or a watched table may have noted it. */
  if (is_unread && in >= first && in - first < sizeof figures.alive) {
    __atomic_fetch_add(&unread[(in - first) / sizeof *figures.alive], 1, __ATOMIC_RELAXED);
  }
  trace->api->ReleaseStatus(input);
}

/* Notes the values of an array but those that the client has put there, which are noted. */
static void note_values(unsigned slot, OrtValue* const* values, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (core_noted_in(values[i], NULL) == NULL) {
      core_note(values[i], &figures.alive[slot]);
    }
  }
}

static OrtStatus* ORT_API_CALL run(OrtSession* session, const OrtRunOptions* run_options,
                                   const char* const* input_names, const OrtValue* const* inputs,
                                   size_t input_len, const char* const* output_names,
                                   size_t output_names_len, OrtValue** outputs) NO_EXCEPTION {
  OrtStatus* status = trace->api->Run(session, run_options, input_names, inputs, input_len,
                                      output_names, output_names_len, outputs);
  if (status == NULL) {
    note_values(CORE_PLACE(Run), outputs, output_names_len);
  }
  return status;
}

static OrtStatus* ORT_API_CALL get_bound_output_values(const OrtIoBinding* binding_ptr,
                                                       OrtAllocator* allocator, OrtValue*** output,
                                                       size_t* output_count) NO_EXCEPTION {
  OrtStatus* status =
      trace->api->GetBoundOutputValues(binding_ptr, allocator, output, output_count);
  if (status == NULL) {
    note_values(CORE_PLACE(GetBoundOutputValues), *output, *output_count);
  }
  return status;
}

/* --- beginning -------------------------------------------------------------------------------- */

static const OrtApi* ORT_API_CALL get_api(uint32_t version) NO_EXCEPTION {
  return trace->base->GetApi(version) != NULL ? &table : NULL;
}

/* The base of the library at a path, which stays loaded; NULL if there is none. */
static const OrtApiBase* open_base(const char* library_path) {
  char error[CORE_LIBRARY_ERROR] = "it has no OrtGetApiBase";
  const OrtApiBase*(ORT_API_CALL * entry)(void) = NULL;
  void* library = core_library_open_utf8(library_path, error);
  void* symbol = library != NULL ? core_library_symbol(library, "OrtGetApiBase") : NULL;
  memcpy(&entry, &symbol, sizeof entry);
  if (entry == NULL) {
    complain("ignored, because the library cannot be used: ", error);
  }
  return entry != NULL ? entry() : NULL;
}

/* While the library of the variable is asked for its base, which may be this one. */
static bool is_asking;

static void begin_watch(const OrtApiBase* base) {
  unsigned version = 0;
  sscanf(base->GetVersionString(), "%*u.%u", &version);
  version = version < ORT_API_VERSION ? version : ORT_API_VERSION;
  inner = base->GetApi(version);
  OrtStatus* status = core_trace_begin(inner, version, base->GetVersionString(), &figures, &trace);
  if (status != NULL) {
    complain("ignored: ", ort_GetErrorMessage(status));
    ort_ReleaseStatus(status);
    return;
  }
  figures.notes = ORTCORE_NOTE_STATUSES;
  table_base = (OrtApiBase){get_api, trace->base->GetVersionString};
  table = *trace->api;
  table.ReleaseEnv = release_env;
  table.GetErrorCode = get_error_code;
  table.GetErrorMessage = get_error_message;
  table.ReleaseStatus = release_status;
  table.Run = run;
  table.GetBoundOutputValues = get_bound_output_values;
  process = core_process_id();
  atexit(write_report);
}

static void begin(void) {
  bool is_refused = false;
  const char* value = core_variable(VARIABLE, &is_refused);
  if (is_refused) {
    complain("ignored, because the program has rights that its user does not have", "");
  }
  if (value == NULL || *value == 0) {
    return;
  }
  if (strlen(value) >= sizeof path) {
    complain("ignored, because it is too long", "");
    return;
  }
  strcpy(path, value);
  char* library = strstr(path, LIBRARY);
  __atomic_store_n(&is_asking, true, __ATOMIC_SEQ_CST);
  const OrtApiBase* base = library != NULL ? open_base(library + strlen(LIBRARY)) : core_api_base();
  __atomic_store_n(&is_asking, false, __ATOMIC_SEQ_CST);
  if (library != NULL) {
    *library = 0;
  }
  if (base != NULL) {
    begin_watch(base);
  }
}

CORE_EXPORT const OrtApiBase* ORT_API_CALL OrtGetApiBase(void) NO_EXCEPTION {
  static core_once once = CORE_ONCE_INIT;
  if (__atomic_load_n(&is_asking, __ATOMIC_SEQ_CST)) {
    return core_api_base();
  }
  core_run_once(&once, begin);
  return trace != NULL ? &table_base : core_api_base();
}
