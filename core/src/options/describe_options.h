/* SPDX-License-Identifier: MIT */
/**
 * @file describe_options.h
 * Reads back what options hold. The API has functions for little of it, and for no list but one.
 *
 * Objects of another library than this core are told apart: `*out` is then NULL, without an error.
 */
#ifndef ORTCFFI_DESCRIBE_OPTIONS_H_
#define ORTCFFI_DESCRIBE_OPTIONS_H_

#include "options/session_options.h"

/**
 * All settings of one value as pairs, which the caller gives to ReleaseKeyValuePairs. Numbers,
 * truth (1 or 0) and addresses are decimal; paths are UTF-8. Left out are paths that are not set,
 * functions and other addresses that are NULL, and the policy for devices before one is chosen.
 */
OrtStatus* core_describe_session_options(const OrtSessionOptions* options, OrtKeyValuePairs** out);
OrtStatus* core_describe_run_options(const OrtRunOptions* options, OrtKeyValuePairs** out);
OrtStatus* core_describe_threading_options(const OrtThreadingOptions* options,
                                           OrtKeyValuePairs** out);

/** The configuration entries of run options, in the order in which they were added. */
OrtStatus* core_run_config(const OrtRunOptions* options, OrtKeyValuePairs** out);

/** The i-th item of a list of session options, until the list changes; NULL past the last. */
const struct core_item* core_session_item(const OrtSessionOptions* options,
                                          enum core_session_list list, size_t i);

#endif /* ORTCFFI_DESCRIBE_OPTIONS_H_ */
