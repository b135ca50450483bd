/* SPDX-License-Identifier: MIT */
/**
 * @file registered_eps.h
 * The libraries with execution providers that an environment has.
 *
 * The environment has a reference to each until it is unregistered. Options and sessions have more:
 * the library ends with the last one, and so does the environment, whose logger it was given.
 */
#pragma once

#include "env/env.h"
#include "ep/library.h"
#include "core.h"
#include "memory/memory_info.h"

struct core_registered_ep {
  struct core_ep_library library;
  struct core_registered_ep* next;
  /** A reference. */
  struct OrtEnv* env;
  /** What the environment shared of it until it was unregistered. */
  struct core_shared_allocator* allocators;
  bool is_virtual;
  /** The options of a library that ORTCORE_PROVIDERS names; NULL for others. */
  OrtKeyValuePairs* preset;
};

/** Has the environment share allocators for the memories of the library's devices that it shares
 * none for yet. */
OrtStatus* core_share_ep_memories(struct OrtEnv* env, struct core_registered_ep* ep);

/** Takes those allocators away from the environment; they end with the library. Under the lock. */
void core_take_ep_allocators(struct OrtEnv* env, struct core_registered_ep* ep);

/** A library of the environment, with a reference: that after `last`, whose reference it takes, or
 * the first one for NULL. NULL after the last one, or where `last` was unregistered. */
struct core_registered_ep* core_next_ep(const struct OrtEnv* env, struct core_registered_ep* last);

/** Finds the hardware, and lists the core's own execution provider, if that was not done yet. */
OrtStatus* core_env_find_devices(const OrtEnv* env);

/** The devices of all libraries, in an array of the caller's. Each has a reference to its library,
 * so that it lives until core_env_leave_devices, which frees the array. */
OrtStatus* core_env_use_devices(const OrtEnv* env, const OrtEpDevice*** out, size_t* count);
void core_env_leave_devices(const OrtEpDevice** devices, size_t count);

/** RegisterExecutionProviderLibrary, with the base and the hardware that the library is given; NULL
 * for the core's own and for what was found. */
CORE_FOR_EXTENSION OrtStatus* ORT_API_CALL core_register_ep_library(
    OrtEnv* env, const OrtApiBase* base, const char* name, const ORTCHAR_T* path,
    const OrtHardwareDevice* const* hardware, size_t hardware_count);

/** Registers the libraries that ORTCORE_PROVIDERS names, once, and logs each, also where it fails.
 * Waits while another thread does so. */
void core_env_register_presets(struct OrtEnv* env);

/** Adds their devices, in the order of the variable, to options that have no execution provider.
 * Waits until the libraries are registered. */
OrtStatus* core_choose_presets(struct OrtEnv* env, OrtSessionOptions* options);

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
