/* SPDX-License-Identifier: MIT */
/* The slots that read a session: its inputs, outputs, metadata, memory and devices. */

#include "memory/allocator.h"
#include "session/profile.h"

static OrtStatus* give_name(const struct core_ports* ports, size_t index, OrtAllocator* allocator,
                            char** out) {
  CORE_FAIL_IF(index >= ports->count, ORT_FAIL, "index out of range");
  return core_allocate_string(allocator, ports->list[index].name, out);
}

static OrtStatus* give_type(const struct core_ports* ports, size_t index, OrtTypeInfo** out) {
  CORE_FAIL_IF(index >= ports->count, ORT_FAIL, "out of index");
  CORE_REFUSE_IF(ports->list[index].type == NULL, ORT_FAIL, "the model gives no type to %s",
                 ports->list[index].name);
  return core_copy_type_info(ports->list[index].type, out);
}

#define NAME_GETTER(NAME, ports)                                                    \
  CORE_SLOT(NAME, const OrtSession* session, size_t index, OrtAllocator* allocator, \
            char** value) {                                                         \
    return give_name(&session->ports, index, allocator, value);                     \
  }
#define TYPE_GETTER(NAME, ports)                                                      \
  CORE_SLOT(NAME, const OrtSession* session, size_t index, OrtTypeInfo** type_info) { \
    return give_type(&session->ports, index, type_info);                              \
  }

CORE_GETTER(ort_SessionGetInputCount, size_t, session->inputs.count, const OrtSession* session)
TYPE_GETTER(ort_SessionGetInputTypeInfo, inputs)
NAME_GETTER(ort_SessionGetInputName, inputs)
CORE_GETTER(ort_SessionGetOutputCount, size_t, session->outputs.count, const OrtSession* session)
TYPE_GETTER(ort_SessionGetOutputTypeInfo, outputs)
NAME_GETTER(ort_SessionGetOutputName, outputs)
CORE_GETTER(ort_SessionGetOverridableInitializerCount, size_t, session->overridable.count,
            const OrtSession* session)
TYPE_GETTER(ort_SessionGetOverridableInitializerTypeInfo, overridable)
NAME_GETTER(ort_SessionGetOverridableInitializerName, overridable)

CORE_SLOT(ort_SessionGetModelMetadata, const OrtSession* session, OrtModelMetadata** out) {
  return ort_Graph_GetModelMetadata(session->graph, out);
}

/* The path is copied before the file is closed: a profile can be ended only once. */
CORE_SLOT(ort_SessionEndProfiling, OrtSession* session, OrtAllocator* allocator, char** out) {
  const char* path = session->profile != NULL ? core_profile_path(session->profile) : NULL;
  char* text = NULL;
  path = path != NULL ? path : "";
  CORE_TRY(core_allocate_string(allocator, path, &text));
  if (path[0] != 0) {
    CORE_TRY_OR(core_end_profile(session->profile), allocator->Free(allocator, text));
  }
  *out = text;
  return NULL;
}

CORE_GETTER(ort_SessionGetProfilingStartTimeNs, uint64_t,
            session->profile != NULL ? core_profile_begin_time(session->profile) : 0,
            const OrtSession* session)

#define REQUIRE_READY(session) \
  CORE_REQUIRE_READY(session, ORT_INVALID_ARGUMENT, "Session has not been initialized.")

/* Fills an array with `all` for each port, and with NULL behind the last port. */
static OrtStatus* fill_places(const char* what, const struct core_ports* ports, const void* all,
                              const void** places, size_t count) {
  CORE_RETURN_IF(count < ports->count,
                 core_status(ORT_INVALID_ARGUMENT, "There are more %s than places for them", what));
  for (size_t i = 0; i < count; i++) {
    places[i] = i < ports->count ? all : NULL;
  }
  return NULL;
}

/* A slot that fills an array with something of each input or output. */
#define FILLER(NAME, type, filled)                                                \
  CORE_SLOT(NAME, const OrtSession* session, const type** places, size_t count) { \
    REQUIRE_READY(session);                                                       \
    return filled;                                                                \
  }

/* All values are in the CPU's memory: what a provider computes elsewhere is copied. */
FILLER(ort_SessionGetMemoryInfoForInputs, OrtMemoryInfo,
       fill_places("inputs", &session->inputs, &core_cpu_memory_info, (const void**)places, count))
FILLER(ort_SessionGetMemoryInfoForOutputs, OrtMemoryInfo,
       fill_places("outputs", &session->outputs, &core_cpu_memory_info, (const void**)places,
                   count))

/* The device of the provider that computes a step; NULL for a custom op. */
static const OrtEpDevice* device_of_step(const OrtSession* session, const struct core_step* step) {
  const struct core_session_ep* own = core_ep_of_step(session, step);
  if (own == NULL) {
    return NULL;
  }
  const struct core_ep_choice* choice = session->options->ep_choices.items[own - session->eps];
  return choice->devices[0];
}

/* Whether a step reads a value as an input of the session, or makes it, perhaps as a copy of what
 * is on a device. */
static bool has_value(const struct core_step* step, core_value_number value, bool is_input) {
  size_t first = is_input ? 0 : step->input_count;
  size_t end = is_input ? step->input_count : first + step->output_count;
  for (size_t i = first; i < end; i++) {
    if (step->values[i] == value) {
      return true;
    }
  }
  for (size_t i = 0; !is_input && i < step->copy_count; i++) {
    if (step->copies[i].to == value) {
      return true;
    }
  }
  return false;
}

/* The device of the first step that reads a value, or that makes it. */
static const OrtEpDevice* device_for(const OrtSession* session, core_value_number value,
                                     bool is_input) {
  for (size_t i = 0; i < session->step_count; i++) {
    if (has_value(&session->steps[i], value, is_input)) {
      return device_of_step(session, &session->steps[i]);
    }
  }
  return NULL;
}

static OrtStatus* fill_devices(const OrtSession* session, bool is_input,
                               const OrtEpDevice** devices, size_t count) {
  const struct core_ports* ports = is_input ? &session->inputs : &session->outputs;
  CORE_TRY(fill_places(is_input ? "inputs" : "outputs", ports, NULL, (const void**)devices, count));
  for (size_t i = 0; i < ports->count; i++) {
    devices[i] = device_for(session, ports->list[i].value, is_input);
  }
  return NULL;
}

FILLER(ort_SessionGetEpDeviceForInputs, OrtEpDevice, fill_devices(session, true, places, count))
FILLER(ort_SessionGetEpDeviceForOutputs, OrtEpDevice, fill_devices(session, false, places, count))

CORE_SLOT(ort_CreateAllocator, const OrtSession* session, const OrtMemoryInfo* mem_info,
          OrtAllocator** out) {
  CORE_FAIL_IF(!core_is_cpu_memory(mem_info), ORT_INVALID_ARGUMENT,
               "CreateAllocator: No requested allocator available: the session's memory is the "
               "CPU's");
  return core_session_wants(session, "session.use_env_allocators")
             ? ort_GetSharedAllocator(session->env, mem_info, out)
             : ort_GetAllocatorWithDefaultOptions(out);
}
