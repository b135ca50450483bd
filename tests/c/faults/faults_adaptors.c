/* SPDX-License-Identifier: MIT */
/* Allocators around allocators, arenas, hosts and traces. */
#include "faults.h"

#include "adaptors/adaptor.h"
#include "adaptors/scopes.h"
#include "arena/arena.h"
#include "memory/memory_info.h"
#include "table/versions.h"

static void* callback_alloc(void* context, size_t size) { return (void)context, malloc(size); }
static void callback_free(void* context, void* what) { (void)context, free(what); }
static const struct core_callbacks callbacks = {.alloc = callback_alloc, .free = callback_free};

static void use_adaptor(OrtAllocator* adaptor) {
  OrtKeyValuePairs* figures = NULL;
  void* block = NULL;
  say_status(api->AllocatorAlloc(adaptor, 100, &block));
  say_status(api->AllocatorGetStats(adaptor, &figures));
  api->ReleaseKeyValuePairs(figures);
  adaptor->Free(adaptor, block);
  core_release_adaptor(adaptor);
}
#define ADAPTOR(name, call) \
  CALL("adaptor: " name) { use_adaptor(MADE(OrtAllocator, call)); }
ADAPTOR("aligned", core_create_aligned(heap(), 4096, &made))
ADAPTOR("limiting", core_create_limiting(heap(), 1 << 20, &made))
ADAPTOR("soft limiting", core_create_soft_limiting(heap(), 10, NULL, NULL, &made))
ADAPTOR("failing", core_create_failing(heap(), 10, &made))
ADAPTOR("tracking", core_create_tracking(heap(), &made))
ADAPTOR("callbacks",
        core_create_from_callbacks(&callbacks, &core_cpu_memory_info, NULL, NULL, &made))
CALL("adaptor: all") {
  OrtAllocator* aligned = MADE(OrtAllocator, core_create_aligned(heap(), 4096, &made));
  OrtAllocator* limited = MADE(OrtAllocator, core_create_limiting(aligned, 1 << 20, &made));
  use_adaptor(MADE(OrtAllocator, core_create_tracking(limited, &made)));
}
CALL("adaptor: tracking in a scope") {
  OrtAllocator* tracking = MADE(OrtAllocator, core_create_tracking(heap(), &made));
  core_scope* scope = MADE(core_scope, core_open_scope(tracking, 1, &made));
  use_adaptor(tracking);
  core_release_scope(scope);
}
/* --- arenas ----------------------------------------------------------------------------------- */

static OrtAllocator* new_arena(void) {
  OrtArenaCfg* cfg = NEW(OrtArenaCfg, api->CreateArenaCfg(1 << 20, 0, 4096, 256, &new_));
  return MADE(OrtAllocator, core_create_arena(heap(), cfg, NULL, &made));
}
CALL("arena: blocks that were free") {
  OrtAllocator* arena = new_arena();
  void *blocks[40], *block = NULL;
  for (size_t i = 0; i < CORE_COUNT_OF(blocks); i++) {
    CHECK(api->AllocatorAlloc(arena, i * 600 + 1, &blocks[i]) == NULL);
  }
  for (size_t i = 0; i < CORE_COUNT_OF(blocks); i++) {
    CHECK(api->AllocatorFree(arena, blocks[i]) == NULL);
  }
  say_status(api->AllocatorAlloc(arena, 1000, &block));
  say_status(api->AllocatorAlloc(arena, 100000, &block));
  say_status(TRIED(arena->Shrink(arena)));
}
/* A lack of memory, where there is no status. */
static OrtStatus* reserve(OrtAllocator* arena, void** out) {
  void* block = arena->Reserve(arena, 1000);
  *out = block == NULL ? *out : block;
  return block == NULL ? core_no_memory(1000) : NULL;
}
CALL("arena: a block that is reserved") {
  OrtAllocator* arena = new_arena();
  void* block = NULL;
  say_status(TRIED(reserve(arena, &block)));
  say_status(api->AllocatorFree(arena, block));
}

/* --- the default allocator, hosts and traces -------------------------------------------------- */

/* The message has the address, which is not said. */
CALL("AllocatorFree of no block") {
  char* block = heap()->Alloc(heap(), 100);
  OrtStatus* status = api->AllocatorFree(heap(), block + 8);
  say("%d", (int)api->GetErrorCode(status));
}
CALL("a slot that an older host lacks") {
  const OrtApi* old = core_emulate(12)->GetApi(12);
  OrtMemoryInfo* info = NULL;
  say_status(
      TRIED(old->CreateMemoryInfo_V2("mine", OrtMemoryInfoDeviceType_GPU, 7, 1,
                                     OrtDeviceMemoryType_DEFAULT, 64, OrtDeviceAllocator, &info)));
}
CALL("a trace") {
  core_trace_end(MADE(OrtcoreTrace, core_trace_begin(api, ORT_API_VERSION, "1.9.9", NULL, &made)));
}
