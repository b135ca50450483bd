/* SPDX-License-Identifier: MIT */
#include "core.h"
#include "extras.h"

const OrtApiBase* ortcffi_core_api_base(void) { return OrtGetApiBase(); }

static const ortcffi_slot rows[] = {
#define ORT_SLOT(index, since, topic, who, gil, returns, name, parameters, arguments) \
  {#name, since, #topic, #who, #gil},
#include "ort_slots.def"
};

const ortcffi_slot* ortcffi_slot_row(int i) { return &rows[i]; }

int64_t ortcffi_live_objects(int kind) { return core_live_objects((enum core_kind)kind); }
