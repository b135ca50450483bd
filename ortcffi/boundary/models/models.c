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

OrtStatus* ortcffi_node_texts(const OrtApi* api, const OrtNode* node, const char** texts,
                              size_t room, size_t counts[2]) {
  const OrtValueInfo** values = (const OrtValueInfo**)texts; /* until their names are known */
  CORE_TRY(api->Node_GetNumInputs(node, &counts[0]));
  CORE_TRY(api->Node_GetNumOutputs(node, &counts[1]));
  size_t count = counts[0] + counts[1];
  if (count >= room) {
    return NULL;
  }
  CORE_TRY(counts[0] > 0 ? api->Node_GetInputs(node, values + 1, counts[0]) : NULL);
  CORE_TRY(counts[1] > 0 ? api->Node_GetOutputs(node, values + 1 + counts[0], counts[1]) : NULL);
  for (size_t i = 1; i <= count; i++) {
    const OrtValueInfo* value = values[i];
    CORE_TRY(value != NULL ? api->GetValueInfoName(value, &texts[i]) : NULL);
  }
  return api->Node_GetOperatorType(node, &texts[0]);
}
