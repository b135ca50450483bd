/* SPDX-License-Identifier: MIT */
/**
 * @file env.h
 * The struct behind OrtEnv, of which a process has one. The last ReleaseEnv frees it; a later
 * CreateEnv creates another.
 */
#pragma once

#include "env/logging.h"
#include "object/object.h"
#include "platform/platform.h"

struct core_shared_allocator;
struct core_thread_pool;
struct core_registered_ep;

struct OrtEnv {
  /** A reference for each time that a client created it, and for each call that uses it now. */
  struct core_object object;
  /** How often clients created it: CreateEnv finds it while they have it. Under the lock of env.c.
   */
  size_t clients;
  struct OrtLogger logger;
  /** Whether the libraries of ORTCORE_PROVIDERS are registered. Sessions that choose among them
   * wait for that; CreateEnv does not, which a thread of such a library may call. */
  core_once presets;
  /** A copy of the options that it was created with, or NULL. Constant. */
  OrtThreadingOptions* threading;
  /** The threads that sessions share, until the last client releases it; NULL for none. */
  struct core_thread_pool* threads;
  /** The allocators that sessions share; env_allocators.c has them. Under the lock. */
  struct core_shared_allocator* allocators;
  /** The entries that it was created with, or NULL. Constant. */
  OrtKeyValuePairs* config;
  /** What registered_eps.c has, under the lock: the hardware that was found and the libraries with
   * execution providers, the core's own first, each with a reference; NULL until they are asked
   * for. What GetEpDevices answers. How many of the libraries may invent devices. */
  OrtHardwareDevice* cpu;
  struct core_registered_ep* eps;
  const OrtEpDevice** devices;
  size_t device_count;
  size_t virtual_libraries;
};

/** The environment, which lives at least until core_drop; NULL where there is none. */
struct OrtEnv* core_env_use(void);

/** Unregisters all libraries with execution providers, without a lock. Called when the last client
 * has released the environment, of which each library has a reference. */
void core_env_unregister_eps(struct OrtEnv* env);

/** Releases all shared allocators. Called once, when the environment is freed, without a lock. */
void core_env_release_allocators(struct OrtEnv* env);
