/* SPDX-License-Identifier: MIT */
/* Models, opened from files and bytes. Only the fields of the model itself are read: the graph
 * stays as it is until a call needs it, and weights are not touched. */

#include "graph/tensor_bytes.h"
#include "model/model.h"
#include "onnx/check_fields.h"

static void end_model(void* block) {
  OrtModel* model = block;
  for (size_t i = 0; model->graphs != NULL && i < CORE_GRAPH_FORMS + model->function_count; i++) {
    if (model->graphs[i] != NULL) {
      core_end_part(&model->graphs[i]->object);
    }
  }
  if (model->editor_graph != NULL) {
    core_end_part(&model->editor_graph->object);
  }
  core_drop(model->weights_of);
  core_drop((OrtModel*)model->extended_by);
  core_unmap_weights(model);
  core_unmap_file(&model->file);
  heap_free(model->own);
  heap_free(model->weights);
  core_pool_end(&model->pool);
}

static const struct core_class model_class = {.kind = CORE_MODEL, .end = end_model};

OrtStatus* core_new_model(OrtModel** out) {
  static const ORTCHAR_T nowhere[1] = {0};
  CORE_NEW(OrtModel, model, &model_class);
  model->path = nowhere;
  *out = model;
  return NULL;
}

CORE_RELEASER(ort_ReleaseModel, OrtModel)

/* --- the fields of a model ------------------------------------------------------------------- */

/* Makes room for what the fields will be read to. */
static OrtStatus* make_room_for_graphs(OrtModel* model) {
  size_t functions = core_count_messages(model->bytes, MODEL_FUNCTION);
  struct core_pool* pool = &model->pool;
  CORE_TAKE_ARRAY(pool, model->functions, functions);
  CORE_TAKE_ARRAY(pool, model->graphs, CORE_GRAPH_FORMS + functions);
  return NULL;
}

/* Joins the graph, which is there in parts of that size together. */
static OrtStatus* join_graph(OrtModel* model, size_t size) {
  struct core_message rest = model->bytes, part;
  uint8_t* joined = core_pool_take(&model->pool, size);
  CORE_NEED_MEMORY(joined, size);
  model->graph_bytes = (struct core_message){joined, joined + size};
  while (core_next_message(&rest, MODEL_GRAPH, &part)) {
    memcpy(joined, part.at, core_message_size(part));
    joined += core_message_size(part);
  }
  return NULL;
}

OrtStatus* core_read_model(OrtModel* model) {
  struct core_message rest = model->bytes;
  struct core_message* graph = &model->graph_bytes;
  struct core_field field;
  size_t size = 0;
  model->function_count = 0;
  *graph = (struct core_message){NULL, NULL};
  CORE_REFUSE_IF(core_check_model_fields(rest) == CORE_FIELDS_DAMAGED, ORT_INVALID_PROTOBUF,
                 "the bytes are no ONNX model");
  CORE_TRY(make_room_for_graphs(model));
  CORE_TRY(core_read_opsets(&model->pool, rest, MODEL_OPSET, &model->opsets));
  while (core_next_field(&rest, &field)) {
    if (field.number == MODEL_IR_VERSION && field.wire == CORE_VARINT) {
      model->ir_version = (int64_t)field.value;
    }
    if (field.wire != CORE_LENGTH) {
      continue;
    }
    if (field.number == MODEL_GRAPH) {
      *graph = core_message_size(*graph) == 0 ? field.bytes : *graph;
      size += core_message_size(field.bytes);
    } else if (field.number == MODEL_FUNCTION) {
      model->functions[model->function_count++] = field.bytes;
    }
  }
  CORE_REFUSE_IF(graph->at == NULL, ORT_INVALID_GRAPH, "the model has no graph");
  return core_message_size(*graph) == size ? NULL : join_graph(model, size);
}

/* --- files ----------------------------------------------------------------------------------- */

/* The folder of a path, whose end it cuts off. */
static const char* folder_of(OrtModel* model, char* path) {
  size_t length = core_path_folder_length(path);
  /* A separator that is the root, or ends a drive, belongs to the folder. */
  bool is_root = length <= 1 || path[length - 2] == ':';
  return core_pool_text(&model->pool, path, is_root ? length : length - 1);
}

OrtStatus* core_refuse_file(const char* path, enum core_file found, OrtErrorCode code) {
  return found == CORE_NO_FILE || found == CORE_BROKEN_LINK
             ? core_fail(ORT_NO_SUCHFILE, "'%s' does not exist", path)
             : core_fail(code, "'%s' cannot be read as a file", path);
}

/* Remembers the folder of the model as it is given, where the weights are, and where links lead. */
static bool set_folders(OrtModel* model, char* path, char* real) {
  char absolute[CORE_PATH_ROOM];
  const char* given = folder_of(model, path);
  model->real_folder = folder_of(model, real);
  if (given == NULL || core_find_file(given[0] != 0 ? given : ".", absolute) != CORE_FOLDER) {
    return false;
  }
  model->folder = core_pool_text(&model->pool, absolute, strlen(absolute));
  return model->folder != NULL && model->real_folder != NULL;
}

static OrtStatus* open_file(OrtModel* model, const ORTCHAR_T* path) {
  char text[CORE_PATH_ROOM], real[CORE_PATH_ROOM];
  CORE_REFUSE_IF(!core_whole_path_utf8(path, text), ORT_INVALID_ARGUMENT, "model_path is too long");
  enum core_file found = core_find_file(text, real);
  CORE_RETURN_IF(found != CORE_REGULAR_FILE || !core_map_file(real, &model->file),
                 core_refuse_file(text, found, ORT_INVALID_ARGUMENT));
  size_t size = core_path_size(path);
  ORTCHAR_T* kept = core_pool_take(&model->pool, size);
  CORE_RETURN_IF(kept == NULL || !set_folders(model, text, real), core_no_memory(size));
  model->path = memcpy(kept, path, size);
  model->bytes = (struct core_message){model->file.bytes, model->file.bytes + model->file.size};
  return core_about(core_read_model(model), "'%s'", text);
}

OrtStatus* core_open_model_file(const ORTCHAR_T* path, OrtModel** out) {
  OrtModel* model = NULL;
  CORE_TRY(core_new_model(&model));
  CORE_HAND_OUT(open_file(model, path), model, out);
}

OrtStatus* ORT_API_CALL core_open_model(const ORTCHAR_T* model_path, OrtModel** out) {
  CORE_REQUIRE(ortcore_open_model, model_path, out);
  return core_named("ortcore_open_model", core_open_model_file(model_path, out));
}

/* Gives a model the weights of another one, then `added`. */
static OrtStatus* add_weights(OrtModel* model, const OrtModel* of, const struct core_weight* added,
                              size_t count) {
  size_t before = of != NULL ? of->weight_count : 0, size = (before + count) * sizeof *added;
  model->weights = size > 0 ? heap_alloc(size) : NULL;
  CORE_RETURN_IF(size > 0 && model->weights == NULL, core_no_memory(size));
  for (size_t i = 0; i < before + count; i++) {
    model->weights[i] = i < before ? of->weights[i] : added[i - before];
  }
  model->weight_count = before + count;
  if (of != NULL) {
    model->weights_of = (OrtModel*)of;
    core_retain(&model->weights_of->object);
    model->path = of->path;
    model->folder = of->folder;
    model->real_folder = of->real_folder;
  }
  return NULL;
}

OrtStatus* core_share_weights(OrtModel* model, const OrtModel* weights_of) {
  return add_weights(model, weights_of, NULL, 0);
}

OrtStatus* core_check_model_size(size_t size) {
  return size <= INT32_MAX
             ? NULL
             : core_fail(ORT_INVALID_ARGUMENT,
                         "the model data exceeds the maximum supported size of 2 GiB");
}

OrtStatus* core_copy_model(const void* bytes, size_t size, OrtModel** out) {
  OrtModel* model = NULL;
  CORE_TRY(core_check_model_size(size));
  CORE_TRY(core_new_model(&model));
  model->own = size > 0 ? core_copy_bytes(bytes, size) : NULL;
  if (model->own != NULL) {
    model->bytes = (struct core_message){model->own, model->own + size};
  }
  CORE_HAND_OUT(model->own != NULL || size == 0 ? core_read_model(model) : core_no_memory(size),
                model, out);
}

static OrtStatus* give_folder(OrtModel* model) {
  char real[CORE_PATH_ROOM];
  CORE_REFUSE_IF(core_find_file(model->changes.folder, real) != CORE_FOLDER, ORT_FAIL,
                 "there is no folder of weights %s: External data path does not exist",
                 model->changes.folder);
  model->folder = model->real_folder = core_pool_text(&model->pool, real, strlen(real));
  return model->folder != NULL ? NULL : core_no_memory(strlen(real));
}

OrtStatus* core_change_model(OrtModel* of, const struct core_changes* changes, OrtModel** out) {
  OrtModel* model = NULL;
  CORE_TRY(core_new_model(&model));
  model->changes = *changes;
  model->bytes = of->bytes;
  OrtStatus* status = core_share_weights(model, of);
  CORE_THEN(status, changes->folder != NULL ? give_folder(model) : NULL);
  CORE_HAND_OUT(status == NULL ? core_read_model(model) : status, model, out);
}

OrtStatus* ORT_API_CALL core_open_model_bytes(const void* bytes, size_t size, OrtModel* weights_of,
                                              OrtModel** out) {
  CORE_REQUIRE(ortcore_open_model_bytes, bytes, out);
  const struct core_message content = {bytes, (const uint8_t*)bytes + size};
  return core_named("ortcore_open_model_bytes",
                    core_open_with_weights(content, NULL, 0, weights_of, out));
}

static OrtStatus* open_with_weights(OrtModel* model, const struct core_weight* weights,
                                    size_t count, OrtModel* of) {
  CORE_TRY(core_check_model_size(core_message_size(model->bytes)));
  CORE_TRY(add_weights(model, of, weights, count));
  return core_read_model(model);
}

OrtStatus* core_open_with_weights(struct core_message bytes, const struct core_weight* weights,
                                  size_t count, OrtModel* of, OrtModel** out) {
  OrtModel* model = NULL;
  CORE_TRY(core_new_model(&model));
  model->bytes = bytes;
  CORE_HAND_OUT(open_with_weights(model, weights, count, of), model, out);
}

static OrtStatus* check_graph(const OrtModel* model, size_t which) {
  return which < CORE_GRAPH_FORMS + model->function_count && model->graphs != NULL
             ? NULL
             : core_fail(ORT_INVALID_ARGUMENT, "the model has no such graph");
}

OrtStatus* ORT_API_CALL core_graph_of_model(const OrtModel* model, size_t which,
                                            const OrtGraph** out) {
  CORE_REQUIRE(ortcore_model_graph, model, out);
  OrtStatus* status = check_graph(model, which);
  CORE_THEN(status, core_model_graph(model, which, out));
  return core_named("ortcore_model_graph", status);
}

/* The graph is read for this only: most models are asked once, and then prepared. */
OrtStatus* ORT_API_CALL core_untyped_values(const OrtModel* model, size_t* out) {
  OrtGraph* graph = NULL;
  size_t count = 0;
  CORE_REQUIRE(ortcore_untyped_values, model, out);
  OrtStatus* status = check_graph(model, CORE_AS_WRITTEN);
  CORE_THEN(status, core_read_graph(model, CORE_AS_WRITTEN, &graph));
  CORE_TRY(core_named("ortcore_untyped_values", status));
  for (size_t i = 0; i < graph->nodes.count; i++) {
    const OrtNode* node = graph->nodes.items[i];
    for (size_t k = 0; k < node->output_count; k++) {
      const OrtValueInfo* value = node->values[node->input_count + k];
      count += value != NULL && value->type_bytes.at == NULL;
    }
  }
  core_drop(graph);
  *out = count;
  return NULL;
}
