/* SPDX-License-Identifier: MIT */
/* OrtModelMetadata: what a model says about itself. */

#include "graph/graph.h"
#include "memory/allocator.h"
#include "onnx/fields.h"

/* What the slots read, each a text. */
enum text { PRODUCER, GRAPH_TEXT, DOMAIN_TEXT, DESCRIPTION, GRAPH_DESCRIPTION, TEXTS };

struct OrtModelMetadata {
  struct core_object object;
  char* texts[TEXTS];
  int64_t version;
  /** Keys and texts of the model's own entries. */
  struct core_items entries;
};

static void end_metadata(void* block) {
  OrtModelMetadata* metadata = block;
  for (size_t i = 0; i < TEXTS; i++) {
    heap_free(metadata->texts[i]);
  }
  core_items_end(&metadata->entries);
}

static const struct core_class metadata_class = {.kind = CORE_MODEL_METADATA, .end = end_metadata};

/* A copy of bytes as a string; "" for none. */
static char* copy_text(struct core_message text) {
  size_t size = core_message_size(text);
  char* copy = heap_alloc(size + 1);
  if (copy != NULL) {
    memcpy(copy, size > 0 ? text.at : (const uint8_t*)"", size);
    copy[size] = 0;
  }
  return copy;
}

static bool add_entry(OrtModelMetadata* metadata, struct core_message bytes) {
  struct core_message key = {NULL, NULL}, value = {NULL, NULL};
  core_find_message(bytes, ENTRY_KEY, &key);
  core_find_message(bytes, ENTRY_VALUE, &value);
  char* key_text = copy_text(key);
  char* text = copy_text(value);
  bool is_added = false;
  if (key_text != NULL && text != NULL) {
    size_t size = strlen(key_text) + 1;
    struct core_item* item = core_items_find(&metadata->entries, key_text, size);
    is_added = item != NULL ? core_items_set_text(&metadata->entries, item, text)
                            : core_items_add(&metadata->entries, key_text, size, text) != NULL;
  }
  heap_free(key_text);
  heap_free(text);
  return is_added;
}

static bool fill(OrtModelMetadata* metadata, const OrtModel* model) {
  struct core_message texts[TEXTS] = {{NULL, NULL}};
  struct core_message rest = model->bytes;
  struct core_field field;
  core_find_message(rest, MODEL_PRODUCER_NAME, &texts[PRODUCER]);
  core_find_message(rest, MODEL_DOMAIN, &texts[DOMAIN_TEXT]);
  core_find_message(rest, MODEL_DOC, &texts[DESCRIPTION]);
  core_find_message(model->graph_bytes, GRAPH_NAME, &texts[GRAPH_TEXT]);
  core_find_message(model->graph_bytes, GRAPH_DOC, &texts[GRAPH_DESCRIPTION]);
  for (size_t i = 0; i < TEXTS; i++) {
    metadata->texts[i] = copy_text(texts[i]);
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

static bool add_pairs(const OrtModelMetadata* metadata, const char* producer_version,
                      OrtKeyValuePairs* out) {
  char version[24];
  snprintf(version, sizeof version, "%" PRId64, metadata->version);
  const char* const pairs[][2] = {{"producer_name", metadata->texts[PRODUCER]},
                                  {"producer_version", producer_version},
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
  struct core_message producer_version = {NULL, NULL};
  OrtKeyValuePairs* pairs = NULL;
  core_find_message(model->bytes, MODEL_PRODUCER_VERSION, &producer_version);
  char* text = copy_text(producer_version);
  OrtModelMetadata* metadata = core_new_object(&metadata_class, sizeof *metadata);
  ort_CreateKeyValuePairs(&pairs);
  bool is_there = text != NULL && metadata != NULL && pairs != NULL && fill(metadata, model) &&
                  add_pairs(metadata, text, pairs);
  heap_free(text);
  core_drop(metadata);
  if (!is_there) {
    ort_ReleaseKeyValuePairs(pairs);
    return core_no_memory(sizeof *metadata);
  }
  *out = pairs;
  return NULL;
}

CORE_SLOT(ort_Graph_GetModelMetadata, const OrtGraph* graph, OrtModelMetadata** out) {
  CORE_REQUIRE_MODEL(Graph_GetModelMetadata, graph, graph->model);
  OrtModelMetadata* metadata = core_new_object(&metadata_class, sizeof *metadata);
  if (metadata == NULL || !fill(metadata, graph->model)) {
    core_drop(metadata);
    return core_no_memory(sizeof *metadata);
  }
  *out = metadata;
  return NULL;
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
  const struct core_item* item = core_items_find(&model_metadata->entries, key, strlen(key) + 1);
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
