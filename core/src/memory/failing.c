/* SPDX-License-Identifier: MIT */
/* An adaptor that allocates a number of blocks and then fails, for tests. */
#include "memory/adaptor.h"

struct failing {
  struct core_adaptor adaptor;
  size_t left;
  size_t refused;
};

static void* ORT_API_CALL failing_alloc(OrtAllocator* this_, size_t size) NO_EXCEPTION {
  struct failing* self = (struct failing*)this_;
  if (size == 0) {
    return NULL;
  }
  size_t left = __atomic_load_n(&self->left, __ATOMIC_RELAXED);
  do {
    if (left == 0) {
      __atomic_fetch_add(&self->refused, 1, __ATOMIC_RELAXED);
      return NULL;
    }
  } while (!__atomic_compare_exchange_n(&self->left, &left, left - 1, 1, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED));
  return core_inner_alloc(&self->adaptor, size);
}

static void ORT_API_CALL inner_free(OrtAllocator* this_, void* p) NO_EXCEPTION {
  struct core_adaptor* self = (struct core_adaptor*)this_;
  self->inner->Free(self->inner, p);
}

OrtStatus* core_create_failing(OrtAllocator* inner, size_t after, OrtAllocator** out) {
  CORE_TRY(core_check_inner(inner, out));
  struct failing* self =
      (struct failing*)core_new_adaptor(sizeof *self, inner, failing_alloc, inner_free);
  if (self == NULL) {
    return CORE_OUT_OF_MEMORY(Failing, sizeof *self);
  }
  self->left = after;
  self->adaptor.reads_header =
      core_is_adaptor(inner) && ((struct core_adaptor*)inner)->reads_header;
  *out = &self->adaptor.base;
  return NULL;
}

void core_failing_reset(OrtAllocator* allocator, size_t after) {
  struct failing* self = (struct failing*)allocator;
  __atomic_store_n(&self->refused, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&self->left, after, __ATOMIC_RELAXED);
}

size_t core_failing_refused(const OrtAllocator* allocator) {
  return __atomic_load_n(&((const struct failing*)allocator)->refused, __ATOMIC_RELAXED);
}
