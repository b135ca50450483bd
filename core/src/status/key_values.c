/* SPDX-License-Identifier: MIT */
#include "heap/heap.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Pairs in the order in which their keys were added. The two arrays are what GetKeyValuePairs
 * lends; each key owns one block that holds key and value, one after the other. */
struct OrtKeyValuePairs {
  const char** keys;
  const char** values;
  size_t count;
  size_t capacity;
};

#define FIRST_CAPACITY 8

static size_t index_of_key(const struct OrtKeyValuePairs* pairs, const char* key) {
  size_t i = 0;
  while (i < pairs->count && strcmp(pairs->keys[i], key) != 0) {
    i++;
  }
  return i;
}

/* Makes room for one more pair; false where there is no memory, with everything as it was. */
static int grow(struct OrtKeyValuePairs* pairs) {
  if (pairs->count < pairs->capacity) {
    return 1;
  }
  size_t capacity = pairs->capacity == 0 ? FIRST_CAPACITY : pairs->capacity * 2;
  const char** both = heap_alloc(2 * capacity * sizeof *both);
  if (both == NULL) {
    return 0;
  }
  if (pairs->count > 0) {
    memcpy(both, pairs->keys, pairs->count * sizeof *both);
    memcpy(both + capacity, pairs->values, pairs->count * sizeof *both);
  }
  heap_free(pairs->keys);
  pairs->keys = both;
  pairs->values = both + capacity;
  pairs->capacity = capacity;
  return 1;
}

void ORT_API_CALL ort_CreateKeyValuePairs(OrtKeyValuePairs** out) NO_EXCEPTION {
  if (out == NULL) {
    return;
  }
  struct OrtKeyValuePairs* pairs = heap_alloc(sizeof *pairs);
  if (pairs != NULL) {
    memset(pairs, 0, sizeof *pairs);
    heap_created(CORE_KEY_VALUES);
  }
  *out = pairs;
}

/* Key and value in one block; NULL where there is no memory. */
static char* join(const char* key, const char* value) {
  size_t key_size = strlen(key) + 1;
  size_t value_size = strlen(value) + 1;
  char* both = heap_alloc(key_size + value_size);
  if (both != NULL) {
    memcpy(both, key, key_size);
    memcpy(both + key_size, value, value_size);
  }
  return both;
}

/* Puts a block of join's in the place of the one there, or of none. */
static void put(struct OrtKeyValuePairs* pairs, size_t at, char* both) {
  if (at < pairs->count) {
    heap_free((void*)pairs->keys[at]);
  } else {
    pairs->count++;
  }
  pairs->keys[at] = both;
  pairs->values[at] = both + strlen(both) + 1;
}

bool core_append_pair(OrtKeyValuePairs* pairs, const char* key, const char* value) {
  char* both = grow(pairs) ? join(key, value) : NULL;
  if (both == NULL) {
    return false;
  }
  put(pairs, pairs->count, both);
  return true;
}

void ORT_API_CALL ort_AddKeyValuePair(OrtKeyValuePairs* kvps, const char* key,
                                      const char* value) NO_EXCEPTION {
  if (kvps == NULL || key == NULL || key[0] == '\0' || value == NULL) {
    return;
  }
  size_t at = index_of_key(kvps, key);
  char* both = at < kvps->count || grow(kvps) ? join(key, value) : NULL;
  if (both != NULL) {
    put(kvps, at, both);
  }
}

const char* ORT_API_CALL ort_GetKeyValue(const OrtKeyValuePairs* kvps,
                                         const char* key) NO_EXCEPTION {
  if (kvps == NULL || key == NULL) {
    return NULL;
  }
  size_t at = index_of_key(kvps, key);
  return at < kvps->count ? kvps->values[at] : NULL;
}

void ORT_API_CALL ort_GetKeyValuePairs(const OrtKeyValuePairs* kvps, const char* const** keys,
                                       const char* const** values,
                                       size_t* num_entries) NO_EXCEPTION {
  if (keys != NULL) {
    *keys = kvps == NULL || kvps->count == 0 ? NULL : kvps->keys;
  }
  if (values != NULL) {
    *values = kvps == NULL || kvps->count == 0 ? NULL : kvps->values;
  }
  if (num_entries != NULL) {
    *num_entries = kvps == NULL ? 0 : kvps->count;
  }
}

void ORT_API_CALL ort_RemoveKeyValuePair(OrtKeyValuePairs* kvps, const char* key) NO_EXCEPTION {
  if (kvps == NULL || key == NULL) {
    return;
  }
  size_t at = index_of_key(kvps, key);
  if (at == kvps->count) {
    return;
  }
  heap_free((void*)kvps->keys[at]);
  kvps->count--;
  memmove(&kvps->keys[at], &kvps->keys[at + 1], (kvps->count - at) * sizeof *kvps->keys);
  memmove(&kvps->values[at], &kvps->values[at + 1], (kvps->count - at) * sizeof *kvps->values);
}

void ORT_API_CALL ort_ReleaseKeyValuePairs(OrtKeyValuePairs* input) NO_EXCEPTION {
  if (input == NULL) {
    return;
  }
  for (size_t i = 0; i < input->count; i++) {
    heap_free((void*)input->keys[i]);
  }
  heap_free(input->keys);
  heap_free(input);
  heap_released(CORE_KEY_VALUES);
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
  if (pairs == NULL) {
    return CORE_OUT_OF_MEMORY(GetStats, sizeof *pairs);
  }
  *out = pairs;
  return NULL;
}
