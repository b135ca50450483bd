/* SPDX-License-Identifier: MIT */
/**
 * @file containers.h
 * Sequences and maps. Both are immutable. Tensors are copied when they are put in and when they are
 * read; a map in a sequence is shared, not copied.
 */
#ifndef ORTCFFI_CONTAINERS_H_
#define ORTCFFI_CONTAINERS_H_

#include "values/value.h"

/** Two tensors of rank 1 and of equal length: keys in ascending order, each once, and values. */
struct core_map {
  struct OrtValue base;
  struct core_tensor* keys;
  struct core_tensor* values;
};

/** At least one element: all tensors of one element type, or all maps of one type. */
struct core_sequence {
  struct OrtValue base;
  size_t count;
  OrtValue* elements[];
};

#endif /* ORTCFFI_CONTAINERS_H_ */
