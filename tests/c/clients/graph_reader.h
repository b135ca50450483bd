/* SPDX-License-Identifier: MIT */
/* How clients see the graph of a model as an execution provider does: the core gives it, other
 * libraries show it to the provider of the kind READER, whose path is in GRAPH_READER. */
#ifndef ORTCFFI_TESTS_GRAPH_READER_H_
#define ORTCFFI_TESTS_GRAPH_READER_H_

#include "check.h"
#include "onnxruntime_c_api.h"
#include "ortcore.h"
#if !defined(_WIN32)
#include "client.h"
#endif

typedef void graph_function(const OrtGraph* graph);

/* What that provider exports. */
void SetGraphFunction(graph_function* function);

/* A model: bytes, or a file where those are NULL. */
struct shown {
  const void* bytes;
  size_t size;
  const ORTCHAR_T* path;
};

static inline OrtStatus* show_by_core(const OrtApi* table, const struct shown* model,
                                      graph_function* show) {
  OrtcoreOpenModelBytes open_bytes =
      (OrtcoreOpenModelBytes)table->GetExperimentalFunction(ORTCORE_OPEN_MODEL_BYTES);
  OrtcoreOpenModel open = (OrtcoreOpenModel)table->GetExperimentalFunction(ORTCORE_OPEN_MODEL);
  OrtcoreModelGraph graph_of =
      (OrtcoreModelGraph)table->GetExperimentalFunction(ORTCORE_MODEL_GRAPH);
  const OrtGraph* graph = NULL;
  OrtModel* opened = NULL;
  OrtStatus* status = model->bytes != NULL ? open_bytes(model->bytes, model->size, NULL, &opened)
                                           : open(model->path, &opened);
  status = status == NULL ? graph_of(opened, ORTCORE_GRAPH_PREPARED, &graph) : status;
  if (status == NULL) {
    show(graph);
  }
  table->ReleaseModel(opened);
  return status;
}

#if !defined(_WIN32)
/* Gives the reader's device to a session of the model. Devices of other libraries come first. */
static inline OrtStatus* show_by_session(const OrtApi* table, OrtEnv* env,
                                         const struct shown* model) {
  const OrtEpDevice* const* devices = NULL;
  OrtSessionOptions* options = NULL;
  OrtSession* session = NULL;
  size_t count = 0;
  CHECK(table->GetEpDevices(env, &devices, &count) == NULL && count > 0);
  CHECK(table->CreateSessionOptions(&options) == NULL);
  CHECK(table->SetSessionGraphOptimizationLevel(options, ORT_DISABLE_ALL) == NULL);
  CHECK(table->SetIntraOpNumThreads(options, 1) == NULL);
  CHECK(table->SessionOptionsAppendExecutionProvider_V2(options, env, &devices[count - 1], 1, NULL,
                                                        NULL, 0) == NULL);
  OrtStatus* status =
      model->bytes != NULL
          ? table->CreateSessionFromArray(env, model->bytes, model->size, options, &session)
          : table->CreateSession(env, model->path, options, &session);
  table->ReleaseSession(session);
  table->ReleaseSessionOptions(options);
  return status;
}

/* The reader, loaded and registered once. */
static inline OrtEnv* register_reader(const OrtApi* table, graph_function* show) {
  static OrtEnv* env;
  static void (*set)(graph_function*);
  const char* path = getenv("GRAPH_READER");
  CHECK(path != NULL);
  if (env == NULL) {
    *(void**)&set = dlsym(open_library(path), "SetGraphFunction");
    CHECK(set != NULL);
    CHECK(table->CreateEnv(ORT_LOGGING_LEVEL_FATAL, "reader", &env) == NULL);
    CHECK(table->RegisterExecutionProviderLibrary(env, "reader", path) == NULL);
  }
  set(show);
  return env;
}
#endif

/* Calls a function with the graph of a model: with the main graph, and on other libraries before it
 * with each subgraph. */
static inline OrtStatus* show_model(const OrtApi* table, const struct shown* model,
                                    graph_function* show) {
#if !defined(_WIN32)
  if (table->GetExperimentalFunction(ORTCORE_OPEN_MODEL_BYTES) == NULL) {
    return show_by_session(table, register_reader(table, show), model);
  }
#endif
  return show_by_core(table, model, show);
}

static inline OrtStatus* show_graph(const OrtApi* table, const void* bytes, size_t size,
                                    graph_function* show) {
  return show_model(table, &(struct shown){.bytes = bytes, .size = size}, show);
}

static inline OrtStatus* show_graph_of_file(const OrtApi* table, const ORTCHAR_T* path,
                                            graph_function* show) {
  return show_model(table, &(struct shown){.path = path}, show);
}

#endif /* ORTCFFI_TESTS_GRAPH_READER_H_ */
