/* SPDX-License-Identifier: MIT */
#include "boundary/limited_api.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "adaptors/adaptor.h"
#include "boundary/gil.h"
#include "boundary/memory/foreign.h"

/* Blocks keep the adaptor: what a session has made may outlive the environment and all that Python
 * keeps for it. A block's reference needs no GIL. */
struct lent {
  OrtAllocator* self;
  _Atomic size_t blocks;
  OrtAllocator* inner;
  const OrtApi* source;
  const OrtApi* target;
  PyObject* kept;
};

static void* alloc(void* context, size_t size) {
  struct lent* lent = context;
  void* block = size < CORE_MAY_THROW ? lent->inner->Alloc(lent->inner, size)
                                      : core_alloc_from(lent->inner, size, 0);
  if (block != NULL) {
    atomic_fetch_add(&lent->blocks, 1);
    core_retain_adaptor(lent->self);
  }
  return block;
}

/* Takes a block away, unless more were freed than there were. */
static int take_block(struct lent* lent) {
  size_t count = atomic_load(&lent->blocks);
  while (count > 0 && !atomic_compare_exchange_weak(&lent->blocks, &count, count - 1)) {
  }
  return count > 0;
}

static void free_(void* context, void* block) {
  struct lent* lent = context;
  OrtStatus* refusal = ort_AllocatorFree(lent->inner, block);
  if (refusal != NULL) {
    ort_ReleaseStatus(refusal);
    core_refuse_free(block, "is not a block of the allocator inside, or was freed before");
  } else if (block != NULL && take_block(lent)) {
    core_release_adaptor(lent->self); /* which may free all of them */
  }
}

/* The same status as an object of the other library. */
static OrtStatus* translated(const struct lent* lent, OrtStatus* status) {
  if (status == NULL) {
    return NULL;
  }
  OrtStatus* other = lent->target->CreateStatus(lent->source->GetErrorCode(status),
                                                lent->source->GetErrorMessage(status));
  lent->source->ReleaseStatus(status);
  return other;
}

/* Fields that came with a version are there only in structs of that version. */
static OrtStatus* stats(void* context, OrtKeyValuePairs** out) {
  const struct lent* lent = context;
  OrtKeyValuePairs* figures = NULL;
  if (lent->inner->version >= 23 && lent->inner->GetStats != NULL) {
    OrtStatus* status = lent->inner->GetStats(lent->inner, &figures);
    if (status != NULL) {
      return translated(lent, status);
    }
  }
  const char* const* keys = NULL;
  const char* const* values = NULL;
  size_t count = 0;
  if (figures != NULL) {
    lent->source->GetKeyValuePairs(figures, &keys, &values, &count);
  }
  OrtKeyValuePairs* copy = NULL;
  lent->target->CreateKeyValuePairs(&copy);
  for (size_t i = 0; copy != NULL && i < count; i++) {
    lent->target->AddKeyValuePair(copy, keys[i], values[i]);
  }
  lent->source->ReleaseKeyValuePairs(figures);
  if (copy == NULL) {
    return lent->target->CreateStatus(ORT_RUNTIME_EXCEPTION, "out of memory for the statistics");
  }
  *out = copy;
  return NULL;
}

static OrtStatus* shrink(void* context) {
  const struct lent* lent = context;
  if (lent->inner->version < 25 || lent->inner->Shrink == NULL) {
    return lent->target->CreateStatus(ORT_NOT_IMPLEMENTED, "this allocator cannot shrink");
  }
  return translated(lent, lent->inner->Shrink(lent->inner));
}

static void end_lent(void* context) {
  struct lent* lent = context;
  call_with_gil(drop_reference, lent->kept);
  free(lent);
}

OrtStatus* ortcffi_lend(OrtAllocator* inner, const OrtApi* source, const OrtApi* target,
                        const OrtMemoryInfo* info, ortcffi_object* kept, int figures,
                        OrtAllocator** out) {
  struct core_callbacks callbacks = {.alloc = alloc, .free = free_, .end = end_lent};
  if (figures) {
    callbacks.stats = stats;
    callbacks.shrink = shrink;
  }
  struct lent* lent = malloc(sizeof *lent);
  if (lent == NULL) {
    return core_no_memory("ortcffi_lend", sizeof *lent);
  }
  *lent = (struct lent){NULL, 0, inner, source, target, Py_NewRef((PyObject*)kept)};
  OrtStatus* status = core_create_from_callbacks(&callbacks, info, lent, inner, &lent->self);
  if (status != NULL) {
    end_lent(lent);
    return status;
  }
  *out = lent->self;
  return NULL;
}
