/* SPDX-License-Identifier: MIT */
/* The core's arenas, for Python; core/src/arena/arena.h describes them. */
#ifndef ORTCFFI_BOUNDARY_ARENA_H_
#define ORTCFFI_BOUNDARY_ARENA_H_

#include "onnxruntime_c_api.h"

/* `cfg` is of the core's CreateArenaCfg or CreateArenaCfgV2; NULL for defaults. */
OrtStatus* ortcffi_arena(OrtAllocator* inner, const OrtArenaCfg* cfg, OrtAllocator** out);

#endif /* ORTCFFI_BOUNDARY_ARENA_H_ */
