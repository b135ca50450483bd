/* SPDX-License-Identifier: MIT */
/* Walks one path through the core's models: model_paths LIBRARY PATH COUNT MODEL.
 * Under callgrind, what `walk` and everything below it execute is counted. */
#include <string.h>

#include "client.h"
#include "ortcore.h"

#define MOST 1024

static const OrtApi* api;
static OrtcoreOpenModelBytes open_model;
static OrtcoreModelGraph graph_of;
static OrtcoreWriteModel write_model;
static char bytes[1 << 20];
static size_t size;
static OrtModel* model;
static const OrtGraph* graph;
static const OrtNode* nodes[MOST];
static size_t node_count;

static OrtModel* opened(void) {
  OrtModel* made = NULL;
  MUST(open_model(bytes, size, NULL, &made));
  return made;
}

static void open_and_release(void) { api->ReleaseModel(opened()); }

static void read_a_graph(void) {
  OrtModel* made = opened();
  const OrtGraph* read = NULL;
  MUST(graph_of(made, ORTCORE_GRAPH_PREPARED, &read));
  api->ReleaseModel(made);
}

/* Their operators, and the names of what they read and make. */
static void list_nodes(void) {
  MUST(api->Graph_GetNodes(graph, nodes, node_count));
  for (size_t i = 0; i < node_count; i++) {
    OrtStatus* (*const counts[])(const OrtNode*, size_t*) = {api->Node_GetNumInputs,
                                                             api->Node_GetNumOutputs};
    OrtStatus* (*const lists[])(const OrtNode*, const OrtValueInfo**, size_t) = {
        api->Node_GetInputs, api->Node_GetOutputs};
    const char* name = NULL;
    MUST(api->Node_GetOperatorType(nodes[i], &name));
    for (size_t side = 0; side < 2; side++) {
      const OrtValueInfo* values[8];
      size_t count = 0;
      MUST(counts[side](nodes[i], &count));
      MUST(lists[side](nodes[i], values, count));
      for (size_t k = 0; k < count; k++) {
        MUST(api->GetValueInfoName(values[k], &name));
      }
    }
  }
}

static void read_attributes(void) {
  for (size_t i = 0; i < node_count; i++) {
    const OrtOpAttr* attributes[16];
    size_t count = 0;
    MUST(api->Node_GetNumAttributes(nodes[i], &count));
    MUST(api->Node_GetAttributes(nodes[i], attributes, count));
    for (size_t k = 0; k < count; k++) {
      OrtOpAttrType type = ORT_OP_ATTR_UNDEFINED;
      const char* name = NULL;
      char value[64];
      size_t length = 0;
      MUST(api->OpAttr_GetName(attributes[k], &name));
      MUST(api->OpAttr_GetType(attributes[k], &type));
      MUST(api->ReadOpAttr(attributes[k], type, value, sizeof value, &length));
    }
  }
}

static OrtStatus* ORT_API_CALL count_bytes(void* state, const void* at, size_t count) {
  (void)at;
  *(size_t*)state += count;
  return NULL;
}

static void write_it(void) {
  size_t written = 0;
  const OrtcoreWriting writing = {
      .version = ORT_API_VERSION, .write = count_bytes, .state = &written};
  MUST(write_model(model, &writing));
  CHECK(written > 0);
}

static const struct {
  const char* name;
  void (*call)(void);
} paths[] = {{"open", open_and_release},
             {"graph", read_a_graph},
             {"nodes", list_nodes},
             {"attributes", read_attributes},
             {"write", write_it}};

/* Not inlined: callgrind gets its name. */
__attribute__((noinline)) void walk(void (*call)(void), long count) {
  for (long i = 0; i < count; i++) {
    call();
  }
}

static void prepare(const char* library, const char* path) {
  FILE* file = fopen(path, "rb");
  CHECK(file != NULL);
  size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  api = api_of(library);
  open_model = (OrtcoreOpenModelBytes)api->GetExperimentalFunction(ORTCORE_OPEN_MODEL_BYTES);
  graph_of = (OrtcoreModelGraph)api->GetExperimentalFunction(ORTCORE_MODEL_GRAPH);
  write_model = (OrtcoreWriteModel)api->GetExperimentalFunction(ORTCORE_WRITE_MODEL);
  model = opened();
  MUST(graph_of(model, ORTCORE_GRAPH_PREPARED, &graph));
  MUST(api->Graph_GetNumNodes(graph, &node_count));
  CHECK(node_count <= MOST);
  MUST(api->Graph_GetNodes(graph, nodes, node_count));
}

int main(int argc, char** argv) {
  CHECK(argc == 5);
  prepare(argv[1], argv[4]);
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
    if (strcmp(paths[i].name, argv[2]) == 0) {
      walk(paths[i].call, strtol(argv[3], NULL, 10));
      api->ReleaseModel(model);
      return 0;
    }
  }
  return 2;
}
