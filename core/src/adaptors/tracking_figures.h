/* SPDX-License-Identifier: MIT */
/**
 * @file tracking_figures.h
 * The statistics of a tracking adaptor and of its scopes, for clients that need no more of the
 * core's headers.
 */
#ifndef ORTCFFI_TRACKING_FIGURES_H_
#define ORTCFFI_TRACKING_FIGURES_H_

#include <stddef.h>
#include <stdint.h>

/** The statistics of a tracking adaptor. */
typedef struct core_tracking_figures {
  /** Bytes in use, their peak, and the sum of all allocations. */
  int64_t current;
  int64_t peak;
  int64_t total;
  int64_t allocations;
  int64_t frees;
  /** The largest block in bytes. */
  int64_t largest;
} core_tracking_figures;

/** Figures of a part of a program (scopes.h). */
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

/** Where a block comes from: its call site, and the scopes that own it (core_origin_add). */
typedef struct core_origin {
  uint32_t site;
  /** Set by the adaptor: whether an owned scope is open. */
  int is_owned;
  struct core_membership* memberships;
} core_origin;

#endif /* ORTCFFI_TRACKING_FIGURES_H_ */
