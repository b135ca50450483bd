/* SPDX-License-Identifier: MIT */
#include "object/object.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Pairs in the order in which their keys were added. GetKeyValuePairs returns the arrays of keys
 * and values. Each pair has one block with the key and, after it, the value. If there are many
 * pairs, there is also a hash table of the keys: open addressing with linear probing. */
struct OrtKeyValuePairs {
  struct core_object object;
  const char** keys;
  const char** values;
  uint32_t* hashes; /* of the keys; NULL while there are few pairs */
  uint32_t* table;  /* 2 * capacity places: index + 1 of a pair, 0 where free */
  size_t count;
  size_t capacity;
};

#define FIRST_CAPACITY 8
#define TABLE_CAPACITY 32

/* FNV-1a. */
static uint32_t hash_of(const char* key) {
  uint32_t hash = 2166136261U;
  for (; *key != '\0'; key++) {
    hash = (hash ^ (unsigned char)*key) * 16777619U;
  }
  return hash;
}

/* Finds a key's position in the table, or the free position where the search for it ends. */
static size_t place_of(const struct OrtKeyValuePairs* pairs, const char* key, uint32_t hash) {
  size_t last = 2 * pairs->capacity - 1;
  size_t place = hash & last;
  for (; pairs->table[place] != 0; place = (place + 1) & last) {
    size_t i = pairs->table[place] - 1;
    if (pairs->hashes[i] == hash && strcmp(pairs->keys[i], key) == 0) {
      break;
    }
  }
  return place;
}

/* The index of a key, or the number of pairs if there is none. */
static size_t index_of(const struct OrtKeyValuePairs* pairs, const char* key) {
  if (pairs->table != NULL) {
    uint32_t found = pairs->table[place_of(pairs, key, hash_of(key))];
    return found == 0 ? pairs->count : found - 1;
  }
  size_t i = 0;
  while (i < pairs->count && strcmp(pairs->keys[i], key) != 0) {
    i++;
  }
  return i;
}

/* Adds the key at an index to the table, if there is one. */
static void enter_key(struct OrtKeyValuePairs* pairs, size_t at) {
  if (pairs->table != NULL) {
    pairs->hashes[at] = hash_of(pairs->keys[at]);
    size_t place = place_of(pairs, pairs->keys[at], pairs->hashes[at]);
    pairs->table[place] = pairs->table[place] == 0 ? (uint32_t)(at + 1) : pairs->table[place];
  }
}

/* Removes the key at an index from the table, if there is one; later pairs move down by one. */
static void remove_key(struct OrtKeyValuePairs* pairs, size_t at) {
  if (pairs->table == NULL) {
    return;
  }
  size_t last = 2 * pairs->capacity - 1;
  size_t hole = place_of(pairs, pairs->keys[at], pairs->hashes[at]);
  pairs->table[hole] = 0;
  /* Move a later key into the hole if linear probing had passed the hole for it. */
  for (size_t i = (hole + 1) & last; pairs->table[i] != 0; i = (i + 1) & last) {
    size_t distance = (i - pairs->hashes[pairs->table[i] - 1]) & last;
    if (distance >= ((i - hole) & last)) {
      pairs->table[hole] = pairs->table[i];
      pairs->table[i] = 0;
      hole = i;
    }
  }
  for (size_t i = 0; i <= last; i++) {
    pairs->table[i] -= pairs->table[i] > at + 1;
  }
  memmove(&pairs->hashes[at], &pairs->hashes[at + 1],
          (pairs->count - at - 1) * sizeof *pairs->hashes);
}

/* Makes room for one more pair; false when out of memory, with nothing changed. */
static bool grow(struct OrtKeyValuePairs* pairs) {
  if (pairs->count < pairs->capacity) {
    return true;
  }
  size_t capacity = pairs->capacity == 0 ? FIRST_CAPACITY : pairs->capacity * 2;
  bool has_table = capacity >= TABLE_CAPACITY;
  size_t each = 2 * sizeof *pairs->keys + (has_table ? 3 * sizeof *pairs->table : 0);
  /* The table has 32-bit indices. */
  const char** keys =
      capacity > SIZE_MAX / each || capacity > INT32_MAX ? NULL : heap_alloc(capacity * each);
  if (keys == NULL) {
    return false;
  }
  if (pairs->count > 0) {
    memcpy(keys, pairs->keys, pairs->count * sizeof *keys);
    memcpy(keys + capacity, pairs->values, pairs->count * sizeof *keys);
  }
  heap_free(pairs->keys);
  pairs->keys = keys;
  pairs->values = keys + capacity;
  pairs->capacity = capacity;
  if (has_table) {
    pairs->hashes = (uint32_t*)(keys + 2 * capacity);
    pairs->table = pairs->hashes + capacity;
    memset(pairs->table, 0, 2 * capacity * sizeof *pairs->table);
    for (size_t i = 0; i < pairs->count; i++) {
      enter_key(pairs, i);
    }
  }
  return true;
}

static void end_pairs(void* block) {
  struct OrtKeyValuePairs* pairs = block;
  for (size_t i = 0; i < pairs->count; i++) {
    heap_free((void*)pairs->keys[i]);
  }
  heap_free(pairs->keys);
}

static const struct core_class pairs_class = {.kind = CORE_KEY_VALUES, .end = end_pairs};

void ORT_API_CALL ort_CreateKeyValuePairs(OrtKeyValuePairs** out) NO_EXCEPTION {
  if (out == NULL) {
    return;
  }
  *out = core_new_object(&pairs_class, sizeof **out);
}

/* Copies key and value into one block; NULL when out of memory. */
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

/* Replaces the block at an index, or appends one. */
static void put(struct OrtKeyValuePairs* pairs, size_t at, char* both) {
  bool is_new = at == pairs->count;
  if (!is_new) {
    heap_free((void*)pairs->keys[at]);
  }
  pairs->keys[at] = both;
  pairs->values[at] = both + strlen(both) + 1;
  if (is_new) {
    enter_key(pairs, pairs->count++);
  }
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
  size_t at = index_of(kvps, key);
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
  size_t at = index_of(kvps, key);
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
  size_t at = index_of(kvps, key);
  if (at == kvps->count) {
    return;
  }
  remove_key(kvps, at);
  heap_free((void*)kvps->keys[at]);
  kvps->count--;
  memmove(&kvps->keys[at], &kvps->keys[at + 1], (kvps->count - at) * sizeof *kvps->keys);
  memmove(&kvps->values[at], &kvps->values[at + 1], (kvps->count - at) * sizeof *kvps->values);
}

void ORT_API_CALL ort_ReleaseKeyValuePairs(OrtKeyValuePairs* input) NO_EXCEPTION {
  core_drop(input);
}

OrtStatus* core_copy_pairs(const char* function, const OrtKeyValuePairs* from,
                           OrtKeyValuePairs** out) {
  OrtKeyValuePairs* pairs = NULL;
  ort_CreateKeyValuePairs(&pairs);
  for (size_t i = 0; pairs != NULL && from != NULL && i < from->count; i++) {
    if (!core_append_pair(pairs, from->keys[i], from->values[i])) {
      ort_ReleaseKeyValuePairs(pairs);
      pairs = NULL;
    }
  }
  if (pairs == NULL) {
    return core_no_memory(function, sizeof *pairs);
  }
  *out = pairs;
  return NULL;
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
