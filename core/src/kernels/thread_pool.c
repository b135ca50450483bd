/* SPDX-License-Identifier: MIT */
/* Pools of threads that a client makes. */
#include "kernels/thread_pool.h"

#include "heap/heap.h"
#include "platform/catching.h"
#include "platform/platform.h"

struct core_thread_pool {
  struct core_thread_functions functions;
  /** A fork does not copy the threads. */
  int32_t process;
  core_mutex lock;
  /** Signalled when there is a task, and at the end. */
  core_condition wakes;
  /** The tasks that no thread has begun, under the lock. */
  struct core_task* first;
  struct core_task* last;
  bool is_ending;
  size_t count;
  OrtCustomThreadHandle threads[];
};

size_t core_thread_count(int wanted) {
  return wanted > 0 ? (size_t)wanted : core_processor_count();
}

/* The next task; NULL at the end, of which each thread then informs another. */
static const struct core_task* wait_for_task(struct core_thread_pool* pool) {
  core_mutex_lock(&pool->lock);
  while (pool->first == NULL && !pool->is_ending) {
    core_condition_wait(&pool->wakes, &pool->lock);
  }
  const struct core_task* task = pool->first;
  if (task != NULL) {
    pool->first = task->next;
  } else {
    core_condition_signal(&pool->wakes);
  }
  core_mutex_unlock(&pool->lock);
  return task;
}

static void take_tasks(void* argument) {
  const struct core_task* task;
  while ((task = wait_for_task(argument)) != NULL) {
    task->function(task->argument);
  }
}

bool core_pool_do(struct core_thread_pool* pool, struct core_task* task) {
  if (pool->process != core_process_id()) {
    return false;
  }
  task->next = NULL;
  core_mutex_lock(&pool->lock);
  *(pool->first == NULL ? &pool->first : &pool->last->next) = task;
  pool->last = task;
  core_condition_signal(&pool->wakes);
  core_mutex_unlock(&pool->lock);
  return true;
}

bool core_pool_take_back(struct core_thread_pool* pool, const struct core_task* task) {
  struct core_task* before = NULL;
  core_mutex_lock(&pool->lock);
  struct core_task* found = pool->first;
  while (found != NULL && found != task) {
    before = found;
    found = found->next;
  }
  if (found != NULL) {
    *(before == NULL ? &pool->first : &before->next) = found->next;
    pool->last = found == pool->last ? before : pool->last;
  }
  core_mutex_unlock(&pool->lock);
  return found != NULL;
}

/* --- how pools begin and end ------------------------------------------------------------------ */

struct creation {
  struct core_thread_pool* pool;
  size_t wanted;
  OrtStatus* failure;
};

static void create_threads(void* argument) {
  struct creation* creation = argument;
  struct core_thread_pool* pool = creation->pool;
  const struct core_thread_functions* functions = &pool->functions;
  for (; pool->count < creation->wanted; pool->count++) {
    OrtCustomThreadHandle thread = functions->create(functions->creation_options, take_tasks, pool);
    if (thread == NULL) {
      creation->failure = core_fail(ORT_FAIL, "ort_custom_create_thread_fn made no thread");
      return;
    }
    pool->threads[pool->count] = thread;
  }
}

static void report_creation(void* argument, const char* text) {
  struct creation* creation = argument;
  creation->failure = core_fail(ORT_FAIL, "%s", text);
}

OrtStatus* core_new_thread_pool(const struct core_thread_functions* functions, int intra_op,
                                int inter_op, struct core_thread_pool** out) {
  if (functions->create == NULL) {
    return NULL;
  }
  CORE_REFUSE_IF(functions->join == NULL, ORT_FAIL,
                 "ort_custom_create_thread_fn is set, but no function that joins threads "
                 "(SessionOptionsSetCustomJoinThreadFn, SetGlobalCustomJoinThreadFn)");
  /* The callers of the library are the others. */
  size_t wanted = core_thread_count(intra_op) - 1 + core_thread_count(inter_op) - 1;
  size_t size = sizeof(struct core_thread_pool) + wanted * sizeof(OrtCustomThreadHandle);
  if (wanted == 0) {
    return NULL;
  }
  struct core_thread_pool* pool = heap_alloc(size);
  CORE_NEED_MEMORY(pool, size);
  *pool = (struct core_thread_pool){.functions = *functions, .process = core_process_id()};
  core_mutex_begin(&pool->lock);
  core_condition_begin(&pool->wakes);
  struct creation creation = {pool, wanted, NULL};
  core_call_catching(create_threads, &creation, report_creation);
  if (creation.failure != NULL) {
    core_end_thread_pool(pool);
    return creation.failure;
  }
  *out = pool;
  return NULL;
}

void core_end_thread_pool(struct core_thread_pool* pool) {
  if (pool == NULL) {
    return;
  }
  if (pool->process == core_process_id()) {
    core_mutex_lock(&pool->lock);
    pool->is_ending = true;
    core_condition_signal(&pool->wakes);
    core_mutex_unlock(&pool->lock);
    for (size_t i = 0; i < pool->count; i++) {
      pool->functions.join(pool->threads[i]);
    }
    core_condition_end(&pool->wakes);
    core_mutex_end(&pool->lock);
  }
  heap_free(pool);
}
