/* SPDX-License-Identifier: MIT */
/** @file fields.h The messages in ONNX files, and the numbers of their fields: see fields.def. */
#pragma once

/** The kinds of messages, such as ONNX_NODE. */
enum core_onnx {
  ONNX_NO_MESSAGE,
#define MESSAGE(kind, name) ONNX_##kind,
#define FIELD(kind, field, number, name, type)
#include "onnx/fields.def"
  ONNX_MESSAGES
};

/** Field numbers, such as NODE_INPUT. */
enum core_onnx_field {
#define MESSAGE(kind, name)
#define FIELD(kind, field, number, name, type) field = (number),
#include "onnx/fields.def"
  /** More than any of them. */
  ONNX_FIELDS = 27
};

/** What ATTRIBUTE_TYPE says. */
enum core_attribute_type {
  ATTRIBUTE_IS_FLOAT = 1,
  ATTRIBUTE_IS_INT = 2,
  ATTRIBUTE_IS_STRING = 3,
  ATTRIBUTE_IS_TENSOR = 4,
  ATTRIBUTE_IS_GRAPH = 5,
  ATTRIBUTE_IS_FLOATS = 6,
  ATTRIBUTE_IS_INTS = 7,
  ATTRIBUTE_IS_STRINGS = 8,
  ATTRIBUTE_IS_SPARSE_TENSOR = 11,
  ATTRIBUTE_IS_TYPE_PROTO = 13,
  ATTRIBUTE_IS_TYPE_PROTOS = 14
};
