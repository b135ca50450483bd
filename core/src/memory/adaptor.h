/* SPDX-License-Identifier: MIT */
/**
 * @file adaptor.h
 * Adaptors: allocators around allocators. Each is an OrtAllocator that any provider of the table
 * accepts, and may stand around any other allocator, of any library.
 *
 * For all of them: an adaptor holds a reference to the inner allocator (references.h); size 0 is
 * NULL; a size that cannot be had is NULL; Reserve is Alloc; Info and Shrink are the inner
 * allocator's; AllocOnStream is NULL. The creator's reference is dropped by core_release_adaptor,
 * and the adaptor ends with its last reference; its blocks must not be freed after that. Creation
 * answers ORT_INVALID_ARGUMENT naming the argument. At most CORE_DEEPEST_ADAPTOR adaptors may stand
 * around each other, because each of them calls the next on the same stack.
 */
#ifndef ORTCFFI_ADAPTOR_H_
#define ORTCFFI_ADAPTOR_H_

#include "core.h"
#include "memory/references.h"
#include "memory/tracking_figures.h"

#define CORE_DEEPEST_ADAPTOR 100

/** From this size on, exceptions of inner allocators are caught. */
#define CORE_MAY_THROW ((size_t)1 << 20)

/** Alignments up to this can be asked for. */
#define CORE_LARGEST_ALIGNMENT ((size_t)2 << 20)

/** Blocks start at multiples of `alignment`, a power of two up to 2 MiB. */
OrtStatus* core_create_aligned(OrtAllocator* inner, size_t alignment, OrtAllocator** out);

/** Never more than `limit` bytes in use at once. Threads keep a little in reserve, each at most a
 * 1024th of the limit and 64 KiB, so that with several of them a block may be refused that much
 * early for each other thread. */
OrtStatus* core_create_limiting(OrtAllocator* inner, size_t limit, OrtAllocator** out);

/** Bytes in use. */
int64_t core_limiting_in_use(const OrtAllocator* allocator);

/** Fails every allocation after the first `after`. */
OrtStatus* core_create_failing(OrtAllocator* inner, size_t after, OrtAllocator** out);
/** Begins anew: the next `after` allocations succeed. */
void core_failing_reset(OrtAllocator* allocator, size_t after);
/** Allocations refused since the last reset. */
size_t core_failing_refused(const OrtAllocator* allocator);

/** What an observer is told. */
enum core_event { CORE_ALLOCATED, CORE_REFUSED, CORE_FREED };
typedef void (*core_observer)(void* context, int event, void* block, size_t size);

/** Calls `observer` for each call, on the thread that made it and under no lock. */
OrtStatus* core_create_observing(OrtAllocator* inner, core_observer observer, void* context,
                                 OrtAllocator** out);

/** The functions of an allocator. `end` is called after the last use of the context. All but alloc
 * and free may be NULL. */
struct core_callbacks {
  void* (*alloc)(void* context, size_t size);
  void (*free)(void* context, void* block);
  OrtStatus* (*stats)(void* context, OrtKeyValuePairs** out);
  OrtStatus* (*shrink)(void* context);
  void (*end)(void* context);
};
/**
 * Makes an allocator of functions.
 * @param[in] callbacks The functions; copied.
 * @param[in] info What Info answers. Copied if it is the core's own, otherwise borrowed.
 * @param[in] context The first argument of each. On failure it stays the caller's.
 * @param[in] inner The allocator that the functions call, to which a reference is held; may be
 * NULL.
 * @param[out] out The allocator, for core_release_adaptor.
 */
OrtStatus* core_create_from_callbacks(const struct core_callbacks* callbacks,
                                      const OrtMemoryInfo* info, void* context, OrtAllocator* inner,
                                      OrtAllocator** out);

/** @name Tracking
 * Counts what goes through it.
 * @{ */
/** From now on a fork finds the lock of the recorded blocks free. Otherwise that begins with the
 * first tracking adaptor. */
void core_tracking_begin(void);
OrtStatus* core_create_tracking(OrtAllocator* inner, OrtAllocator** out);
void core_tracking_read(OrtAllocator* allocator, struct core_tracking_figures* out);
/** The most bytes in use since the last call of this; the next begins with those in use now. */
int64_t core_tracking_take_window(OrtAllocator* allocator);
/** From now on blocks are numbered and listed, or no longer. */
void core_tracking_record(OrtAllocator* allocator, int on);
/** The recorded blocks in use with numbers above `since`: fills up to `capacity` and returns how
 * many there are. */
size_t core_tracking_blocks(OrtAllocator* allocator, uint64_t since, struct core_tracked_block* out,
                            size_t capacity);
/** From now on `source` is asked, by the allocating thread and under no lock, from which place in
 * the program a recorded block is taken; NULL for nobody. One for the process. */
void core_set_site_source(uint32_t (*source)(void));
/** @} */

/** Drops the creator's reference to an adaptor. NULL and other allocators are left alone. */
void core_release_adaptor(OrtAllocator* allocator);

/* What the adaptors share among themselves. */

struct core_adaptor {
  OrtAllocator base;
  /** NULL for an allocator of functions that stands around no other. */
  OrtAllocator* inner;
  /** What Info answers; NULL for what the inner allocator answers. */
  const OrtMemoryInfo* info;
  /** The copy behind `info`, if there is one. */
  OrtMemoryInfo* own_info;
  /** Frees what the adaptor has beside its own block; may be NULL. */
  void (*end)(struct core_adaptor* self);
  struct core_counter counter;
  uintptr_t mark;
  size_t references;
  /** 1 for an adaptor around an allocator that is no adaptor. */
  uint32_t depth;
};

/** Whether the core made this allocator, as an adaptor, an arena or from functions. */
int core_is_adaptor(const OrtAllocator* allocator);

/** Stands in front of blocks whose adaptor must know more of them than their address. As long as a
 * cache line, so that the block stays as aligned as the inner allocator made it. */
struct core_header {
  uintptr_t key;
  size_t size;
  void* start;
  struct core_header* previous;
  struct core_header* next;
  uint64_t serial;
  uint32_t site;
};
#define CORE_HEADER ((size_t)64)

/** A zeroed adaptor of `size` bytes with Alloc and Free, which holds a reference to `inner`; NULL
 * without memory. */
struct core_adaptor* core_new_adaptor(size_t size, OrtAllocator* inner,
                                      void* (*alloc)(OrtAllocator*, size_t),
                                      void (*free_)(OrtAllocator*, void*));
/** Says what Info answers: a copy if `info` is the core's own, otherwise `info` itself. False
 * without memory. */
int core_set_adaptor_info(struct core_adaptor* self, const OrtMemoryInfo* info);
/** Why an allocator cannot be the inner one of an adaptor; NULL if it can. */
OrtStatus* core_check_inner(const OrtAllocator* inner, const void* out);
/** A block with a header from the inner allocator; NULL where there is none. */
void* core_alloc_with_header(struct core_adaptor* self, size_t size, struct core_header** header);
/** Frees a pointer through an adaptor. If that refuses the pointer, the answer is why, as the end
 * of a sentence, and nothing is printed; otherwise NULL. */
const char* core_free_asking(OrtAllocator* adaptor, void* pointer);
/** Says why a pointer cannot be freed: to core_free_asking, or on stderr. */
void core_refuse_free(const void* pointer, const char* why);
/** A block of the inner allocator. Other libraries' throw for sizes that they cannot have, which
 * costs little to catch where a block is large. */
static inline CORE_INLINE void* core_inner_alloc(const struct core_adaptor* self, size_t size) {
  return CORE_LIKELY(size < CORE_MAY_THROW) ? self->inner->Alloc(self->inner, size)
                                            : core_alloc_from(self->inner, size, 0);
}

/** The header of a block of this adaptor; NULL, after core_refuse_free, if it is none. */
struct core_header* core_header_of(struct core_adaptor* self, void* block);
/** Frees a block by its header. */
static inline void core_free_with_header(struct core_adaptor* self, struct core_header* header) {
  header->key = 0;
  self->inner->Free(self->inner, header->start);
}

#endif /* ORTCFFI_ADAPTOR_H_ */
