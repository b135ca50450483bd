/* SPDX-License-Identifier: MIT */
/** @file preset_eps.h Execution providers that the environment variable ORTCORE_PROVIDERS names. */
#pragma once

#include "core.h"

/** Registers the libraries that the variable names, and logs each, also where it fails. */
void core_env_register_presets(struct OrtEnv* env);

/** Adds their devices, in the order of the variable, to options that have no execution provider. */
OrtStatus* core_choose_presets(const struct OrtEnv* env, OrtSessionOptions* options);
