/* SPDX-License-Identifier: MIT */
#include "boundary/limited_api.h"

#include "adaptors/adaptor.h"
#include "adaptors/scopes.h"
#include "arena/arena.h"

#include "boundary/memory/adaptors.h"
#include "boundary/python.h"
#include "boundary/gil.h"

/* The arguments and the result of a Python function. */
struct call {
  void* context;
  void* block;
  size_t size;
  int depth; /* of the stack */
  uint32_t site;
  OrtKeyValuePairs** figures;
  OrtStatus* status;
};

ORTCFFI_IN_PYTHON(call_stack, struct call, call->site = ortcffi_python_stack(call->depth))

static uint32_t site_source(int depth) {
  struct call call = {.depth = depth};
  call_with_gil(call_stack, &call);
  return call.site;
}

OrtStatus* ortcffi_open_scope(OrtAllocator* tracking, int depth, core_scope** out) {
  core_set_site_source(site_source);
  return core_open_scope(tracking, depth, out);
}

void ortcffi_release_scope(const OrtApi* api, core_scope* scope) { core_release_scope(scope); }

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
    return core_status(ORT_FAIL, "AllocatorGetStats: the Python interpreter has ended");
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
