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
  /** How many open scopes record blocks, and how deep a stack they want. Set under the lock, read
   * without it. */
  size_t recording;
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
