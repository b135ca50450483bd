/* SPDX-License-Identifier: MIT */
/* The default allocator, an OrtAllocator over the heap, and the slots for all allocators. */
#include "memory/allocator.h"

#include "heap/heap.h"
#include "memory/memory_info.h"

bool core_is_own_adaptor(const OrtAllocator* allocator) { return core_is_adaptor(allocator) != 0; }

const OrtMemoryInfo* ORT_API_CALL core_adaptor_info(const OrtAllocator* this_) NO_EXCEPTION {
  const struct core_adaptor* self = (const struct core_adaptor*)this_;
  return self->info != NULL ? self->info : self->inner->Info(self->inner);
}

/* Where core_refuse_free stores the reason while this thread is in AllocatorFree. */
static __thread const char** asking CORE_TLS;

void core_refuse_free(const void* pointer, const char* why) {
  if (asking != NULL) {
    *asking = why;
  } else {
    fprintf(stderr, "ortcffi: Free: pointer %p %s; ignored\n", pointer, why);
  }
}

static void* ORT_API_CALL default_alloc(OrtAllocator* this_, size_t size) NO_EXCEPTION {
  return heap_alloc(size);
}

static const char* complaint(enum heap_verdict verdict) {
  switch (verdict) {
    case HEAP_FOREIGN:
      return "is not a block of this allocator";
    case HEAP_INTERIOR:
      return "points into a block, not to its start";
    default:
      return "was freed before";
  }
}

static CORE_NOINLINE void free_slow(void* p) {
  enum heap_verdict verdict = heap_free_slow(p);
  if (verdict != HEAP_FREED) {
    core_refuse_free(p, complaint(verdict));
  }
}

static void ORT_API_CALL default_free(OrtAllocator* this_, void* p) NO_EXCEPTION {
  if (CORE_UNLIKELY(!heap_try_free(p))) {
    free_slow(p);
  }
}

static const OrtMemoryInfo* ORT_API_CALL default_info(const OrtAllocator* this_) NO_EXCEPTION {
  return &core_cpu_memory_info;
}

static OrtStatus* ORT_API_CALL default_shrink(OrtAllocator* this_) NO_EXCEPTION {
  heap_shrink();
  return NULL;
}

static OrtStatus* ORT_API_CALL default_stats(const OrtAllocator* this_,
                                             OrtKeyValuePairs** out) NO_EXCEPTION {
  CORE_REQUIRE(GetStats, out);
  struct heap_stats stats;
  heap_read_stats(&stats);
  const struct core_figure figures[] = {
      {"InUse", (int64_t)stats.live_bytes},
      {"MaxInUse", (int64_t)stats.peak_bytes},
      {"TotalAllocated", (int64_t)stats.segment_bytes},
      {"NumAllocs", (int64_t)stats.allocations},
      {"NumFrees", (int64_t)stats.frees},
      {"NumArenaExtensions", (int64_t)stats.extensions},
      {"NumArenaShrinkages", (int64_t)stats.shrinkages},
      {"NumBadFrees", (int64_t)stats.bad_frees},
  };
  return core_figures(figures, CORE_COUNT_OF(figures), out);
}

/* Clients get a pointer to non-const, but nothing writes to it. */
const OrtAllocator core_default_allocator = {
    .version = ORT_API_VERSION,
    .Alloc = default_alloc,
    .Free = default_free,
    .Info = default_info,
    .Reserve = default_alloc,
    .GetStats = default_stats,
    .AllocOnStream = NULL,
    .Shrink = default_shrink,
};

CORE_SLOT(ort_GetAllocatorWithDefaultOptions, OrtAllocator** out) {
  *out = CORE_DEFAULT_ALLOCATOR;
  return NULL;
}

/* What is rare is a tail call of a separate function, so that the rest needs no stack frame. */
static CORE_NOINLINE OrtStatus* allocator_alloc_slow(OrtAllocator* ort_allocator, size_t size,
                                                     void** out) {
  CORE_REQUIRE(AllocatorAlloc, ort_allocator, out);
  CORE_FAIL_IF(ort_allocator->Alloc == NULL, ORT_INVALID_ARGUMENT,
               "AllocatorAlloc: ort_allocator has no Alloc");
  void* block = ort_allocator->Alloc(ort_allocator, size);
  CORE_RETURN_IF(block == NULL && size != 0, CORE_OUT_OF_MEMORY(AllocatorAlloc, size));
  *out = block;
  return NULL;
}

ORT_API_STATUS_IMPL(ort_AllocatorAlloc, OrtAllocator* ort_allocator, size_t size, void** out) {
  if (CORE_LIKELY(ort_allocator == &core_default_allocator && out != NULL)) {
    void* block = heap_try_alloc(size);
    if (CORE_LIKELY(block != NULL)) {
      *out = block;
      return NULL;
    }
  }
  return allocator_alloc_slow(ort_allocator, size, out);
}

OrtStatus* core_allocate_text(OrtAllocator* allocator, const void* text, size_t length,
                              char** out) {
  void* block = NULL;
  CORE_TRY(ort_AllocatorAlloc(allocator, length + 1, &block));
  char* copy = block;
  if (length > 0) {
    memcpy(copy, text, length);
  }
  copy[length] = 0;
  *out = copy;
  return NULL;
}

OrtStatus* core_copy_strings(OrtAllocator* allocator, char** strings, size_t count) {
  OrtStatus* status = NULL;
  size_t copied = 0;
  while (status == NULL && copied < count) {
    status = core_allocate_string(allocator, strings[copied], &strings[copied]);
    copied += status == NULL;
  }
  if (status != NULL) {
    while (copied > 0) {
      allocator->Free(allocator, strings[--copied]);
    }
    allocator->Free(allocator, strings);
  }
  return status;
}

static CORE_NOINLINE OrtStatus* allocator_free_slow(OrtAllocator* ort_allocator, void* p) {
  CORE_REQUIRE(AllocatorFree, ort_allocator);
  CORE_FAIL_IF(ort_allocator->Free == NULL, ORT_INVALID_ARGUMENT,
               "AllocatorFree: ort_allocator has no Free");
  const char *why = NULL, **before = asking;
  asking = &why;
  ort_allocator->Free(ort_allocator, p);
  asking = before;
  CORE_RETURN_IF(why != NULL, core_status(ORT_INVALID_ARGUMENT, "AllocatorFree: p %p %s", p, why));
  return NULL;
}

ORT_API_STATUS_IMPL(ort_AllocatorFree, OrtAllocator* ort_allocator, void* p) {
  return CORE_LIKELY(ort_allocator == &core_default_allocator && heap_try_free(p))
             ? NULL
             : allocator_free_slow(ort_allocator, p);
}

CORE_SLOT(ort_AllocatorGetInfo, const OrtAllocator* ort_allocator, const OrtMemoryInfo** out) {
  CORE_FAIL_IF(ort_allocator->Info == NULL, ORT_INVALID_ARGUMENT,
               "AllocatorGetInfo: ort_allocator has no Info");
  *out = ort_allocator->Info(ort_allocator);
  return NULL;
}

/* The struct's version says which fields it has; GetStats exists from this one on. */
#define STATS_SINCE 23

CORE_SLOT(ort_AllocatorGetStats, const OrtAllocator* ort_allocator, OrtKeyValuePairs** out) {
  bool has_stats = ort_allocator->version >= STATS_SINCE && ort_allocator->GetStats != NULL;
  /* As in ONNX Runtime, whose default allocator has none. Its own GetStats has figures. */
  if (has_stats && ort_allocator != &core_default_allocator) {
    return ort_allocator->GetStats(ort_allocator, out);
  }
  return core_figures(NULL, 0, out);
}

void ORT_API_CALL ort_ReleaseAllocator(OrtAllocator* input) NO_EXCEPTION {
  /* There is nothing to release: the core has only the default allocator, which all share. */
}
