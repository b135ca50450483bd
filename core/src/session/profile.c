/* SPDX-License-Identifier: MIT */
#include "session/profile.h"

#include "ep/library.h"

/* So many bytes are written at once. */
#define CHUNK ((size_t)64 << 10)

struct core_profile {
  core_mutex lock;
  const OrtLogger* logger;
  uint64_t began_at;
  uint64_t began;
  /* Atomic. */
  uint64_t last_id;
  /* Atomic. */
  bool has_ended;
  char path[CORE_PATH_ROOM];
  FILE* file;
  /* What is not in the file yet. */
  struct core_writing text;
  bool has_events;
  /* The first failure of the core itself, for the end. */
  OrtStatus* failed;
  /* Of OrtEpProfilerImpl. */
  struct core_list profilers;
};

static bool has_ended(struct core_profile* profile) {
  return __atomic_load_n(&profile->has_ended, __ATOMIC_ACQUIRE);
}

/* --- the file --------------------------------------------------------------------------------- */

/* Keeps a failure for the end, if it is the first. */
static void note_failure(struct core_profile* profile, OrtStatus* status) {
  core_mutex_lock(&profile->lock);
  profile->failed = core_first_failure(profile->failed, status);
  core_mutex_unlock(&profile->lock);
}

static void flush(struct core_profile* profile) {
  struct core_writing* text = &profile->text;
  bool is_written =
      text->size == 0 || fwrite(text->bytes, 1, text->size, profile->file) == text->size;
  if (!is_written && profile->failed == NULL) {
    profile->failed = core_status(ORT_FAIL, "the profile cannot be written: '%s'", profile->path);
  }
  text->size = 0;
}

static void put_event(struct core_writing* text, const OrtProfilingEvent* event) {
  static const char* const categories[] = {"Session", "Node", "Kernel", "Api"};
  core_put(text, "{\"cat\" : \"%s\",\"pid\" :%" PRId32 ",\"tid\" :%" PRId32,
           categories[event->category], event->process_id, event->thread_id);
  core_put(text, ",\"dur\" :%" PRId64 ",\"ts\" :%" PRId64 ",\"ph\" : \"X\",\"name\" :",
           event->duration_us, event->timestamp_us);
  core_put_quoted(text, event->name);
  core_put(text, ",\"args\" : {");
  for (size_t i = 0; i < event->arguments.count; i++) {
    const struct core_item* argument = &event->arguments.list[i];
    core_put(text, "%s", i > 0 ? "," : "");
    core_put_quoted(text, argument->key);
    core_put(text, " : ");
    if (argument->mark) {
      const char* json = core_item_text(argument);
      core_write_raw(text, json, strlen(json));
    } else {
      core_put_quoted(text, core_item_text(argument));
    }
  }
  core_put(text, "}}");
}

/* Writes an event, unless the file is closed. */
static void write_event(struct core_profile* profile, const OrtProfilingEvent* event) {
  core_mutex_lock(&profile->lock);
  if (profile->file != NULL) {
    core_put(&profile->text, "%s", profile->has_events ? ",\n" : "");
    put_event(&profile->text, event);
    profile->has_events = true;
    if (profile->text.size >= CHUNK) {
      flush(profile);
    }
  }
  core_mutex_unlock(&profile->lock);
}

/* --- beginning -------------------------------------------------------------------------------- */

/* The prefix and the time, as ONNX Runtime puts them together: prefix_2026-01-31_23-59-59_123.json.
 */
static bool set_path(struct core_profile* profile, const ORTCHAR_T* prefix) {
  char now[CORE_LOCAL_TIME];
  if (!core_whole_path_utf8(prefix, profile->path)) {
    return false;
  }
  core_local_time(now);
  for (char* at = now; *at != 0; at++) {
    *at = *at == ' ' || *at == '.' ? '_' : *at == ':' ? '-' : *at;
  }
  size_t length = strlen(profile->path), room = sizeof profile->path - length;
  int added = snprintf(profile->path + length, room, "_%.23s.json", now);
  return added > 0 && (size_t)added < room;
}

static OrtStatus* open_profile(struct core_profile* profile, const ORTCHAR_T* prefix) {
  char real[CORE_PATH_ROOM];
  /* Where another profile has begun in this millisecond, the next one gives another name. */
  do {
    CORE_REFUSE_IF(!set_path(profile, prefix), ORT_INVALID_ARGUMENT,
                   "profile_file_prefix is too long");
    profile->file = core_create_file(profile->path, true);
  } while (profile->file == NULL && core_find_file(profile->path, real) != CORE_NO_FILE);
  CORE_REFUSE_IF(profile->file == NULL, ORT_FAIL, "the profile '%s' cannot be created",
                 profile->path);
  core_put(&profile->text, "[\n");
  return NULL;
}

OrtStatus* core_begin_profile(const ORTCHAR_T* prefix, const OrtLogger* logger,
                              struct core_profile** out) {
  CORE_NEW_BLOCK(struct core_profile, profile);
  core_mutex_begin(&profile->lock);
  profile->logger = logger;
  profile->began_at = core_wall_clock();
  profile->began = core_clock();
  CORE_TRY_OR(open_profile(profile, prefix), core_free_profile(profile));
  *out = profile;
  return NULL;
}

uint64_t core_profile_begin_time(const struct core_profile* profile) { return profile->began_at; }

const char* core_profile_path(struct core_profile* profile) {
  return has_ended(profile) ? NULL : profile->path;
}

/* --- profilers of providers ------------------------------------------------------------------- */

/* A call of a provider's profiler. */
struct asked {
  struct core_profile* profile;
  OrtEp* ep;
  OrtEpProfilerImpl* profiler;
  uint64_t id;
  const OrtProfilingEvent* event;
};

static OrtStatus* create_profiler(void* argument) {
  struct asked* self = argument;
  OrtEpProfilerImpl* made = NULL;
  CORE_TRY(self->ep->CreateProfiler(self->ep, &made));
  CORE_FAIL_IF(
      made != NULL &&
          (made->Release == NULL || made->StartProfiling == NULL || made->EndProfiling == NULL),
      ORT_FAIL, "CreateProfiler: the profiler must have Release, StartProfiling and EndProfiling");
  self->profiler = made;
  return NULL;
}

CORE_EP_CALLER(start_profiling, const struct asked,
               self->profiler->StartProfiling(self->profiler,
                                              (int64_t)(core_clock() - self->profile->began)))

CORE_EP_CALLER(start_event, const struct asked,
               self->profiler->StartEvent(self->profiler, self->id))

CORE_EP_CALLER(stop_event, const struct asked,
               self->profiler->StopEvent(self->profiler, self->id, self->event))

CORE_EP_ACTION(release_profiler, const struct asked, self->profiler->Release(self->profiler))

static void take_event(void* profile, const OrtProfilingEvent* event) {
  write_event(profile, event);
}

static void call_profiler(const char* name, OrtStatus* (*function)(void* argument),
                          struct asked* asked) {
  core_ep_log(asked->profile->logger, core_ep_call(name, function, asked));
}

static void start_on(struct asked* asked) {
  if (asked->profiler->StartEvent != NULL) {
    call_profiler("StartEvent", start_event, asked);
  }
}

static void add_profiler(struct core_profile* profile, OrtEp* ep, const struct core_timing* event) {
  struct asked asked = {.profile = profile, .ep = ep};
  call_profiler("CreateProfiler", create_profiler, &asked);
  if (asked.profiler == NULL) {
    return;
  }
  if (!core_list_add(&profile->profilers, asked.profiler)) {
    note_failure(profile, core_no_memory(sizeof asked.profiler));
    call_profiler("Release", release_profiler, &asked);
    return;
  }
  call_profiler("StartProfiling", start_profiling, &asked);
  if (event != NULL) {
    asked.id = event->id;
    start_on(&asked);
  }
}

void core_profile_providers(struct core_profile* profile, const OrtSession* session,
                            const struct core_timing* event) {
  for (size_t i = 0; i < session->ep_count; i++) {
    OrtEp* ep = session->eps[i].ep->seen.ep;
    if (ep->ort_version_supported >= 25 && ep->CreateProfiler != NULL) {
      add_profiler(profile, ep, event);
    }
  }
}

/* --- events ----------------------------------------------------------------------------------- */

struct core_timing core_begin_event(struct core_profile* profile) {
  struct asked asked = {.profile = profile};
  if (profile == NULL) {
    return (struct core_timing){0, 0};
  }
  asked.id = __atomic_add_fetch(&profile->last_id, 1, __ATOMIC_RELAXED);
  for (size_t i = 0; i < profile->profilers.count && !has_ended(profile); i++) {
    asked.profiler = profile->profilers.items[i];
    start_on(&asked);
  }
  return (struct core_timing){core_clock(), asked.id};
}

/* Makes an event that ends now. */
static OrtStatus* new_event(const struct core_profile* profile, const struct core_timing* timing,
                            OrtProfilingEventCategory category, const char* name,
                            OrtProfilingEvent** out) {
  int64_t begin = (int64_t)(timing->begin - profile->began);
  int64_t length = (int64_t)(core_clock() - timing->begin);
  return ort_ep_CreateProfilingEvent(category, core_process_id(), core_thread_id(), name,
                                     begin / 1000, length / 1000, NULL, NULL, 0, out);
}

/* Tells the profilers of an event, writes it, and drops it. */
static void finish_event(struct core_profile* profile, const struct core_timing* timing,
                         OrtProfilingEvent* event) {
  struct asked asked = {.profile = profile, .id = timing->id, .event = event};
  for (size_t i = 0; i < profile->profilers.count && !has_ended(profile); i++) {
    asked.profiler = profile->profilers.items[i];
    if (asked.profiler->StopEvent != NULL) {
      call_profiler("StopEvent", stop_event, &asked);
    }
  }
  write_event(profile, event);
  core_drop(event);
}

void core_end_event(struct core_profile* profile, const struct core_timing* timing,
                    const char* name) {
  OrtProfilingEvent* event = NULL;
  if (profile == NULL) {
    return;
  }
  OrtStatus* status = new_event(profile, timing, OrtProfilingEventCategory_SESSION, name, &event);
  if (status != NULL) {
    note_failure(profile, status);
    return;
  }
  finish_event(profile, timing, event);
}

/* --- events of steps -------------------------------------------------------------------------- */

static size_t size_of(const OrtValue* value) {
  return value != NULL && core_is_tensor(value) ? core_tensor_of(value)->bytes : 0;
}

/* Of tensors the element type and shape: [{"float":[2,3]},{"int64":[]}]. */
static void put_shapes(struct core_writing* text, OrtValue* const* values, size_t count) {
  bool is_any = false;
  core_put(text, "[");
  for (size_t i = 0; i < count; i++) {
    const struct core_shape* shape = values[i] != NULL ? core_shape_of(values[i]) : NULL;
    if (shape == NULL) {
      continue;
    }
    core_put(text, "%s{\"%s\":[", is_any ? "," : "", core_element_name(shape->type));
    for (size_t k = 0; k < shape->rank; k++) {
      core_put(text, "%s%" PRId64, k > 0 ? "," : "", shape->dims[k]);
    }
    core_put(text, "]}");
    is_any = true;
  }
  core_write_raw(text, "]", sizeof "]"); /* with its end, as the text of an argument */
}

static OrtStatus* add_text(OrtProfilingEvent* event, const char* key, const char* text) {
  return core_items_add(&event->arguments, key, strlen(key) + 1, text) != NULL
             ? NULL
             : core_no_memory(strlen(text));
}

static OrtStatus* add_number(OrtProfilingEvent* event, const char* key, size_t number) {
  char text[24];
  snprintf(text, sizeof text, "%zu", number);
  return add_text(event, key, text);
}

static OrtStatus* add_shapes(OrtProfilingEvent* event, const char* key, OrtValue* const* values,
                             size_t count) {
  struct core_writing text = {0};
  put_shapes(&text, values, count);
  OrtStatus* status =
      text.has_failed ? core_no_memory(text.size) : add_text(event, key, (const char*)text.bytes);
  if (status == NULL) {
    event->arguments.list[event->arguments.count - 1].mark = true; /* JSON, and no string */
  }
  heap_free(text.bytes);
  return status;
}

static OrtStatus* describe_step(const OrtSession* session, const struct core_step* step,
                                OrtValue* const* operands, OrtProfilingEvent* event) {
  size_t parameters = 0, activations = 0, outputs = 0;
  for (size_t i = 0; i < step->input_count + step->output_count; i++) {
    core_value_number value = step->values[i];
    bool is_constant = value != CORE_NO_VALUE && session->constants[value] != NULL;
    size_t* sum = i >= step->input_count ? &outputs : is_constant ? &parameters : &activations;
    *sum += size_of(operands[i]);
  }
  CORE_TRY(add_text(event, "op_name", step->node->op_type));
  CORE_TRY(add_text(event, "provider", step->provider));
  CORE_TRY(add_number(event, "node_index", step->node->id));
  CORE_TRY(add_number(event, "parameter_size", parameters));
  CORE_TRY(add_number(event, "activation_size", activations));
  CORE_TRY(add_number(event, "output_size", outputs));
  CORE_TRY(add_shapes(event, "input_type_shape", operands, step->input_count));
  return add_shapes(event, "output_type_shape", operands + step->input_count, step->output_count);
}

/* The name of a node's event; a node without a name goes by its operator and number. */
static OrtStatus* name_step(const OrtNode* node, char** out) {
  char number[24] = "";
  const char* name = node->name;
  if (name[0] == 0) {
    name = node->op_type;
    snprintf(number, sizeof number, "_%zu", node->id);
  }
  size_t size = strlen(name) + sizeof number + sizeof "_kernel_time";
  *out = heap_alloc(size);
  CORE_NEED_MEMORY(*out, size);
  snprintf(*out, size, "%s%s_kernel_time", name, number);
  return NULL;
}

void core_end_step(struct core_profile* profile, const struct core_timing* timing,
                   const OrtSession* session, const struct core_step* step,
                   OrtValue* const* operands) {
  OrtProfilingEvent* event = NULL;
  char* name = NULL;
  OrtStatus* status = name_step(step->node, &name);
  CORE_THEN(status, new_event(profile, timing, OrtProfilingEventCategory_NODE, name, &event));
  heap_free(name);
  CORE_THEN(status, describe_step(session, step, operands, event));
  if (status != NULL) {
    note_failure(profile, status);
    core_drop(event);
    return;
  }
  finish_event(profile, timing, event);
}

/* --- the end ---------------------------------------------------------------------------------- */

static OrtStatus* close_profile(struct core_profile* profile) {
  core_mutex_lock(&profile->lock);
  core_put(&profile->text, "\n]\n");
  flush(profile);
  bool is_closed = fclose(profile->file) == 0;
  profile->file = NULL;
  OrtStatus* status = profile->failed;
  profile->failed = NULL;
  core_mutex_unlock(&profile->lock);
  CORE_RETURN_IF(status == NULL && profile->text.has_failed,
                 core_no_memory(profile->text.capacity));
  return status != NULL || is_closed
             ? status
             : core_fail(ORT_FAIL, "the profile cannot be written: %s", profile->path);
}

OrtStatus* core_end_profile(struct core_profile* profile) {
  if (__atomic_exchange_n(&profile->has_ended, true, __ATOMIC_ACQ_REL)) {
    return NULL;
  }
  for (size_t i = 0; i < profile->profilers.count; i++) {
    core_ep_log(profile->logger,
                core_end_profiling(profile->profilers.items[i], take_event, profile));
  }
  return close_profile(profile);
}

void core_free_profile(struct core_profile* profile) {
  if (profile == NULL) {
    return;
  }
  struct asked asked = {.profile = profile};
  for (size_t i = 0; i < profile->profilers.count; i++) {
    asked.profiler = profile->profilers.items[i];
    call_profiler("Release", release_profiler, &asked);
  }
  core_list_end(&profile->profilers);
  ort_ReleaseStatus(profile->failed); /* of a run that went on after the end */
  heap_free(profile->text.bytes);
  core_mutex_end(&profile->lock);
  heap_free(profile);
}
