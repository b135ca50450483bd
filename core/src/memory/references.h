/* SPDX-License-Identifier: MIT */
/**
 * @file references.h
 * Reference counts of allocators.
 *
 * Whatever stores an OrtAllocator to call it later (a value, an array's block, an environment, an
 * adaptor) holds a reference: it calls core_allocator_retain first and core_allocator_release after
 * its last call. The last release frees the allocator, on any thread. Callers need not know where
 * an allocator is from:
 *
 *   adaptors, arenas,         The count is in the struct. Who creates one has the first reference,
 *   allocators of functions   and gives it up with core_release_adaptor.
 *   allocators of others      core_set_foreign_references says who counts for these. Without that,
 *                             and for allocators that are never freed, both functions do nothing.
 *
 * Neither may be called while a lock of the core is held: the last release calls the inner
 * allocator, and those who also count (core_set_foreign_references, core_count_on) may take locks
 * of their own. Retain only what cannot end meanwhile: the caller has a reference, or was given the
 * allocator by code that has one.
 */
#pragma once

#include "core.h"

/** Adds a reference. Does nothing for NULL. */
CORE_FOR_EXTENSION void core_allocator_retain(OrtAllocator* allocator);

/** Drops a reference that core_allocator_retain added. Does nothing for NULL. */
CORE_FOR_EXTENSION void core_allocator_release(OrtAllocator* allocator);

/** Adds a reference to an adaptor, for core_release_adaptor, that counts on no other object. */
CORE_FOR_EXTENSION void core_retain_adaptor(OrtAllocator* adaptor);

/** Drops the creator's reference to an adaptor. Does nothing for NULL and other allocators. */
CORE_FOR_EXTENSION void core_release_adaptor(OrtAllocator* allocator);

/** An object with a reference count that follows the allocator's, so that the object exists as long
 * as the allocator is used. The creator's reference is not counted there: usually the object
 * itself holds that one. */
struct core_counter {
  void* object;
  void (*retain)(void* object);
  void (*release)(void* object);
};

/** Makes references to an adaptor count on an object, too. Call it before any other code has the
 * adaptor. */
CORE_FOR_EXTENSION void core_count_on(OrtAllocator* adaptor, const struct core_counter* counter);

/** From this size on, exceptions that allocators of other libraries throw are caught. */
#define CORE_MAY_THROW ((size_t)1 << 20)

/** Calls Alloc, or Reserve if `reserve`, of an allocator that may be another library's. If that
 * throws, returns NULL, on platforms where exceptions can be caught. */
CORE_FOR_EXTENSION void* core_alloc_from(OrtAllocator* allocator, size_t size, int reserve);

/** Sets the functions that count references of allocators that are not the core's; NULL for none.
 * They are called for every such allocator, also for unknown ones. One pair for the process. */
CORE_FOR_EXTENSION void core_set_foreign_references(void (*retain)(OrtAllocator* allocator),
                                                    void (*release)(OrtAllocator* allocator));
