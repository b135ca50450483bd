/* SPDX-License-Identifier: MIT */
/**
 * @file shared_allocators.h
 * The list of allocators that an environment shares, for the files that add to it: clients register
 * some (env_allocators.c), execution providers make some (ep_allocators.c).
 */
#pragma once

#include "env/env.h"
#include "memory/memory_info.h"

struct core_registered_ep;

struct core_shared_allocator {
  struct core_shared_allocator* next;
  /** A copy of the description of its memory; a name that is no literal follows the struct. */
  struct OrtMemoryInfo info;
  /** The environment has a reference to it. */
  OrtAllocator* allocator;
  /** Created here, so that the reference is the creator's. */
  int is_owned;
  /** The factory that made it, and the library of that, which takes it off the list before it ends.
   * NULL for any other. */
  OrtEpFactory* factory;
  struct core_registered_ep* maker;
};

/** An entry for memory without an allocator yet; NULL where there is no memory. */
struct core_shared_allocator* core_describe_shared(const struct OrtMemoryInfo* info);

/** Lists an allocator. It replaces the one with the same memory and name, which is freed. */
void core_share_allocator(struct OrtEnv* env, struct core_shared_allocator* shared);

/** Takes the allocator with the same memory and name off the list, and frees it. */
OrtStatus* core_unshare_allocator(struct OrtEnv* env, const struct OrtMemoryInfo* info);

/** Whether the environment shares an allocator for some memory, whatever its name. */
bool core_is_shared_memory(const struct OrtEnv* env, const struct OrtMemoryInfo* info);

/** Frees an entry that is on no list, with what it has of its allocator. Without a lock. */
void core_free_shared(struct core_shared_allocator* shared);

/** Gives an allocator of a provider back to the factory that made it. */
void core_release_ep_allocator(struct core_shared_allocator* shared);

/** Whether two descriptions are of the same device and memory, whatever their names. */
bool core_is_same_memory(const struct OrtMemoryInfo* a, const struct OrtMemoryInfo* b);
