/* SPDX-License-Identifier: MIT */
/**
 * @file check_fields.h
 * What protobuf itself checks of ONNX's messages, and does with messages in parts.
 *
 * Only what is needed of a model is read, much of it late. So each graph and each function is
 * checked as a whole before anything of it is read: what protobuf refuses is refused then. Elements
 * of tensors are skipped, so that no page of a weight is read.
 */
#ifndef ORTCFFI_CHECK_FIELDS_H_
#define ORTCFFI_CHECK_FIELDS_H_

#include "onnx/writing.h"

/** The kinds of messages in ONNX files. */
enum core_onnx {
  ONNX_NO_MESSAGE,
  ONNX_MODEL,
  ONNX_GRAPH,
  ONNX_NODE,
  ONNX_ATTRIBUTE,
  ONNX_TENSOR,
  ONNX_SEGMENT,
  ONNX_SPARSE_TENSOR,
  ONNX_VALUE,
  ONNX_TYPE,
  ONNX_TENSOR_TYPE,
  ONNX_ELEMENT_TYPE,
  ONNX_MAP_TYPE,
  ONNX_OPAQUE_TYPE,
  ONNX_SHAPE,
  ONNX_DIMENSION,
  ONNX_ANNOTATION,
  ONNX_OPSET,
  ONNX_ENTRY,
  ONNX_FUNCTION,
  ONNX_TRAINING,
  ONNX_DEVICES,
  ONNX_NODE_DEVICES,
  ONNX_SHARDING,
  ONNX_DEVICE_GROUP,
  ONNX_SHARDED_DIMENSION,
  ONNX_SIMPLE_SHARDING,
  ONNX_MESSAGES
};

enum core_fields {
  CORE_FIELDS_WHOLE,
  /** A message that occurs once is there in several parts, which protobuf joins. */
  CORE_FIELDS_IN_PARTS,
  /** Messages are nested more deeply than protobuf allows. */
  CORE_FIELDS_TOO_DEEP,
  CORE_FIELDS_DAMAGED
};

/** Checks all fields of a message and of the messages in it. */
enum core_fields core_check_fields(struct core_message message, enum core_onnx kind);

/** The same for a model, without its graph and its functions. */
enum core_fields core_check_model_fields(struct core_message model);

/** Writes a message that is not damaged, each message in it in one part. */
void core_join_parts(struct core_writing* to, struct core_message message, enum core_onnx kind);

#endif /* ORTCFFI_CHECK_FIELDS_H_ */
