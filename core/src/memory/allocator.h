/* SPDX-License-Identifier: MIT */
/**
 * @file allocator.h
 * What the slots for allocators know of the core's own ones: adaptors, arenas and allocators of
 * functions all begin with struct core_adaptor. The default allocator is a constant without it.
 */
#pragma once

#include "memory/references.h"

/** What GetAllocatorWithDefaultOptions answers; a constant. */
extern const OrtAllocator core_default_allocator;
#define CORE_DEFAULT_ALLOCATOR ((OrtAllocator*)&core_default_allocator)

/** Mixed with its address it marks a live adaptor; an ended one has no mark. */
#define CORE_ADAPTOR_MARK ((uintptr_t)0x6f7274636666u)

struct core_adaptor {
  OrtAllocator base;
  struct core_object object;
  /** The wrapped allocator; NULL for an allocator from functions that wraps none. */
  OrtAllocator* inner;
  uintptr_t mark;
  /** 1 for an adaptor around an allocator that is no adaptor. */
  uint32_t depth;
  /** The memory info that Info returns; NULL for the inner allocator's. */
  const OrtMemoryInfo* info;
  /** The copy behind `info`, if there is one. */
  OrtMemoryInfo* own_info;
  struct core_counter counter;
  /** The table of the library that the inner allocator's statuses belong to; NULL for the core. */
  const OrtApi* inner_api;
};

/** Copies a text, which need not be terminated, into a string in memory of a caller's allocator. */
OrtStatus* core_allocate_text(OrtAllocator* allocator, const void* text, size_t length, char** out);

/** The same for a text with a terminator. */
static inline OrtStatus* core_allocate_string(OrtAllocator* allocator, const char* text,
                                              char** out) {
  return core_allocate_text(allocator, text, strlen(text), out);
}

/** Replaces the strings of an array, which is the allocator's, by copies; on failure frees the
 * array. */
OrtStatus* core_copy_strings(OrtAllocator* allocator, char** strings, size_t count);

/** The Info of every adaptor, and of no other allocator. */
const OrtMemoryInfo* ORT_API_CALL core_adaptor_info(const OrtAllocator* this_) NO_EXCEPTION;

/** Whether the core made this allocator, as an adaptor, an arena or from functions. */
static inline CORE_INLINE int core_is_adaptor(const OrtAllocator* allocator) {
  return allocator != NULL && allocator->Info == core_adaptor_info &&
         ((const struct core_adaptor*)allocator)->mark ==
             (CORE_ADAPTOR_MARK ^ (uintptr_t)allocator);
}

/** core_is_adaptor for the extension, in which core_adaptor_info may have another address. */
CORE_FOR_EXTENSION bool core_is_own_adaptor(const OrtAllocator* allocator);

/** Reports why a pointer cannot be freed, as the end of a sentence: to AllocatorFree if that is the
 * caller, otherwise on stderr. */
CORE_FOR_EXTENSION void core_refuse_free(const void* pointer, const char* why);
