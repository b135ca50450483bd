/* SPDX-License-Identifier: MIT */
/*
 * A storm over the default allocator of a library, or over an arena with a maximum.
 *
 * storm LIBRARY [THREADS [OPERATIONS [ROUNDS [fork | arena]]]]: as storm.h says.
 */
#include "storm.h"

static void make_arena(OrtEnv* env, const OrtMemoryInfo* info) {
  const char* keys[] = {"max_mem", "initial_chunk_size_bytes"};
  const size_t values[] = {(size_t)most, 1000};
  OrtArenaCfg* cfg = NEW(OrtArenaCfg, api->CreateArenaCfgV2(keys, values, 2, &new_));
  CHECK(api->CreateAndRegisterAllocator(env, info, cfg) == NULL);
  api->ReleaseArenaCfg(cfg);
  CHECK(api->GetSharedAllocator(env, info, &allocator) == NULL);
}

static int64_t figure(const char* key) { return figure_of(api, allocator, key); }

/* What is left is one region, and one block. */
static void must_be_one_region(void) {
  CHECK(figure("RequestedInUse") == 0 && figure("NumBadFrees") == 0);
  CHECK(figure("MaxInUse") <= most);
  CHECK(allocator->Shrink(allocator) == NULL);
  int64_t left = figure("TotalAllocated");
  CHECK(figure("NumArenaExtensions") == 1);
  allocator->Free(allocator, allocator->Alloc(allocator, (size_t)left));
  CHECK(figure("TotalAllocated") == left);
}

static int storm_in_arena(int argc, char** argv) {
  OrtEnv* env = NEW(OrtEnv, api->CreateEnv(ORT_LOGGING_LEVEL_WARNING, "arena", &new_));
  OrtMemoryInfo* info =
      NEW(OrtMemoryInfo, api->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &new_));
  most = 64 << 20;
  make_arena(env, info);
  int result = storm(argc, argv);
  must_be_one_region();
  api->ReleaseMemoryInfo(info);
  api->ReleaseEnv(env);
  return result;
}

int main(int argc, char** argv) {
  CHECK(argc >= 2);
  api = table_of(argv[1]);
  if (argc > 5 && strcmp(argv[5], "arena") == 0) {
    return storm_in_arena(argc, argv);
  }
  CHECK(api->GetAllocatorWithDefaultOptions(&allocator) == NULL);
  return storm(argc, argv);
}
