/* SPDX-License-Identifier: MIT */
/* OrtModelMetadata: what a model says about itself. */

#include "graph/graph.h"
#include "memory/allocator.h"
#include "onnx/fields.h"

/* What the slots read, each a text: of the model, then of its graph. */
enum text {
  PRODUCER,
  PRODUCER_VERSION,
  DOMAIN_TEXT,
  DESCRIPTION,
  GRAPH_TEXT,
  GRAPH_DESCRIPTION,
  TEXTS
};
static const uint32_t fields[TEXTS] = {
    MODEL_PRODUCER_NAME, MODEL_PRODUCER_VERSION, MODEL_DOMAIN, MODEL_DOC, GRAPH_NAME, GRAPH_DOC};

struct OrtModelMetadata {
  struct core_object object;
  const char* texts[TEXTS];
  int64_t version;
  /** Keys and texts of the model's own entries. */
  struct core_items entries;
  /** The memory of the texts. */
  struct core_pool pool;
};

static void end_metadata(void* block) {
  OrtModelMetadata* metadata = block;
  core_items_end(&metadata->entries);
  core_pool_end(&metadata->pool);
}

static const struct core_class metadata_class = {.kind = CORE_MODEL_METADATA, .end = end_metadata};

/* A copy of the text in a field; "" for none. */
static const char* copy_text(OrtModelMetadata* metadata, struct core_message of, uint32_t field) {
  struct core_message text = {NULL, NULL};
  core_find_message(of, field, &text);
  return core_pool_text(&metadata->pool, text.at, core_message_size(text));
}

static bool add_entry(OrtModelMetadata* metadata, struct core_message bytes) {
  const char* key = copy_text(metadata, bytes, ENTRY_KEY);
  const char* text = copy_text(metadata, bytes, ENTRY_VALUE);
  return key != NULL && text != NULL && core_items_put(&metadata->entries, key, text);
}

static bool fill(OrtModelMetadata* metadata, const OrtModel* model) {
  struct core_message rest = model->bytes;
  struct core_field field;
  for (size_t i = 0; i < TEXTS; i++) {
    metadata->texts[i] = copy_text(metadata, i < GRAPH_TEXT ? rest : model->graph_bytes, fields[i]);
    if (metadata->texts[i] == NULL) {
      return false;
    }
  }
  metadata->version = INT64_MAX;
  while (core_next_field(&rest, &field)) {
    if (field.number == MODEL_VERSION && field.wire == CORE_VARINT) {
      metadata->version = (int64_t)field.value;
    } else if (field.number == MODEL_METADATA && field.wire == CORE_LENGTH &&
               !add_entry(metadata, field.bytes)) {
      return false;
    }
  }
  return true;
}

static OrtStatus* new_metadata(const OrtModel* model, OrtModelMetadata** out) {
  CORE_NEW(OrtModelMetadata, metadata, &metadata_class);
  CORE_HAND_OUT(fill(metadata, model) ? NULL : core_no_memory(sizeof *metadata), metadata, out);
}

static bool add_pairs(const OrtModelMetadata* metadata, OrtKeyValuePairs* out) {
  char version[24];
  snprintf(version, sizeof version, "%" PRId64, metadata->version);
  const char* const pairs[][2] = {{"producer_name", metadata->texts[PRODUCER]},
                                  {"producer_version", metadata->texts[PRODUCER_VERSION]},
                                  {"domain", metadata->texts[DOMAIN_TEXT]},
                                  {"model_version", version},
                                  {"doc_string", metadata->texts[DESCRIPTION]},
                                  {"graph_name", metadata->texts[GRAPH_TEXT]},
                                  {"graph_description", metadata->texts[GRAPH_DESCRIPTION]}};
  bool is_added = true;
  for (size_t i = 0; is_added && i < CORE_COUNT_OF(pairs); i++) {
    is_added = core_append_pair(out, pairs[i][0], pairs[i][1]);
  }
  for (size_t i = 0; is_added && i < metadata->entries.count; i++) {
    const struct core_item* item = &metadata->entries.list[i];
    ort_RemoveKeyValuePair(out, item->key); /* the model's own entry counts */
    is_added = core_append_pair(out, item->key, core_item_text(item));
  }
  return is_added;
}

OrtStatus* core_describe_model(const OrtModel* model, OrtKeyValuePairs** out) {
  OrtKeyValuePairs* pairs = NULL;
  OrtModelMetadata* metadata = NULL;
  CORE_TRY(new_metadata(model, &metadata));
  ort_CreateKeyValuePairs(&pairs);
  bool is_there = pairs != NULL && add_pairs(metadata, pairs);
  core_drop(metadata);
  CORE_HAND_OUT(is_there ? NULL : core_no_memory(sizeof *metadata), pairs, out);
}

CORE_SLOT(ort_Graph_GetModelMetadata, const OrtGraph* graph, OrtModelMetadata** out) {
  CORE_REQUIRE_MODEL(Graph_GetModelMetadata, graph, graph->model);
  return new_metadata(graph->model, out);
}

CORE_RELEASER(ort_ReleaseModelMetadata, OrtModelMetadata)

#define TEXT_GETTER(NAME, text)                                                                    \
  CORE_SLOT(NAME, const OrtModelMetadata* model_metadata, OrtAllocator* allocator, char** value) { \
    return core_allocate_string(allocator, model_metadata->texts[text], value);                    \
  }

TEXT_GETTER(ort_ModelMetadataGetProducerName, PRODUCER)
TEXT_GETTER(ort_ModelMetadataGetGraphName, GRAPH_TEXT)
TEXT_GETTER(ort_ModelMetadataGetDomain, DOMAIN_TEXT)
TEXT_GETTER(ort_ModelMetadataGetDescription, DESCRIPTION)
TEXT_GETTER(ort_ModelMetadataGetGraphDescription, GRAPH_DESCRIPTION)
CORE_GETTER(ort_ModelMetadataGetVersion, int64_t, model_metadata->version,
            const OrtModelMetadata* model_metadata)

CORE_SLOT(ort_ModelMetadataLookupCustomMetadataMap, const OrtModelMetadata* model_metadata,
          OrtAllocator* allocator, const char* key, char** value) {
  const struct core_item* item = core_items_named(&model_metadata->entries, key);
  if (item == NULL) {
    *value = NULL;
    return NULL;
  }
  return core_allocate_string(allocator, core_item_text(item), value);
}

CORE_SLOT(ort_ModelMetadataGetCustomMetadataMapKeys, const OrtModelMetadata* model_metadata,
          OrtAllocator* allocator, char*** keys, int64_t* num_keys) {
  const struct core_items* entries = &model_metadata->entries;
  void* made = NULL;
  if (entries->count > 0) {
    CORE_TRY(ort_AllocatorAlloc(allocator, entries->count * sizeof(char*), &made));
    memcpy(made, entries->keys, entries->count * sizeof(char*));
    CORE_TRY(core_copy_strings(allocator, made, entries->count));
  }
  *keys = made;
  *num_keys = (int64_t)entries->count;
  return NULL;
}
