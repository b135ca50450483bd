/* SPDX-License-Identifier: MIT */
/**
 * @file tracking_figures.h
 * The statistics of a tracking adaptor. A header of its own, because the Python boundary includes
 * it.
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
  /** The number of the newest block; blocks are numbered while they are recorded. */
  uint64_t serial;
} core_tracking_figures;

/** A block in use that was recorded. */
typedef struct core_tracked_block {
  void* block;
  size_t size;
  uint64_t serial;
  /** The number of the call site that took the block; 0 if unknown. */
  uint32_t site;
} core_tracked_block;

#endif /* ORTCFFI_TRACKING_FIGURES_H_ */
