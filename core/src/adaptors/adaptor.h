/* SPDX-License-Identifier: MIT */
/**
 * @file adaptor.h
 * What makes adaptors of functions, and what the adaptors share; see adaptors.h.
 */
#pragma once

#include "adaptors/adaptors.h"
#include "memory/allocator.h"
#include "object/object.h"

#define CORE_DEEPEST_ADAPTOR 100

/** The largest alignment that can be asked for. */
#define CORE_LARGEST_ALIGNMENT ((size_t)2 << 20)

/** Called for a block of `size` bytes that was granted above the limit. */
typedef void (*core_excess_callback)(void* context, size_t size);

/**
 * A limit that refuses nothing: it counts the blocks that go over it, and calls back.
 * @param[in] inner Where the memory comes from.
 * @param[in] limit Bytes.
 * @param[in] callback Called by the allocating thread and under no lock for each block that leaves
 * more bytes in use than the limit; NULL for none. It may allocate and free.
 * @param[in] context The first argument of `callback`.
 * @param[out] out The allocator, for core_release_adaptor.
 */
CORE_FOR_EXTENSION OrtStatus* core_create_soft_limiting(OrtAllocator* inner, size_t limit,
                                                        core_excess_callback callback,
                                                        void* context, OrtAllocator** out);

/** The functions of an allocator. `end` is called after the last use of the context. `alloc` and
 * `free` are required, the others may be NULL. Where `stats` fails, what it has written is
 * released. */
struct core_callbacks {
  void* (*alloc)(void* context, size_t size);
  void (*free)(void* context, void* block);
  OrtStatus* (*stats)(void* context, OrtKeyValuePairs** out);
  OrtStatus* (*shrink)(void* context);
  void (*end)(void* context);
};
/**
 * Makes an allocator from functions.
 * @param[in] callbacks The functions; copied.
 * @param[in] info The memory info that Info returns. Copied if it is the core's own, otherwise
 *     borrowed.
 * @param[in] context The first argument of each function. On failure the caller keeps it.
 * @param[in] inner The allocator that the functions call, or NULL. The new one holds a reference to
 * it.
 * @param[out] out The allocator; free it with core_release_adaptor. */
CORE_FOR_EXTENSION OrtStatus* core_create_from_callbacks(const struct core_callbacks* callbacks,
                                                         const OrtMemoryInfo* info, void* context,
                                                         OrtAllocator* inner, OrtAllocator** out);

/* Shared by the adaptors. */

/**
 * Precedes a block whose adaptor needs data about it. As long as a cache line, so that the block
 * keeps the inner allocator's alignment, up to 64 bytes.
 *
 * The header also says whether a pointer is a block of the adaptor's, so Free reads memory before a
 * pointer that may be anybody's: who frees promises that the pointer is a block, as with any
 * allocator. A table of all blocks would not, but every Alloc and Free would write to it, on all
 * threads, which takes longer than what an adaptor may add (10 ns).
 */
struct core_header {
  uintptr_t key;
  size_t size;
  void* start;
  struct core_header* previous;
  struct core_header* next;
  uint64_t serial;
  uint32_t site;
  struct core_membership* memberships;
};
#define CORE_HEADER ((size_t)64)

/** The class of adaptors whose structs own something that `function` releases before it calls
 * core_end_adaptor. */
#define CORE_ADAPTOR_CLASS(function) \
  {.kind = CORE_ADAPTOR, .offset = offsetof(struct core_adaptor, object), .end = function}
void core_end_adaptor(void* adaptor);

/** Makes a zeroed adaptor of `size` bytes with Alloc and Free, which holds a reference to `inner`.
 * `name` is its name in a status, `class` NULL for one that owns nothing else. */
OrtStatus* core_new_adaptor(const char* name, const struct core_class* class, size_t size,
                            OrtAllocator* inner, void* (*alloc)(OrtAllocator*, size_t),
                            void (*free_)(OrtAllocator*, void*), OrtAllocator** out);
/** Sets what Info returns: a copy if `info` is the core's own, otherwise `info` itself. False when
 * out of memory. */
int core_set_adaptor_info(struct core_adaptor* self, const OrtMemoryInfo* info);
/** Returns NULL if an adaptor can wrap the allocator, otherwise a status that says why not. */
OrtStatus* core_check_inner(const OrtAllocator* inner, const void* out);
/** Allocates from the inner allocator. Those of other libraries may throw when out of memory; for
 * large blocks the cost of catching that does not matter. */
static inline CORE_INLINE void* core_inner_alloc(const struct core_adaptor* self, size_t size) {
  return CORE_LIKELY(size < CORE_MAY_THROW) ? self->inner->Alloc(self->inner, size)
                                            : core_alloc_from(self->inner, size, 0);
}

/** What the header of a block has as its key while the block is in use. */
static inline uintptr_t core_header_key(const struct core_adaptor* self,
                                        const struct core_header* header) {
  return self->mark ^ (uintptr_t)header;
}

/** Fills in the header of a block that is part of the inner allocator's block at `start`. */
static inline void core_write_header(const struct core_adaptor* self, struct core_header* header,
                                     size_t size, void* start) {
  header->key = core_header_key(self, header);
  header->size = size;
  header->start = start;
  header->serial = 0;
}

/** What core_alloc_with_header does for size 0 and for large ones, without filling in the header.
 */
struct core_header* core_alloc_large_with_header(const struct core_adaptor* self, size_t size);

/** Allocates a block of `size` bytes after a header, whose address it returns; NULL for size 0 and
 * when out of memory. */
static inline CORE_INLINE struct core_header* core_alloc_with_header(struct core_adaptor* self,
                                                                     size_t size) {
  struct core_header* header = CORE_LIKELY(size - 1 < CORE_MAY_THROW - CORE_HEADER)
                                   ? self->inner->Alloc(self->inner, size + CORE_HEADER)
                                   : core_alloc_large_with_header(self, size);
  if (CORE_LIKELY(header != NULL)) {
    core_write_header(self, header, size, header);
  }
  return header;
}

/** The block after a header. */
static inline void* core_block_after(struct core_header* header) {
  return (char*)header + CORE_HEADER;
}

/** Returns the header of a block that is in use; NULL for all other pointers, NULL too. */
static inline CORE_INLINE struct core_header* core_plain_header_of(const struct core_adaptor* self,
                                                                   void* block) {
  struct core_header* header = (struct core_header*)((uintptr_t)block - CORE_HEADER);
  return CORE_LIKELY(block != NULL && header->key == core_header_key(self, header)) ? header : NULL;
}

/** Returns the header of a block that is to be freed. If the pointer is no block of this adaptor,
 * calls core_refuse_free and returns NULL, as for NULL. */
struct core_header* core_header_of(const struct core_adaptor* self, void* block);

/** Frees a block by its header. */
static inline void core_free_with_header(struct core_adaptor* self, struct core_header* header) {
  header->key = 0;
  self->inner->Free(self->inner, header->start);
}
