/* SPDX-License-Identifier: MIT */
/**
 * @file references.h
 * Reference counts of allocators.
 *
 * Whatever keeps an OrtAllocator to call it later (a value, an array's block, an environment, an
 * allocator around it) holds a reference: core_allocator_retain when it begins to keep it, and
 * core_allocator_release after its last call. The last release ends the allocator, whoever that is
 * and on whatever thread. Users need not know where an allocator is from:
 *
 *   adaptors, arenas,         The count is in the struct. Who creates one has the first reference,
 *   allocators of functions   and gives it up with core_release_adaptor.
 *   allocators of others      core_set_foreign_references says who counts for these. Without that,
 *                             and for allocators that are never freed, both functions do nothing.
 *
 * Neither may be called while a lock of the core is held: the last release calls the inner
 * allocator, and where Python counts too both take the GIL. Retain only what cannot end meanwhile:
 * the caller has a reference, or was given the allocator by somebody who has one.
 */
#ifndef ORTCFFI_REFERENCES_H_
#define ORTCFFI_REFERENCES_H_

#include "core.h"

/** Adds a reference. NULL is left alone. */
void core_allocator_retain(OrtAllocator* allocator);

/** Drops a reference that core_allocator_retain added. NULL is left alone. */
void core_allocator_release(OrtAllocator* allocator);

/** An object that counts references as well, so that it stays as long as somebody uses the
 * allocator. The creator's reference does not count on it: usually the object itself has that one.
 */
struct core_counter {
  void* object;
  void (*retain)(void* object);
  void (*release)(void* object);
};

/** From now on references to an adaptor count on an object, too. To be called before anybody else
 * knows the adaptor. */
void core_count_on(OrtAllocator* adaptor, const struct core_counter* counter);

/** Calls Alloc, or Reserve where `reserve`, of an allocator that may be another library's. What it
 * throws for a size that it cannot have is NULL, where the platform can catch it. */
void* core_alloc_from(OrtAllocator* allocator, size_t size, int reserve);

/** Functions that count references of allocators that are not the core's, or none for NULL. They
 * are called for each such allocator, also for those that they do not know. One for the process. */
void core_set_foreign_references(void (*retain)(OrtAllocator* allocator),
                                 void (*release)(OrtAllocator* allocator));

#endif /* ORTCFFI_REFERENCES_H_ */
