/* SPDX-License-Identifier: MIT */
/* ParallelFor: threads that live for one call, so that no fork and no end of the process meets them
 * idle. */
#include "heap/heap.h"
#include "kernels/borrowed.h"
#include "platform/catching.h"

/* Threads that a kernel may use, the caller's among them. */
#define MOST_THREADS 1024
/* Where the kernel does not say in how many batches: so many for each thread, so that one which is
 * slow does not hold up the others. */
#define BATCHES_PER_THREAD 8

struct job {
  const struct core_node* node;
  void (*function)(void*, size_t);
  void* argument;
  size_t total;
  size_t batches;
  /** The next batch that no thread has begun; past the last after a failure. Atomic. */
  size_t next;
  /** What the first function that threw said. Atomic. */
  OrtStatus* failure;
};

static void run_batches(void* argument) {
  struct job* job = argument;
  size_t size = job->total / job->batches, longer = job->total % job->batches;
  for (;;) {
    size_t batch = __atomic_fetch_add(&job->next, 1, __ATOMIC_RELAXED);
    if (batch >= job->batches) {
      return;
    }
    /* The first ones have one number more. */
    size_t first = batch * size + (batch < longer ? batch : longer);
    size_t end = first + size + (batch < longer);
    for (size_t i = first; i < end; i++) {
      job->function(job->argument, i);
    }
  }
}

static void report_batch(void* argument, const char* text) {
  struct job* job = argument;
  OrtStatus* failure = core_status(ORT_RUNTIME_EXCEPTION, text, NULL, NULL);
  OrtStatus* none = NULL;
  __atomic_store_n(&job->next, job->batches, __ATOMIC_RELAXED);
  if (!__atomic_compare_exchange_n(&job->failure, &none, failure, false, __ATOMIC_RELEASE,
                                   __ATOMIC_RELAXED)) {
    ort_ReleaseStatus(failure);
  }
}

static void work(void* argument) {
  const struct job* job = argument;
  OrtAllocator* before = core_enter_kernel(job->node->allocator);
  core_call_catching(run_batches, argument, report_batch);
  core_enter_kernel(before);
}

ORT_API_STATUS_IMPL(ort_KernelContext_ParallelFor, const OrtKernelContext* context,
                    void (*fn)(void*, size_t), size_t total, size_t num_batch, void* usr_data) {
  CORE_REQUIRE_CONTEXT(KernelContext_ParallelFor);
  CORE_REQUIRE(KernelContext_ParallelFor, fn);
  if (total == 0) {
    return NULL;
  }
  size_t count = context->node->threads < MOST_THREADS ? context->node->threads : MOST_THREADS;
  count = count > 0 ? count : 1;
  size_t batches = num_batch > 0 ? num_batch : count * BATCHES_PER_THREAD;
  batches = batches < total ? batches : total;
  count = count < batches ? count : batches;
  struct job job = {context->node, fn, usr_data, total, batches, 0, NULL};
  /* Without memory the caller does all by itself. */
  struct core_thread* threads = count > 1 ? heap_alloc((count - 1) * sizeof *threads) : NULL;
  size_t started = 0;
  while (threads != NULL && started < count - 1) {
    threads[started] = (struct core_thread){work, &job, 0};
    if (!core_thread_start(&threads[started])) {
      break;
    }
    started++;
  }
  work(&job);
  for (size_t i = 0; i < started; i++) {
    core_thread_join(&threads[i]);
  }
  heap_free(threads);
  return job.failure;
}
