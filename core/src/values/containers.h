/* SPDX-License-Identifier: MIT */
/**
 * @file containers.h
 * Sequences and maps. Both are immutable. Tensors are copied when they are put in and when they are
 * read; a map in a sequence is shared, not copied.
 */
#pragma once

#include "values/value.h"

/** Two tensors of rank 1 and of equal length: keys in ascending order, each once, and values. */
struct core_map {
  struct OrtValue base;
  struct core_tensor* keys;
  struct core_tensor* values;
};

/** All tensors of one element type, or all maps of one type and at least one of them. */
struct core_sequence {
  struct OrtValue base;
  /** That of the tensors; UNDEFINED for maps. */
  ONNXTensorElementDataType type;
  size_t count;
  OrtValue* elements[];
};

/** What ORTCORE_EMPTY_SEQUENCE is in ortcore.h. */
OrtStatus* ORT_API_CALL core_empty_sequence(ONNXTensorElementDataType type, OrtValue** out);
