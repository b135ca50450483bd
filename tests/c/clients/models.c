/* SPDX-License-Identifier: MIT */
/*
 *     models LIBRARY
 *
 * Reads and writes models that end too early. Then threads ask one model at once. The fuzzers read
 * models that were changed in other ways.
 */
#include "table.h"
#include "model_bytes.h"
#include "walk_model.h"

#define THREADS 4

const OrtApi* api;

/* Each length is one at which the model may end too early. */
static void walk_all_lengths(const uint8_t* bytes, size_t size) {
  for (size_t length = 0; length <= size && size < 10000; length++) {
    CHECK(walk_model(bytes, length) || length < size);
  }
}

static OrtModel* shared;

static void* ask_shared(void* unused) {
  const OrtGraph* graph = NULL;
  CHECK(walks(model_functions().graph_of(shared, ORTCORE_GRAPH_PREPARED, &graph)));
  walk_graph(graph);
  CHECK(walks(model_functions().graph_of(shared, ORTCORE_GRAPH_AS_WRITTEN, &graph)));
  walk_graph(graph);
  return unused;
}

/* Threads are the first to ask for graphs, types and tensors, all at once. */
static void ask_at_once(const struct model_bytes* model) {
  CHECK(walks(model_functions().open(model->at, model->size, NULL, &shared)));
  on_threads(THREADS, ask_shared, NULL);
  api->ReleaseModel(shared);
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
  api = table_of(argv[1]);
  const struct model_bytes models[] = {branching_model(), wide_model()};
  for (size_t i = 0; i < 2; i++) {
    walk_all_lengths(models[i].at, models[i].size);
    for (int round = 0; round < 50; round++) {
      ask_at_once(&models[i]);
    }
  }
  return 0;
}
