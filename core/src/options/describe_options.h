/* SPDX-License-Identifier: MIT */
/**
 * @file describe_options.h
 * Reads the settings that options hold. The API itself can read only a few of them.
 *
 * For options of another library, `*out` is NULL and the status too.
 */
#ifndef ORTCFFI_DESCRIBE_OPTIONS_H_
#define ORTCFFI_DESCRIBE_OPTIONS_H_

#include <stdbool.h>

#include "onnxruntime_c_api.h"

/**
 * All settings that are not lists, as pairs, which the caller gives to ReleaseKeyValuePairs.
 * Numbers, booleans (1 or 0) and addresses are decimal; paths are UTF-8. Paths that are not set,
 * addresses that are NULL and a device policy that was not chosen are left out.
 */
OrtStatus* core_describe_session_options(const OrtSessionOptions* options, OrtKeyValuePairs** out);
OrtStatus* core_describe_run_options(const OrtRunOptions* options, OrtKeyValuePairs** out);
OrtStatus* core_describe_threading_options(const OrtThreadingOptions* options,
                                           OrtKeyValuePairs** out);

/** The configuration entries of run options, in the order in which they were added. */
OrtStatus* core_run_config(const OrtRunOptions* options, OrtKeyValuePairs** out);

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
bool core_read_session_item(const OrtSessionOptions* options, enum core_session_list list, size_t i,
                            core_session_item* out);

#endif /* ORTCFFI_DESCRIBE_OPTIONS_H_ */
