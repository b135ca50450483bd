/* SPDX-License-Identifier: MIT */
/* Opens bytes that may be a model, asks for everything that they have, writes them in all ways and
 * opens what was written. Each answer must be a value or a status with words. */
#ifndef ORTCFFI_TESTS_WALK_MODEL_H_
#define ORTCFFI_TESTS_WALK_MODEL_H_

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "onnxruntime_c_api.h"
#include "ortcore.h"

/* The includer's table, and its CHECK. */
extern const OrtApi* api;

struct model_functions {
  OrtcoreOpenModelBytes open;
  OrtcoreModelGraph graph_of;
  OrtcoreWriteModel write;
};

static inline struct model_functions model_functions(void) {
  return (struct model_functions){
      (OrtcoreOpenModelBytes)api->GetExperimentalFunction(ORTCORE_OPEN_MODEL_BYTES),
      (OrtcoreModelGraph)api->GetExperimentalFunction(ORTCORE_MODEL_GRAPH),
      (OrtcoreWriteModel)api->GetExperimentalFunction(ORTCORE_WRITE_MODEL)};
}

/* Whether a call succeeded; a failing status has words, and is released. */
static inline bool walks(OrtStatus* status) {
  if (status == NULL) {
    return true;
  }
  CHECK(api->GetErrorCode(status) != ORT_OK && api->GetErrorMessage(status)[0] != 0);
  api->ReleaseStatus(status);
  return false;
}

static inline size_t touch(const void* bytes, size_t size) {
  size_t sum = 0;
  for (size_t i = 0; i < size; i++) {
    sum += ((const uint8_t*)bytes)[i];
  }
  return sum;
}

static inline void walk_tensor(const OrtValue* tensor) {
  size_t size = 0;
  const void* data = NULL;
  if (tensor != NULL && walks(api->GetTensorSizeInBytes(tensor, &size)) && size < (1 << 20) &&
      size > 0 && walks(api->GetTensorData(tensor, &data))) {
    volatile size_t sum = touch(data, size);
    (void)sum;
  }
}

static inline void walk_value(const OrtValueInfo* value) {
  const char* name = NULL;
  const OrtTypeInfo* type = NULL;
  const OrtValue* tensor = NULL;
  const OrtNode *producer = NULL, **nodes;
  OrtExternalInitializerInfo* external = NULL;
  size_t count = 0;
  int64_t* indices;
  bool is = false;
  CHECK(walks(api->GetValueInfoName(value, &name)) && name != NULL);
  walks(api->GetValueInfoTypeInfo(value, &type));
  if (walks(api->ValueInfo_GetInitializerValue(value, &tensor))) {
    walk_tensor(tensor);
  }
  walks(api->ValueInfo_GetExternalInitializerInfo(value, &external));
  api->ReleaseExternalInitializerInfo(external);
  CHECK(walks(api->ValueInfo_IsConstantInitializer(value, &is)));
  CHECK(walks(api->ValueInfo_GetValueProducer(value, &producer, NULL)));
  CHECK(walks(api->ValueInfo_GetValueNumConsumers(value, &count)));
  nodes = calloc(count + 1, sizeof *nodes);
  indices = calloc(count + 1, sizeof *indices);
  CHECK(nodes != NULL && indices != NULL);
  CHECK(walks(api->ValueInfo_GetValueConsumers(value, nodes, indices, count)));
  for (size_t i = 0; i < count; i++) {
    CHECK(nodes[i] != NULL && indices[i] >= -1);
  }
  free(nodes);
  free(indices);
}

static inline void walk_attribute(const OrtOpAttr* attribute) {
  OrtOpAttrType type = ORT_OP_ATTR_UNDEFINED;
  const char* name = NULL;
  OrtValue* tensor = NULL;
  size_t size = 0;
  CHECK(walks(api->OpAttr_GetName(attribute, &name)) && name != NULL);
  walks(api->OpAttr_GetType(attribute, &type));
  if (type == ORT_OP_ATTR_TENSOR) {
    CHECK(walks(api->OpAttr_GetTensorAttributeAsOrtValue(attribute, &tensor)));
    walk_tensor(tensor);
    api->ReleaseValue(tensor);
  } else {
    walks(api->ReadOpAttr(attribute, type, NULL, 0, &size));
    void* room = malloc(size + 1);
    CHECK(room != NULL);
    walks(api->ReadOpAttr(attribute, type, room, size, &size));
    free(room);
  }
}

static inline void walk_graph(const OrtGraph* graph);

static inline void walk_node(const OrtNode* node) {
  size_t counts[5] = {0}, most = 0;
  int since = 0;
  CHECK(walks(api->Node_GetNumInputs(node, &counts[0])));
  CHECK(walks(api->Node_GetNumOutputs(node, &counts[1])));
  CHECK(walks(api->Node_GetNumImplicitInputs(node, &counts[2])));
  CHECK(walks(api->Node_GetNumAttributes(node, &counts[3])));
  CHECK(walks(api->Node_GetNumSubgraphs(node, &counts[4])));
  CHECK(walks(api->Node_GetSinceVersion(node, &since)));
  for (size_t i = 0; i < 5; i++) {
    most = counts[i] > most ? counts[i] : most;
  }
  const void** items = calloc(most + 1, sizeof *items);
  CHECK(items != NULL);
  OrtStatus* (*const lists[])(const OrtNode*, const OrtValueInfo**, size_t) = {
      api->Node_GetInputs, api->Node_GetOutputs, api->Node_GetImplicitInputs};
  for (size_t list = 0; list < 3; list++) {
    CHECK(walks(lists[list](node, (const OrtValueInfo**)items, counts[list])));
    for (size_t i = 0; i < counts[list]; i++) {
      if (items[i] != NULL) {
        walk_value(items[i]);
      }
    }
  }
  CHECK(walks(api->Node_GetAttributes(node, (const OrtOpAttr**)items, counts[3])));
  for (size_t i = 0; i < counts[3]; i++) {
    walk_attribute(items[i]);
  }
  CHECK(walks(api->Node_GetSubgraphs(node, (const OrtGraph**)items, counts[4], NULL)));
  for (size_t i = 0; i < counts[4]; i++) {
    walk_graph(items[i]);
  }
  free(items);
}

static inline void walk_values(const OrtGraph* graph,
                               OrtStatus* (*count_of)(const OrtGraph*, size_t*),
                               OrtStatus* (*list)(const OrtGraph*, const OrtValueInfo**, size_t)) {
  size_t count = 0;
  CHECK(walks(count_of(graph, &count)));
  const OrtValueInfo** values = calloc(count + 1, sizeof *values);
  CHECK(values != NULL && walks(list(graph, values, count)));
  for (size_t i = 0; i < count; i++) {
    walk_value(values[i]);
  }
  free(values);
}

static inline void walk_graph(const OrtGraph* graph) {
  size_t count = 0;
  OrtGraph* view = NULL;
  OrtModelMetadata* metadata = NULL;
  walk_values(graph, api->Graph_GetNumInputs, api->Graph_GetInputs);
  walk_values(graph, api->Graph_GetNumOutputs, api->Graph_GetOutputs);
  walk_values(graph, api->Graph_GetNumInitializers, api->Graph_GetInitializers);
  CHECK(walks(api->Graph_GetNumNodes(graph, &count)));
  const OrtNode** nodes = calloc(count + 1, sizeof *nodes);
  CHECK(nodes != NULL && walks(api->Graph_GetNodes(graph, nodes, count)));
  for (size_t i = 0; i < count; i++) {
    walk_node(nodes[i]);
  }
  if (count > 0 && walks(api->Graph_GetGraphView(graph, nodes, (count + 1) / 2, &view))) {
    walk_values(view, api->Graph_GetNumInputs, api->Graph_GetInputs);
    walk_values(view, api->Graph_GetNumOutputs, api->Graph_GetOutputs);
    api->ReleaseGraph(view);
  }
  free(nodes);
  walks(api->Graph_GetModelMetadata(graph, &metadata));
  api->ReleaseModelMetadata(metadata);
}

/* --- writing ---------------------------------------------------------------------------------- */

struct written {
  uint8_t* at;
  size_t size;
};

static OrtStatus* ORT_API_CALL keep_bytes(void* state, const void* bytes, size_t size) {
  struct written* to = state;
  to->at = realloc(to->at, to->size + size + 1);
  CHECK(to->at != NULL);
  memcpy(to->at + to->size, bytes, size);
  to->size += size;
  return NULL;
}

static inline bool write_as(const OrtModel* model, struct written* external, struct written* to) {
  const OrtcoreWriting writing = {.version = ORT_API_VERSION,
                                  .write = keep_bytes,
                                  .state = to,
                                  .write_external = external != NULL ? keep_bytes : NULL,
                                  .external_state = external,
                                  .external_name = external != NULL ? "weights" : NULL,
                                  .external_above = 8};
  return walks(model_functions().write(model, &writing));
}

static inline bool are_same(const struct written* one, const struct written* other) {
  return one->size == other->size && memcmp(one->at, other->at, one->size) == 0;
}

/* What was written opens, and is written again as it is. */
static inline void walk_writing(OrtModel* model) {
  struct written whole = {0}, again = {0}, parts[2] = {{0}};
  OrtModel* opened = NULL;
  if (write_as(model, NULL, &whole)) {
    CHECK(walks(model_functions().open(whole.at, whole.size, NULL, &opened)));
    CHECK(write_as(opened, NULL, &again) && are_same(&whole, &again));
    api->ReleaseModel(opened);
    opened = NULL;
  }
  write_as(model, &parts[1], &parts[0]);
  free(whole.at);
  free(again.at);
  free(parts[0].at);
  free(parts[1].at);
}

/* Whether the bytes are a model. They are copied to where they end with their memory. */
static inline bool walk_model(const void* bytes, size_t size) {
  uint8_t* exact = malloc(size > 0 ? size : 1);
  OrtModel* model = NULL;
  CHECK(exact != NULL);
  memcpy(exact, bytes, size);
  bool is_model = walks(model_functions().open(exact, size, NULL, &model));
  if (is_model) {
    const OrtGraph* graph = NULL;
    for (size_t which = 0; which < ORTCORE_FUNCTIONS + 2; which++) {
      if (walks(model_functions().graph_of(model, which, &graph))) {
        walk_graph(graph);
      }
    }
    walk_writing(model);
  }
  api->ReleaseModel(model);
  free(exact);
  return is_model;
}

#endif /* ORTCFFI_TESTS_WALK_MODEL_H_ */
