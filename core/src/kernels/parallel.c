/* SPDX-License-Identifier: MIT */
/* ParallelFor, on the threads that the client has made for a session. Elsewhere threads live for
 * one call, so that no fork and no end of the process meets them idle. */
#include "kernels/kernel.h"
#include "kernels/thread_pool.h"
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
  /** With a pool: how many of its threads are at work, under the lock. */
  core_mutex lock;
  size_t busy;
  /** Signalled when one has ended its work. */
  core_condition ended;
};

/** A thread beside the caller's, of the library or of a pool. */
struct helper {
  struct core_thread thread;
  struct core_task task;
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
  OrtStatus* failure = core_status(ORT_RUNTIME_EXCEPTION, "%s", text);
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

/* Does all with the caller's thread and those that can be started. */
static void share(struct job* job, struct helper* helpers, size_t count) {
  size_t started = 0;
  while (started < count) {
    helpers[started].thread = (struct core_thread){work, job, 0};
    if (!core_thread_start(&helpers[started].thread)) {
      break;
    }
    started++;
  }
  work(job);
  for (size_t i = 0; i < started; i++) {
    core_thread_join(&helpers[i].thread);
  }
}

static void help(void* argument) {
  struct job* job = argument;
  work(job);
  core_mutex_lock(&job->lock);
  job->busy--;
  core_condition_signal(&job->ended);
  core_mutex_unlock(&job->lock);
}

/* The same with a pool, all of whose threads may have other work: what none of them has begun when
 * the caller's thread finds no more is taken back. */
static void share_with_pool(struct job* job, struct core_thread_pool* pool, struct helper* helpers,
                            size_t count) {
  size_t given = 0, idle = 0;
  core_mutex_begin(&job->lock);
  core_condition_begin(&job->ended);
  job->busy = count;
  while (given < count) {
    helpers[given].task = (struct core_task){.function = help, .argument = job};
    if (!core_pool_do(pool, &helpers[given].task)) {
      break;
    }
    given++;
  }
  work(job);
  for (size_t i = 0; i < given; i++) {
    idle += core_pool_take_back(pool, &helpers[i].task);
  }
  core_mutex_lock(&job->lock);
  job->busy -= count - given + idle;
  while (job->busy > 0) {
    core_condition_wait(&job->ended, &job->lock);
  }
  core_mutex_unlock(&job->lock);
  core_condition_end(&job->ended);
  core_mutex_end(&job->lock);
}

CORE_SLOT(ort_KernelContext_ParallelFor, const OrtKernelContext* context, void (*fn)(void*, size_t),
          size_t total, size_t num_batch, void* usr_data) {
  if (total == 0) {
    return NULL;
  }
  size_t count = context->node->threads < MOST_THREADS ? context->node->threads : MOST_THREADS;
  count = count > 0 ? count : 1;
  size_t batches = num_batch > 0 ? num_batch : count * BATCHES_PER_THREAD;
  batches = batches < total ? batches : total;
  count = count < batches ? count : batches;
  struct job job = {.node = context->node,
                    .function = fn,
                    .argument = usr_data,
                    .total = total,
                    .batches = batches};
  struct core_thread_pool* pool = context->node->pool != NULL ? *context->node->pool : NULL;
  /* Without memory the caller does all by itself. */
  struct helper* helpers = count > 1 ? heap_alloc((count - 1) * sizeof *helpers) : NULL;
  if (helpers == NULL) {
    work(&job);
  } else if (pool == NULL) {
    share(&job, helpers, count - 1);
  } else {
    share_with_pool(&job, pool, helpers, count - 1);
  }
  heap_free(helpers);
  return job.failure;
}
