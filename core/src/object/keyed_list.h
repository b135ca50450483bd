/* SPDX-License-Identifier: MIT */
/**
 * @file keyed_list.h
 * Lists of items with a key, in the order in which they were added, with a hash table of the keys.
 *
 * All zeroes is an empty list. Not locked: the owner keeps a change apart from other uses.
 */
#pragma once

#include "core.h"

struct core_item {
  /** One block: a string or a path with its terminator, then the text, if there is one. */
  void* key;
  size_t key_size;
  size_t block_size;
  /** What these three mean depends on the list; see enum core_session_list. */
  const void* pointer;
  int64_t number;
  bool mark;
  uint32_t hash;
};

struct core_items {
  struct core_item* list;
  /** The keys and texts of the items again, as the arrays that GetKeyValuePairs returns. */
  const char** keys;
  const char** texts;
  size_t count;
  size_t capacity;
  /** The hash table: index + 1 of an item, 0 where free. It has twice `capacity` places. All four
   * arrays are in one block, which begins at `list`. */
  uint32_t* table;
};

/** The text behind the key. */
static inline const char* core_item_text(const struct core_item* item) {
  return (const char*)item->key + item->key_size;
}

/** The first item with a key, whose size includes the terminator; NULL if there is none. Valid
 * until the list grows. */
struct core_item* core_items_find(const struct core_items* items, const void* key, size_t key_size);

/** The same for a text. */
static inline struct core_item* core_items_named(const struct core_items* items, const char* key) {
  return core_items_find(items, key, strlen(key) + 1);
}

/** Adds an item, also if the list has one with that key. Copies the key, and the text unless it is
 * NULL. NULL where there is no memory, with the list unchanged. */
struct core_item* core_items_add(struct core_items* items, const void* key, size_t key_size,
                                 const char* text);

/** The item of a text, which is added unless it is there; NULL where there is no memory. */
struct core_item* core_items_of(struct core_items* items, const char* key);
/** Gives the item of a key a text, or adds one; false where there is no memory. */
bool core_items_put(struct core_items* items, const char* key, const char* text);

/** Copies a list to an empty one; false where there is no memory, with `to` empty. */
bool core_items_copy(const struct core_items* from, struct core_items* to);

/** Frees an item; later ones move down. */
void core_items_remove(struct core_items* items, struct core_item* item);

/** Frees all items but the first `count`. */
void core_items_cut(struct core_items* items, size_t count);

/** Frees all items and the list's own memory. */
void core_items_end(struct core_items* items);

/** A copy of bytes, to be given to heap_free; NULL where there is no memory. */
void* core_copy_bytes(const void* from, size_t size);

/** Copies a string to a block for heap_free. */
OrtStatus* core_copy_text(const char* text, char** out);

/** The size of strings with their terminators; SIZE_MAX where one of them is NULL. Strings that are
 * in memory cannot add up to that. */
size_t core_texts_size(const char* const* texts, size_t count);

/** Copies strings one behind the other, and where each one begins to `copies`, unless that is NULL.
 * Returns the end of the last one. */
char* core_copy_texts(const char* const* texts, size_t count, char* to, const char** copies);

/* The hash of tables whose keys may come from a file. */

/** SipHash-1-3 with a key that the process draws, so that no file can be made with keys that
 * collide. */
uint32_t core_hash(const void* bytes, size_t size);
