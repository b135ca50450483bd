/* SPDX-License-Identifier: MIT */
#include "boundary/limited_api.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "adaptors/adaptor.h"
#include "boundary/gil.h"
#include "boundary/memory/allocators.h"

/* Each block holds a reference to the adaptor: outputs of a session may outlive the environment and
 * all that Python keeps for it. That reference needs no GIL. */
struct foreign {
  OrtAllocator* self;
  _Atomic size_t blocks;
  OrtAllocator* inner;
  const OrtApi* source;
  const OrtApi* target;
  PyObject* kept;
};

static void* alloc_inside(void* context, size_t size) {
  struct foreign* foreign = context;
  void* block = size < CORE_MAY_THROW ? foreign->inner->Alloc(foreign->inner, size)
                                      : core_alloc_from(foreign->inner, size, 0);
  if (block != NULL) {
    atomic_fetch_add(&foreign->blocks, 1);
    core_retain_adaptor(foreign->self);
  }
  return block;
}

/* Takes a block away, unless more were freed than there were. */
static int count_freed(struct foreign* foreign) {
  size_t count = atomic_load(&foreign->blocks);
  while (count > 0 && !atomic_compare_exchange_weak(&foreign->blocks, &count, count - 1)) {
  }
  return count > 0;
}

static void free_inside(void* context, void* block) {
  struct foreign* foreign = context;
  OrtStatus* refusal = core_api()->AllocatorFree(foreign->inner, block);
  if (refusal != NULL) {
    core_api()->ReleaseStatus(refusal);
    core_refuse_free(block, "is not a block of the allocator inside, or was freed before");
  } else if (block != NULL && count_freed(foreign)) {
    core_release_adaptor(foreign->self); /* which may free all of them */
  }
}

/* A copy of a status as an object of the other library. */
static OrtStatus* translated(const struct foreign* foreign, OrtStatus* status) {
  if (status == NULL) {
    return NULL;
  }
  OrtStatus* other = foreign->target->CreateStatus(foreign->source->GetErrorCode(status),
                                                   foreign->source->GetErrorMessage(status));
  foreign->source->ReleaseStatus(status);
  return other;
}

/* An allocator's struct has the field GetStats only from a version on. */
static OrtStatus* stats_inside(void* context, OrtKeyValuePairs** out) {
  const struct foreign* foreign = context;
  OrtKeyValuePairs* figures = NULL;
  if (foreign->inner->version >= 23 && foreign->inner->GetStats != NULL) {
    OrtStatus* status = foreign->inner->GetStats(foreign->inner, &figures);
    if (status != NULL) {
      return translated(foreign, status);
    }
  }
  const char* const* keys = NULL;
  const char* const* values = NULL;
  size_t count = 0;
  if (figures != NULL) {
    foreign->source->GetKeyValuePairs(figures, &keys, &values, &count);
  }
  OrtKeyValuePairs* copy = NULL;
  foreign->target->CreateKeyValuePairs(&copy);
  for (size_t i = 0; copy != NULL && i < count; i++) {
    foreign->target->AddKeyValuePair(copy, keys[i], values[i]);
  }
  foreign->source->ReleaseKeyValuePairs(figures);
  if (copy == NULL) {
    return foreign->target->CreateStatus(ORT_RUNTIME_EXCEPTION, "out of memory for the statistics");
  }
  *out = copy;
  return NULL;
}

static OrtStatus* shrink_inside(void* context) {
  const struct foreign* foreign = context;
  if (foreign->inner->version < 25 || foreign->inner->Shrink == NULL) {
    return foreign->target->CreateStatus(ORT_NOT_IMPLEMENTED, "this allocator cannot shrink");
  }
  return translated(foreign, foreign->inner->Shrink(foreign->inner));
}

static void end_foreign(void* context) {
  struct foreign* foreign = context;
  call_with_gil(drop_reference, foreign->kept);
  free(foreign);
}

OrtStatus* ortcffi_foreign_allocator(OrtAllocator* inner, const OrtApi* source,
                                     const OrtApi* target, const OrtMemoryInfo* info, void* kept,
                                     int figures, OrtAllocator** out) {
  struct core_callbacks callbacks = {
      .alloc = alloc_inside, .free = free_inside, .end = end_foreign};
  if (figures) {
    callbacks.stats = stats_inside;
    callbacks.shrink = shrink_inside;
  }
  struct foreign* foreign = malloc(sizeof *foreign);
  if (foreign == NULL) {
    return core_named("ortcffi_foreign_allocator", core_no_memory(sizeof *foreign));
  }
  *foreign = (struct foreign){NULL, 0, inner, source, target, kept};
  call_with_gil(add_reference_to, kept);
  OrtStatus* status = core_create_from_callbacks(&callbacks, info, foreign, inner, &foreign->self);
  if (status != NULL) {
    end_foreign(foreign);
    return status;
  }
  *out = foreign->self;
  return NULL;
}
