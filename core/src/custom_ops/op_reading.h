/* SPDX-License-Identifier: MIT */
/**
 * @file op_reading.h
 * What an op declares.
 *
 * A field that the op's version lacks, or that is NULL, reads as the default: a required operand,
 * not variadic, in the device's memory, and an op of every opset version. Strings belong to the
 * domain or the op.
 */
#pragma once

#include <stdbool.h>

#include "exported.h"
#include "onnxruntime_c_api.h"

/** An input or an output of an op. */
struct core_operand {
  ONNXTensorElementDataType type;
  OrtCustomOpInputOutputCharacteristic characteristic;
  /** Outputs: OrtMemTypeDefault. */
  OrtMemType memory;
  /** Variadic: the least number of values, and whether all have one type. Otherwise 1 and 1. */
  int least;
  int is_homogeneous;
};

/** "" for an op that has no name. */
CORE_FOR_EXTENSION const char* core_op_name(const OrtCustomOp* op);
/** The execution provider that runs the op; "" for the CPU's. */
CORE_FOR_EXTENSION const char* core_op_provider(const OrtCustomOp* op);
/** The first and the last opset version with the op; 1 and INT_MAX by default. */
CORE_FOR_EXTENSION void core_op_versions(const OrtCustomOp* op, int* first, int* last);
/** The lowest API version whose struct has all fields that the op relies on. Does not count
 * InferOutputShapeFn and the fields of version 18, without which an op still runs. */
CORE_FOR_EXTENSION uint32_t core_op_needs(const OrtCustomOp* op);
CORE_FOR_EXTENSION size_t core_op_operand_count(const OrtCustomOp* op, bool is_output);
/** `index` must be below the count. */
CORE_FOR_EXTENSION struct core_operand core_op_operand(const OrtCustomOp* op, bool is_output,
                                                       size_t index);
