/* SPDX-License-Identifier: MIT */
/* What a kernel asks while it computes. */
#include <limits.h>
#include <string.h>

#include "behaviour_kernels.h"

static const int64_t shape[] = {2, 3};

#define COUNT_CALLS(slot)                   \
  CONTEXT_CALL(#slot) {                     \
    size_t count = 99;                      \
    say_status(api->slot(context, &count)); \
    say("%zu", count);                      \
  }                                         \
  CONTEXT_CALL(#slot "(out NULL)") { say_status(api->slot(context, NULL)); }
COUNT_CALLS(KernelContext_GetInputCount)
COUNT_CALLS(KernelContext_GetOutputCount)

static void get_input(OrtKernelContext* context, size_t index) {
  const OrtValue* value = UNTOUCHED;
  say_status(api->KernelContext_GetInput(context, index, &value));
  if (value == UNTOUCHED) {
    say_out(value, UNTOUCHED);
  } else {
    say_value(value);
  }
}
CONTEXT_CALL("KernelContext_GetInput(0)") { get_input(context, 0); }
CONTEXT_CALL("KernelContext_GetInput(1), left out") { get_input(context, 1); }
CONTEXT_CALL("KernelContext_GetInput(2), an initializer") { get_input(context, 2); }
CONTEXT_CALL("KernelContext_GetInput(4)") { get_input(context, 4); }
CONTEXT_CALL("KernelContext_GetInput(5), variadic") { get_input(context, 5); }
CONTEXT_CALL("KernelContext_GetInput(6), past the end") { get_input(context, 6); }
CONTEXT_CALL("KernelContext_GetInput(INT_MAX)") { get_input(context, INT_MAX); }
CONTEXT_CALL("KernelContext_GetInput(SIZE_MAX)") { get_input(context, SIZE_MAX); }
CONTEXT_CALL("KernelContext_GetInput(out NULL)") {
  say_status(api->KernelContext_GetInput(context, 0, NULL));
}

static void get_output(OrtKernelContext* context, size_t index, const int64_t* dims, size_t rank) {
  OrtValue* value = UNTOUCHED;
  say_status(api->KernelContext_GetOutput(context, index, dims, rank, &value));
  if (value == UNTOUCHED) {
    say_out(value, UNTOUCHED);
  } else {
    say_value(value);
  }
}
CONTEXT_CALL("KernelContext_GetOutput(0)") { get_output(context, 0, shape, 2); }
CONTEXT_CALL("KernelContext_GetOutput(0), twice") {
  get_output(context, 0, shape, 2);
  get_output(context, 0, shape, 2);
}
CONTEXT_CALL("KernelContext_GetOutput(0), twice, another shape") {
  static const int64_t six[] = {6};
  get_output(context, 0, shape, 2);
  get_output(context, 0, six, 1);
}
CONTEXT_CALL("KernelContext_GetOutput(0), a scalar") { get_output(context, 2, NULL, 0); }
CONTEXT_CALL("KernelContext_GetOutput(0), dim_values NULL") { get_output(context, 0, NULL, 2); }
CONTEXT_CALL("KernelContext_GetOutput(0), no elements") {
  static const int64_t none[] = {0, 3};
  get_output(context, 2, none, 2);
}
CONTEXT_CALL("KernelContext_GetOutput(0), negative") {
  static const int64_t negative[] = {2, -1};
  get_output(context, 0, negative, 2);
}
CONTEXT_CALL("KernelContext_GetOutput(0), overflow") {
  static const int64_t huge[] = {(int64_t)1 << 40, (int64_t)1 << 40};
  get_output(context, 0, huge, 2);
}
CONTEXT_CALL("KernelContext_GetOutput(0), too large") {
  static const int64_t large[] = {(int64_t)1 << 45};
  get_output(context, 0, large, 1);
}
CONTEXT_CALL("KernelContext_GetOutput(1), left out") { get_output(context, 1, shape, 2); }
CONTEXT_CALL("KernelContext_GetOutput(2), strings") { get_output(context, 2, shape, 2); }
CONTEXT_CALL("KernelContext_GetOutput(3), past the end") { get_output(context, 3, shape, 2); }
CONTEXT_CALL("KernelContext_GetOutput(SIZE_MAX)") { get_output(context, SIZE_MAX, shape, 2); }
CONTEXT_CALL("KernelContext_GetOutput(out NULL)") {
  say_status(api->KernelContext_GetOutput(context, 0, shape, 2, NULL));
}

static void get_preallocated(OrtKernelContext* context, size_t index) {
  OrtValue* value = UNTOUCHED;
  say_status(api->KernelContext_GetPreallocatedOutput(context, index, &value));
  say_out(value, UNTOUCHED);
}
CONTEXT_CALL("KernelContext_GetPreallocatedOutput(0)") { get_preallocated(context, 0); }
CONTEXT_CALL("KernelContext_GetPreallocatedOutput(9)") { get_preallocated(context, 9); }
CONTEXT_CALL("KernelContext_GetPreallocatedOutput(out NULL)") {
  say_status(api->KernelContext_GetPreallocatedOutput(context, 0, NULL));
}

CONTEXT_CALL("KernelContext_GetGPUComputeStream") {
  void* stream = UNTOUCHED;
  say_status(api->KernelContext_GetGPUComputeStream(context, &stream));
  say_out(stream, UNTOUCHED);
}
CONTEXT_CALL("KernelContext_GetGPUComputeStream(out NULL)") {
  say_status(api->KernelContext_GetGPUComputeStream(context, NULL));
}
CONTEXT_CALL("KernelContext_GetSyncStream") {
  OrtSyncStream* stream = UNTOUCHED;
  say_status(api->KernelContext_GetSyncStream(context, &stream));
  say_out(stream, UNTOUCHED);
}
CONTEXT_CALL("KernelContext_GetSyncStream(out NULL)") {
  say_status(api->KernelContext_GetSyncStream(context, NULL));
}
CONTEXT_CALL("KernelContext_GetResource(1, 0)") {
  void* resource = UNTOUCHED;
  say_status(api->KernelContext_GetResource(context, 1, 0, &resource));
  say_out(resource, UNTOUCHED);
}
CONTEXT_CALL("KernelContext_GetLogger") {
  const OrtLogger* logger = NULL;
  say_status(api->KernelContext_GetLogger(context, &logger));
  say_pointer(logger);
}
CONTEXT_CALL("KernelContext_GetLogger(out NULL)") {
  say_status(api->KernelContext_GetLogger(context, NULL));
}

static OrtMemoryInfo* memory_of(const char* name) {
  return NEW(OrtMemoryInfo,
             api->CreateMemoryInfo(name, OrtArenaAllocator, 0, OrtMemTypeDefault, &new_));
}
static void get_allocator(OrtKernelContext* context, const OrtMemoryInfo* info) {
  OrtAllocator* own = UNTOUCHED;
  void* block = NULL;
  if (say_status(api->KernelContext_GetAllocator(context, info, &own))) {
    block = own->Alloc(own, 100);
    say_pointer(block);
    own->Free(own, block);
    api->ReleaseAllocator(own);
  } else {
    say_out(own, UNTOUCHED);
  }
}
CONTEXT_CALL("KernelContext_GetAllocator(CPU)") { get_allocator(context, memory_of("Cpu")); }
CONTEXT_CALL("KernelContext_GetAllocator(CUDA)") { get_allocator(context, memory_of("Cuda")); }
CONTEXT_CALL("KernelContext_GetAllocator(mem_info NULL)") { get_allocator(context, NULL); }
CONTEXT_CALL("KernelContext_GetAllocator(out NULL)") {
  say_status(api->KernelContext_GetAllocator(context, memory_of("Cpu"), NULL));
}

static void get_scratch(OrtKernelContext* context, const OrtMemoryInfo* info, size_t size) {
  void* block = UNTOUCHED;
  say_status(api->KernelContext_GetScratchBuffer(context, info, size, &block));
  say_out(block, UNTOUCHED);
  say((uintptr_t)block % 64 == 0 || block == UNTOUCHED ? "aligned" : "not aligned");
}
CONTEXT_CALL("KernelContext_GetScratchBuffer(1000)") {
  get_scratch(context, memory_of("Cpu"), 1000);
}
CONTEXT_CALL("KernelContext_GetScratchBuffer(0)") { get_scratch(context, memory_of("Cpu"), 0); }
CONTEXT_CALL("KernelContext_GetScratchBuffer(too large)") {
  get_scratch(context, memory_of("Cpu"), (size_t)1 << 45);
}
CONTEXT_CALL("KernelContext_GetScratchBuffer(CUDA)") {
  get_scratch(context, memory_of("Cuda"), 1000);
}
CONTEXT_CALL("KernelContext_GetScratchBuffer(mem_info NULL)") { get_scratch(context, NULL, 1000); }
CONTEXT_CALL("KernelContext_GetScratchBuffer(out NULL)") {
  say_status(api->KernelContext_GetScratchBuffer(context, memory_of("Cpu"), 10, NULL));
}

static size_t visits[64];
static void visit(void* data, size_t i) {
  (void)data;
  __atomic_fetch_add(&visits[i], 1, __ATOMIC_RELAXED);
}
static void parallel(OrtKernelContext* context, size_t total, size_t batches) {
  size_t once = 0;
  memset(visits, 0, sizeof visits);
  say_status(api->KernelContext_ParallelFor(context, visit, total, batches, NULL));
  for (size_t i = 0; i < 64; i++) {
    once += visits[i] == 1;
  }
  say("%zu called once", once);
}
CONTEXT_CALL("KernelContext_ParallelFor(0)") { parallel(context, 0, 0); }
CONTEXT_CALL("KernelContext_ParallelFor(64)") { parallel(context, 64, 0); }
CONTEXT_CALL("KernelContext_ParallelFor(64, 4 batches)") { parallel(context, 64, 4); }
CONTEXT_CALL("KernelContext_ParallelFor(4, 1000 batches)") { parallel(context, 4, 1000); }
CONTEXT_CALL("KernelContext_ParallelFor(fn NULL)") {
  say_status(api->KernelContext_ParallelFor(context, NULL, 4, 0, NULL));
}

#undef COUNT_CALLS
