/* SPDX-License-Identifier: MIT */
/*
 * Reads and changes key-value pairs in one step. What GetKeyValue and GetKeyValuePairs return is
 * valid until the pairs change, and another thread may change them: so all functions keep the GIL.
 */
#ifndef ORTCFFI_BOUNDARY_STATUS_PAIRS_H_
#define ORTCFFI_BOUNDARY_STATUS_PAIRS_H_

#include "boundary/status/raise.h"
#include "onnxruntime_c_api.h"

/* A new dict of all pairs, in the order of GetKeyValuePairs. */
ortcffi_object* ortcffi_read_pairs(const OrtApi* api, const OrtKeyValuePairs* pairs);

/* The value of a key as a str, or None. */
ortcffi_object* ortcffi_read_pair(const OrtApi* api, const OrtKeyValuePairs* pairs,
                                  const char* key);

/* Adds or replaces a pair; 0 where there is no memory. */
int ortcffi_set_pair(const OrtApi* api, OrtKeyValuePairs* pairs, const char* key,
                     const char* value);

/* Removes a pair; 0 where there is none. */
int ortcffi_remove_pair(const OrtApi* api, OrtKeyValuePairs* pairs, const char* key);

#endif /* ORTCFFI_BOUNDARY_STATUS_PAIRS_H_ */
