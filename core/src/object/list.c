/* SPDX-License-Identifier: MIT */
#include "object/list.h"

#include "object/object.h"

#define FIRST_CAPACITY 8

bool core_grow(void** items, size_t count, size_t* capacity, size_t size) {
  if (count < *capacity) {
    return true;
  }
  size_t wanted = *capacity == 0 ? FIRST_CAPACITY : *capacity * 2;
  void* grown = heap_alloc(wanted * size);
  if (grown == NULL) {
    return false;
  }
  if (count > 0) {
    memcpy(grown, *items, count * size);
  }
  heap_free(*items);
  *items = grown;
  *capacity = wanted;
  return true;
}

bool core_list_add(struct core_list* list, void* item) {
  if (!core_grow((void**)&list->items, list->count, &list->capacity, sizeof item)) {
    return false;
  }
  list->items[list->count++] = item;
  return true;
}

bool core_list_keep(struct core_list* list, struct core_object* object) {
  bool is_added = core_list_add(list, object);
  if (is_added) {
    core_retain(object);
  }
  return is_added;
}

void core_list_cut(struct core_list* list, size_t count) {
  while (list->count > count) {
    core_drop(list->items[--list->count]);
  }
}

bool core_list_has(const struct core_list* list, const void* item) {
  size_t i = 0;
  while (i < list->count && list->items[i] != item) {
    i++;
  }
  return i < list->count;
}

void core_list_end(struct core_list* list) {
  heap_free(list->items);
  *list = (struct core_list){0};
}
