/* SPDX-License-Identifier: MIT */
/* Trials of the allocators around allocators. */
#include "adaptors/adaptor.h"
#include "adaptors/scopes.h"
#include "faults.h"
#include "memory/memory_info.h"

/* The outermost, and all of which it is made. */
static OrtAllocator* adaptor;
static OrtAllocator* chain[4];

static void observe(void* context, int event, void* what, size_t size) {
  (void)context, (void)event, (void)what, (void)size;
}
static void* callback_alloc(void* context, size_t size) { return (void)context, malloc(size); }
static void callback_free(void* context, void* what) { (void)context, free(what); }
static OrtStatus* create_aligned(void** out) {
  return core_create_aligned(allocator, 4096, (OrtAllocator**)out);
}
static OrtStatus* create_limiting(void** out) {
  return core_create_limiting(allocator, 1 << 20, (OrtAllocator**)out);
}
static OrtStatus* create_soft_limiting(void** out) {
  return core_create_soft_limiting(allocator, 10, NULL, NULL, (OrtAllocator**)out);
}
static OrtStatus* create_failing(void** out) {
  return core_create_failing(allocator, 10, (OrtAllocator**)out);
}
static OrtStatus* create_observing(void** out) {
  return core_create_observing(allocator, observe, NULL, (OrtAllocator**)out);
}
static OrtStatus* create_from_callbacks(void** out) {
  static const struct core_callbacks callbacks = {.alloc = callback_alloc, .free = callback_free};
  return core_create_from_callbacks(&callbacks, &core_cpu_memory_info, NULL, NULL,
                                    (OrtAllocator**)out);
}
static OrtStatus* create_tracking(void** out) {
  return core_create_tracking(allocator, (OrtAllocator**)out);
}
static void release_adaptor(void* out) { core_release_adaptor(out); }
static void with_limiting(void) {
  CHECK(create_limiting((void**)&chain[0]) == NULL);
  adaptor = chain[0];
}
static void with_tracking(void) {
  CHECK(create_tracking((void**)&chain[0]) == NULL);
  adaptor = chain[0];
}
static OrtStatus* open_scope(void** out) {
  return core_open_scope(adaptor, 0, 1, (core_scope**)out);
}
static void release_scope(void* out) { core_release_scope(out); }
static core_scope* scope;
static void with_scope(void) {
  with_tracking();
  CHECK(open_scope((void**)&scope) == NULL);
}
static void with_all_adaptors(void) {
  CHECK(core_create_aligned(allocator, 4096, &chain[0]) == NULL);
  CHECK(core_create_limiting(chain[0], 1 << 20, &chain[1]) == NULL);
  CHECK(core_create_observing(chain[1], observe, NULL, &chain[2]) == NULL);
  CHECK(core_create_tracking(chain[2], &chain[3]) == NULL);
  adaptor = chain[3];
}
static OrtStatus* alloc_from_adaptor(void** out) { return api->AllocatorAlloc(adaptor, 100, out); }
static void free_in_adaptor(void* out) { adaptor->Free(adaptor, out); }
static OrtStatus* get_stats_of_adaptor(void** out) {
  CORE_TRY(api->AllocatorGetStats(adaptor, (OrtKeyValuePairs**)out));
  CHECK(count_pairs(*out) == 6);
  return NULL;
}

static const struct trial trials[] = {
    TRIAL("Aligned", NULL, create_aligned, release_adaptor),
    TRIAL("Limiting", NULL, create_limiting, release_adaptor),
    TRIAL("soft Limiting", NULL, create_soft_limiting, release_adaptor),
    TRIAL("Failing", NULL, create_failing, release_adaptor),
    TRIAL("Observing", NULL, create_observing, release_adaptor),
    TRIAL("from callbacks", NULL, create_from_callbacks, release_adaptor),
    TRIAL("Tracking", NULL, create_tracking, release_adaptor),
    TRIAL("Limiting.Alloc", with_limiting, alloc_from_adaptor, free_in_adaptor),
    TRIAL("Tracking.Alloc", with_tracking, alloc_from_adaptor, free_in_adaptor),
    TRIAL("Tracking.Alloc in a scope", with_scope, alloc_from_adaptor, free_in_adaptor),
    TRIAL("a scope", with_tracking, open_scope, release_scope),
    TRIAL("Tracking.GetStats", with_tracking, get_stats_of_adaptor, release_pairs),
    TRIAL("Alloc through all", with_all_adaptors, alloc_from_adaptor, free_in_adaptor),
    {NULL},
};

static void clean(void) {
  core_release_scope(scope);
  for (size_t i = CORE_COUNT_OF(chain); i-- > 0;) {
    core_release_adaptor(chain[i]);
  }
}

const struct section adaptors = {trials, clean};
