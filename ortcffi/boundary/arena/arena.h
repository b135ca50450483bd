/* SPDX-License-Identifier: MIT */
/* The core's arenas, for Python; core/src/arena/arena.h describes them. */
#ifndef ORTCFFI_BOUNDARY_ARENA_H_
#define ORTCFFI_BOUNDARY_ARENA_H_

#include "onnxruntime_c_api.h"

/* `cfg` is of the core's CreateArenaCfg or CreateArenaCfgV2; NULL for defaults. */
OrtStatus* ortcffi_arena(OrtAllocator* inner, const OrtArenaCfg* cfg, OrtAllocator** out);

/* From now on a fork finds the locks of arenas free. To be called while there is one thread: a fork
 * while another registers its handlers would miss them. */
void ortcffi_arenas_begin(void);

#endif /* ORTCFFI_BOUNDARY_ARENA_H_ */
