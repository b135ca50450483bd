/* SPDX-License-Identifier: MIT */
/* The code that all adaptors share. */
#include "adaptors/adaptor.h"

#include "memory/memory_info.h"
#include "platform/platform.h"

/* The struct's version says which fields it has; Shrink exists from this one on. */
#define SHRINK_SINCE 25

static OrtStatus* ORT_API_CALL inner_shrink(OrtAllocator* this_) NO_EXCEPTION {
  struct core_adaptor* self = (struct core_adaptor*)this_;
  if (self->inner->version < SHRINK_SINCE || self->inner->Shrink == NULL) {
    return NULL;
  }
  OrtStatus* status = self->inner->Shrink(self->inner);
  if (status == NULL || self->inner_api == NULL) {
    return status;
  }
  OrtStatus* own = core_status(self->inner_api->GetErrorCode(status), "%s",
                               self->inner_api->GetErrorMessage(status));
  self->inner_api->ReleaseStatus(status);
  return own;
}

OrtStatus* core_check_inner(const OrtAllocator* inner, const void* out) {
  CORE_FAIL_IF(inner == NULL, ORT_INVALID_ARGUMENT, "inner must not be NULL");
  CORE_FAIL_IF(inner->Alloc == NULL || inner->Free == NULL || inner->Info == NULL,
               ORT_INVALID_ARGUMENT, "inner has no Alloc, Free or Info");
  CORE_FAIL_IF(
      core_is_adaptor(inner) && ((const struct core_adaptor*)inner)->depth >= CORE_DEEPEST_ADAPTOR,
      ORT_INVALID_ARGUMENT, "inner is the outermost of 100 adaptors, and no more are allowed");
  CORE_FAIL_IF(out == NULL, ORT_INVALID_ARGUMENT, "out must not be NULL");
  return NULL;
}

void core_end_adaptor(void* adaptor) {
  struct core_adaptor* self = adaptor;
  heap_free(self->own_info);
  self->mark = 0;
  core_allocator_release(self->inner);
}

static const struct core_class adaptor_class = CORE_ADAPTOR_CLASS(core_end_adaptor);

OrtStatus* core_new_adaptor(const char* name, const struct core_class* class, size_t size,
                            OrtAllocator* inner, void* (*alloc)(OrtAllocator*, size_t),
                            void (*free_)(OrtAllocator*, void*), OrtAllocator** out) {
  struct core_adaptor* self = core_new_object(class != NULL ? class : &adaptor_class, size);
  CORE_RETURN_IF(self == NULL, core_named(name, core_no_memory(size)));
  self->base.version = ORT_API_VERSION;
  self->base.Alloc = alloc;
  self->base.Reserve = alloc;
  self->base.Free = free_;
  self->base.Info = core_adaptor_info;
  self->base.Shrink = inner_shrink;
  self->inner = inner;
  self->mark = CORE_ADAPTOR_MARK ^ (uintptr_t)self;
  self->depth = core_is_adaptor(inner) ? ((struct core_adaptor*)inner)->depth + 1 : 1;
  core_allocator_retain(inner);
  *out = &self->base;
  return NULL;
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

struct core_header* core_alloc_large_with_header(const struct core_adaptor* self, size_t size) {
  return size - 1 < SIZE_MAX - CORE_HEADER ? core_inner_alloc(self, size + CORE_HEADER) : NULL;
}

struct core_header* core_header_of(const struct core_adaptor* self, void* block) {
  struct core_header* header = core_plain_header_of(self, block);
  if (CORE_UNLIKELY(header == NULL && block != NULL)) {
    core_refuse_free(block,
                     "is not a block of this allocator, or was freed before, or the block in front "
                     "of it was overrun");
  }
  return header;
}
