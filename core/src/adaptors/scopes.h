/* SPDX-License-Identifier: MIT */
/**
 * @file scopes.h
 * Scopes of a tracking adaptor: the statistics of a part of a program.
 *
 * A scope counts what all threads take from the adaptor and give back while it is open.
 *
 * The functions may be called on any thread, but core_release_scope only after all others. An open
 * scope has a reference to the adaptor.
 */
#pragma once

#include "exported.h"
#include "onnxruntime_c_api.h"

/** Figures of a part of a program. */
typedef struct core_scope core_scope;

/** What a scope has counted. */
typedef struct core_scope_figures {
  /** Bytes in use at the end beyond those at the start, and the most there were. */
  int64_t live;
  int64_t peak;
  int64_t total;
  int64_t allocations;
  int64_t frees;
} core_scope_figures;

/** A block of a scope. */
typedef struct core_tracked_block {
  /** NULL if the block is no longer in use. */
  void* block;
  size_t size;
  /** The number of the call site that took the block; 0 if unknown. */
  uint32_t site;
  /** Whether it was in use when the scope had the most bytes. */
  int at_peak;
} core_tracked_block;

/**
 * Opens a scope.
 * @param[in] tracking A tracking adaptor.
 * @param[in] depth How many frames of the stack to note for each block; 0 if core_scope_blocks is
 *     not wanted.
 * @param[out] out The scope; free it with core_release_scope.
 * @return NULL, or ORT_FAIL when out of memory.
 */
CORE_FOR_EXTENSION OrtStatus* core_open_scope(OrtAllocator* tracking, int depth, core_scope** out);

/** Closes a scope, once, and writes its statistics if `out` is not NULL. */
CORE_FOR_EXTENSION void core_close_scope(core_scope* scope, core_scope_figures* out);

/** Writes up to `capacity` of the scope's blocks that are in use now or were at its peak; those in
 * use come first, the newest in front. Returns how many there are; 0 for a scope of depth 0. */
CORE_FOR_EXTENSION size_t core_scope_blocks(core_scope* scope, core_tracked_block* out,
                                            size_t capacity);

/** Closes a scope if it is open, and frees it. Does nothing for NULL. */
CORE_FOR_EXTENSION void core_release_scope(core_scope* scope);

/** Returns the number of the call site that takes a block, for which `depth` frames of the stack
 * are noted. */
typedef uint32_t (*core_site_source)(int depth);
/** Sets the function that the allocating thread calls, under no lock, for each block that a scope
 * records; NULL for none. One for the process. */
CORE_FOR_EXTENSION void core_set_site_source(core_site_source source);
