/* SPDX-License-Identifier: MIT */
/* The code that all adaptors share, and the simple adaptors. */
#include "memory/adaptor.h"

#include <stdio.h>
#include <string.h>

#include "heap/heap.h"
#include "memory/memory_info.h"
#include "platform/platform.h"

/* The struct's version says which fields it has; Shrink exists from this one on. */
#define SHRINK_SINCE 25

/* An allocator is an adaptor if its Info is this function. */
static const OrtMemoryInfo* ORT_API_CALL adaptor_info(const OrtAllocator* this_) NO_EXCEPTION {
  const struct core_adaptor* self = (const struct core_adaptor*)this_;
  return self->info != NULL ? self->info : self->inner->Info(self->inner);
}

int core_is_adaptor(const OrtAllocator* allocator) {
  return allocator != NULL && allocator->Info == adaptor_info &&
         ((const struct core_adaptor*)allocator)->mark ==
             (CORE_ADAPTOR_MARK ^ (uintptr_t)allocator);
}

static OrtStatus* ORT_API_CALL inner_shrink(OrtAllocator* this_) NO_EXCEPTION {
  struct core_adaptor* self = (struct core_adaptor*)this_;
  if (self->inner->version >= SHRINK_SINCE && self->inner->Shrink != NULL) {
    return self->inner->Shrink(self->inner);
  }
  return NULL;
}

OrtStatus* core_check_inner(const OrtAllocator* inner, const void* out) {
  if (inner == NULL) {
    CORE_FAIL(ORT_INVALID_ARGUMENT, "inner must not be NULL");
  }
  if (inner->Alloc == NULL || inner->Free == NULL || inner->Info == NULL) {
    CORE_FAIL(ORT_INVALID_ARGUMENT, "inner has no Alloc, Free or Info");
  }
  if (core_is_adaptor(inner) &&
      ((const struct core_adaptor*)inner)->depth >= CORE_DEEPEST_ADAPTOR) {
    CORE_FAIL(ORT_INVALID_ARGUMENT,
              "inner is the outermost of 100 adaptors, and no more are allowed");
  }
  if (out == NULL) {
    CORE_FAIL(ORT_INVALID_ARGUMENT, "out must not be NULL");
  }
  return NULL;
}

struct core_adaptor* core_new_adaptor(size_t size, OrtAllocator* inner,
                                      void* (*alloc)(OrtAllocator*, size_t),
                                      void (*free_)(OrtAllocator*, void*)) {
  struct core_adaptor* self = heap_alloc(size);
  if (self == NULL) {
    return NULL;
  }
  memset(self, 0, size);
  self->base.version = ORT_API_VERSION;
  self->base.Alloc = alloc;
  self->base.Reserve = alloc;
  self->base.Free = free_;
  self->base.Info = adaptor_info;
  self->base.Shrink = inner_shrink;
  self->inner = inner;
  self->mark = CORE_ADAPTOR_MARK ^ (uintptr_t)self;
  self->references = 1;
  self->depth = core_is_adaptor(inner) ? ((struct core_adaptor*)inner)->depth + 1 : 1;
  core_allocator_retain(inner);
  heap_created(CORE_ADAPTOR);
  return self;
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

/* Where core_refuse_free stores the reason while this thread is in core_free_asking. */
static __thread const char** asking __attribute__((tls_model("initial-exec")));

/* Whether the header before a pointer cannot be read. A call of the system is needed only where the
 * memory is not of the core's heap. */
static int has_unreadable_header(const void* pointer) {
  struct core_header header;
  const void* first = (const void*)((uintptr_t)pointer - CORE_HEADER);
  const void* last = (const void*)((uintptr_t)pointer - 1);
  return !(heap_can_read(first) && heap_can_read(last)) &&
         core_read_memory(first, &header, sizeof header) == CORE_READ_FAULT;
}

int core_free_asking(OrtAllocator* allocator, void* pointer, const char** why) {
  if (CORE_UNLIKELY(!core_is_adaptor(allocator))) {
    return 0;
  }
  *why = NULL;
  if (CORE_UNLIKELY(pointer != NULL && ((struct core_adaptor*)allocator)->reads_header &&
                    has_unreadable_header(pointer))) {
    *why = "is not a block of this allocator: the memory before it cannot be read";
    return 1;
  }
  const char** before = asking;
  asking = why;
  allocator->Free(allocator, pointer);
  asking = before;
  return 1;
}

void core_refuse_free(const void* pointer, const char* why) {
  if (asking != NULL) {
    *asking = why;
  } else {
    fprintf(stderr, "ortcffi: Free: pointer %p %s; ignored\n", pointer, why);
  }
}

struct core_header* core_no_header(const void* pointer) {
  core_refuse_free(pointer,
                   "is not a block of this allocator, or was freed before, or the block in front "
                   "of it was overrun");
  return NULL;
}

/* Aligned: the header directly precedes the aligned address, which may be anywhere in the block. */

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
  if (alignment == 0 || (alignment & (alignment - 1)) != 0 || alignment > CORE_LARGEST_ALIGNMENT) {
    CORE_FAIL(ORT_INVALID_ARGUMENT, "alignment must be a power of two up to 2 MiB");
  }
  struct aligned* self =
      (struct aligned*)core_new_adaptor(sizeof *self, inner, aligned_alloc_, headed_free);
  if (self == NULL) {
    return CORE_OUT_OF_MEMORY(Aligned, sizeof *self);
  }
  self->adaptor.reads_header = 1;
  /* The header needs an alignment of its own. */
  self->alignment = alignment < sizeof(void*) ? sizeof(void*) : alignment;
  *out = &self->adaptor.base;
  return NULL;
}

/* Failing. */

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

/* Observing. */

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
  if (observer == NULL) {
    CORE_FAIL(ORT_INVALID_ARGUMENT, "observer must not be NULL");
  }
  struct observing* self =
      (struct observing*)core_new_adaptor(sizeof *self, inner, observing_alloc, observing_free);
  if (self == NULL) {
    return CORE_OUT_OF_MEMORY(Observing, sizeof *self);
  }
  self->adaptor.reads_header = 1;
  self->observer = observer;
  self->context = context;
  *out = &self->adaptor.base;
  return NULL;
}

/* From callbacks. */

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
  return self->callbacks.stats(self->context, out);
}

static OrtStatus* ORT_API_CALL callback_shrink(OrtAllocator* this_) NO_EXCEPTION {
  struct callback_allocator* self = (struct callback_allocator*)this_;
  return self->callbacks.shrink(self->context);
}

static void callback_end(struct core_adaptor* adaptor) {
  struct callback_allocator* self = (struct callback_allocator*)adaptor;
  if (self->callbacks.end != NULL) {
    self->callbacks.end(self->context);
  }
}

OrtStatus* core_create_from_callbacks(const struct core_callbacks* callbacks,
                                      const OrtMemoryInfo* info, void* context, OrtAllocator* inner,
                                      OrtAllocator** out) {
  if (callbacks == NULL || callbacks->alloc == NULL || callbacks->free == NULL) {
    CORE_FAIL(ORT_INVALID_ARGUMENT, "callbacks must have alloc and free");
  }
  if (info == NULL || out == NULL) {
    CORE_FAIL(ORT_INVALID_ARGUMENT, "info and out must not be NULL");
  }
  if (inner != NULL) {
    CORE_TRY(core_check_inner(inner, out));
  }
  struct callback_allocator* self = (struct callback_allocator*)core_new_adaptor(
      sizeof *self, inner, callback_alloc, callback_free);
  if (self == NULL || !core_set_adaptor_info(&self->adaptor, info)) {
    core_release_adaptor((OrtAllocator*)self);
    return CORE_OUT_OF_MEMORY(CallbackAllocator, sizeof *self);
  }
  self->callbacks = *callbacks;
  self->context = context;
  self->adaptor.end = callback_end;
  self->adaptor.base.GetStats = callbacks->stats != NULL ? callback_stats : NULL;
  self->adaptor.base.Shrink = callbacks->shrink != NULL ? callback_shrink : NULL;
  *out = &self->adaptor.base;
  return NULL;
}
