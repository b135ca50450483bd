/* SPDX-License-Identifier: MIT */
/* An adaptor that reports each allocation and each free to an observer. */
#include "adaptors/adaptor.h"

struct observing {
  struct core_adaptor adaptor;
  core_observer observer;
  void* context;
};

static void* ORT_API_CALL observing_alloc(OrtAllocator* this_, size_t size) NO_EXCEPTION {
  struct observing* self = (struct observing*)this_;
  struct core_header* header = core_alloc_with_header(&self->adaptor, size);
  void* block = header == NULL ? NULL : core_block_after(header);
  if (block != NULL || size != 0) {
    self->observer(self->context, block != NULL ? CORE_ALLOCATED : CORE_REFUSED, block, size);
  }
  return block;
}

static void ORT_API_CALL observing_free(OrtAllocator* this_, void* p) NO_EXCEPTION {
  struct observing* self = (struct observing*)this_;
  struct core_header* header = core_header_of(&self->adaptor, p);
  if (header != NULL) {
    /* Report the free first: afterwards another thread may get the same block. */
    self->observer(self->context, CORE_FREED, p, header->size);
    core_free_with_header(&self->adaptor, header);
  }
}

OrtStatus* core_create_observing(OrtAllocator* inner, core_observer observer, void* context,
                                 OrtAllocator** out) {
  CORE_TRY(core_check_inner(inner, out));
  CORE_FAIL_IF(observer == NULL, ORT_INVALID_ARGUMENT, "observer must not be NULL");
  CORE_TRY(core_new_adaptor("Observing", NULL, sizeof(struct observing), inner, observing_alloc,
                            observing_free, out));
  struct observing* self = (struct observing*)*out;
  core_use_headers(&self->adaptor);
  self->observer = observer;
  self->context = context;
  return NULL;
}
