/* SPDX-License-Identifier: MIT */
#include "object/keyed_list.h"

#include "heap/heap.h"
#include "platform/platform.h"

#define FIRST_CAPACITY 8

/* The index in the hash table of the first item with a key, or of the free place that ends the
 * search. */
static size_t place_of(const struct core_items* items, uint32_t hash, const void* key,
                       size_t key_size) {
  size_t last = 2 * items->capacity - 1;
  size_t at = hash & last;
  for (; items->table[at] != 0; at = (at + 1) & last) {
    const struct core_item* item = &items->list[items->table[at] - 1];
    if (item->hash == hash && item->key_size == key_size && memcmp(item->key, key, key_size) == 0) {
      break;
    }
  }
  return at;
}

/* Puts the items from `first` on into the hash table: of equal keys only the first item. */
static void enter(struct core_items* items, size_t first) {
  for (size_t i = first; i < items->count; i++) {
    const struct core_item* item = &items->list[i];
    size_t at = place_of(items, item->hash, item->key, item->key_size);
    if (items->table[at] == 0) {
      items->table[at] = (uint32_t)(i + 1);
    }
  }
}

static void enter_all(struct core_items* items) {
  if (items->table != NULL) {
    memset(items->table, 0, 2 * items->capacity * sizeof *items->table);
    enter(items, 0);
  }
}

/* Makes room for one more item; false where there is no memory. */
static bool grow(struct core_items* items) {
  if (items->count < items->capacity) {
    return true;
  }
  size_t capacity = items->capacity == 0 ? FIRST_CAPACITY : items->capacity * 2;
  size_t each = sizeof *items->list + 2 * sizeof *items->keys + 2 * sizeof *items->table;
  /* The hash table has 32-bit indices. */
  struct core_item* list = capacity > INT32_MAX ? NULL : heap_alloc(capacity * each);
  if (list == NULL) {
    return false;
  }
  const char** keys = (const char**)(list + capacity);
  if (items->count > 0) {
    memcpy(list, items->list, items->count * sizeof *list);
    memcpy(keys, items->keys, items->count * sizeof *keys);
    memcpy(keys + capacity, items->texts, items->count * sizeof *keys);
  }
  heap_free(items->list);
  items->list = list;
  items->keys = keys;
  items->texts = keys + capacity;
  items->table = (uint32_t*)(keys + 2 * capacity);
  items->capacity = capacity;
  enter_all(items);
  return true;
}

struct core_item* core_items_find(const struct core_items* items, const void* key,
                                  size_t key_size) {
  if (items->count == 0) {
    return NULL;
  }
  uint32_t found = items->table[place_of(items, core_hash(key, key_size), key, key_size)];
  return found == 0 ? NULL : &items->list[found - 1];
}

/* A block with a copy of a key, followed by a copy of a text. */
static void* join(const void* key, size_t key_size, const char* text, size_t text_size) {
  char* block = heap_alloc(key_size + text_size);
  if (block != NULL) {
    memcpy(block, key, key_size);
    memcpy(block + key_size, text == NULL ? "" : text, text_size);
  }
  return block;
}

static void set_block(struct core_items* items, struct core_item* item, void* block) {
  size_t at = (size_t)(item - items->list);
  item->key = block;
  items->keys[at] = block;
  items->texts[at] = core_item_text(item);
}

/* Adds an item like another one, with a block of its own. */
static struct core_item* append(struct core_items* items, const struct core_item* like,
                                void* block) {
  struct core_item* item = &items->list[items->count++];
  *item = *like;
  set_block(items, item, block);
  enter(items, items->count - 1);
  return item;
}

struct core_item* core_items_add(struct core_items* items, const void* key, size_t key_size,
                                 const char* text) {
  size_t text_size = text == NULL ? 0 : strlen(text) + 1;
  void* block = grow(items) ? join(key, key_size, text, text_size) : NULL;
  if (block == NULL) {
    return NULL;
  }
  const struct core_item item = {
      .key_size = key_size, .block_size = key_size + text_size, .hash = core_hash(block, key_size)};
  return append(items, &item, block);
}

struct core_item* core_items_of(struct core_items* items, const char* key) {
  struct core_item* item = core_items_named(items, key);
  return item != NULL ? item : core_items_add(items, key, strlen(key) + 1, NULL);
}

bool core_items_put(struct core_items* items, const char* key, const char* text) {
  size_t text_size = strlen(text) + 1;
  struct core_item* item = core_items_named(items, key);
  if (item == NULL) {
    return core_items_add(items, key, strlen(key) + 1, text) != NULL;
  }
  void* block = join(item->key, item->key_size, text, text_size);
  if (block == NULL) {
    return false;
  }
  heap_free(item->key);
  set_block(items, item, block);
  item->block_size = item->key_size + text_size;
  return true;
}

bool core_items_copy(const struct core_items* from, struct core_items* to) {
  for (size_t i = 0; i < from->count; i++) {
    void* block = grow(to) ? core_copy_bytes(from->list[i].key, from->list[i].block_size) : NULL;
    if (block == NULL) {
      core_items_end(to);
      return false;
    }
    append(to, &from->list[i], block);
  }
  return true;
}

void core_items_remove(struct core_items* items, struct core_item* item) {
  size_t at = (size_t)(item - items->list);
  heap_free(item->key);
  size_t behind = --items->count - at;
  memmove(item, item + 1, behind * sizeof *item);
  memmove(&items->keys[at], &items->keys[at + 1], behind * sizeof *items->keys);
  memmove(&items->texts[at], &items->texts[at + 1], behind * sizeof *items->texts);
  enter_all(items); /* the indices of all later items have changed */
}

void core_items_cut(struct core_items* items, size_t count) {
  while (items->count > count) {
    heap_free(items->list[--items->count].key);
  }
  enter_all(items);
}

void core_items_end(struct core_items* items) {
  while (items->count > 0) {
    heap_free(items->list[--items->count].key);
  }
  heap_free(items->list);
  *items = (struct core_items){0};
}

void* core_copy_bytes(const void* from, size_t size) {
  void* copy = heap_alloc(size);
  return copy == NULL ? NULL : memcpy(copy, from, size);
}

OrtStatus* core_copy_text(const char* text, char** out) {
  size_t size = strlen(text) + 1;
  *out = core_copy_bytes(text, size);
  return *out == NULL ? core_no_memory(size) : NULL;
}

size_t core_texts_size(const char* const* texts, size_t count) {
  size_t size = 0;
  for (size_t i = 0; i < count; i++) {
    if (texts[i] == NULL) {
      return SIZE_MAX;
    }
    size += strlen(texts[i]) + 1;
  }
  return size;
}

char* core_copy_texts(const char* const* texts, size_t count, char* to, const char** copies) {
  for (size_t i = 0; i < count; i++) {
    size_t size = strlen(texts[i]) + 1;
    memcpy(to, texts[i], size);
    if (copies != NULL) {
      copies[i] = to;
    }
    to += size;
  }
  return to;
}

/* --- the hash -------------------------------------------------------------------------------- */

struct sip {
  uint64_t a, b, c, d;
};

static uint64_t rotate(uint64_t word, unsigned by) { return word << by | word >> (64 - by); }

static void mix(struct sip* s) {
  s->a += s->b;
  s->c += s->d;
  s->b = rotate(s->b, 13) ^ s->a;
  s->d = rotate(s->d, 16) ^ s->c;
  s->a = rotate(s->a, 32);
  s->c += s->b;
  s->a += s->d;
  s->b = rotate(s->b, 17) ^ s->c;
  s->d = rotate(s->d, 21) ^ s->a;
  s->c = rotate(s->c, 32);
}

static uint64_t sip_hash(uint64_t key, uint64_t other, const void* bytes, size_t size) {
  struct sip s = {key ^ 0x736f6d6570736575, other ^ 0x646f72616e646f6d, key ^ 0x6c7967656e657261,
                  other ^ 0x7465646279746573};
  const uint8_t* at = bytes;
  uint64_t word, last = (uint64_t)size << 56;
  for (; size >= sizeof word; size -= sizeof word, at += sizeof word) {
    memcpy(&word, at, sizeof word);
    s.d ^= word;
    mix(&s);
    s.a ^= word;
  }
  for (size_t i = 0; i < size; i++) {
    last |= (uint64_t)at[i] << (8 * i);
  }
  s.d ^= last;
  mix(&s);
  s.a ^= last;
  s.c ^= 0xff;
  mix(&s);
  mix(&s);
  mix(&s);
  return s.a ^ s.b ^ s.c ^ s.d;
}

/* Made of the time and of addresses, which differ in each process. Never 0, which stands for no key
 * yet. Where two threads draw at once, the first one's key counts. */
static uint64_t draw_key(void) {
  static uint64_t drawn;
  uint64_t key = __atomic_load_n(&drawn, __ATOMIC_RELAXED), none = 0;
  if (key != 0) {
    return key;
  }
  char now[CORE_LOCAL_TIME] = {0};
  core_local_time(now);
  key = sip_hash((uintptr_t)&drawn, (uintptr_t)now, now, sizeof now) | 1;
  return __atomic_compare_exchange_n(&drawn, &none, key, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
             ? key
             : none;
}

uint32_t core_hash(const void* bytes, size_t size) {
  uint64_t key = draw_key();
  return (uint32_t)sip_hash(key, ~key, bytes, size);
}
