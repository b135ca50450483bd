/* SPDX-License-Identifier: MIT */
/* Allocators around allocators, and traces. */
#include "faults.h"

#include "adaptors/adaptor.h"
#include "adaptors/scopes.h"
#include "memory/memory_info.h"
#include "table/versions.h"

static void observe(void* context, int event, void* what, size_t size) {
  (void)context, (void)event, (void)what, (void)size;
}
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
ADAPTOR("observing", core_create_observing(heap(), observe, NULL, &made))
ADAPTOR("tracking", core_create_tracking(heap(), &made))
ADAPTOR("callbacks",
        core_create_from_callbacks(&callbacks, &core_cpu_memory_info, NULL, NULL, &made))
CALL("adaptor: all") {
  OrtAllocator* aligned = MADE(OrtAllocator, core_create_aligned(heap(), 4096, &made));
  OrtAllocator* limited = MADE(OrtAllocator, core_create_limiting(aligned, 1 << 20, &made));
  OrtAllocator* seen = MADE(OrtAllocator, core_create_observing(limited, observe, NULL, &made));
  use_adaptor(MADE(OrtAllocator, core_create_tracking(seen, &made)));
}
CALL("adaptor: tracking in a scope") {
  OrtAllocator* tracking = MADE(OrtAllocator, core_create_tracking(heap(), &made));
  core_scope* scope = MADE(core_scope, core_open_scope(tracking, 0, 1, &made));
  use_adaptor(tracking);
  core_release_scope(scope);
}
CALL("a trace") {
  core_trace_end(MADE(OrtcoreTrace, core_trace_begin(api, ORT_API_VERSION, "1.9.9", NULL, &made)));
}
