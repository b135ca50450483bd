/* SPDX-License-Identifier: MIT */
/**
 * @file thread_pool.h
 * Threads that a client makes, for a session or for all sessions of an environment. Where the
 * client gives no functions for that there is no pool: threads are then made when they are needed,
 * so that none is idle when the process forks or ends.
 */
#pragma once

#include "core.h"

/** The client's functions that create and join threads. */
struct core_thread_functions {
  OrtCustomCreateThreadFn create;
  void* creation_options;
  OrtCustomJoinThreadFn join;
};

/** What a thread of a pool is to call. The struct must live until then. */
struct core_task {
  void (*function)(void* argument);
  void* argument;
  struct core_task* next;
};

struct core_thread_pool;

/** How many threads a number of the options stands for, the caller's among them: one that is not
 * positive for as many as there are processors. */
size_t core_thread_count(int wanted);

/**
 * Has a client make the threads of a pool.
 * @param[in] functions The client's functions, which are copied; without one that creates threads
 *     there is no pool.
 * @param[in] intra_op As in the options; the threads that call the library are among them.
 * @param[in] inter_op The same.
 * @param[out] out The pool; NULL where none is needed.
 * @return NULL, or a status: ORT_FAIL where the client makes no thread, or cannot join them.
 */
OrtStatus* core_new_thread_pool(const struct core_thread_functions* functions, int intra_op,
                                int inter_op, struct core_thread_pool** out);

/** Has a thread do a task, after those that came before. False where no thread will: a fork has
 * copied the pool without them. */
bool core_pool_do(struct core_thread_pool* pool, struct core_task* task);

/** Takes back a task that no thread has begun; false where one has. */
bool core_pool_take_back(struct core_thread_pool* pool, const struct core_task* task);

/** Ends a pool once its tasks are done; to be called on no thread of its own. NULL is fine. */
void core_end_thread_pool(struct core_thread_pool* pool);
