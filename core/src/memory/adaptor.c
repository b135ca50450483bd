/* SPDX-License-Identifier: MIT */
/* The code that all adaptors share. */
#include "memory/adaptor.h"

#include <stdio.h>
#include <string.h>

#include "heap/heap.h"
#include "memory/memory_info.h"
#include "platform/platform.h"

/* The struct's version says which fields it has; Shrink exists from this one on. */
#define SHRINK_SINCE 25

/* An allocator is an adaptor if its Info is this function. */
static const OrtMemoryInfo* ORT_API_CALL adaptor_info(const OrtAllocator* this_) NO_EXCEPTION {
  const struct core_adaptor* self = (const struct core_adaptor*)this_;
  return self->info != NULL ? self->info : self->inner->Info(self->inner);
}

int core_is_adaptor(const OrtAllocator* allocator) {
  return allocator != NULL && allocator->Info == adaptor_info &&
         ((const struct core_adaptor*)allocator)->mark ==
             (CORE_ADAPTOR_MARK ^ (uintptr_t)allocator);
}

static OrtStatus* ORT_API_CALL inner_shrink(OrtAllocator* this_) NO_EXCEPTION {
  struct core_adaptor* self = (struct core_adaptor*)this_;
  if (self->inner->version >= SHRINK_SINCE && self->inner->Shrink != NULL) {
    return self->inner->Shrink(self->inner);
  }
  return NULL;
}

OrtStatus* core_check_inner(const OrtAllocator* inner, const void* out) {
  if (inner == NULL) {
    CORE_FAIL(ORT_INVALID_ARGUMENT, "inner must not be NULL");
  }
  if (inner->Alloc == NULL || inner->Free == NULL || inner->Info == NULL) {
    CORE_FAIL(ORT_INVALID_ARGUMENT, "inner has no Alloc, Free or Info");
  }
  if (core_is_adaptor(inner) &&
      ((const struct core_adaptor*)inner)->depth >= CORE_DEEPEST_ADAPTOR) {
    CORE_FAIL(ORT_INVALID_ARGUMENT,
              "inner is the outermost of 100 adaptors, and no more are allowed");
  }
  if (out == NULL) {
    CORE_FAIL(ORT_INVALID_ARGUMENT, "out must not be NULL");
  }
  return NULL;
}

struct core_adaptor* core_new_adaptor(size_t size, OrtAllocator* inner,
                                      void* (*alloc)(OrtAllocator*, size_t),
                                      void (*free_)(OrtAllocator*, void*)) {
  struct core_adaptor* self = heap_alloc(size);
  if (self == NULL) {
    return NULL;
  }
  memset(self, 0, size);
  self->base.version = ORT_API_VERSION;
  self->base.Alloc = alloc;
  self->base.Reserve = alloc;
  self->base.Free = free_;
  self->base.Info = adaptor_info;
  self->base.Shrink = inner_shrink;
  self->inner = inner;
  self->mark = CORE_ADAPTOR_MARK ^ (uintptr_t)self;
  self->references = 1;
  self->depth = core_is_adaptor(inner) ? ((struct core_adaptor*)inner)->depth + 1 : 1;
  core_allocator_retain(inner);
  heap_created(CORE_ADAPTOR);
  return self;
}

int core_set_adaptor_info(struct core_adaptor* self, const OrtMemoryInfo* info) {
  self->info = info;
  if (!core_is_memory_info(info)) {
    return 1;
  }
  size_t extra = core_memory_info_extra(info);
  self->own_info = heap_alloc(sizeof *self->own_info + extra);
  if (self->own_info == NULL) {
    return 0;
  }
  core_embed_memory_info(info, self->own_info, self->own_info + 1, extra);
  self->info = self->own_info;
  return 1;
}

/* Where core_refuse_free stores the reason while this thread is in core_free_asking. */
static __thread const char** asking CORE_TLS;

void core_know_block(OrtAllocator* allocator, void* block) {
  struct core_adaptor* self = (struct core_adaptor*)allocator;
  struct core_header* header = (struct core_header*)((uintptr_t)block - CORE_HEADER);
  if (block != NULL && core_is_adaptor(allocator) && self->reads_header) {
    __atomic_store_n(&self->counts_headers, 1, __ATOMIC_RELAXED);
    header->counted = core_count_header(header, sizeof *header);
    header->key ^= header->counted != 0 ? CORE_COUNTED : 0;
  }
}

/* Whether the header before a pointer cannot be read. A call of the system is needed only for
 * memory of others' heaps, and there not for pages with blocks of adaptors. */
static int has_unreadable_header(const void* pointer) {
  struct core_header header;
  const void* first = (const void*)((uintptr_t)pointer - CORE_HEADER);
  const void* last = (const void*)((uintptr_t)pointer - 1);
  return !(heap_can_read(first) && heap_can_read(last)) &&
         !core_is_in_live_page(first, CORE_HEADER) &&
         core_read_memory(first, &header, sizeof header) == CORE_READ_FAULT;
}

int core_free_asking(OrtAllocator* allocator, void* pointer, const char** why) {
  if (CORE_UNLIKELY(!core_is_adaptor(allocator))) {
    return 0;
  }
  *why = NULL;
  if (CORE_UNLIKELY(pointer != NULL && ((struct core_adaptor*)allocator)->reads_header &&
                    has_unreadable_header(pointer))) {
    *why = "is not a block of this allocator: the memory before it cannot be read";
    return 1;
  }
  const char** before = asking;
  asking = why;
  allocator->Free(allocator, pointer);
  asking = before;
  return 1;
}

void core_refuse_free(const void* pointer, const char* why) {
  if (asking != NULL) {
    *asking = why;
  } else {
    fprintf(stderr, "ortcffi: Free: pointer %p %s; ignored\n", pointer, why);
  }
}

struct core_header* core_header_of_other(const struct core_adaptor* self, void* block) {
  struct core_header* header = (struct core_header*)((uintptr_t)block - CORE_HEADER);
  if (header->key == (core_header_key(self, header) ^ CORE_COUNTED)) {
    core_uncount_header(header, header->counted);
    return header;
  }
  core_refuse_free(block,
                   "is not a block of this allocator, or was freed before, or the block in front "
                   "of it was overrun");
  return NULL;
}
