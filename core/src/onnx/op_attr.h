/* SPDX-License-Identifier: MIT */
/**
 * @file op_attr.h
 * The struct behind OrtOpAttr, an attribute of a node.
 */
#pragma once

#include "core.h"

/** One block: the struct, the value at a multiple of 8 bytes, the name. A list of strings is stored
 * as ReadOpAttr returns it: one after the other, each with its terminating zero. A single string
 * has no terminating zero. A tensor is stored as a pointer to a value with one more reference. */
struct OrtOpAttr {
  struct core_object object;
  OrtOpAttrType type;
  size_t size;
  const char* name;
};

static inline const void* core_op_attr_value(const OrtOpAttr* attr) { return attr + 1; }
