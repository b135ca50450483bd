/* SPDX-License-Identifier: MIT */
/**
 * @file containers.h
 * Sequences and maps. Neither changes once it is made: what goes in and what comes out is copied,
 * so a map in a sequence is held, not copied.
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

/** Releases what a sequence or a map holds, and the value itself. */
void core_end_container(OrtValue* value);

#endif /* ORTCFFI_CONTAINERS_H_ */
