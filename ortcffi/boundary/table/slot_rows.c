/* SPDX-License-Identifier: MIT */
#include "boundary/limited_api.h"

#include <string.h>

#include "table/versions.h"
#include "boundary/table/slot_rows.h"

const OrtApiBase* ortcffi_core_api_base(void) { return core_api_base(); }

int ortcffi_is_table_of_kernels(const OrtApi* api) {
  const OrtApi* newest = core_kernel_base(ORT_API_VERSION)->GetApi(ORT_API_VERSION);
  return api->GetAllocatorWithDefaultOptions == newest->GetAllocatorWithDefaultOptions;
}

static const ortcffi_slot rows[] = {
#define ORT_SLOT(index, since, topic, who, returns, name, parameters, arguments) \
  {#name, since, #topic, #who},
#include "ort_slots.def"
#define ORT_SLOT(index, since, topic, who, returns, name, parameters, arguments) \
  {#name, since, #topic, #who},
#include "ort_ep_slots.def"
};

_Static_assert(CORE_COUNT_OF(rows) == ORTCFFI_SLOTS_AND_EP, "every slot has a row");

const ortcffi_slot* ortcffi_slot_row(int i) { return &rows[i]; }

int ortcffi_slot_since(const char* name) {
  for (size_t i = 0; i < ORTCFFI_SLOTS; i++) {
    if (strcmp(rows[i].name, name) == 0) {
      return rows[i].since;
    }
  }
  return 0;
}

struct collecting {
  ortcffi_left_status* out;
  size_t room, count;
};

static void collect(void* argument, size_t place, const OrtStatus* status) {
  struct collecting* self = argument;
  if (self->count < self->room) {
    ortcffi_left_status* out = &self->out[self->count];
    out->slot = (int)place;
    out->code = (int)ort_GetErrorCode(status);
    strncpy(out->message, ort_GetErrorMessage(status), sizeof out->message - 1);
  }
  self->count++;
}

size_t ortcffi_left_statuses(const OrtcoreFigures* figures, ortcffi_left_status* out, size_t room) {
  struct collecting self = {.out = out, .room = room};
  if (figures == NULL) {
    core_each_watched_status(collect, &self);
  } else {
    core_each_noted_status(figures->alive, CORE_COUNT_OF(figures->alive), collect, &self);
  }
  return self.count;
}

int64_t ortcffi_live_objects(int kind) { return core_live_objects((enum core_kind)kind); }

static const char* const names[] = {
    [CORE_STATUS] = "status",
    [CORE_MEMORY_INFO] = "memory info",
    [CORE_KEY_VALUES] = "key-value pairs",
    [CORE_ADAPTOR] = "adaptor",
    [CORE_ENV] = "environment",
    [CORE_VALUE] = "value",
    [CORE_TYPE_INFO] = "type info",
    [CORE_SHAPE_INFO] = "tensor type and shape info",
    [CORE_CUSTOM_OP_DOMAIN] = "custom-op domain",
    [CORE_OP_ATTR] = "op attribute",
    [CORE_OP_SCHEMA] = "operator schema",
    [CORE_SESSION_OPTIONS] = "session options",
    [CORE_RUN_OPTIONS] = "run options",
    [CORE_THREADING_OPTIONS] = "threading options",
    [CORE_PREPACKED_WEIGHTS] = "prepacked weights container",
    [CORE_ARENA_CFG] = "arena configuration",
    [CORE_KERNEL] = "kernel",
    [CORE_KERNEL_INFO] = "kernel info",
    [CORE_SCOPE] = "scope",
    [CORE_COMPILE_OPTIONS] = "model compilation options",
    [CORE_EP_CONTEXT] = "EP context configuration",
    [CORE_HARDWARE_DEVICE] = "hardware device",
    [CORE_EP_DEVICE] = "execution provider's device",
    [CORE_PROFILING_EVENT] = "profiling event",
    [CORE_VALUE_INFO] = "value info",
    [CORE_NODE] = "node",
    [CORE_GRAPH] = "graph",
    [CORE_MODEL] = "model",
    [CORE_MODEL_METADATA] = "model metadata",
    [CORE_EXTERNAL_INFO] = "external initializer info",
    [CORE_EP] = "execution provider",
    [CORE_EP_CLAIMS] = "nodes that an execution provider takes",
    [CORE_EP_COMPILED] = "compiled nodes",
    [CORE_SESSION] = "session",
    [CORE_IO_BINDING] = "binding",
    [CORE_LORA_ADAPTER] = "LoRA adapter",
    [CORE_EP_LIBRARY] = "library of execution providers",
    [CORE_INCOMPATIBILITY] = "incompatibility details",
    [CORE_SYNC_STREAM] = "stream",
    [CORE_RESOURCE_IMPORTER] = "importer of external resources",
    [CORE_KERNEL_REGISTRY] = "kernel registry",
    [CORE_KERNEL_DEF_BUILDER] = "builder of kernel definitions",
    [CORE_KERNEL_DEF] = "kernel definition",
    [CORE_SHARED] = "shared part",
};

const char* ortcffi_kind_name(int kind) {
  _Static_assert(CORE_COUNT_OF(names) == CORE_KINDS, "every kind has a name");
  return kind >= 0 && kind < CORE_KINDS ? names[kind] : NULL;
}
