/* SPDX-License-Identifier: MIT */
#include "boundary/limited_api.h"

#include <stdatomic.h>
#include <stdint.h>

#include "heap/heap_base.h"
#include "boundary/memory/allocators.h"

#define LINK_SIZE 64 /* keeps the alignment of the heap's blocks */

struct linked {
  struct linked* next;
};

struct scratch {
  OrtAllocator functions;
  const OrtMemoryInfo* info;
  _Atomic(struct linked*) blocks; /* a library may allocate on several threads */
};

static void* ORT_API_CALL scratch_alloc(OrtAllocator* self, size_t size) {
  struct scratch* scratch = (struct scratch*)self;
  if (size > SIZE_MAX - LINK_SIZE) {
    return NULL;
  }
  struct linked* block = core_heap_alloc(size + LINK_SIZE);
  if (block == NULL) {
    return NULL;
  }
  block->next = atomic_load(&scratch->blocks);
  while (!atomic_compare_exchange_weak(&scratch->blocks, &block->next, block)) {
  }
  return (char*)block + LINK_SIZE;
}

static void ORT_API_CALL scratch_free(OrtAllocator* self, void* block) {
  /* goes with the others */
}

static const OrtMemoryInfo* ORT_API_CALL scratch_info(const OrtAllocator* self) {
  return ((const struct scratch*)self)->info;
}

int ortcffi_new_scratch(const OrtMemoryInfo* info, OrtAllocator** out) {
  struct scratch* scratch = core_heap_alloc(sizeof *scratch);
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
  struct linked* block = atomic_load(&scratch->blocks);
  while (block != NULL) {
    struct linked* next = block->next;
    core_heap_free(block);
    block = next;
  }
  core_heap_free(scratch);
}
