/* SPDX-License-Identifier: MIT */
#include "object/object.h"

void* core_new_object(const struct core_class* class, size_t size) {
  char* block = heap_alloc(size);
  if (block != NULL) {
    memset(block, 0, size);
    core_begin((struct core_object*)(void*)(block + class->offset), class, 0);
  }
  return block;
}

void core_end(struct core_object* self) {
  const struct core_class* class = self->class;
  void* block = (char*)self - class->offset;
  if (class->end != NULL) {
    class->end(block);
  }
  self->class = NULL;
  heap_free(block);
  heap_released(class->kind);
}

int64_t core_live_objects(enum core_kind kind) { return heap_live_objects(kind); }

const char* core_kind_name(unsigned kind) {
  static const char* const names[] = {
#define KIND(kind, text) text,
#include "object/kinds.def"
  };
  return kind < CORE_KINDS ? names[kind] : NULL;
}
