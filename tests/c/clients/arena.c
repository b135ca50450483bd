/* SPDX-License-Identifier: MIT */
/*
 *     arena LIBRARY THREADS STEPS
 *
 * A storm over one arena with a maximum: each thread takes, writes, checks and frees blocks of
 * random sizes, hands some to the others and shrinks now and then. Blocks must not overlap, the
 * maximum holds, and in the end the statistics say that nothing is in use.
 */
#include "client.h"
#include <pthread.h>
#include <string.h>

#include "onnxruntime_c_api.h"

enum { SLOTS = 200, LARGEST = 200000, MAILBOX = 64 };
static const int64_t MAX_MEM = 64 << 20;

static const OrtApi* api;
static OrtAllocator* arena;
static long steps;
/* Blocks on their way from one thread to another. */
static void* _Atomic mailbox[MAILBOX];

struct block {
  uint32_t size;
  uint32_t pattern;
};

static uint32_t next(uint32_t* state) {
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return *state;
}

static int64_t figure(const char* key) {
  OrtKeyValuePairs* figures = NEW(OrtKeyValuePairs, api->AllocatorGetStats(arena, &new_));
  int64_t value = strtoll(api->GetKeyValue(figures, key), NULL, 10);
  api->ReleaseKeyValuePairs(figures);
  return value;
}

static struct block* take(uint32_t* state) {
  uint32_t size = (uint32_t)sizeof(struct block) + next(state) % (next(state) % LARGEST + 1);
  struct block* block = arena->Alloc(arena, size);
  if (block == NULL) {
    return NULL;
  }
  CHECK((uintptr_t)block % 64 == 0);
  uint32_t pattern = next(state);
  memset(block, (int)(pattern & 0xff), size);
  *block = (struct block){size, pattern};
  return block;
}

static void give(struct block* block) {
  if (block == NULL) {
    return;
  }
  const unsigned char* bytes = (const unsigned char*)block;
  for (size_t i = sizeof *block; i < block->size; i += 97) {
    CHECK(bytes[i] == (block->pattern & 0xff));
  }
  arena->Free(arena, block);
}

static void* storm(void* seed) {
  uint32_t state = (uint32_t)(uintptr_t)seed * 2654435761u + 1;
  struct block* slots[SLOTS] = {NULL};
  for (long i = 0; i < steps; i++) {
    struct block** slot = &slots[next(&state) % SLOTS];
    give(*slot);
    *slot = take(&state);
    if (next(&state) % 8 == 0) {
      *slot = __atomic_exchange_n((void**)&mailbox[next(&state) % MAILBOX], (void*)*slot,
                                  __ATOMIC_ACQ_REL);
    }
    if (next(&state) % 4096 == 0) {
      CHECK(arena->Shrink(arena) == NULL);
      CHECK(figure("TotalAllocated") <= MAX_MEM);
    }
  }
  for (int i = 0; i < SLOTS; i++) {
    give(slots[i]);
  }
  return NULL;
}

static void make_arena(OrtEnv* env, const OrtMemoryInfo* info) {
  const char* keys[] = {"max_mem", "initial_chunk_size_bytes"};
  const size_t values[] = {(size_t)MAX_MEM, 1000};
  OrtArenaCfg* cfg = NEW(OrtArenaCfg, api->CreateArenaCfgV2(keys, values, 2, &new_));
  CHECK(api->CreateAndRegisterAllocator(env, info, cfg) == NULL);
  api->ReleaseArenaCfg(cfg);
  CHECK(api->GetSharedAllocator(env, info, &arena) == NULL);
}

int main(int argc, char** argv) {
  CHECK(argc == 4);
  const OrtApiBase*(ORT_API_CALL * get_base)(void);
  *(void**)&get_base = entry_of(argv[1]);
  api = get_base()->GetApi(ORT_API_VERSION);
  int threads = atoi(argv[2]);
  steps = atol(argv[3]);
  OrtEnv* env = NEW(OrtEnv, api->CreateEnv(ORT_LOGGING_LEVEL_WARNING, "arena", &new_));
  OrtMemoryInfo* info =
      NEW(OrtMemoryInfo, api->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &new_));
  make_arena(env, info);
  pthread_t handles[64];
  CHECK(threads <= 64);
  for (int i = 0; i < threads; i++) {
    CHECK(pthread_create(&handles[i], NULL, storm, (void*)(uintptr_t)(i + 1)) == 0);
  }
  for (int i = 0; i < threads; i++) {
    CHECK(pthread_join(handles[i], NULL) == 0);
  }
  for (int i = 0; i < MAILBOX; i++) {
    give(mailbox[i]);
  }
  CHECK(figure("InUse") == 0 && figure("RequestedInUse") == 0);
  CHECK(figure("NumBadFrees") == 0 && figure("MaxInUse") <= MAX_MEM);
  CHECK(arena->Shrink(arena) == NULL);
  /* What is left is one region, and one block. */
  int64_t left = figure("TotalAllocated");
  CHECK(figure("NumArenaExtensions") == 1);
  arena->Free(arena, arena->Alloc(arena, (size_t)left));
  CHECK(figure("TotalAllocated") == left);
  api->ReleaseMemoryInfo(info);
  api->ReleaseEnv(env);
  return 0;
}
