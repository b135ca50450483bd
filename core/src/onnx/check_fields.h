/* SPDX-License-Identifier: MIT */
/**
 * @file check_fields.h
 * What protobuf itself checks of ONNX's messages, and does with messages in parts.
 *
 * Only what is needed of a model is read, much of it late. So each graph and each function is
 * checked as a whole before anything of it is read: what protobuf refuses is refused then. Elements
 * of tensors are skipped, so that no page of a weight is read.
 */
#pragma once

#include "onnx/fields.h"
#include "onnx/writing.h"

/** What is known of a field: its type, and the kind of the messages in it. */
struct core_known_field {
  /** NULL for a field that has elements of a tensor. */
  const char* name;
  enum core_field_type {
    /** No such field. */
    CORE_NO_FIELD,
    CORE_INT,
    CORE_FLOAT,
    CORE_DOUBLE,
    CORE_TEXT,
    CORE_BYTES,
    CORE_MESSAGE
  } type;
  bool is_list;
  enum core_onnx kind;
};

extern const struct core_known_field core_known_fields[ONNX_MESSAGES][ONNX_FIELDS];

/** The same for the extension, which reads it once. */
CORE_FOR_EXTENSION const struct core_known_field (*core_all_known_fields(void))[ONNX_FIELDS];

/** The name of a kind of messages. */
CORE_FOR_EXTENSION const char* core_onnx_name(enum core_onnx kind);

enum core_fields {
  CORE_FIELDS_WHOLE,
  /** A message that occurs once is there in several parts, which protobuf joins. */
  CORE_FIELDS_IN_PARTS,
  /** Messages are nested more deeply than protobuf allows. */
  CORE_FIELDS_TOO_DEEP,
  CORE_FIELDS_DAMAGED
};

/** Checks all fields of a message and of the messages in it. */
CORE_FOR_EXTENSION enum core_fields core_check_fields(struct core_message message,
                                                      enum core_onnx kind);

/** The same for a model, without its graph and its functions. */
enum core_fields core_check_model_fields(struct core_message model);

/** Calls a function for each TensorProto in a message; false as soon as the function answers it. */
typedef bool (*core_visit_tensor)(struct core_message tensor, void* state);
CORE_FOR_EXTENSION bool core_each_tensor(struct core_message message, enum core_onnx kind,
                                         core_visit_tensor visit, void* state);

/** Writes a message that is not damaged, each message in it in one part. */
void core_join_parts(struct core_writing* to, struct core_message message, enum core_onnx kind);
