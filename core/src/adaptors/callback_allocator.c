/* SPDX-License-Identifier: MIT */
/* An allocator whose functions are callbacks. */
#include "adaptors/adaptor.h"

struct callback_allocator {
  struct core_adaptor adaptor;
  struct core_callbacks callbacks;
  void* context;
};

static void* ORT_API_CALL callback_alloc(OrtAllocator* this_, size_t size) NO_EXCEPTION {
  struct callback_allocator* self = (struct callback_allocator*)this_;
  return size == 0 ? NULL : self->callbacks.alloc(self->context, size);
}

static void ORT_API_CALL callback_free(OrtAllocator* this_, void* p) NO_EXCEPTION {
  struct callback_allocator* self = (struct callback_allocator*)this_;
  if (p != NULL) {
    self->callbacks.free(self->context, p);
  }
}

static OrtStatus* ORT_API_CALL callback_stats(const OrtAllocator* this_,
                                              OrtKeyValuePairs** out) NO_EXCEPTION {
  const struct callback_allocator* self = (const struct callback_allocator*)this_;
  OrtKeyValuePairs* figures = NULL;
  OrtStatus* status = self->callbacks.stats(self->context, &figures);
  if (status != NULL) {
    ort_ReleaseKeyValuePairs(figures); /* the callback may fail after it has made them */
    return status;
  }
  CORE_FAIL_IF(figures == NULL, ORT_FAIL, "the allocator's callback gave no statistics");
  *out = figures;
  return NULL;
}

static OrtStatus* ORT_API_CALL callback_shrink(OrtAllocator* this_) NO_EXCEPTION {
  struct callback_allocator* self = (struct callback_allocator*)this_;
  return self->callbacks.shrink(self->context);
}

static void callback_end(void* adaptor) {
  struct callback_allocator* self = (struct callback_allocator*)adaptor;
  if (self->callbacks.end != NULL) {
    self->callbacks.end(self->context);
  }
  core_end_adaptor(adaptor);
}

static const struct core_class callback_class = CORE_ADAPTOR_CLASS(callback_end);

OrtStatus* core_create_from_callbacks(const struct core_callbacks* callbacks,
                                      const OrtMemoryInfo* info, void* context, OrtAllocator* inner,
                                      OrtAllocator** out) {
  CORE_FAIL_IF(callbacks == NULL || callbacks->alloc == NULL || callbacks->free == NULL,
               ORT_INVALID_ARGUMENT, "callbacks must have alloc and free");
  CORE_FAIL_IF(info == NULL || out == NULL, ORT_INVALID_ARGUMENT, "info and out must not be NULL");
  if (inner != NULL) {
    CORE_TRY(core_check_inner(inner, out));
  }
  OrtAllocator* made = NULL;
  CORE_TRY(core_new_adaptor("CallbackAllocator", NULL, sizeof(struct callback_allocator), inner,
                            callback_alloc, callback_free, &made));
  struct callback_allocator* self = (struct callback_allocator*)made;
  if (!core_set_adaptor_info(&self->adaptor, info)) {
    core_release_adaptor(made);
    return CORE_OUT_OF_MEMORY(CallbackAllocator, sizeof *self);
  }
  self->callbacks = *callbacks;
  self->context = context;
  self->adaptor.base.GetStats = callbacks->stats != NULL ? callback_stats : NULL;
  self->adaptor.base.Shrink = callbacks->shrink != NULL ? callback_shrink : NULL;
  self->adaptor.object.class = &callback_class;
  *out = made;
  return NULL;
}
