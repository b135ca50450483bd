/* SPDX-License-Identifier: MIT */
#include "object/keyed_list.h"

#include "object/object.h"

struct OrtKeyValuePairs {
  struct core_object object;
  struct core_items items;
};

static void end_pairs(void* block) { core_items_end(&((OrtKeyValuePairs*)block)->items); }

static const struct core_class pairs_class = {.kind = CORE_KEY_VALUES, .end = end_pairs};

void ORT_API_CALL ort_CreateKeyValuePairs(OrtKeyValuePairs** out) NO_EXCEPTION {
  if (out == NULL) {
    return;
  }
  *out = core_new_object(&pairs_class, sizeof **out);
}

bool core_append_pair(OrtKeyValuePairs* pairs, const char* key, const char* value) {
  return core_items_add(&pairs->items, key, strlen(key) + 1, value) != NULL;
}

void ORT_API_CALL ort_AddKeyValuePair(OrtKeyValuePairs* kvps, const char* key,
                                      const char* value) NO_EXCEPTION {
  if (kvps != NULL && key != NULL && key[0] != '\0' && value != NULL) {
    core_items_put(&kvps->items, key, value);
  }
}

const char* ORT_API_CALL ort_GetKeyValue(const OrtKeyValuePairs* kvps,
                                         const char* key) NO_EXCEPTION {
  const struct core_item* item =
      kvps == NULL || key == NULL ? NULL : core_items_named(&kvps->items, key);
  return item == NULL ? NULL : core_item_text(item);
}

void ORT_API_CALL ort_GetKeyValuePairs(const OrtKeyValuePairs* kvps, const char* const** keys,
                                       const char* const** values,
                                       size_t* num_entries) NO_EXCEPTION {
  size_t count = kvps == NULL ? 0 : kvps->items.count;
  if (keys != NULL) {
    *keys = count == 0 ? NULL : kvps->items.keys;
  }
  if (values != NULL) {
    *values = count == 0 ? NULL : kvps->items.texts;
  }
  if (num_entries != NULL) {
    *num_entries = count;
  }
}

void ORT_API_CALL ort_RemoveKeyValuePair(OrtKeyValuePairs* kvps, const char* key) NO_EXCEPTION {
  struct core_item* item = kvps == NULL || key == NULL ? NULL : core_items_named(&kvps->items, key);
  if (item != NULL) {
    core_items_remove(&kvps->items, item);
  }
}

CORE_RELEASER(ort_ReleaseKeyValuePairs, OrtKeyValuePairs)

OrtStatus* core_pairs_of(const struct core_items* items, OrtKeyValuePairs** out) {
  OrtKeyValuePairs* pairs = core_new_object(&pairs_class, sizeof *pairs);
  if (pairs == NULL || !core_items_copy(items, &pairs->items)) {
    core_drop(pairs);
    return core_no_memory(sizeof *pairs + items->count * sizeof *items->list);
  }
  *out = pairs;
  return NULL;
}

OrtStatus* core_copy_pairs(const OrtKeyValuePairs* from, OrtKeyValuePairs** out) {
  static const struct core_items none;
  return core_pairs_of(from != NULL ? &from->items : &none, out);
}

OrtStatus* core_figures(const struct core_figure* figures, size_t count, OrtKeyValuePairs** out) {
  OrtKeyValuePairs* pairs = NULL;
  ort_CreateKeyValuePairs(&pairs);
  for (size_t i = 0; pairs != NULL && i < count; i++) {
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, figures[i].value);
    if (!core_append_pair(pairs, figures[i].key, text)) {
      ort_ReleaseKeyValuePairs(pairs);
      pairs = NULL;
    }
  }
  CORE_RETURN_IF(pairs == NULL, CORE_OUT_OF_MEMORY(GetStats, sizeof *pairs));
  *out = pairs;
  return NULL;
}
