/* SPDX-License-Identifier: MIT */
/**
 * @file list.h
 * Growing arrays of pointers. All zeroes is an empty list. Not locked: the owner keeps a change
 * apart from other uses.
 */
#pragma once

#include "core.h"

struct core_list {
  void** items;
  size_t count;
  size_t capacity;
};

/** Adds an item at the end; false where there is no memory, with the list unchanged. */
bool core_list_add(struct core_list* list, void* item);

/** Adds an object, with a reference to it. */
bool core_list_keep(struct core_list* list, struct core_object* object);

/** Drops the references to all objects but the first `count`. */
void core_list_cut(struct core_list* list, size_t count);

/** The i-th item; NULL where there are fewer. */
static inline void* core_list_at(const struct core_list* list, size_t i) {
  return i < list->count ? list->items[i] : NULL;
}

/** Whether an item is in the list. */
bool core_list_has(const struct core_list* list, const void* item);

/** Frees the list's own memory, after which it is empty. */
void core_list_end(struct core_list* list);

/** Makes room for one more item of `size` bytes in an array of which `count` are in use; false
 * where there is no memory, with the array unchanged. */
bool core_grow(void** items, size_t count, size_t* capacity, size_t size);
