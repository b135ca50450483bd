/* SPDX-License-Identifier: MIT */
/** @file type_info.h The structs behind OrtTensorTypeAndShapeInfo, OrtTypeInfo and its kinds. */
#pragma once

#include "values/value.h"

struct OrtTensorTypeAndShapeInfo {
  struct core_object object;
  ONNXTensorElementDataType type;
  /** Whether there is a shape; rank 0 is one too. */
  bool has_shape;
  size_t rank;
  /** `rank` dimensions and names: in `few`, or in one block; NULL for rank 0. An unknown dimension
   * is -1. A name is in `texts`, a block of the heap, or NULL if there is none. */
  int64_t* dims;
  const char** names;
  char* texts;
#define CORE_FEW_DIMENSIONS 4
  struct {
    int64_t dims[CORE_FEW_DIMENSIONS];
    const char* names[CORE_FEW_DIMENSIONS];
  } few;
};

/** Makes an info with a copy of a shape; the caller frees it with ReleaseTensorTypeAndShapeInfo. */
OrtStatus* core_new_shape_info(const struct core_shape* shape, OrtTensorTypeAndShapeInfo** out);

OrtStatus* core_copy_shape_info(const OrtTensorTypeAndShapeInfo* from,
                                OrtTensorTypeAndShapeInfo** out);

/** Also what an OrtMapTypeInfo, an OrtSequenceTypeInfo or an OrtOptionalTypeInfo is. */
struct OrtTypeInfo {
  struct core_object object;
  enum ONNXType kind;
  /** Of a dense or sparse tensor, else NULL. */
  OrtTensorTypeAndShapeInfo* tensor;
  /** The type of a map's values, of a sequence's elements, or of what an optional holds; else NULL.
   * Clients may nest types to any depth, so functions loop instead of recursing. */
  OrtTypeInfo* inner;
  /** Of a map. */
  ONNXTensorElementDataType key;
};

/** Makes the type of a dense or sparse tensor with a copy of `info`. */
OrtStatus* core_new_tensor_type(enum ONNXType kind, const OrtTensorTypeAndShapeInfo* info,
                                OrtTypeInfo** out);

/** Makes a map, a sequence or an optional type around another one, which belongs to it from then on
 * and is released on failure. `key` is that of a map. */
OrtStatus* core_wrap_type(enum ONNXType kind, ONNXTensorElementDataType key, OrtTypeInfo* inner,
                          OrtTypeInfo** out);

/** Whether a value is of a type, apart from the shapes of tensors. NULL is any type. */
bool core_is_of_type(const OrtValue* value, const OrtTypeInfo* type);

OrtStatus* core_copy_type_info(const OrtTypeInfo* from, OrtTypeInfo** out);
