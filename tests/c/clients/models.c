/* SPDX-License-Identifier: MIT */
/*
 *     models LIBRARY MUTATIONS [FILE...]
 *
 * Reads and writes models that end too early and that were changed at random, of its own or of
 * files; the changes are the same in each run. Then threads ask one model at once.
 */
#include "table.h"
#include "model_bytes.h"
#include "walk_model.h"

#define THREADS 4
#define LARGEST (1 << 22)

const OrtApi* api;

static uint64_t seed = 1;
static size_t below(size_t limit) {
  seed = seed * 6364136223846793005U + 1442695040888963407U;
  return limit == 0 ? 0 : (size_t)(seed >> 33) % limit;
}

/* --- changes ---------------------------------------------------------------------------------- */

/* Replaces `gone` bytes at a place by others; returns the new size. */
static size_t replace(uint8_t* bytes, size_t size, size_t at, size_t gone, const uint8_t* by,
                      size_t count) {
  memmove(bytes + at + count, bytes + at + gone, size - at - gone);
  memcpy(bytes + at, by, count);
  return size - gone + count;
}

/* Changes bytes in one of several ways; there is room for 64 more. */
static size_t change(uint8_t* bytes, size_t size) {
  static const uint8_t odd[] = {0, 1, 2, 8, 0x0a, 0x12, 0x7f, 0x80, 0xff};
  uint8_t piece[32];
  size_t at = below(size), count = 1 + below(sizeof piece);
  count = count < size - at ? count : size - at;
  switch (below(6)) {
    case 0:
      bytes[at] ^= (uint8_t)(1 << below(8));
      return size;
    case 1:
      bytes[at] = odd[below(sizeof odd)];
      return size;
    case 2:
      return replace(bytes, size, at, count, piece, 0);
    case 3: /* a long number */
      memset(piece, 0xff, 9);
      piece[9] = (uint8_t)below(2);
      return replace(bytes, size, at, 1, piece, 10);
    case 4: /* bytes of another place */
      memcpy(piece, bytes + below(size - count), count);
      return replace(bytes, size, at, 0, piece, count);
    default:
      bytes[at] = (uint8_t)below(256);
      return size;
  }
}

static void walk_changed(const uint8_t* bytes, size_t size, size_t mutations) {
  uint8_t* changed = malloc(size + 8 * 64);
  size_t models = 0;
  CHECK(changed != NULL);
  for (size_t i = 0; i < mutations; i++) {
    size_t now = size;
    memcpy(changed, bytes, size);
    for (size_t k = below(4); now > 0 && k < 4; k++) {
      now = change(changed, now);
    }
    models += walk_model(changed, now);
  }
  printf("%d of %d changed models were read\n", (int)models, (int)mutations);
  free(changed);
}

/* Each length is one at which the model may end too early. */
static void walk_all_lengths(const uint8_t* bytes, size_t size) {
  for (size_t length = 0; length <= size && size < 10000; length++) {
    CHECK(walk_model(bytes, length) || length < size);
  }
}

static void walk_file(const char* path, size_t mutations) {
  uint8_t* bytes = malloc(LARGEST);
  FILE* file = fopen(path, "rb");
  CHECK(bytes != NULL && file != NULL);
  size_t size = fread(bytes, 1, LARGEST, file);
  fclose(file);
  walk_changed(bytes, size, mutations);
  free(bytes);
}

/* --- threads ---------------------------------------------------------------------------------- */

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
  CHECK(argc >= 3);
  api = table_of(argv[1]);
  const size_t mutations = (size_t)atoi(argv[2]);
  const struct model_bytes models[] = {branching_model(), wide_model()};
  for (size_t i = 0; i < 2; i++) {
    walk_all_lengths(models[i].at, models[i].size);
    walk_changed(models[i].at, models[i].size, mutations);
    for (int round = 0; round < 50; round++) {
      ask_at_once(&models[i]);
    }
  }
  for (int i = 3; i < argc; i++) {
    walk_file(argv[i], mutations);
  }
  return 0;
}
