/* SPDX-License-Identifier: MIT */
/**
 * @file env.h
 * What a process has one of: the struct behind OrtEnv. The last ReleaseEnv ends it, and a later
 * CreateEnv makes another.
 */
#ifndef ORTCFFI_ENV_H_
#define ORTCFFI_ENV_H_

#include "env/logging.h"
#include "platform/platform.h"

struct core_shared_allocator;

struct OrtEnv {
  /** How often clients have created it, and how many calls use it now. It lives while either is
   * above zero, and is found while the first is. Under the lock of env.c. */
  size_t clients;
  size_t uses;
  struct OrtLogger logger;
  /** A copy of what it was created with; NULL for none. Constant. */
  OrtThreadingOptions* threading;
  /** For what may change. Not to be held while a function of a client's runs. */
  core_mutex lock;
  /** The allocators that sessions share; env_allocators.c has them. Under `lock`. */
  struct core_shared_allocator* allocators;
};

/** The environment, kept alive until core_env_done; NULL where there is none. */
struct OrtEnv* core_env_use(void);

/** Ends a use of the environment, which may end the environment itself. */
void core_env_done(struct OrtEnv* env);

/** Ends the sharing of all allocators. Called once, by the last thread that uses the environment,
 * without a lock. */
void core_env_release_allocators(struct OrtEnv* env);

#endif /* ORTCFFI_ENV_H_ */
