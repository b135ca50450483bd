/* SPDX-License-Identifier: MIT */
/* Asks a function where the initializers of a model go. A list has the answers, by the address of
 * the TensorProto. */
#include "model/model.h"

#include "onnx/fields.h"

struct asking {
  const OrtcoreWriting* writing;
  struct core_items* places;
};

/* Finds the TensorProto of an initializer; false where its elements are stored in another way. */
static bool find_tensor(const OrtValueInfo* value, struct core_message* out) {
  *out = value->tensor_bytes;
  return value->flags & CORE_IS_CONSTANT_NODE
             ? core_find_message(value->tensor_bytes, ATTRIBUTE_TENSOR, out)
             : !(value->flags & CORE_IS_SPARSE);
}

static OrtStatus* keep(const struct asking* asking, struct core_message tensor,
                       OrtExternalInitializerInfo* place) {
  struct core_item* item = core_items_add(asking->places, &tensor.at, sizeof tensor.at, NULL);
  if (item == NULL) {
    ort_ReleaseExternalInitializerInfo(place);
    return core_no_memory(sizeof *item);
  }
  item->pointer = place;
  return NULL;
}

static OrtStatus* ask(const struct asking* asking, const OrtValueInfo* value) {
  const OrtcoreWriting* writing = asking->writing;
  OrtExternalInitializerInfo *stored = NULL, *place = NULL;
  struct core_message bytes;
  const OrtValue* tensor;
  if (!find_tensor(value, &bytes)) {
    return NULL;
  }
  CORE_TRY(core_initializer_of(value, &tensor));
  if (core_shape_of(tensor)->type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING) {
    return NULL;
  }
  CORE_TRY(ort_ValueInfo_GetExternalInitializerInfo(value, &stored));
  OrtStatus* status = writing->locate(writing->locate_state, value->name, tensor, stored, &place);
  ort_ReleaseExternalInitializerInfo(stored);
  CORE_TRY_OR(status, ort_ReleaseExternalInitializerInfo(place));
  return place != NULL ? keep(asking, bytes, place) : NULL;
}

/* The initializers of subgraphs come first, as in ONNX Runtime. */
static OrtStatus* ask_of_graph(const struct asking* asking, const OrtGraph* graph) {
  for (size_t i = 0; i < graph->nodes.count; i++) {
    const OrtNode* node = graph->nodes.items[i];
    for (size_t k = 0; k < node->subgraphs.count; k++) {
      CORE_TRY(ask_of_graph(asking, node->subgraphs.items[k]));
    }
  }
  for (size_t i = 0; i < graph->initializers.count; i++) {
    CORE_TRY(ask(asking, graph->initializers.items[i]));
  }
  return NULL;
}

OrtStatus* core_locate_weights(const OrtModel* model, const OrtcoreWriting* writing,
                               struct core_items* places) {
  const struct asking asking = {writing, places};
  const OrtGraph* graph;
  CORE_TRY(core_model_graph(model, CORE_PREPARED, &graph));
  return ask_of_graph(&asking, graph);
}

const OrtExternalInitializerInfo* core_place_of(const struct core_items* places,
                                                struct core_message tensor) {
  const struct core_item* item = core_items_find(places, &tensor.at, sizeof tensor.at);
  return item != NULL ? item->pointer : NULL;
}

void core_end_places(struct core_items* places) {
  for (size_t i = 0; i < places->count; i++) {
    ort_ReleaseExternalInitializerInfo((OrtExternalInitializerInfo*)places->list[i].pointer);
  }
  core_items_end(places);
}
