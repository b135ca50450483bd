/* SPDX-License-Identifier: MIT */
/**
 * @file items.h
 * Lists of named things, in the order in which they were added: what options hold any number of.
 *
 * A list is empty when it is zeroed. One thread at a time may change it.
 */
#ifndef ORTCFFI_ITEMS_H_
#define ORTCFFI_ITEMS_H_

#include "core.h"

/** Options of all kinds begin with its address, which no other library and no other copy of the
 * core has. */
extern const char core_options_mark;

struct core_item {
  /** A text or a path with its end, then the text of a configuration entry: one block. */
  void* key;
  size_t key_size;
  size_t block_size;
  /** Whatever the list is about. */
  const void* pointer;
  int64_t number;
  bool mark;
  uint32_t hash;
};

struct core_items {
  struct core_item* list;
  size_t count;
  size_t capacity;
  /** Behind the list: where the items of a hash are, 0 for none; twice the capacity. */
  uint32_t* table;
};

/** The text behind the key. */
static inline const char* core_item_text(const struct core_item* item) {
  return (const char*)item->key + item->key_size;
}

/** The first item of a key, whose bytes include its end; NULL if there is none. Valid until the
 * list grows. */
struct core_item* core_items_find(const struct core_items* items, const void* key, size_t key_size);

/** Adds an item, whether or not there is one of that key. Copies the key, and the text unless it
 * is NULL. NULL where there is no memory, with the list as it was. */
struct core_item* core_items_add(struct core_items* items, const void* key, size_t key_size,
                                 const char* text);

/** Gives an item another text; false where there is no memory. */
bool core_item_set_text(struct core_item* item, const char* text);

/** Copies a list to an empty one; false where there is no memory, with `to` empty. */
bool core_items_copy(const struct core_items* from, struct core_items* to);

/** Forgets all items but the first `count`. */
void core_items_cut(struct core_items* items, size_t count);

/** Forgets all items and frees their memory. */
void core_items_end(struct core_items* items);

/** A copy of bytes, to be given to heap_free; NULL where there is no memory. */
void* core_copy_bytes(const void* from, size_t size);

#endif /* ORTCFFI_ITEMS_H_ */
