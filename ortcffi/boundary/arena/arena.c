/* SPDX-License-Identifier: MIT */
#include "arena/arena.h"

#include "boundary/arena/arena.h"

OrtStatus* ortcffi_arena(OrtAllocator* inner, const OrtArenaCfg* cfg, OrtAllocator** out) {
  return core_create_arena(inner, cfg, NULL, out);
}
