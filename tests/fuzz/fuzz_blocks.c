/* SPDX-License-Identifier: MIT */
/* Blocks of the default allocator and of adaptors around it, to any depth. */
#include "arena/arena.h"
#include "adaptors/scopes.h"
#include "fuzz.h"

#define BLOCKS 32
#define ALLOCATORS 6
/* Bytes at either end of a block that hold its pattern. */
#define MARKED ((size_t)96)

enum kind { DEFAULT, ALIGNED, LIMITING, FAILING, TRACKING, ARENA, KINDS };

static struct {
  OrtAllocator* handle;
  enum kind kind;
  size_t inner;
  /* The alignment, the limit or 0 for none, or how many allocations succeed. */
  size_t argument;
  size_t successes;
  /* A scope around all of a tracking adaptor's life, or NULL. */
  core_scope* scope;
} allocators[ALLOCATORS];

static struct {
  unsigned char* start;
  size_t size;
  size_t allocator;
  unsigned char pattern;
} blocks[BLOCKS];

static uint32_t site_of(int depth) { return (uint32_t)depth; }

static size_t next_size(void) {
  switch (next_byte() % 8) {
    case 0:
      return 0;
    case 1:
      return SIZE_MAX - next_byte();
    case 2:
      return (size_t)1 << (47 + next_byte() % 17);
    case 3:
      return next_number(3) * 2;
    case 4:
    case 5:
      return next_byte() + 1;
    default:
      return next_number(2) + 1;
  }
}

static size_t live_in(size_t allocator, size_t* count) {
  size_t bytes = 0;
  *count = 0;
  for (size_t i = 0; i < BLOCKS; i++) {
    if (blocks[i].start != NULL && blocks[i].allocator == allocator) {
      bytes += blocks[i].size;
      ++*count;
    }
  }
  return bytes;
}

static int has_child(size_t allocator) {
  for (size_t i = 1; i < ALLOCATORS; i++) {
    if (allocators[i].handle != NULL && allocators[i].inner == allocator) {
      return 1;
    }
  }
  return 0;
}

static int marks_are(size_t i, int fill) {
  size_t size = blocks[i].size;
  size_t marked = size < MARKED ? size : MARKED;
  if (fill) {
    memset(blocks[i].start, blocks[i].pattern, marked);
    memset(blocks[i].start + size - marked, blocks[i].pattern, marked);
  }
  for (size_t at = 0; at < marked; at++) {
    if (blocks[i].start[at] != blocks[i].pattern ||
        blocks[i].start[size - 1 - at] != blocks[i].pattern) {
      return 0;
    }
  }
  return 1;
}

static void must_keep_promises(size_t allocator, const void* block) {
  size_t count;
  size_t bytes = live_in(allocator, &count);
  uintptr_t alignment = 64;
  switch (allocators[allocator].kind) {
    case ALIGNED:
      alignment = allocators[allocator].argument;
      break;
    case LIMITING:
      CHECK(bytes <= allocators[allocator].argument);
      break;
    case ARENA:
      CHECK(allocators[allocator].argument == 0 || bytes <= allocators[allocator].argument);
      break;
    case FAILING:
      CHECK(++allocators[allocator].successes <= allocators[allocator].argument);
      break;
    default:
      break;
  }
  if (allocators[allocator].kind == DEFAULT || allocators[allocator].kind == ALIGNED) {
    CHECK((uintptr_t)block % alignment == 0);
  }
}

static void keep(size_t i, size_t allocator, size_t size, void* block) {
  blocks[i].start = block;
  blocks[i].size = size;
  blocks[i].allocator = allocator;
  blocks[i].pattern = (unsigned char)next_byte();
  must_keep_promises(allocator, block);
  CHECK(marks_are(i, 1));
}

static void take(size_t i) {
  size_t allocator = next_byte() % ALLOCATORS;
  allocator = allocators[allocator].handle != NULL ? allocator : 0;
  size_t size = next_size();
  void* block = &blocks;
  OrtAllocator* handle = allocators[allocator].handle;
  if (size % 8 == 3 && handle->Reserve != NULL) {
    block = handle->Reserve(handle, size);
    if (block == NULL) {
      CHECK(size > ((size_t)1 << 26) || allocator != 0 || may_lack_memory());
      return;
    }
    keep(i, allocator, size, block);
    return;
  }
  OrtStatus* status = api->AllocatorAlloc(handle, size, &block);
  if (status != NULL) {
    CHECK(block == (void*)&blocks && size != 0);
    /* Moderate sizes are refused for a reason only. */
    CHECK(size > ((size_t)1 << 26) || allocator != 0 || may_lack_memory());
    must_be(status, ORT_RUNTIME_EXCEPTION);
    return;
  }
  CHECK((block == NULL) == (size == 0));
  if (block != NULL) {
    keep(i, allocator, size, block);
  }
}

/* Only the segment heap tells what is no block. */
static void free_badly(size_t i) {
#if !defined(CORE_USE_MALLOC)
  unsigned char* start = blocks[i].start;
  size_t offset = next_number(3) % blocks[i].size + 1;
  if (blocks[i].allocator == 0 && offset < blocks[i].size) {
    must_be(api->AllocatorFree(allocators[0].handle, start + offset), ORT_INVALID_ARGUMENT);
    must_be(api->AllocatorFree(allocators[0].handle, &blocks[i]), ORT_INVALID_ARGUMENT);
  }
#else
  (void)i;
#endif
}

static void give(size_t i) {
  OrtAllocator* allocator = allocators[blocks[i].allocator].handle;
  CHECK(marks_are(i, 0));
  CHECK(api->AllocatorFree(allocator, blocks[i].start) == NULL);
#if !defined(CORE_USE_MALLOC)
  if (allocator == allocators[0].handle) {
    must_be(api->AllocatorFree(allocator, blocks[i].start), ORT_INVALID_ARGUMENT);
  }
#endif
  blocks[i].start = NULL;
}

static void check_tracking(size_t allocator) {
  struct core_tracking_figures figures;
  core_tracking_read(allocators[allocator].handle, &figures);
  size_t count;
  int64_t bytes = (int64_t)live_in(allocator, &count);
  CHECK(figures.peak >= figures.current && figures.total >= figures.peak);
  CHECK(has_child(allocator) ||
        (figures.current == bytes && figures.allocations - figures.frees == (int64_t)count));
}

static size_t figure(const OrtKeyValuePairs* figures, const char* key) {
  const char* text = api->GetKeyValue(figures, key);
  CHECK(text != NULL);
  return strtoull(text, NULL, 10);
}

static void check_arena(size_t allocator) {
  OrtKeyValuePairs* figures = NULL;
  size_t count, limit = allocators[allocator].argument;
  size_t bytes = live_in(allocator, &count);
  OrtStatus* status = api->AllocatorGetStats(allocators[allocator].handle, &figures);
  if (!succeeded(status, 1, ORT_FAIL, ORT_FAIL)) {
    return;
  }
  CHECK(figure(figures, "NumAllocs") >= count);
  CHECK(figure(figures, "InUse") >= bytes);
  CHECK(figure(figures, "MaxInUse") >= figure(figures, "InUse"));
  CHECK(figure(figures, "TotalAllocated") >= figure(figures, "InUse"));
  CHECK(limit == 0 || figure(figures, "TotalAllocated") <= limit);
  api->ReleaseKeyValuePairs(figures);
}

#if !defined(CORE_USE_MALLOC)
/* A scope has counted what its adaptor has, and has the blocks of the peak. */
static void check_scope(size_t i) {
  core_tracking_figures figures;
  core_scope_figures counted;
  core_tracked_block found[2 * BLOCKS];
  core_tracking_read(allocators[i].handle, &figures);
  core_close_scope(allocators[i].scope, &counted);
  CHECK(counted.live == figures.current && counted.peak == figures.peak);
  CHECK(counted.total == figures.total && counted.frees == figures.frees);
  CHECK(counted.allocations == figures.allocations);
  size_t count = core_scope_blocks(allocators[i].scope, found, CORE_COUNT_OF(found));
  if (count > CORE_COUNT_OF(found)) {
    return;
  }
  int64_t at_peak = 0;
  for (size_t j = 0; j < count; j++) {
    at_peak += found[j].at_peak ? (int64_t)found[j].size : 0;
    CHECK(found[j].at_peak || found[j].block != NULL);
  }
  CHECK(at_peak == counted.peak);
}
#endif

static void end_allocator(size_t i) {
  size_t count;
  live_in(i, &count);
  if (allocators[i].kind == TRACKING) {
    check_tracking(i);
  } else if (allocators[i].kind == ARENA) {
    check_arena(i);
  }
  if (count == 0 && !has_child(i)) {
#if !defined(CORE_USE_MALLOC) /* where a scope may have lacked memory */
    if (allocators[i].scope != NULL) {
      check_scope(i);
    }
#endif
    core_release_scope(allocators[i].scope);
    allocators[i].scope = NULL;
    core_release_adaptor(allocators[i].handle);
    allocators[i].handle = NULL;
  }
}

static OrtStatus* make_arena(OrtAllocator* from, size_t limit, OrtAllocator** out) {
  static const char* const keys[] = {"max_mem",
                                     "arena_extend_strategy",
                                     "initial_chunk_size_bytes",
                                     "max_dead_bytes_per_chunk",
                                     "initial_growth_chunk_size_bytes",
                                     "max_power_of_two_extend_bytes"};
  size_t numbers[CORE_COUNT_OF(keys)] = {limit, next_byte() % 2};
  size_t given = 1 + next_byte() % CORE_COUNT_OF(keys);
  OrtArenaCfg* cfg = NULL;
  for (size_t i = 2; i < given; i++) {
    numbers[i] = next_number(1 + next_byte() % 3) * 16;
  }
  OrtStatus* status = api->CreateArenaCfgV2(keys, numbers, given, &cfg);
  if (status == NULL) {
    status = core_create_arena(from, cfg, NULL, out);
    api->ReleaseArenaCfg(cfg);
  }
  return status;
}

static void make_allocator(size_t i) {
  size_t inner = next_byte() % ALLOCATORS;
  inner = allocators[inner].handle != NULL ? inner : 0;
  enum kind kind = (enum kind)(1 + next_byte() % (KINDS - 1));
  size_t argument = kind == ALIGNED    ? (size_t)1 << (next_byte() % 22)
                    : kind == LIMITING ? next_number(next_byte() % 9)
                    : kind == ARENA    ? next_number(3)
                                       : next_byte();
  OrtAllocator* from = allocators[inner].handle;
  OrtAllocator* made = NULL;
  OrtStatus* status = kind == ALIGNED    ? core_create_aligned(from, argument, &made)
                      : kind == LIMITING ? core_create_limiting(from, argument, &made)
                      : kind == FAILING  ? core_create_failing(from, argument, &made)
                      : kind == ARENA    ? make_arena(from, argument, &made)
                                         : core_create_tracking(from, &made);
  if (status != NULL) {
    CHECK(made == NULL);
    must_lack_memory(status);
    return;
  }
  allocators[i].handle = made;
  allocators[i].kind = kind;
  allocators[i].inner = inner;
  allocators[i].argument = argument;
  allocators[i].successes = 0;
  if (kind == TRACKING && argument % 2 == 1) {
    core_set_site_source(site_of);
    succeeded(core_open_scope(made, 1, &allocators[i].scope), 1, ORT_OK, ORT_OK);
  }
}

void use_blocks(void) {
  CHECK(api->GetAllocatorWithDefaultOptions(&allocators[0].handle) == NULL);
  unsigned what = next_byte();
  size_t i = what % BLOCKS;
  if (what >= 224) {
    size_t allocator = 1 + what % (ALLOCATORS - 1);
    if (allocators[allocator].handle == NULL) {
      make_allocator(allocator);
    } else {
      end_allocator(allocator);
    }
  } else if (what >= 216) {
    OrtAllocator* allocator = allocators[what % ALLOCATORS].handle;
    CHECK(allocator == NULL || allocator->Shrink == NULL || allocator->Shrink(allocator) == NULL);
  } else if (blocks[i].start == NULL) {
    take(i);
  } else if (what >= 192) {
    free_badly(i);
  } else {
    give(i);
  }
}

void end_blocks(void) {
  for (size_t i = 0; i < BLOCKS; i++) {
    if (blocks[i].start != NULL) {
      give(i);
    }
  }
  for (int rest = 1; rest;) {
    rest = 0;
    for (size_t i = 1; i < ALLOCATORS; i++) {
      if (allocators[i].handle != NULL) {
        end_allocator(i);
        rest = 1;
      }
    }
  }
}
