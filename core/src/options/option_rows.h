/* SPDX-License-Identifier: MIT */
/**
 * @file option_rows.h
 * The options that are one value, as rows, and what options hold. The API can read only a few of
 * them.
 */
#pragma once

#include <stdbool.h>

#include "exported.h"
#include "onnxruntime_c_api.h"

/** Whose options they are. */
enum core_options { CORE_OF_SESSION, CORE_OF_RUN, CORE_OF_THREADING };

/** What a row is: an option of one of these types, or a slot of the option before it. */
enum core_option_kind {
  CORE_OPTION_NUMBER,
  CORE_OPTION_SEVERITY,
  CORE_OPTION_MODE,
  CORE_OPTION_LEVEL,
  CORE_OPTION_POLICY,
  CORE_OPTION_FLAG,
  /** A flag that options share with their copies. */
  CORE_OPTION_SHARED_FLAG,
  /** NULL until it is set. */
  CORE_OPTION_TEXT,
  /** The same, of ORTCHAR_T. */
  CORE_OPTION_PATH,
  CORE_OPTION_SETTER,
  CORE_OPTION_ON,
  CORE_OPTION_OFF,
  CORE_OPTION_GETTER
};

typedef struct core_option_row {
  /** Of the option or the slot. */
  const char* name;
  int kind;
  int initial;
  size_t offset;
  /** The configuration entry that stands for the option; NULL if there is none. */
  const char* entry;
} core_option_row;

/** The rows; the last one has no name. */
CORE_FOR_EXTENSION const core_option_row* core_option_rows(enum core_options owner);

/** Reads an option: a number or a text, which is NULL or valid until it changes. False for options
 * of another library. */
CORE_FOR_EXTENSION bool core_read_option(const void* options, const core_option_row* row,
                                         int* number, const char** text);

/** The configuration entries of run options, in the order in which they were added. For options of
 * another library `*out` is NULL and the status too. */
CORE_FOR_EXTENSION OrtStatus* core_run_config(const OrtRunOptions* options, OrtKeyValuePairs** out);

/** The lists that session options hold. */
enum core_session_list {
  /** An item's text is the value. */
  CORE_SESSION_CONFIG,
  /** An item's number is the dimension; its mark is true for a denotation, false for a name. Of
   * equal keys, a model uses the first. */
  CORE_FREE_DIMENSIONS,
  /** An item's pointer is a borrowed OrtValue. */
  CORE_INITIALIZERS,
  /** An item's pointer is an OrtValue, to which the list has a reference. */
  CORE_EXTERNAL_INITIALIZERS,
  /** An item's key is ORTCHAR_T; its pointer and number are the borrowed bytes of the file. */
  CORE_EXTERNAL_FILES,
  CORE_SESSION_LISTS
};

/** An item of such a list, until the list changes. */
typedef struct core_session_item {
  const char* key;
  int64_t number;
  const void* pointer;
  bool mark;
} core_session_item;

/** Reads the i-th item of a list; false past the last. */
CORE_FOR_EXTENSION bool core_read_session_item(const OrtSessionOptions* options,
                                               enum core_session_list list, size_t i,
                                               core_session_item* out);
