/* SPDX-License-Identifier: MIT */
/* An adaptor whose blocks are aligned to a power of two. The header directly precedes the aligned
 * address, which may be anywhere in the inner allocator's block. */
#include "adaptors/adaptor.h"

struct aligned {
  struct core_adaptor adaptor;
  size_t alignment;
};

static void* ORT_API_CALL aligned_alloc_(OrtAllocator* this_, size_t size) NO_EXCEPTION {
  struct aligned* self = (struct aligned*)this_;
  size_t extra = CORE_HEADER + self->alignment - 1;
  if (CORE_UNLIKELY(size - 1 >= SIZE_MAX - extra)) {
    return NULL;
  }
  char* start = core_inner_alloc(&self->adaptor, size + extra);
  if (CORE_UNLIKELY(start == NULL)) {
    return NULL;
  }
  uintptr_t block = ((uintptr_t)start + extra) & ~(self->alignment - 1);
  struct core_header* header = (struct core_header*)(block - CORE_HEADER);
  core_write_header(&self->adaptor, header, size, start);
  return (void*)block;
}

static void ORT_API_CALL headed_free(OrtAllocator* this_, void* p) NO_EXCEPTION {
  struct core_adaptor* self = (struct core_adaptor*)this_;
  struct core_header* header = core_header_of(self, p);
  if (CORE_LIKELY(header != NULL)) {
    core_free_with_header(self, header);
  }
}

OrtStatus* core_create_aligned(OrtAllocator* inner, size_t alignment, OrtAllocator** out) {
  CORE_TRY(core_check_inner(inner, out));
  CORE_FAIL_IF(
      alignment == 0 || (alignment & (alignment - 1)) != 0 || alignment > CORE_LARGEST_ALIGNMENT,
      ORT_INVALID_ARGUMENT, "alignment must be a power of two up to 2 MiB");
  CORE_TRY(core_new_adaptor("Aligned", NULL, sizeof(struct aligned), inner, aligned_alloc_,
                            headed_free, out));
  struct aligned* self = (struct aligned*)*out;
  /* The header needs an alignment of its own. */
  self->alignment = alignment < sizeof(void*) ? sizeof(void*) : alignment;
  return NULL;
}
