/* SPDX-License-Identifier: MIT */
/**
 * @file describe_options.h
 * Reads the settings that options hold. The API itself can read only a few of them.
 *
 * For options of another library, `*out` is NULL and the status too.
 */
#ifndef ORTCFFI_DESCRIBE_OPTIONS_H_
#define ORTCFFI_DESCRIBE_OPTIONS_H_

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

#endif /* ORTCFFI_DESCRIBE_OPTIONS_H_ */
