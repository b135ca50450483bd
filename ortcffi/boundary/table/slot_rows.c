/* SPDX-License-Identifier: MIT */
#include "boundary/limited_api.h"

#include <string.h>

#include "table/versions.h"
#include "boundary/table/slot_rows.h"

bool ortcffi_has_own_core(void) { return strcmp(core_build(), CORE_BUILD) == 0; }

const OrtApiBase* ortcffi_core_api_base(void) { return core_api_base(); }

int ortcffi_is_table_of_kernels(const OrtApi* api) {
  const OrtApi* newest = core_kernel_base(ORT_API_VERSION)->GetApi(ORT_API_VERSION);
  return api->GetAllocatorWithDefaultOptions == newest->GetAllocatorWithDefaultOptions;
}

static const ortcffi_slot rows[] = {
#define ORT_SLOT(index, since, topic, who, returns, name, parameters) {#name, since, #topic, #who},
#include "ort_slots.def"
#define ORT_SLOT(index, since, topic, who, returns, name, parameters) {#name, since, #topic, #who},
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
  if (status == NULL) {
    return;
  }
  if (self->count < self->room) {
    ortcffi_left_status* out = &self->out[self->count];
    out->slot = (int)place;
    out->code = (int)core_api()->GetErrorCode(status);
    strncpy(out->message, core_api()->GetErrorMessage(status), sizeof out->message - 1);
  }
  self->count++;
}

size_t ortcffi_left_statuses(const OrtcoreFigures* figures, ortcffi_left_status* out, size_t room) {
  struct collecting self = {.out = out, .room = room};
  if (figures == NULL) {
    core_each_watched(collect, &self);
  } else {
    core_each_noted(figures->alive, CORE_COUNT_OF(figures->alive), collect, &self);
  }
  return self.count;
}

int64_t ortcffi_live_objects(int kind) { return core_live_objects((enum core_kind)kind); }

const char* ortcffi_kind_name(int kind) { return core_kind_name((unsigned)kind); }
