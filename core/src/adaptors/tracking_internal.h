/* SPDX-License-Identifier: MIT */
/**
 * @file tracking_internal.h
 * What tracking.c (counters) and scopes.c (scopes, recorded blocks) share.
 */
#pragma once

#include "adaptors/adaptor.h"
#include "memory/per_thread.h"

struct core_tracking {
  struct core_adaptor adaptor;
  int64_t peak;
  /** The peak since tracking_take_window was last called. */
  int64_t window;
  /** What the open scopes need: whether blocks are recorded, whether one is selective, how many of
   * the scopes count the blocks of all threads, and how deep a stack those want. Set under the
   * lock, read without it. */
  int recording;
  int has_selective;
  size_t of_all_threads;
  int depth;
  /** Guarded by the lock: the number of the newest recorded block, the recorded blocks in use,
   * newest first, and the open scopes. */
  uint64_t serial;
  struct core_header* recorded;
  struct core_scope* scopes;
  struct core_shards shards;
};

/** Updates the peaks; returns the bytes in use. */
int64_t tracking_update_peaks(struct core_tracking* self);
/** Returns the peak of bytes in use since the last call, and restarts it from those in use now. */
int64_t tracking_take_window(struct core_tracking* self);

/** Records a new block, if a scope has it. */
void tracking_record(struct core_tracking* self, struct core_header* header);
/** Removes a recorded block that is about to be freed. */
void tracking_forget(struct core_tracking* self, struct core_header* header);
/** Frees what the adaptor keeps about blocks that were never freed. */
void tracking_end_recording(struct core_tracking* self);
