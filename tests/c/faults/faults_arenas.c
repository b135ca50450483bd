/* SPDX-License-Identifier: MIT */
/* Trials of arenas and of the allocators that an environment shares. */
#include "arena/arena.h"
#include "adaptors/adaptor.h"
#include "faults.h"

static OrtEnv* env;
static OrtMemoryInfo* info;
static OrtArenaCfg* cfg;
static OrtAllocator* arena;

static OrtStatus* create_cfg(void** out) {
  return api->CreateArenaCfg(1 << 20, 0, 4096, 256, (OrtArenaCfg**)out);
}
static OrtStatus* create_cfg_v2(void** out) {
  const char* const keys[] = {"max_mem", "arena_extend_strategy"};
  return api->CreateArenaCfgV2(keys, (size_t[]){1 << 20, 1}, 2, (OrtArenaCfg**)out);
}
static OrtStatus* create_wrong_cfg(void** out) {
  const char* const keys[] = {"max_mem", "no such key"};
  return api->CreateArenaCfgV2(keys, (size_t[]){1 << 20, 1}, 2, (OrtArenaCfg**)out);
}
static void release_cfg(void* out) { api->ReleaseArenaCfg(out); }
static void with_cfg(void) { CHECK(create_cfg((void**)&cfg) == NULL); }
static OrtStatus* create_arena(void** out) {
  return core_create_arena(allocator, cfg, NULL, (OrtAllocator**)out);
}
static void release_arena(void* out) { core_release_adaptor(out); }
static void with_arena(void) {
  with_cfg();
  CHECK(create_arena((void**)&arena) == NULL);
}
static OrtStatus* alloc(void** out) { return api->AllocatorAlloc(arena, 1000, out); }
static void free_block(void* out) { arena->Free(arena, out); }
static OrtStatus* reserve(void** out) {
  void* block = arena->Reserve(arena, 1000);
  if (block == NULL) {
    return failed_without_status();
  }
  *out = block;
  return NULL;
}
/* What lies free, in a cache and in regions. */
static void with_free_blocks(void) {
  void* blocks[40];
  with_arena();
  for (size_t i = 0; i < CORE_COUNT_OF(blocks); i++) {
    blocks[i] = arena->Alloc(arena, i * 600 + 1);
    CHECK(blocks[i] != NULL);
  }
  for (size_t i = 0; i < CORE_COUNT_OF(blocks); i++) {
    arena->Free(arena, blocks[i]);
  }
}
static OrtStatus* alloc_large(void** out) { return api->AllocatorAlloc(arena, 100000, out); }
static OrtStatus* shrink(void** out) { return (void)out, arena->Shrink(arena); }
static OrtStatus* get_stats(void** out) {
  return api->AllocatorGetStats(arena, (OrtKeyValuePairs**)out);
}

static void with_env(void) {
  with_arena();
  CHECK(api->CreateEnv(ORT_LOGGING_LEVEL_WARNING, "id", &env) == NULL);
  CHECK(api->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &info) == NULL);
}
static OrtStatus* create_shared(void** out) {
  return (void)out, api->CreateAndRegisterAllocator(env, info, cfg);
}
static OrtStatus* create_shared_v2(void** out) {
  (void)out;
  return api->CreateAndRegisterAllocatorV2(env, "CPUExecutionProvider", info, cfg, NULL, NULL, 0);
}
static OrtStatus* create_shared_of_no_provider(void** out) {
  (void)out;
  return api->CreateAndRegisterAllocatorV2(env, "None", info, cfg, NULL, NULL, 0);
}
static OrtStatus* share(void** out) { return (void)out, api->RegisterAllocator(env, allocator); }
static void with_shared(void) {
  with_env();
  CHECK(create_shared(NULL) == NULL);
}
static OrtStatus* get_shared(void** out) {
  return api->GetSharedAllocator(env, info, (OrtAllocator**)out);
}
static OrtStatus* unregister(void** out) { return (void)out, api->UnregisterAllocator(env, info); }
static const struct trial trials[] = {
    TRIAL("CreateArenaCfg ReleaseArenaCfg", NULL, create_cfg, release_cfg),
    TRIAL("CreateArenaCfgV2", NULL, create_cfg_v2, release_cfg),
    {"CreateArenaCfgV2 of no key", NULL, create_wrong_cfg, NULL, ORT_INVALID_ARGUMENT},
    TRIAL("Arena", with_cfg, create_arena, release_arena),
    TRIAL("Arena.Alloc", with_arena, alloc, free_block),
    TRIAL("Arena.Alloc once more", with_free_blocks, alloc, free_block),
    TRIAL("Arena.Alloc of what was joined", with_free_blocks, alloc_large, free_block),
    TRIAL("Arena.Reserve", with_arena, reserve, free_block),
    TRIAL("Arena.Shrink", with_free_blocks, shrink, NULL),
    TRIAL("Arena.GetStats", with_free_blocks, get_stats, release_pairs),
    TRIAL("CreateAndRegisterAllocator", with_env, create_shared, NULL),
    TRIAL("CreateAndRegisterAllocatorV2", with_env, create_shared_v2, NULL),
    {"CreateAndRegisterAllocatorV2 of no provider", with_env, create_shared_of_no_provider, NULL,
     ORT_INVALID_ARGUMENT},
    TRIAL("RegisterAllocator", with_env, share, NULL),
    TRIAL("CreateAndRegisterAllocator once more", with_shared, create_shared, NULL),
    TRIAL("GetSharedAllocator", with_shared, get_shared, NULL),
    TRIAL("UnregisterAllocator", with_shared, unregister, NULL),
    {NULL},
};

static void clean(void) {
  api->ReleaseEnv(env);
  api->ReleaseMemoryInfo(info);
  api->ReleaseArenaCfg(cfg);
  core_release_adaptor(arena);
}

const struct section arenas = {trials, clean};
