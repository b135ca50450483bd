/* SPDX-License-Identifier: MIT */
/* The slots that read a session: its inputs, outputs, metadata, memory and devices. */
#include <string.h>

#include "memory/allocator.h"
#include "session/profile.h"
#include "values/type_info.h"

static OrtStatus* give_name(const struct core_ports* ports, size_t index, OrtAllocator* allocator,
                            char** out) {
  if (index >= ports->count) {
    CORE_FAIL(ORT_FAIL, "index out of range");
  }
  return core_allocate_string(allocator, ports->list[index].name, out);
}

static OrtStatus* give_type(const struct core_ports* ports, size_t index, OrtTypeInfo** out) {
  if (index >= ports->count) {
    CORE_FAIL(ORT_FAIL, "out of index");
  }
  if (ports->list[index].type == NULL) {
    return core_fail(ORT_FAIL, "the model gives no type to %s", ports->list[index].name);
  }
  return core_copy_type_info(ports->list[index].type, out);
}

CORE_SLOT(ort_SessionGetInputCount, const OrtSession* session, size_t* out) {
  CORE_REQUIRE(SessionGetInputCount, session, out);
  *out = session->inputs.count;
  return NULL;
}

CORE_SLOT(ort_SessionGetInputTypeInfo, const OrtSession* session, size_t index,
          OrtTypeInfo** type_info) {
  CORE_REQUIRE(SessionGetInputTypeInfo, session, type_info);
  return give_type(&session->inputs, index, type_info);
}

CORE_SLOT(ort_SessionGetInputName, const OrtSession* session, size_t index, OrtAllocator* allocator,
          char** value) {
  CORE_REQUIRE(SessionGetInputName, session, allocator, value);
  return give_name(&session->inputs, index, allocator, value);
}

CORE_SLOT(ort_SessionGetOutputCount, const OrtSession* session, size_t* out) {
  CORE_REQUIRE(SessionGetOutputCount, session, out);
  *out = session->outputs.count;
  return NULL;
}

CORE_SLOT(ort_SessionGetOutputTypeInfo, const OrtSession* session, size_t index,
          OrtTypeInfo** type_info) {
  CORE_REQUIRE(SessionGetOutputTypeInfo, session, type_info);
  return give_type(&session->outputs, index, type_info);
}

CORE_SLOT(ort_SessionGetOutputName, const OrtSession* session, size_t index,
          OrtAllocator* allocator, char** value) {
  CORE_REQUIRE(SessionGetOutputName, session, allocator, value);
  return give_name(&session->outputs, index, allocator, value);
}

CORE_SLOT(ort_SessionGetOverridableInitializerCount, const OrtSession* session, size_t* out) {
  CORE_REQUIRE(SessionGetOverridableInitializerCount, session, out);
  *out = session->overridable.count;
  return NULL;
}

CORE_SLOT(ort_SessionGetOverridableInitializerTypeInfo, const OrtSession* session, size_t index,
          OrtTypeInfo** type_info) {
  CORE_REQUIRE(SessionGetOverridableInitializerTypeInfo, session, type_info);
  return give_type(&session->overridable, index, type_info);
}

CORE_SLOT(ort_SessionGetOverridableInitializerName, const OrtSession* session, size_t index,
          OrtAllocator* allocator, char** value) {
  CORE_REQUIRE(SessionGetOverridableInitializerName, session, allocator, value);
  return give_name(&session->overridable, index, allocator, value);
}

CORE_SLOT(ort_SessionGetModelMetadata, const OrtSession* session, OrtModelMetadata** out) {
  CORE_REQUIRE(SessionGetModelMetadata, session, out);
  return ort_Graph_GetModelMetadata(session->graph, out);
}

/* The path is copied before the file is closed: a profile can be ended only once. */
CORE_SLOT(ort_SessionEndProfiling, OrtSession* session, OrtAllocator* allocator, char** out) {
  CORE_REQUIRE(SessionEndProfiling, session, allocator, out);
  const char* path = session->profile != NULL ? core_profile_path(session->profile) : NULL;
  char* text = NULL;
  path = path != NULL ? path : "";
  CORE_TRY(core_allocate_string(allocator, path, &text));
  if (path[0] != 0) {
    OrtStatus* status = core_end_profile(session->profile);
    if (status != NULL) {
      allocator->Free(allocator, text);
      return status;
    }
  }
  *out = text;
  return NULL;
}

CORE_SLOT(ort_SessionGetProfilingStartTimeNs, const OrtSession* session, uint64_t* out) {
  CORE_REQUIRE(SessionGetProfilingStartTimeNs, session, out);
  *out = session->profile != NULL ? core_profile_begin_time(session->profile) : 0;
  return NULL;
}

#define REQUIRE_READY(session) \
  CORE_REQUIRE_READY(session, ORT_INVALID_ARGUMENT, "Session has not been initialized.")

/* Fills an array with `all` for each port, and with NULL behind the last port. */
static OrtStatus* fill_places(const char* what, const struct core_ports* ports, const void* all,
                              const void** places, size_t count) {
  if (count < ports->count) {
    return core_status(ORT_INVALID_ARGUMENT, "There are more %s than places for them", what);
  }
  for (size_t i = 0; i < count; i++) {
    places[i] = i < ports->count ? all : NULL;
  }
  return NULL;
}

/* All values are in the CPU's memory: what a provider computes elsewhere is copied. */
CORE_SLOT(ort_SessionGetMemoryInfoForInputs, const OrtSession* session,
          const OrtMemoryInfo** inputs_memory_info, size_t num_inputs) {
  CORE_REQUIRE(SessionGetMemoryInfoForInputs, session, inputs_memory_info);
  REQUIRE_READY(session);
  return fill_places("inputs", &session->inputs, &core_cpu_memory_info,
                     (const void**)inputs_memory_info, num_inputs);
}

CORE_SLOT(ort_SessionGetMemoryInfoForOutputs, const OrtSession* session,
          const OrtMemoryInfo** outputs_memory_info, size_t num_outputs) {
  CORE_REQUIRE(SessionGetMemoryInfoForOutputs, session, outputs_memory_info);
  REQUIRE_READY(session);
  return fill_places("outputs", &session->outputs, &core_cpu_memory_info,
                     (const void**)outputs_memory_info, num_outputs);
}

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

CORE_SLOT(ort_SessionGetEpDeviceForInputs, const OrtSession* session,
          const OrtEpDevice** inputs_ep_devices, size_t num_inputs) {
  CORE_REQUIRE(SessionGetEpDeviceForInputs, session, inputs_ep_devices);
  REQUIRE_READY(session);
  return fill_devices(session, true, inputs_ep_devices, num_inputs);
}

CORE_SLOT(ort_SessionGetEpDeviceForOutputs, const OrtSession* session,
          const OrtEpDevice** outputs_ep_devices, size_t num_outputs) {
  CORE_REQUIRE(SessionGetEpDeviceForOutputs, session, outputs_ep_devices);
  REQUIRE_READY(session);
  return fill_devices(session, false, outputs_ep_devices, num_outputs);
}

CORE_SLOT(ort_CreateAllocator, const OrtSession* session, const OrtMemoryInfo* mem_info,
          OrtAllocator** out) {
  CORE_REQUIRE(CreateAllocator, session, mem_info, out);
  if (!core_is_cpu_memory(mem_info)) {
    CORE_FAIL(ORT_INVALID_ARGUMENT,
              "CreateAllocator: No requested allocator available: the session's memory is the "
              "CPU's");
  }
  return core_session_wants(session, "session.use_env_allocators")
             ? ort_GetSharedAllocator(session->env, mem_info, out)
             : ort_GetAllocatorWithDefaultOptions(out);
}
