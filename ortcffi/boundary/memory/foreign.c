/* SPDX-License-Identifier: MIT */
#include "memory/adaptor.h"
#include "boundary/memory/foreign.h"

static void* alloc(void* context, size_t size) {
  const ortcffi_lent* lent = context;
  return lent->inner->Alloc(lent->inner, size);
}

static void free_(void* context, void* block) {
  const ortcffi_lent* lent = context;
  lent->inner->Free(lent->inner, block);
}

/* The same status as an object of the other library. */
static OrtStatus* translated(const ortcffi_lent* lent, OrtStatus* status) {
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
  const ortcffi_lent* lent = context;
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
    return lent->target->CreateStatus(ORT_RUNTIME_EXCEPTION, "out of memory for the figures");
  }
  *out = copy;
  return NULL;
}

static OrtStatus* shrink(void* context) {
  const ortcffi_lent* lent = context;
  if (lent->inner->version < 25 || lent->inner->Shrink == NULL) {
    return lent->target->CreateStatus(ORT_NOT_IMPLEMENTED, "this allocator cannot shrink");
  }
  return translated(lent, lent->inner->Shrink(lent->inner));
}

OrtStatus* ortcffi_lend(ortcffi_lent* lent, const OrtMemoryInfo* info, int figures,
                        OrtAllocator** out) {
  struct core_callbacks callbacks = {.alloc = alloc, .free = free_};
  if (figures) {
    callbacks.stats = stats;
    callbacks.shrink = shrink;
  }
  return core_create_from_callbacks(&callbacks, info, lent, out);
}
