/* SPDX-License-Identifier: MIT */
#include "boundary/limited_api.h"

#include "memory/adaptor.h"
#include "memory/scopes.h"

#include "boundary/memory/adaptors.h"
#include "boundary/python.h"
#include "boundary/gil.h"

OrtStatus* ortcffi_aligned(OrtAllocator* inner, size_t alignment, OrtAllocator** out) {
  return core_create_aligned(inner, alignment, out);
}

OrtStatus* ortcffi_limiting(OrtAllocator* inner, size_t limit, OrtAllocator** out) {
  return core_create_limiting(inner, limit, out);
}

int64_t ortcffi_limiting_in_use(OrtAllocator* allocator) { return core_limiting_in_use(allocator); }

OrtStatus* ortcffi_failing(OrtAllocator* inner, size_t after, OrtAllocator** out) {
  return core_create_failing(inner, after, out);
}

void ortcffi_failing_reset(OrtAllocator* allocator, size_t after) {
  core_failing_reset(allocator, after);
}

size_t ortcffi_failing_refused(OrtAllocator* allocator) { return core_failing_refused(allocator); }

OrtStatus* ortcffi_tracking(OrtAllocator* inner, OrtAllocator** out) {
  return core_create_tracking(inner, out);
}

void ortcffi_tracking_read(OrtAllocator* allocator, core_tracking_figures* out) {
  core_tracking_read(allocator, out);
}

static void origin_source(OrtAllocator* tracking, int depth, core_origin* origin) {
  struct gil gil;
  if (take_gil(&gil)) {
    ortcffi_python_origin(tracking, depth, origin);
    release_gil(&gil);
  }
}

OrtStatus* ortcffi_open_scope(OrtAllocator* tracking, int owned, int depth, core_scope** out) {
  core_set_origin_source(origin_source);
  return core_open_scope(tracking, owned, depth, out);
}

void ortcffi_close_scope(core_scope* scope, core_scope_figures* out) {
  core_close_scope(scope, out);
}

size_t ortcffi_scope_blocks(core_scope* scope, core_tracked_block* out, size_t capacity) {
  return core_scope_blocks(scope, out, capacity);
}

void ortcffi_release_scope(const OrtApi* api, core_scope* scope) {
  (void)api;
  core_release_scope(scope);
}

void ortcffi_origin_add(core_origin* origin, core_scope* scope) { core_origin_add(origin, scope); }

static void observe(void* context, int event, void* block, size_t size) {
  struct gil gil;
  if (take_gil(&gil)) {
    ortcffi_python_observe(context, event, block, size);
    release_gil(&gil);
  }
}

static void* alloc(void* context, size_t size) {
  struct gil gil;
  void* block = NULL;
  if (take_gil(&gil)) {
    block = ortcffi_python_alloc(context, size);
    release_gil(&gil);
  }
  return block;
}

static void free_(void* context, void* block) {
  struct gil gil;
  if (take_gil(&gil)) {
    ortcffi_python_free(context, block);
    release_gil(&gil);
  }
}

static void excess(void* context, size_t size) {
  struct gil gil;
  if (take_gil(&gil)) {
    ortcffi_python_excess(context, size);
    release_gil(&gil);
  }
}

OrtStatus* ortcffi_soft_limiting(OrtAllocator* inner, size_t limit, ortcffi_object* callee,
                                 OrtAllocator** out) {
  int calls = (PyObject*)callee != Py_None;
  return core_create_soft_limiting(inner, limit, calls ? excess : NULL, callee, out);
}

int64_t ortcffi_limiting_excesses(OrtAllocator* allocator) {
  return core_limiting_excesses(allocator).count;
}

int64_t ortcffi_limiting_max_excess(OrtAllocator* allocator) {
  return core_limiting_excesses(allocator).largest;
}

OrtStatus* ortcffi_observing(OrtAllocator* inner, ortcffi_object* observer, OrtAllocator** out) {
  return core_create_observing(inner, observe, observer, out);
}

OrtStatus* ortcffi_python_allocator(const OrtMemoryInfo* info, ortcffi_object* allocator,
                                    OrtAllocator** out) {
  static const struct core_callbacks callbacks = {
      .alloc = alloc,
      .free = free_,
      .stats = ortcffi_python_stats,
      .shrink = ortcffi_python_shrink,
  };
  return core_create_from_callbacks(&callbacks, info, allocator, NULL, out);
}

void ortcffi_release_adaptor(const OrtApi* api, OrtAllocator* allocator) {
  (void)api;
  core_release_adaptor(allocator);
}
