/* SPDX-License-Identifier: MIT */
/* Key-value pairs and memory infos. */
#include "fuzz.h"

#define TABLES 3
#define MOST 40
#define INFOS 6
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

static struct info {
  OrtMemoryInfo* handle;
  char name[TEXT + 1];
  OrtMemoryInfoDeviceType device;
  uint32_t vendor;
  int id;
  OrtDeviceMemoryType mem_type;
  size_t alignment;
  OrtAllocatorType type;
} infos[INFOS];

static void make_info(struct info* info) {
  next_string(info->name, 2);
  info->device = (OrtMemoryInfoDeviceType)(next_byte() % 3);
  info->vendor = next_byte() % 2;
  info->id = (int8_t)next_byte();
  info->mem_type =
      next_byte() % 2 ? OrtDeviceMemoryType_HOST_ACCESSIBLE : OrtDeviceMemoryType_DEFAULT;
  info->alignment = next_byte() % 2 * 64;
  info->type = next_byte() % 2 ? OrtArenaAllocator : OrtDeviceAllocator;
  OrtMemoryInfo* made = NULL;
  OrtStatus* status = api->CreateMemoryInfo_V2(info->name, info->device, info->vendor, info->id,
                                               info->mem_type, info->alignment, info->type, &made);
  if (status == NULL) {
    info->handle = made;
  } else if (api->GetErrorCode(status) == ORT_RUNTIME_EXCEPTION) {
    CHECK(made == NULL);
    must_lack_memory(status);
  } else {
    /* Not every number below 3 is a device. */
    CHECK(made == NULL && info->device != OrtMemoryInfoDeviceType_CPU);
    must_be(status, ORT_INVALID_ARGUMENT);
  }
}

static void read_info(const struct info* info) {
  const char* name = NULL;
  int id = 0;
  OrtMemoryInfoDeviceType device;
  CHECK(api->MemoryInfoGetName(info->handle, &name) == NULL && strcmp(name, info->name) == 0);
  CHECK(api->MemoryInfoGetId(info->handle, &id) == NULL && id == info->id);
  api->MemoryInfoGetDeviceType(info->handle, &device);
  CHECK(device == info->device);
  CHECK(api->MemoryInfoGetVendorId(info->handle) == info->vendor);
  CHECK(api->MemoryInfoGetDeviceMemType(info->handle) == info->mem_type);
}

static void compare_infos(const struct info* a, const struct info* b) {
  int order = 0;
  CHECK(api->CompareMemoryInfo(a->handle, b->handle, &order) == NULL);
  int equal = strcmp(a->name, b->name) == 0 && a->device == b->device && a->vendor == b->vendor &&
              a->id == b->id && a->mem_type == b->mem_type && a->alignment == b->alignment &&
              a->type == b->type;
  CHECK((order == 0) == equal);
}

void use_memory_infos(void) {
  unsigned what = next_byte();
  struct info* info = &infos[what % INFOS];
  struct info* other = &infos[what / INFOS % INFOS];
  if (info->handle == NULL) {
    make_info(info);
  } else if (what >= 216) {
    api->ReleaseMemoryInfo(info->handle);
    info->handle = NULL;
  } else {
    read_info(info);
    if (other->handle != NULL) {
      compare_infos(info, other);
    }
  }
}

void end_memory_infos(void) {
  for (size_t i = 0; i < INFOS; i++) {
    api->ReleaseMemoryInfo(infos[i].handle);
    infos[i].handle = NULL;
  }
}
