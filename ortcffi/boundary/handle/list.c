/* SPDX-License-Identifier: MIT */
/* Lists of objects for Array of ortcffi/_handle.py. */
#include "boundary/handle/list.h"

#include <stdint.h>
#include <stdlib.h>

struct ortcffi_list {
  ortcffi_release* release;
  size_t count;
  void* items[];
};

int ortcffi_new_list(ortcffi_release* release, size_t count, ortcffi_list** out) {
  size_t most = (PTRDIFF_MAX - sizeof(ortcffi_list)) / sizeof(void*);
  ortcffi_list* list =
      count > most ? NULL : calloc(1, sizeof *list + count * sizeof list->items[0]);
  if (list == NULL) {
    return 0;
  }
  list->release = release;
  list->count = count;
  *out = list;
  return 1;
}

void ortcffi_release_list(const OrtApi* api, ortcffi_list* list) {
  for (size_t i = 0; i < list->count; i++) {
    if (list->items[i] != NULL) {
      list->release(api, list->items[i]);
    }
  }
  free(list);
}

void** ortcffi_list_items(ortcffi_list* list) { return list->items; }

void ortcffi_list_move(ortcffi_list* list, size_t place, void** out) {
  *out = list->items[place];
  list->items[place] = NULL;
}
