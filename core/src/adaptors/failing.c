/* SPDX-License-Identifier: MIT */
/* An adaptor that allocates a number of blocks and then fails, for tests. */
#include "adaptors/adaptor.h"

struct failing {
  struct core_adaptor adaptor;
  /* The allocations that may still succeed; below 0 the number of those refused. One atomic
   * operation per allocation, exact with any number of threads. */
  int64_t left;
};

static int64_t allowed(size_t after) { return after > INT64_MAX ? INT64_MAX : (int64_t)after; }

static void* ORT_API_CALL failing_alloc(OrtAllocator* this_, size_t size) NO_EXCEPTION {
  struct failing* self = (struct failing*)this_;
  if (size == 0) {
    return NULL;
  }
  if (CORE_UNLIKELY(__atomic_sub_fetch(&self->left, 1, __ATOMIC_RELAXED) < 0)) {
    return NULL;
  }
  return core_inner_alloc(&self->adaptor, size);
}

static void ORT_API_CALL inner_free(OrtAllocator* this_, void* p) NO_EXCEPTION {
  struct core_adaptor* self = (struct core_adaptor*)this_;
  self->inner->Free(self->inner, p);
}

OrtStatus* core_create_failing(OrtAllocator* inner, size_t after, OrtAllocator** out) {
  CORE_TRY(core_check_inner(inner, out));
  CORE_TRY(core_new_adaptor("Failing", NULL, sizeof(struct failing), inner, failing_alloc,
                            inner_free, out));
  struct failing* self = (struct failing*)*out;
  self->left = allowed(after);
  return NULL;
}

void core_failing_reset(OrtAllocator* allocator, size_t after) {
  struct failing* self = (struct failing*)allocator;
  __atomic_store_n(&self->left, allowed(after), __ATOMIC_RELAXED);
}

size_t core_failing_refused(const OrtAllocator* allocator) {
  int64_t left = __atomic_load_n(&((const struct failing*)allocator)->left, __ATOMIC_RELAXED);
  return left < 0 ? (size_t)-left : 0;
}
