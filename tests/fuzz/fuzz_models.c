/* SPDX-License-Identifier: MIT */
/* Models with changes. That each allocation may fail is tried by tests/c/faults. */
#include "fuzz.h"

/* These need CHECK. */
#include "../c/clients/model_bytes.h"
#include "../c/clients/walk_model.h"

#define MOST_CHANGES 8

/* Replaces some bytes at a place by others. */
static void change(struct model_bytes* model) {
  uint8_t by[16];
  size_t at = next_number(2) % (model->size + 1);
  size_t gone = next_byte() % 4, count = next_byte() % sizeof by;
  for (size_t i = 0; i < count; i++) {
    by[i] = (uint8_t)next_byte();
  }
  gone = gone < model->size - at ? gone : model->size - at;
  if (model->size - gone + count <= sizeof model->at) {
    memmove(model->at + at + count, model->at + at + gone, model->size - at - gone);
    memcpy(model->at + at, by, count);
    model->size += count - gone;
  }
}

void use_models(void) {
  struct model_bytes model = next_byte() % 2 == 0 ? branching_model() : wide_model();
  for (size_t changes = next_byte() % MOST_CHANGES; changes > 0; changes--) {
    change(&model);
  }
  pause_faults();
  walk_model(model.at, model.size);
  resume_faults();
}
