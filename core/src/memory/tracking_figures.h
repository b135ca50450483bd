/* SPDX-License-Identifier: MIT */
/**
 * @file tracking_figures.h
 * What a tracking adaptor counts. Apart from adaptor.h, because Python reads these structs as well.
 */
#ifndef ORTCFFI_TRACKING_FIGURES_H_
#define ORTCFFI_TRACKING_FIGURES_H_

#include <stddef.h>
#include <stdint.h>

/** The figures of a tracking adaptor. */
typedef struct core_tracking_figures {
  /** Bytes in use, the most there were, and all ever asked for. */
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
  /** The place in the program, as the source of sites numbered it; 0 without one. */
  uint32_t site;
} core_tracked_block;

#endif /* ORTCFFI_TRACKING_FIGURES_H_ */
