/* SPDX-License-Identifier: MIT */
/* Key-value pairs. */
#include "fuzz.h"

#define TABLES 3
#define MOST 40
#define TEXT 7

static struct {
  OrtKeyValuePairs* pairs;
  size_t count;
  char keys[MOST][TEXT + 1];
  char values[MOST][TEXT + 1];
} tables[TABLES];

static size_t find(size_t table, const char* key) {
  size_t i = 0;
  while (i < tables[table].count && strcmp(tables[table].keys[i], key) != 0) {
    i++;
  }
  return i;
}

static void check_table(size_t table) {
  const char* const* keys = NULL;
  const char* const* values = NULL;
  size_t count = 0;
  api->GetKeyValuePairs(tables[table].pairs, &keys, &values, &count);
  CHECK(count == tables[table].count);
  for (size_t i = 0; i < count; i++) {
    CHECK(strcmp(keys[i], tables[table].keys[i]) == 0);
    CHECK(strcmp(values[i], tables[table].values[i]) == 0);
  }
}

static void set_pair(size_t table) {
  char key[TEXT + 1];
  char value[TEXT + 1];
  next_string(key, TEXT);
  next_string(value, TEXT);
  size_t at = find(table, key);
  if (at == MOST) {
    return;
  }
  api->AddKeyValuePair(tables[table].pairs, key, value);
  const char* got = api->GetKeyValue(tables[table].pairs, key);
  if (key[0] == '\0') {
    CHECK(got == NULL);
  } else if (got != NULL && strcmp(got, value) == 0) {
    strcpy(tables[table].keys[at], key);
    strcpy(tables[table].values[at], value);
    tables[table].count += at == tables[table].count;
  } else {
    CHECK(may_lack_memory());
  }
}

static void remove_pair(size_t table) {
  char key[TEXT + 1];
  next_string(key, TEXT);
  size_t at = find(table, key);
  api->RemoveKeyValuePair(tables[table].pairs, key);
  CHECK(api->GetKeyValue(tables[table].pairs, key) == NULL);
  if (at < tables[table].count) {
    size_t behind = --tables[table].count - at;
    memmove(tables[table].keys[at], tables[table].keys[at + 1], behind * (TEXT + 1));
    memmove(tables[table].values[at], tables[table].values[at + 1], behind * (TEXT + 1));
  }
}

void use_pairs(void) {
  unsigned what = next_byte();
  size_t table = what % TABLES;
  if (tables[table].pairs == NULL) {
    api->CreateKeyValuePairs(&tables[table].pairs);
    CHECK(tables[table].pairs != NULL || may_lack_memory());
  } else if (what >= 248) {
    api->ReleaseKeyValuePairs(tables[table].pairs);
    tables[table].pairs = NULL;
    tables[table].count = 0;
  } else if (what >= 192) {
    remove_pair(table);
  } else {
    set_pair(table);
  }
  check_table(table);
}

void end_pairs(void) {
  for (size_t i = 0; i < TABLES; i++) {
    check_table(i);
    api->ReleaseKeyValuePairs(tables[i].pairs);
    tables[i].pairs = NULL;
    tables[i].count = 0;
  }
}
