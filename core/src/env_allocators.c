/* SPDX-License-Identifier: MIT */
#include "env.h"

void core_env_release_allocators(struct OrtEnv* env) { env->allocators = NULL; }
