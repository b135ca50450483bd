/* SPDX-License-Identifier: MIT */
#include "memory/references.h"

#include "memory/allocator.h"
#include "object/object.h"
#include "platform/catching.h"

static void (*foreign_retain)(OrtAllocator*);
static void (*foreign_release)(OrtAllocator*);

void core_set_foreign_references(void (*retain)(OrtAllocator* allocator),
                                 void (*release)(OrtAllocator* allocator)) {
  __atomic_store_n(&foreign_release, release, __ATOMIC_RELEASE);
  __atomic_store_n(&foreign_retain, retain, __ATOMIC_RELEASE);
}

void core_count_on(OrtAllocator* adaptor, const struct core_counter* counter) {
  ((struct core_adaptor*)adaptor)->counter = *counter;
}

void core_retain_adaptor(OrtAllocator* adaptor) {
  core_retain(&((struct core_adaptor*)adaptor)->object);
}

void core_release_adaptor(OrtAllocator* allocator) {
  if (core_is_adaptor(allocator)) {
    core_drop(&((struct core_adaptor*)allocator)->object);
  }
}

void core_allocator_retain(OrtAllocator* allocator) {
  if (allocator == NULL) {
    return;
  }
  if (core_is_adaptor(allocator)) {
    struct core_adaptor* self = (struct core_adaptor*)allocator;
    core_retain(&self->object);
    if (self->counter.retain != NULL) {
      self->counter.retain(self->counter.object);
    }
    return;
  }
  void (*retain)(OrtAllocator*) = __atomic_load_n(&foreign_retain, __ATOMIC_ACQUIRE);
  if (retain != NULL) {
    retain(allocator);
  }
}

void core_allocator_release(OrtAllocator* allocator) {
  if (allocator == NULL) {
    return;
  }
  if (core_is_adaptor(allocator)) {
    struct core_adaptor* self = (struct core_adaptor*)allocator;
    /* The adaptor may be freed below. */
    struct core_counter counter = self->counter;
    core_drop(&self->object);
    if (counter.release != NULL) {
      counter.release(counter.object);
    }
    return;
  }
  void (*release)(OrtAllocator*) = __atomic_load_n(&foreign_release, __ATOMIC_ACQUIRE);
  if (release != NULL) {
    release(allocator);
  }
}

struct request {
  OrtAllocator* allocator;
  size_t size;
  int reserve;
  void* block;
};

static void allocate(void* argument) {
  struct request* request = argument;
  OrtAllocator* allocator = request->allocator;
  request->block = request->reserve ? allocator->Reserve(allocator, request->size)
                                    : allocator->Alloc(allocator, request->size);
}

static void ignore(void* argument, const char* text) { (void)argument, (void)text; }

void* core_alloc_from(OrtAllocator* allocator, size_t size, int reserve) {
  struct request request = {allocator, size, reserve, NULL};
  return core_call_catching(allocate, &request, ignore) ? request.block : NULL;
}
