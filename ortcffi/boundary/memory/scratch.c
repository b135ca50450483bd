/* SPDX-License-Identifier: MIT */
#include "boundary/limited_api.h"

#include <stdatomic.h>
#include <stdint.h>

#include "heap/heap.h"
#include "boundary/memory/scratch.h"

#define HEADER 64 /* keeps the alignment of the heap's blocks */

struct block {
  struct block* next;
};

struct scratch {
  OrtAllocator functions;
  const OrtMemoryInfo* info;
  _Atomic(struct block*) blocks; /* a library may allocate on several threads */
};

static void* ORT_API_CALL scratch_alloc(OrtAllocator* self, size_t size) {
  struct scratch* scratch = (struct scratch*)self;
  if (size > SIZE_MAX - HEADER) {
    return NULL;
  }
  struct block* block = heap_alloc(size + HEADER);
  if (block == NULL) {
    return NULL;
  }
  block->next = atomic_load(&scratch->blocks);
  while (!atomic_compare_exchange_weak(&scratch->blocks, &block->next, block)) {
  }
  return (char*)block + HEADER;
}

static void ORT_API_CALL scratch_free(OrtAllocator* self, void* block) {
  (void)self;
  (void)block; /* goes with the others */
}

static const OrtMemoryInfo* ORT_API_CALL scratch_info(const OrtAllocator* self) {
  return ((const struct scratch*)self)->info;
}

int ortcffi_new_scratch(const OrtMemoryInfo* info, OrtAllocator** out) {
  struct scratch* scratch = heap_alloc(sizeof *scratch);
  if (scratch == NULL) {
    return 0;
  }
  *scratch = (struct scratch){
      .functions = {.version = ORT_API_VERSION,
                    .Alloc = scratch_alloc,
                    .Free = scratch_free,
                    .Info = scratch_info},
      .info = info,
  };
  *out = &scratch->functions;
  return 1;
}

void ortcffi_release_scratch(OrtAllocator* self) {
  struct scratch* scratch = (struct scratch*)self;
  struct block* block = atomic_load(&scratch->blocks);
  while (block != NULL) {
    struct block* next = block->next;
    heap_free(block);
    block = next;
  }
  heap_free(scratch);
}
