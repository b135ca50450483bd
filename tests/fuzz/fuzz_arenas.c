/* SPDX-License-Identifier: MIT */
/* An arena under many blocks: none lies in another, and the statistics are those of the blocks. */
#include "arena/arena.h"
#include "fuzz.h"

#define BLOCKS 48
#define CALLS 24

static OrtAllocator* arena;
static size_t limit;
static struct {
  char* start;
  size_t size;
} blocks[BLOCKS];
static size_t in_use;
static size_t count;

static OrtArenaCfg* next_cfg(void) {
  static const char* const keys[] = {"max_mem",
                                     "arena_extend_strategy",
                                     "initial_chunk_size_bytes",
                                     "max_dead_bytes_per_chunk",
                                     "initial_growth_chunk_size_bytes",
                                     "max_power_of_two_extend_bytes",
                                     "no such key"};
  size_t numbers[CORE_COUNT_OF(keys)];
  const char* chosen[CORE_COUNT_OF(keys)];
  size_t chosen_count = next_byte() % CORE_COUNT_OF(keys);
  OrtArenaCfg* cfg = NULL;
  int can = 1;
  limit = SIZE_MAX;
  for (size_t i = 0; i < chosen_count; i++) {
    unsigned which = next_byte() % 32;
    chosen[i] = keys[which < 31 ? which % 6 : 6];
    can = can && which < 31;
    numbers[i] = chosen[i] == keys[1] ? next_byte() % 2 : next_number(1 + next_byte() % 3) * 16;
    if (chosen[i] == keys[0]) {
      limit = numbers[i] > 0 ? numbers[i] : SIZE_MAX;
    }
  }
  succeeded(api->CreateArenaCfgV2(chosen, numbers, chosen_count, &cfg), can, ORT_INVALID_ARGUMENT,
            ORT_INVALID_ARGUMENT);
  return cfg;
}

static void begin(void) {
  OrtAllocator* inner = NULL;
  OrtArenaCfg* cfg = next_cfg();
  CHECK(api->GetAllocatorWithDefaultOptions(&inner) == NULL);
  limit = cfg == NULL ? SIZE_MAX : limit;
  CHECK(succeeded(core_create_arena(inner, cfg, NULL, &arena), 1, ORT_FAIL, ORT_FAIL) ==
        (arena != NULL));
  api->ReleaseArenaCfg(cfg);
}

static void take(size_t i) {
  unsigned how = next_byte();
  size_t size = ((size_t)1 << how % 20) + next_byte() * (how / 20);
  char* start = how >= 250 ? arena->Reserve(arena, size) : arena->Alloc(arena, size);
  if (start == NULL) {
    /* One that is small beside the limit may be refused only where others take the room. */
    CHECK(limit != SIZE_MAX || may_lack_memory());
    return;
  }
  CHECK((uintptr_t)start % 64 == 0);
  for (size_t j = 0; j < BLOCKS; j++) {
    CHECK(blocks[j].start == NULL || start + size <= blocks[j].start ||
          blocks[j].start + blocks[j].size <= start);
  }
  memset(start, (int)i, size);
  blocks[i].start = start;
  blocks[i].size = size;
  in_use += size;
  count++;
  CHECK(in_use <= limit);
}

static void give(size_t i) {
  for (size_t at = 0; at < blocks[i].size; at += 61) {
    CHECK(blocks[i].start[at] == (char)i);
  }
  arena->Free(arena, blocks[i].start);
  in_use -= blocks[i].size;
  blocks[i].start = NULL;
}

static size_t figure(const OrtKeyValuePairs* stats, const char* key) {
  const char* text = api->GetKeyValue(stats, key);
  CHECK(text != NULL);
  return strtoull(text, NULL, 10);
}

static void check_figures(void) {
  OrtKeyValuePairs* stats = NULL;
  if (!succeeded(api->AllocatorGetStats(arena, &stats), 1, ORT_FAIL, ORT_FAIL)) {
    return;
  }
  CHECK(figure(stats, "NumAllocs") == count);
  CHECK(figure(stats, "InUse") >= in_use);
  CHECK(figure(stats, "MaxInUse") >= figure(stats, "InUse"));
  CHECK(figure(stats, "TotalAllocated") >= figure(stats, "InUse"));
  CHECK(figure(stats, "TotalAllocated") <= limit);
  api->ReleaseKeyValuePairs(stats);
}

static void end_arena(void) {
  for (size_t i = 0; i < BLOCKS; i++) {
    if (blocks[i].start != NULL) {
      give(i);
    }
  }
  CHECK(in_use == 0);
  core_release_adaptor(arena);
  arena = NULL;
  count = 0;
}

void use_arenas(void) {
  if (arena == NULL) {
    begin();
    return;
  }
  for (unsigned calls = next_byte() % CALLS; calls > 0; calls--) {
    unsigned what = next_byte();
    size_t i = what % BLOCKS;
    if (what >= 250) {
      CHECK(arena->Shrink(arena) == NULL);
    } else if (what >= 244) {
      check_figures();
    } else if (blocks[i].start != NULL) {
      give(i);
    } else {
      take(i);
    }
  }
  if (next_byte() >= 240) {
    check_figures();
    end_arena();
  }
}

void end_arenas(void) {
  if (arena != NULL) {
    end_arena();
  }
}
