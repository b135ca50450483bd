/* SPDX-License-Identifier: MIT */
/* OrtArenaCfg: the settings of arenas, and their checks. */

#include "arena/arena.h"
#include "object/object.h"

static const struct core_class cfg_class = {.kind = CORE_ARENA_CFG};

const struct OrtArenaCfg core_default_arena_cfg = {
    {&cfg_class, CORE_PERMANENT, 0}, 0, -1, -1, -1, -1, -1};

/* A key of CreateArenaCfgV2, and the numbers that it takes beside -1, the default. */
struct key {
  const char* name;
  /** Its offset in OrtArenaCfg; -1 if it has no field there. */
  int offset;
  int64_t most;
};

#define AT(field) (int)offsetof(struct OrtArenaCfg, field)
static const struct key keys[] = {
    {"max_mem", AT(max_mem), INT64_MAX},
    {"arena_extend_strategy", AT(extend_strategy), 1},
    {"initial_chunk_size_bytes", AT(initial_chunk_size), INT_MAX},
    {"max_dead_bytes_per_chunk", AT(max_dead_bytes), INT_MAX},
    {"initial_growth_chunk_size_bytes", AT(initial_growth_chunk_size), INT_MAX},
    {"max_power_of_two_extend_bytes", AT(max_power_of_two_extend), INT64_MAX},
    /* For CUDA arenas, which the core does not have. */
    {"use_cuda_mempool", -1, INT64_MAX},
    {"cuda_mempool_release_threshold", -1, INT64_MAX},
    {"cuda_mempool_bytes_to_keep_on_shrink", -1, INT64_MAX},
};

static OrtStatus* set_key(struct OrtArenaCfg* cfg, const char* name, size_t value) {
  size_t i = 0;
  while (i < CORE_COUNT_OF(keys) && strcmp(keys[i].name, name) != 0) {
    i++;
  }
  CORE_REFUSE_IF(i == CORE_COUNT_OF(keys), ORT_INVALID_ARGUMENT,
                 "arena_config_keys has \"%s\", which is no setting of an arena", name);
  int64_t number = (int64_t)value;
  if (keys[i].offset == AT(max_mem)) {
    cfg->max_mem = value > INT64_MAX ? 0 : value;
  } else if (keys[i].offset >= 0) {
    CORE_REFUSE_IF(number < -1 || number > keys[i].most, ORT_INVALID_ARGUMENT,
                   "arena_config_values has a number out of range for %s", name);
    memcpy((char*)cfg + keys[i].offset, &number, sizeof number);
  }
  return NULL;
}

static OrtStatus* hand_out(const struct OrtArenaCfg* cfg, OrtArenaCfg** out) {
  struct OrtArenaCfg* copy = heap_alloc(sizeof *copy);
  CORE_NEED_MEMORY(copy, sizeof *copy);
  *copy = *cfg;
  core_begin(&copy->object, &cfg_class, 0);
  *out = copy;
  return NULL;
}

CORE_SLOT(ort_CreateArenaCfg, size_t max_mem, int arena_extend_strategy,
          int initial_chunk_size_bytes, int max_dead_bytes_per_chunk, OrtArenaCfg** out) {
  CORE_FAIL_IF(arena_extend_strategy < -1 || arena_extend_strategy > 1, ORT_INVALID_ARGUMENT,
               "CreateArenaCfg: arena_extend_strategy must be 0, 1 or -1");
  CORE_FAIL_IF(initial_chunk_size_bytes < -1, ORT_INVALID_ARGUMENT,
               "CreateArenaCfg: initial_chunk_size_bytes must be -1 or more");
  struct OrtArenaCfg cfg = core_default_arena_cfg;
  cfg.max_mem = max_mem > INT64_MAX ? 0 : max_mem;
  cfg.extend_strategy = arena_extend_strategy;
  cfg.initial_chunk_size = initial_chunk_size_bytes;
  cfg.max_dead_bytes = max_dead_bytes_per_chunk;
  return hand_out(&cfg, out);
}

CORE_SLOT(ort_CreateArenaCfgV2, const char* const* arena_config_keys,
          const size_t* arena_config_values, size_t num_keys, OrtArenaCfg** out) {
  CORE_REQUIRE_IF(num_keys > 0, CreateArenaCfgV2, arena_config_keys, arena_config_values);
  struct OrtArenaCfg cfg = core_default_arena_cfg;
  for (size_t i = 0; i < num_keys; i++) {
    CORE_FAIL_IF(arena_config_keys[i] == NULL, ORT_INVALID_ARGUMENT,
                 "CreateArenaCfgV2: arena_config_keys must not have a NULL among them");
    CORE_TRY(set_key(&cfg, arena_config_keys[i], arena_config_values[i]));
  }
  return hand_out(&cfg, out);
}

CORE_RELEASER(ort_ReleaseArenaCfg, OrtArenaCfg)
