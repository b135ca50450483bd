/* SPDX-License-Identifier: MIT */
#include "boundary/limited_api.h"

#include "adaptors/adaptor.h"
#include "adaptors/scopes.h"
#include "arena/arena.h"

#include "boundary/memory/adaptors.h"
#include "boundary/memory/stacks.h"
#include "boundary/python.h"
#include "boundary/gil.h"

/* The arguments and the result of a Python function. */
struct call {
  void* context;
  void* block;
  size_t size;
  int event;
  int depth; /* of the stack */
  core_origin* origin;
  OrtKeyValuePairs** figures;
  OrtStatus* status;
};

static void call_origin(void* argument) {
  const struct call* call = argument;
  int depth = call->depth;
  if (call->origin->has_selective) {
    depth = ortcffi_python_scopes(call->context, depth, call->origin);
  }
  if (depth > 0) {
    call->origin->site = ortcffi_python_stack(depth);
    if (call->origin->site == 0) { /* no Python code led here */
      call->origin->site = (uint32_t)ortcffi_works_for().stack;
    }
  }
}

static void origin_source(OrtAllocator* tracking, int depth, core_origin* origin) {
  struct call call = {.context = tracking, .depth = depth, .origin = origin};
  call_with_gil(call_origin, &call);
}

OrtStatus* ortcffi_open_scope(OrtAllocator* tracking, int selective, int depth, core_scope** out) {
  core_set_origin_source(origin_source);
  return core_open_scope(tracking, selective, depth, out);
}

void ortcffi_release_scope(const OrtApi* api, core_scope* scope) { core_release_scope(scope); }

ORTCFFI_IN_PYTHON(call_observe, struct call,
                  ortcffi_python_observe(call->context, call->event, call->block, call->size))

static void observe(void* context, int event, void* block, size_t size) {
  struct call call = {.context = context, .event = event, .block = block, .size = size};
  call_with_gil(call_observe, &call);
}

ORTCFFI_IN_PYTHON(call_alloc, struct call,
                  call->block = ortcffi_python_alloc(call->context, call->size))

static void* alloc(void* context, size_t size) {
  struct call call = {.context = context, .size = size};
  call_with_gil(call_alloc, &call);
  return call.block;
}

ORTCFFI_IN_PYTHON(call_free, struct call, ortcffi_python_free(call->context, call->block))

static void free_(void* context, void* block) {
  struct call call = {.context = context, .block = block};
  call_with_gil(call_free, &call);
}

ORTCFFI_IN_PYTHON(call_excess, struct call, ortcffi_python_excess(call->context, call->size))

static void excess(void* context, size_t size) {
  struct call call = {.context = context, .size = size};
  call_with_gil(call_excess, &call);
}

ORTCFFI_IN_PYTHON(call_stats, struct call,
                  call->status = ortcffi_python_stats(call->context, call->figures))

static OrtStatus* stats(void* context, OrtKeyValuePairs** out) {
  struct call call = {.context = context, .figures = out};
  if (!call_with_gil(call_stats, &call)) {
    CORE_FAIL(ORT_FAIL, "AllocatorGetStats: the Python interpreter has ended");
  }
  return call.status;
}

ORTCFFI_IN_PYTHON(call_shrink, struct call, call->status = ortcffi_python_shrink(call->context))

static OrtStatus* shrink(void* context) {
  struct call call = {.context = context};
  call_with_gil(call_shrink, &call);
  return call.status;
}

OrtStatus* ortcffi_soft_limiting(OrtAllocator* inner, size_t limit, void* callee,
                                 OrtAllocator** out) {
  return core_create_soft_limiting(inner, limit, callee != NULL ? excess : NULL, callee, out);
}

OrtStatus* ortcffi_observing(OrtAllocator* inner, void* observer, OrtAllocator** out) {
  return core_create_observing(inner, observe, observer, out);
}

OrtStatus* ortcffi_python_allocator(const OrtMemoryInfo* info, void* allocator,
                                    OrtAllocator** out) {
  static const struct core_callbacks callbacks = {
      .alloc = alloc,
      .free = free_,
      .stats = stats,
      .shrink = shrink,
  };
  return core_create_from_callbacks(&callbacks, info, allocator, NULL, out);
}

void ortcffi_release_adaptor(const OrtApi* api, OrtAllocator* allocator) {
  core_release_adaptor(allocator);
}

OrtStatus* ortcffi_arena(OrtAllocator* inner, const OrtArenaCfg* cfg, OrtAllocator** out) {
  return core_create_arena(inner, cfg, NULL, out);
}
