/* SPDX-License-Identifier: MIT */
/* What Python asks the core of models. */
#include "boundary/models/models.h"

#include "graph/tensor_bytes.h"
#include "model/model.h"

void ortcffi_close_shown_graphs(int wanted) { core_close_shown_graphs(wanted != 0); }

const void* ortcffi_model_bytes(OrtModel* model, size_t* size, size_t* weights) {
  core_map_weights(model);
  *size = core_message_size(model->bytes);
  *weights = model->weight_count;
  return model->bytes.at;
}

OrtStatus* ortcffi_open_model(const void* bytes, size_t size, const uintptr_t* weights,
                              size_t count, OrtModel* of, OrtModel** out) {
  const struct core_message content = {bytes, (const uint8_t*)bytes + size};
  return core_open_with_weights(content, (const struct core_weight*)weights, count, of, out);
}
