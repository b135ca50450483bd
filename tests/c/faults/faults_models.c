/* SPDX-License-Identifier: MIT */
/* Models: opening, asking and writing them. */
#include "faults.h"

#include "../clients/model_bytes.h"
#include "model/model.h"

/* The model borrows its bytes. */
static struct model_bytes kept;
static OrtModel* open_model(struct model_bytes bytes) {
  kept = bytes;
  return MADE(OrtModel, core_open_model_bytes(kept.at, kept.size, NULL, &made));
}
static const OrtGraph* graph_of(const OrtModel* model, size_t form) {
  return MADE(const OrtGraph, core_graph_of_model(model, form, &made));
}
CALL("model: no model") {
  OrtModel* made = NULL;
  say_status(TRIED(core_open_model_bytes("x", 1, NULL, &made)));
}
CALL("model: as written") { graph_of(open_model(branching_model()), ORTCORE_GRAPH_AS_WRITTEN); }
CALL("model: the weights of another one") {
  OrtModel* first = open_model(branching_model());
  MADE(OrtModel, core_open_model_bytes(kept.at, kept.size, first, &made));
}
/* The outputs are the shape of x, and how many dimensions it has. */
CALL("model: constant shapes") {
  size_t count = 0;
  struct model_bytes bytes = model_of("1:10 7{2'main'", PORT(11, "x", 1, TWO),
                                      NODE("Shape", "1'x'", "s", ""), NODE("Size", "1's'", "n", ""),
                                      PORT(12, "s", 7, "1{1:1}"), PORT(12, "n", 7, "1{1:1}"), "}");
  const OrtGraph* graph = graph_of(open_model(bytes), ORTCORE_GRAPH_FOLDED);
  CHECK(api->Graph_GetNumInitializers(graph, &count) == NULL && count == 2);
}
CALL("model: untyped values") {
  size_t count = 0;
  const OrtModel* model = open_model(branching_model());
  say_status(TRIED(core_untyped_values(model, &count)));
  say("%zu", count);
}
static void ask_values(const OrtGraph* graph, size_t first) {
  const OrtValueInfo* values[8];
  const OrtNode* nodes[8];
  OrtExternalInitializerInfo* place = NULL;
  const OrtTypeInfo* type = NULL;
  const OrtValue* tensor = NULL;
  size_t count = 0;
  CHECK(api->Graph_GetNumInitializers(graph, &count) == NULL);
  CHECK(api->Graph_GetInitializers(graph, values, 8) == NULL);
  for (size_t i = first; i < count; i++) {
    say_status(api->ValueInfo_GetInitializerValue(values[i], &tensor));
  }
  CHECK(api->Graph_GetNodes(graph, nodes, 8) == NULL);
  CHECK(api->Node_GetInputs(nodes[0], values, 8) == NULL);
  say_status(api->GetValueInfoTypeInfo(values[0], &type));
  say_status(api->ValueInfo_GetExternalInitializerInfo(values[0], &place));
  api->ReleaseExternalInitializerInfo(place);
}
CALL("model: values") {
  ask_values(graph_of(open_model(branching_model()), ORTCORE_GRAPH_PREPARED), 0);
}
/* The first weight has no file. */
CALL("model: values of a wide one") {
  ask_values(graph_of(open_model(wide_model()), ORTCORE_GRAPH_PREPARED), 1);
}

static OrtStatus* ORT_API_CALL count_bytes(void* state, const void* at, size_t size) {
  return (void)at, *(size_t*)state += size, NULL;
}
static OrtStatus* ORT_API_CALL place(void* state, const char* name, const OrtValue* value,
                                     const OrtExternalInitializerInfo* stored,
                                     OrtExternalInitializerInfo** out) {
  (void)state, (void)name, (void)value, (void)stored;
  return api->CreateExternalInitializerInfo(ORT_TSTR("w"), 8, 4, out);
}
static void write_model(OrtcoreWriting writing) {
  size_t size = 0, size_of_weights = 0;
  writing.version = ORT_API_VERSION;
  writing.write = count_bytes;
  writing.state = &size;
  writing.external_state = &size_of_weights;
  writing.external_name = "weights";
  writing.external_above = 4;
  const OrtModel* model = open_model(branching_model());
  say_status(TRIED(core_write_model(model, &writing)));
}
CALL("model: written") { write_model((OrtcoreWriting){.write_external = count_bytes}); }
CALL("model: written with places") { write_model((OrtcoreWriting){.locate = place}); }
